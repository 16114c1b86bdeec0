"""What is wrong on a command line is refused with the nearest name and the usage, and nothing runs."""

from __future__ import annotations

import pytest
from cli.calling import Bxi

from bxi_framework import __version__

VERBS = ("run", "graph", "event", "status")
NO_NAMESPACE = "Write names of letters, digits and '_', joined by '/'; none begins with a digit."


def test_without_a_verb_the_usage_is_shown_and_it_counts_as_a_mistake(bxi: Bxi) -> None:
    answer = bxi()
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("usage: bxi VERB [options]\n")


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
def test_help_lists_every_verb(bxi: Bxi, word: str) -> None:
    answer = bxi(word)
    assert (answer.status, answer.err) == (0, "")
    listed = [line.split()[0] for line in answer.out.splitlines() if line.startswith("  ")]
    assert {*VERBS, "mod"} <= set(listed)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_own_help(bxi: Bxi, verb: str) -> None:
    answer = bxi(verb, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"usage: bxi {verb} ")


def test_mod_list_has_its_own_help(bxi: Bxi) -> None:
    answer = bxi("mod", "list", "--help")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("usage: bxi mod list ")


def test_the_version_is_that_of_the_package(bxi: Bxi) -> None:
    answer = bxi("--version")
    assert (answer.status, answer.out, answer.err) == (0, f"bxi {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rnu",), "no verb 'rnu'. Did you mean 'run'?"),
        (("RUN",), "no verb 'RUN'. Did you mean 'run'?"),
        (("mod", "lsit"), "no verb 'mod lsit'. Did you mean 'list'?"),
        (("graph", "--confg", "x"), "no option '--confg'. Did you mean '--config'?"),
        (("graph", "--confg=x"), "no option '--confg'. Did you mean '--config'?"),
        # An abbreviation today may mean something else tomorrow.
        (("graph", "--conf", "x"), "no option '--conf'. Did you mean '--config'?"),
        (("run", "--modpath", "x"), "no option '--modpath'. Did you mean '--mod-path'?"),
        (("status", "--jason"), "no option '--jason'. Did you mean '--json'?"),
    ],
)
def test_a_wrong_name_gets_the_nearest(bxi: Bxi, words: tuple[str, ...], said: str) -> None:
    answer = bxi(*words)
    assert (answer.status, answer.out) == (2, "")
    first, usage = answer.err.split("\n", 1)
    assert first == f"bxi: {said}"
    assert usage.startswith("usage: bxi ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("graph", "--config", "a", "--config", "b"), "--config is given twice; give it once"),
        (("graph", "--config=a", "--config=a"), "--config is given twice; give it once"),
        (("graph", "--format", "dot", "--format", "dot"), "--format is given twice; give it once"),
        (("run", "--log-level", "info", "--log-level", "info"), "--log-level is given twice; give it once"),
        (("status", "--timeout", "1", "--timeout", "1"), "--timeout is given twice; give it once"),
        (
            ("event", "x/y", "--namespace", "a", "--namespace", "a"),
            "--namespace is given twice; give it once",
        ),
    ],
)
def test_an_option_given_twice_is_refused(bxi: Bxi, words: tuple[str, ...], said: str) -> None:
    answer = bxi(*words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bxi: {said}\nusage: bxi {words[0]} ")


@pytest.mark.parametrize("value", ["yes", "true", "false", "no", "0", "1", ""])
@pytest.mark.parametrize(
    ("verb", "option"), [(("graph",), "--safe"), (("mod", "list"), "--json"), (("status",), "--json")]
)
def test_a_switch_takes_no_value(bxi: Bxi, verb: tuple[str, ...], option: str, value: str) -> None:
    answer = bxi(*verb, f"{option}={value}")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bxi: {option} takes no value; write {option} alone, or leave it out\n")


def test_a_word_after_a_switch_is_not_its_value(bxi: Bxi) -> None:
    answer = bxi("graph", "--safe", "no")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("bxi: 'no' is one argument too many\n")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("graph", "--config"), "--config"),
        (("graph", "--config", "--safe"), "--config"),
        (("run", "--mod-path"), "--mod-path"),
        (("run", "--set"), "--set"),
        (("graph", "--format"), "--format"),
        (("status", "--timeout"), "--timeout"),
        (("event", "x/y", "--namespace"), "--namespace"),
    ],
)
def test_a_missing_value_is_named(bxi: Bxi, words: tuple[str, ...], option: str) -> None:
    answer = bxi(*words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bxi: argument {option}: expected one argument\nusage: bxi {words[0]} ")


@pytest.mark.parametrize("value", ["soon", "", "0", "-1", "nan", "inf", "1e9", "1s"])
def test_a_timeout_is_a_number_of_seconds_above_zero(bxi: Bxi, value: str) -> None:
    answer = bxi("status", f"--timeout={value}")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bxi: argument --timeout: '{value}' is not a number of seconds above 0\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("graph", "--format", "svg"),
            "argument --format: 'svg' is none of the choices. Valid names: dot, json, mermaid.",
        ),
        (
            ("graph", "--format", "mermiad"),
            "argument --format: 'mermiad' is none of the choices. Did you mean 'mermaid'?",
        ),
        (
            ("run", "--log-level", "warn"),
            "argument --log-level: 'warn' is none of the choices. Did you mean 'warning'?",
        ),
    ],
)
def test_a_value_out_of_a_list_is_checked(bxi: Bxi, words: tuple[str, ...], said: str) -> None:
    answer = bxi(*words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bxi: {said}\n")


@pytest.mark.parametrize("name", ["a b", "1a", "a//b", "a-b", "//", "~/a", "ä"])
def test_a_namespace_is_checked_before_ros_is_asked(bxi: Bxi, name: str) -> None:
    answer = bxi("status", "--namespace", name, "--timeout", "1")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(
        f"bxi: argument --namespace: '{name}' is not a ROS namespace. {NO_NAMESPACE}\n"
    )


def test_an_event_needs_exactly_one_name(bxi: Bxi) -> None:
    missing, several = bxi("event"), bxi("event", "a/b", "c/d")
    assert (missing.status, several.status) == (2, 2)
    assert missing.err.startswith("bxi: the following arguments are required: NAME\n")
    assert several.err.startswith("bxi: 'c/d' is one argument too many\n")
