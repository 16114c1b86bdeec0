"""From a node's description to the process that the guard is asked to start."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from pathlib import Path

from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.node_decl import NodeDecl
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.supervision.command import command
from bxi_framework.supervision.facts import filled
from bxi_framework.supervision.guard.words import Request
from bxi_framework.supervision.handover import Handover, handover_text, required_manifests
from bxi_framework.supervision.params_file import ParamsError, fitting, params_text
from bxi_framework.supervision.spec import NodeSpec
from bxi_framework.supervision.surroundings import Host, StartError, Surroundings, surroundings


def process_request(
    spec: NodeSpec, manifests: Mapping[str, ModManifest], host: Host, params_file: Callable[[], Path]
) -> Request:
    """The process of a node.

    Args:
        spec: the node.
        manifests: the Mods that run, by id.
        host: the framework's own surroundings.
        params_file: says where its ROS parameters are written, if it has any.

    Raises:
        StartError: something that it needs is not there.
    """
    decl, manifest = spec.decl, manifests[spec.mod]
    facts = host.facts()
    context = filled(spec.context, facts)
    around = surroundings(manifest, decl, host, facts)
    params = _params(decl, context)
    path = str(params_file()) if params else ""
    python = decl.runtime == "python"
    return Request(
        name=spec.name,
        argv=command(manifest.root, decl, context, around, host, path),
        environment=dict(around.environment),
        # Python would take modules from the folder that it starts in; the runner goes there by itself.
        folder="/" if python else str(around.folder),
        cpus=list(decl.cpu_affinity),
        signal=signal.Signals[decl.shutdown.signal],
        terminate_after=decl.shutdown.terminate_after,
        kill_after=decl.shutdown.kill_after,
        params_file=path,
        params=params,
        context=_handover(decl, context, manifest, manifests, around) if python else None,
    )


def _params(decl: NodeDecl, context: NodeBuildContext) -> str:
    """The text of the parameter file, empty for none. The factory of a python node gets its parameters as
    they are, so what ROS cannot take is left out of its file; for any other node that is an error.
    """
    params = context.params if decl.runtime != "python" else fitting(context.params)
    if not params:
        return ""
    try:
        return params_text(params)
    except ParamsError as error:
        raise StartError(str(error)) from error


def _handover(
    decl: NodeDecl,
    context: NodeBuildContext,
    manifest: ModManifest,
    manifests: Mapping[str, ModManifest],
    around: Surroundings,
) -> str:
    return handover_text(
        Handover(
            manifest=str(manifest.path),
            required=tuple(str(other.path) for other in required_manifests(manifest, manifests.values())),
            entrypoint=decl.entrypoint,
            mode=around.mode,
            folder=str(around.folder),
            context=context,
        )
    )
