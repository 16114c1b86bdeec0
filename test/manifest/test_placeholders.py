"""Placeholders in the texts of nodes stand for facts; whatever else holds a dollar sign stays as it is."""

from __future__ import annotations

from bxi_framework.manifest.placeholders import FACTS, fact_faults_below, fill

VALUES = {"bxi.system.ip": "10.0.0.5", "bxi.system.machine": "aarch64", "bxi.python.version": "3.11"}


def test_every_fact_has_a_name() -> None:
    assert set(FACTS) == set(VALUES)


def test_texts_at_any_depth_are_filled_in() -> None:
    data = {
        "url": "http://${bxi.system.ip}:80/${bxi.system.machine}",
        "deep": [{"a": ["${bxi.python.version}", 1, True, None]}],
        "kept": "$HOME ${HOME} ${bxi.system.ip $(id)",
    }
    assert fill(data, VALUES) == {
        "url": "http://10.0.0.5:80/aarch64",
        "deep": [{"a": ["3.11", 1, True, None]}],
        "kept": "$HOME ${HOME} ${bxi.system.ip $(id)",
    }


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    assert fill("${bxi.system.ip}", {"bxi.system.ip": "${bxi.system.machine}"}) == "${bxi.system.machine}"


def test_faults_come_with_the_path_of_their_text() -> None:
    data = {"a": [{"b": "x${bxi.no}"}], "c": "${bxi.system.ip}${bxi.python}", "d": 3}
    found = [(path, fault.offset, fault.subject) for path, fault in fact_faults_below(data, "params")]
    assert found == [("params.a[0].b", 1, "bxi.no"), ("params.c", 16, "bxi.python")]
