"""The configuration with its Mods, and the checks that these bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bxi_framework.diagnostics import Report
from bxi_framework.diagnostics.guard import mod_place
from bxi_framework.diagnostics.time_limit import ModCall, Stuck, Watch, run_watched
from bxi_framework.loading.execute import LoadedMods
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.mod_api.check import CheckContext, CheckResult, ModCheck


def check_report(report: Report) -> CheckResult:
    """What reading the configuration and loading its Mods has found."""
    errors = report.errors
    if errors:
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        return CheckResult.failed(
            "configuration", f"{errors[0].message}{more}", "See all of it with 'bxi graph', and mend it first"
        )
    return CheckResult.passed("configuration", "sound")


def check_mods(loaded: LoadedMods) -> Iterator[CheckResult]:
    """Which Mods run, and which do not."""
    resolution = loaded.resolution
    names = ", ".join(manifest.id for manifest in resolution.manifests)
    yield CheckResult.passed("mods", names or "none")
    for mod_id, reason in sorted(resolution.unavailable.items()):
        yield CheckResult.warning(
            mod_id,
            f"unavailable: {reason.rstrip('.')}",
            "Install what it needs, or leave it out: mods.leave_out",
        )


def run_mod_checks(loaded: LoadedMods, limit: float | None = None) -> Iterator[tuple[str, CheckResult]]:
    """The results of the checks that Mods bring, each with the Mod's id.

    A check that raises, gives something else than results, or does not return within ``limit`` seconds (10)
    is a failure of its Mod; after one that does not return no more code of Mods is tried.
    """
    for manifest in loaded.resolution.manifests:
        definition = loaded.definitions.get(manifest.id)
        for check in () if definition is None else definition.checks:
            found: list[CheckResult] = []
            stuck = _run(manifest, check, found, limit)
            yield from ((manifest.id, result) for result in found)
            if stuck is not None:
                yield manifest.id, CheckResult.failed(_name(check), _stuck(stuck), "Tell the Mod's author")
                return


def _run(
    manifest: ModManifest, check: ModCheck, found: list[CheckResult], limit: float | None
) -> Stuck | None:
    name = _name(check)
    context = CheckContext(manifest.id, manifest.root, _node_params(manifest))

    def job(watch: Watch) -> None:
        call = ModCall(manifest.id, manifest.root, f"the check '{name}'")
        outcome = watch.call(call, lambda: list(check(context)))
        if outcome.error is not None:
            said = mod_place(outcome.error, manifest.root)
            found.append(
                CheckResult.failed(name, f"the check itself failed: {said}", "Tell the Mod's author")
            )
            return
        found.extend(_sound(name, outcome.value))

    return run_watched(job, limit)


def _sound(name: str, results: Iterable[Any]) -> Iterator[CheckResult]:
    for result in results:
        if isinstance(result, CheckResult):
            yield result
        else:
            yield CheckResult.failed(
                name,
                f"the check gave a {type(result).__name__} where a CheckResult was expected",
                "Tell the Mod's author",
            )


def _stuck(stuck: Stuck) -> str:
    place = f", stands at {stuck.place.file}:{stuck.place.line}" if stuck.place is not None else ""
    return f"the check did not return within {stuck.limit:g} s{place}"


def _node_params(manifest: ModManifest) -> Mapping[str, Mapping[str, Any]]:
    return {node.name: dict(node.params) for node in manifest.nodes}


def _name(check: object) -> str:
    return str(getattr(check, "__name__", type(check).__name__)).replace("_", " ")
