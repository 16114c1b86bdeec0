"""The loader over what Mods offer: by id, each from one Mod."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from simulation.cart import Weather

from bxi_framework.diagnostics import Report
from bxi_framework.mod_api import ModDefinition
from bxi_framework.simulation.from_mods import from_mods


class Lazy:
    """An offer that knows its extension only when it is asked for."""

    id = "test.lazy"

    def create(self, config: Any) -> Weather:
        return Weather(config)


def test_what_mods_offer_is_found_by_id_and_made_with_its_config() -> None:
    report = Report()
    loader = from_mods(
        {
            "com.test.b": ModDefinition(simulation_extensions=[Weather]),
            "com.test.a": ModDefinition(simulation_extensions=[Lazy()]),
            "com.test.c": ModDefinition(),
        },
        report,
    )
    assert report.codes() == []
    assert loader.known() == ["test.lazy", "test.weather"]
    for extension_id in loader.known():
        made = loader.load(extension_id, {"a": 1})
        assert isinstance(made, Weather) and made.config == {"a": 1}
    assert loader.load("test.weather", {}) is not loader.load("test.weather", {})
    assert loader.code_of("test.lazy") == Path(__file__).parent


def test_an_id_that_two_mods_offer_is_told() -> None:
    report = Report()
    definition = ModDefinition(simulation_extensions=[Weather])
    loader = from_mods({"com.test.b": definition, "com.test.a": definition}, report)
    (fault,) = report
    assert (fault.code, fault.mod, fault.subject) == ("extension-offered-twice", "com.test.b", "test.weather")
    assert "'com.test.a' and 'com.test.b' both offer" in fault.message
    assert loader.known() == ["test.weather"]


def test_an_unknown_id_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        from_mods({}, Report()).load("nothing", {})
