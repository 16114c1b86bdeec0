"""Code or config of extensions and components at fault: named with its place, and nothing else breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from simulation.cart import TYPES, Gate, MeterFactory, PushFactory, Weather, World, faults
from simulation.manifests import MANIFEST, unsound, write

from bxi_framework.diagnostics import Report
from bxi_framework.mod_api import ConfigReader
from bxi_framework.simulation import (
    Channel,
    Configuring,
    Declaring,
    Extension,
    InputDescriptor,
    SimulationBuilder,
    read_scene,
)


class Tuned(Extension):
    """An extension with a config."""

    id = "test.tuned"
    version = "3.1"

    def read_config(self, config: ConfigReader) -> None:
        config.float("gain", 1.0)
        config.finish()


class Broken(Extension):
    """Fails in a phase."""

    id = "test.broken"

    def __init__(
        self, config: Any = None, phase: str = "declare", error: BaseException | None = None
    ) -> None:
        super().__init__(config)
        self.phase = phase
        self.error = error or KeyError("nothing there")

    def declare(self, declaring: Declaring) -> None:
        if self.phase == "declare":
            raise self.error

    def configure(self, configuring: Configuring) -> None:
        if self.phase == "configure":
            raise self.error


@pytest.mark.parametrize("phase", ["declare", "configure"])
@pytest.mark.parametrize("error", [KeyError("nothing there"), SystemExit(3)])
def test_code_that_fails_is_named_with_its_own_line(phase: str, error: BaseException) -> None:
    (fault,) = faults(World(components=(), extensions=(Broken(phase=phase, error=error), Weather())))
    assert fault.code == "part-code-failed"
    assert f"extension 'test.broken' failed in {phase}: {type(error).__name__}" in fault.message
    assert fault.file == __file__
    line = Path(__file__).read_text("utf-8").splitlines()[fault.line - 1]
    assert line.strip() == "raise self.error"


def test_a_component_that_fails_is_named_with_its_own_line(tmp_path: Path) -> None:
    class Bad(PushFactory):
        def define(self, instance_id: str, config: ConfigReader) -> Any:
            return 1 / 0

    (fault,) = unsound(write(tmp_path, MANIFEST), types=(Bad(), MeterFactory()))
    assert (fault.code, fault.file, fault.field) == ("part-code-failed", __file__, "components[0]")
    assert "component 'push' failed in define: ZeroDivisionError" in fault.message


def test_code_that_does_not_return_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    from bxi_framework.diagnostics import time_limit

    over = Event()

    class Waiting(Extension):
        id = "test.waiting"

        def configure(self, configuring: Configuring) -> None:
            over.wait()

    monkeypatch.setattr(time_limit, "LIMIT", 0.4)
    (fault,) = faults(World(components=(), extensions=(Waiting(),)))
    over.set()
    assert (fault.code, fault.file) == ("part-code-stuck", __file__)
    assert "In 'test.waiting' configure did not return within 0.4 s." in fault.message


@pytest.mark.parametrize(
    ("extension", "said"),
    [
        ("not one", "an extension must be an Extension, not a str"),
        (type("Nameless", (Extension,), {})(), "AttributeError"),
        (type("Empty", (Extension,), {"id": ""})(), "'id' must not be empty"),
        (type("Numbered", (Extension,), {"id": "a", "version": 3})(), "must be texts"),
        (type("Needy", (Extension,), {"id": "a", "dependencies": lambda self: "b"})(), "must be texts"),
    ],
)
def test_an_identity_that_is_none_is_refused(extension: Any, said: str) -> None:
    (fault,) = faults(World(components=(), extensions=(extension,)))
    assert fault.code == "part-code-failed" and said in fault.message


def test_a_config_without_a_hash_is_refused() -> None:
    (fault,) = faults(World(components=(), extensions=(Tuned({"gain": float("nan")}),)))
    assert fault.code == "config-not-plain" and "gain: must be a finite number" in fault.message
    (fault,) = faults(World(components=(), extensions=(Tuned({"gain": {1: 2}}),)))
    assert fault.code == "config-not-plain" and "a key must be text" in fault.message


def test_a_config_that_does_not_fit_is_told_where_it_was_written(tmp_path: Path) -> None:
    manifest = MANIFEST + "extensions:\n  - id: test.tuned\n    config: {gian: 2.5}\n"
    (fault,) = unsound(write(tmp_path, manifest), extensions=[Tuned])
    assert (fault.code, fault.line, fault.column) == ("config-invalid", 18, 20)
    assert fault.hint == "Did you mean 'gain'?"


def test_a_type_that_is_taken_is_refused(tmp_path: Path) -> None:
    class Types(Extension):
        id = "test.types"

        def declare(self, declaring: Declaring) -> None:
            declaring.add_component_type(PushFactory())

    (fault,) = unsound(write(tmp_path), added=[Types()])
    assert (fault.code, fault.subject) == ("component-type-twice", "test/push")


def test_an_id_that_a_component_has_is_refused(tmp_path: Path) -> None:
    class Same(Extension):
        id = "test.same"

        def configure(self, configuring: Configuring) -> None:
            configuring.add_input(InputDescriptor("push", Channel("x", "", (1,)), (0.0,)))

    (fault,) = unsound(write(tmp_path), added=[Same()])
    assert (fault.code, fault.subject) == ("capability-twice", "push")
    assert "input 'push' of extension 'test.same'" in fault.message
    assert "endpoint 'push' of component 'push'" in fault.message


def test_something_of_another_role_is_refused() -> None:
    class Confused(Extension):
        id = "test.confused"

        def configure(self, configuring: Configuring) -> None:
            configuring.add_device(Gate())  # type: ignore[arg-type]

    (fault,) = faults(World(components=(), extensions=(Confused(),)))
    assert fault.code == "part-code-failed"
    assert "a device must be a DeviceFactory, not a Gate" in fault.message


def test_a_scene_without_a_loader_names_no_extension(tmp_path: Path) -> None:
    path = write(tmp_path, MANIFEST + "extensions: [{id: test.weather}]\n")
    scene = read_scene(path, Report())
    assert scene is not None
    report = Report()
    assert SimulationBuilder(scene, types=TYPES).build(report) is None
    assert report.codes() == ["extension-unknown"]
