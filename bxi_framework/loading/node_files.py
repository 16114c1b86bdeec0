"""Checks what a node names in its Mod's folder and on this machine; nothing is imported and nothing started.

What the Mod itself lacks is an error. What this machine lacks makes the node unavailable.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from bxi_framework.diagnostics import did_you_mean
from bxi_framework.loading.ament_index import package_prefix
from bxi_framework.loading.availability import missing_requirements
from bxi_framework.loading.findings import Findings
from bxi_framework.loading.platform_name import platform_name
from bxi_framework.loading.syntax_tree import find_entry
from bxi_framework.loading.vendor import vendor_folders
from bxi_framework.manifest.mod import ModManifest, NodeDecl


def check_node_files(manifest: ModManifest, node: NodeDecl, findings: Findings) -> None:
    """The files of a node must be in the Mod and stay there; in-process entrypoints are found by import."""
    check = _FileCheck(manifest, node, findings)
    if node.cwd:
        check.folder("cwd", node.cwd)
    if node.runtime == "python" and node.execution == "process":
        check.python()
    elif node.runtime == "executable":
        check.executable()
    elif node.runtime == "ros":
        check.ros()
    elif node.runtime == "command":
        check.script("entrypoint", node.entrypoint)
        if node.interpreter is not None and _is_of_mod(node.interpreter):
            check.program("interpreter", node.interpreter, os.path.join(manifest.root, node.interpreter))


def check_candidates(manifest: ModManifest, findings: Findings) -> None:
    """The folders of portable runtime profiles must not lead out of the Mod through links."""
    for profile in manifest.runtime_profiles:
        for index, candidate in enumerate(profile.candidates):
            if not is_below(str(manifest.root), os.path.join(manifest.root, candidate)):
                _report_link(manifest, findings, candidate, f"{profile.field}.candidates[{index}]")


def machine_lacks(manifest: ModManifest, node: NodeDecl) -> Iterator[tuple[str, str]]:
    """Field path and sentence for each thing that this machine lacks, so that the node cannot run here."""
    if _mode(manifest, node) != "portable":
        folders = vendor_folders(manifest.root, _mode(manifest, node))
        yield from missing_requirements(node, manifest.python_exports, folders)
    if node.runtime == "ros":
        package = node.entrypoint.partition(":")[0]
        if package_prefix(package) is None:
            yield f"{node.field}.entrypoint", f"the ROS package '{package}' is not installed"
    elif node.runtime == "executable":
        others = _other_platforms(manifest, node.entrypoint)
        if others and not os.path.lexists(_executable(manifest, node.entrypoint)):
            yield (
                f"{node.field}.entrypoint",
                f"'{node.entrypoint}' is there for {', '.join(others)}, not for {platform_name()}",
            )
    elif node.interpreter is not None and not _is_there(node.interpreter):
        yield f"{node.field}.interpreter", f"the program '{node.interpreter}' is not installed"


def is_below(root: str, path: str) -> bool:
    """True if a path, with all links followed, is the folder ``root`` or lies in it."""
    real, inside = os.path.realpath(root), os.path.realpath(path)
    return inside == real or inside.startswith(os.path.join(real, ""))


class _FileCheck:
    """The files of one node."""

    def __init__(self, manifest: ModManifest, node: NodeDecl, findings: Findings) -> None:
        self._manifest = manifest
        self._node = node
        self._findings = findings

    def folder(self, key: str, path: str) -> None:
        """A folder of the Mod."""
        full = os.path.join(self._manifest.root, path)
        if not os.path.isdir(full):
            self._report(
                "node-file-missing",
                f"The Mod has no folder '{path}'.",
                key,
                f"Create it, or correct '{key}'.",
                path,
            )
        elif not is_below(str(self._manifest.root), full):
            _report_link(self._manifest, self._findings, path, f"{self._node.field}.{key}")

    def script(self, key: str, path: str) -> None:
        """A file of the Mod."""
        self._file(key, path, os.path.join(self._manifest.root, path))

    def program(self, key: str, shown: str, full: str) -> None:
        """A file of the Mod that may be executed."""
        if self._file(key, shown, full) and not os.access(full, os.X_OK):
            self._report(
                "node-file-not-executable",
                f"The file '{shown}' may not be executed.",
                key,
                f"Run 'chmod +x {shown}' in the Mod's folder.",
                shown,
            )

    def executable(self) -> None:
        """A program of the Mod for this platform; one for another platform never takes its place."""
        name = self._node.entrypoint
        full = _executable(self._manifest, name)
        if not os.path.lexists(full) and _other_platforms(self._manifest, name):
            return
        self.program("entrypoint", f"bin/{platform_name()}/{name}", full)

    def ros(self) -> None:
        """A program of a ROS package; a package that is not installed is another matter."""
        package, _, name = self._node.entrypoint.partition(":")
        prefix = package_prefix(package)
        if prefix is None:
            return
        folder = os.path.join(prefix, "lib", package)
        if not os.path.isfile(os.path.join(folder, name)):
            self._report(
                "node-file-missing",
                f"The ROS package '{package}' has no executable '{name}'.",
                "entrypoint",
                did_you_mean(name, _files(folder)),
                name,
            )

    def python(self) -> None:
        """A function of a module, found in the syntax tree."""
        problem = find_entry(str(self._manifest.root), self._node.entrypoint)
        if problem is None:
            return
        self._findings.add(
            self._manifest,
            problem.code,
            problem.message,
            f"{self._node.field}.entrypoint",
            hint=problem.hint,
            subject=problem.subject,
            place=None if problem.file is None else (problem.file, problem.line),
        )

    def _file(self, key: str, shown: str, full: str) -> bool:
        if not os.path.isfile(full):
            names = _files(os.path.dirname(full))
            near = (
                did_you_mean(os.path.basename(shown), names) if names else f"Create it, or correct '{key}'."
            )
            self._report("node-file-missing", f"The Mod has no file '{shown}'.", key, near, shown)
            return False
        if not is_below(str(self._manifest.root), full):
            _report_link(self._manifest, self._findings, shown, f"{self._node.field}.{key}")
            return False
        return True

    def _report(self, code: str, message: str, key: str, hint: str, subject: str) -> None:
        self._findings.add(
            self._manifest, code, message, f"{self._node.field}.{key}", hint=hint, subject=subject
        )


def _report_link(manifest: ModManifest, findings: Findings, path: str, field: str) -> None:
    findings.add(
        manifest,
        "path-outside-mod",
        f"'{path}' is a link that leads out of the Mod's folder.",
        field,
        hint="Put the file itself into the Mod.",
        subject=path,
    )


def _mode(manifest: ModManifest, node: NodeDecl) -> str:
    """The mode of the node's runtime profile; a portable one replaces this machine's environment."""
    name = f"{manifest.id}/{node.runtime_profile}"
    return next((profile.mode for profile in manifest.runtime_profiles if profile.name == name), "vendor")


def _executable(manifest: ModManifest, name: str) -> str:
    return os.path.join(manifest.root, "bin", platform_name(), name)


def _is_there(interpreter: str) -> bool:
    """True for a program of this machine that can be found, and for one of the Mod, which is a file of it."""
    return _is_of_mod(interpreter) or shutil.which(interpreter) is not None


def _is_of_mod(interpreter: str) -> bool:
    """True for a path in the Mod, False for a name to be looked up and for an absolute path."""
    return "/" in interpreter and not interpreter.startswith("/")


def _other_platforms(manifest: ModManifest, name: str) -> list[str]:
    """The platforms for which the Mod has the program."""
    folder = os.path.join(manifest.root, "bin")
    return sorted(entry for entry in _entries(folder) if os.path.isfile(os.path.join(folder, entry, name)))


def _files(folder: str) -> list[str]:
    return [entry for entry in _entries(folder) if os.path.isfile(os.path.join(folder, entry))]


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
