"""Each Mod has its own modules; what Mods share is exported, and belongs to those who require it."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loading.executing import build, errors, load, nothing_left_behind
from loading.folders import REST, STATE, write_mod

from bxi_framework.loading.modules import private_name

PLAIN = STATE.replace("from __future__ import annotations\n", "")
OTHER = REST.replace("btn_1", "btn_2")


@pytest.fixture(autouse=True)
def _leaves_nothing(tmp_path: Path) -> Iterator[None]:
    with nothing_left_behind(tmp_path):
        yield


def write_exporter(folder: Path, mod_id: str = "com.test.base") -> Path:
    """A Mod that exports the package ``zoo_shared``, whose NUMBER is 9."""
    root = write_mod(folder, mod_id, exports="zoo_shared")
    (root / "zoo_shared").mkdir()
    (root / "zoo_shared" / "__init__.py").write_text("from .part import NUMBER\n")
    (root / "zoo_shared" / "part.py").write_text("NUMBER = 9\n")
    return root


@pytest.mark.parametrize(
    "line",
    [
        "from ..com_test_a import state",
        "from .. import com_test_a",
        "from ..com_test_a.state import RestState",
        "import com_test_a.state",
        "import com.test.a.state",
    ],
)
def test_a_mod_cannot_reach_into_another(tmp_path: Path, line: str) -> None:
    write_mod(tmp_path, "com.test.a", REST, state=STATE)
    write_mod(tmp_path, "com.test.b", OTHER, requires="com.test.a", state=f"{line}\n{PLAIN}")
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 1)]
    loaded.close()


@pytest.mark.parametrize("name", ["json", "logging", "helper"])
def test_a_module_of_a_mod_hides_nothing(tmp_path: Path, name: str) -> None:
    """Its own module of that name is found with a dot, the standard one by its name, here and elsewhere."""
    code = f"from .{name} import NUMBER\nimport json\nimport logging\n" + PLAIN.replace(
        "0.0", "NUMBER, json.loads('2'), logging.INFO"
    )
    write_mod(tmp_path, "com.test.a", REST, state=code, **{name: "NUMBER = 1\n"})
    loaded, report = load(tmp_path)
    assert report.codes() == []
    found = getattr(build(loaded, "com.test.a", "rest"), "target_position")(None)  # noqa: B009
    assert found == (1, 2, 20)
    assert importlib.import_module("json") is json
    assert "helper" not in sys.modules
    loaded.close()


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (
            "import helper",
            "A Mod's own modules begin with a dot: 'from . import helper', 'from .helper import …'.",
        ),
        (
            "from poses.arm import X",
            "A Mod's own modules begin with a dot: 'from . import poses', 'from .poses import …'.",
        ),
        ("import surely_not_installed", "Mend the Mod's code at that line."),
    ],
)
def test_a_missing_dot_is_pointed_out(tmp_path: Path, line: str, hint: str) -> None:
    root = write_mod(tmp_path, "com.test.a", REST, state=f"{line}\n{PLAIN}", helper="")
    (root / "poses").mkdir()
    (root / "poses" / "arm.py").write_text("X = 1\n")
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert (error.code, error.line, error.hint) == ("import-failed", 1, hint)
    loaded.close()


def test_a_missing_module_of_the_mod_is_called_as_the_mod_calls_it(tmp_path: Path) -> None:
    write_mod(tmp_path, "com.test.a", REST, state=f"from .helpr import X\n{PLAIN}")
    loaded, report = load(tmp_path)
    (error,) = report.errors
    assert error.message == (
        "The module 'state' cannot be imported: ModuleNotFoundError: No module named 'helpr'"
    )
    loaded.close()


@pytest.mark.parametrize("requires", ["com.test.base", "{id: com.test.base, optional: true}"])
def test_an_export_is_for_those_who_require_its_owner(tmp_path: Path, requires: str) -> None:
    write_exporter(tmp_path)
    code = "import importlib\nfrom zoo_shared.part import NUMBER\n" + PLAIN.replace(
        "return 0.0", "import zoo_shared\n        return NUMBER, importlib.import_module('zoo_shared').NUMBER"
    )
    write_mod(tmp_path, "com.test.user", REST, requires=requires, state=code)
    loaded, report = load(tmp_path)
    assert report.codes() == []
    assert getattr(build(loaded, "com.test.user", "rest"), "target_position")(None) == (9, 9)  # noqa: B009
    loaded.close()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("zoo_shared")


@pytest.mark.parametrize("owner", ["com.test.a", "com.test.z"])
def test_an_export_of_a_mod_that_is_not_required_is_an_error_in_either_order(
    tmp_path: Path, owner: str
) -> None:
    """The owner would load before or after its user."""
    write_exporter(tmp_path, owner)
    code = PLAIN.replace("return 0.0", "from zoo_shared import NUMBER\n        return NUMBER")
    write_mod(tmp_path, "com.test.user", REST, state=code)
    loaded, report = load(tmp_path)
    assert errors(report) == [("reference-without-requires", "state.py", 9)]
    assert report.errors[0].message == (
        f"The package 'zoo_shared' belongs to '{owner}', which this Mod does not require."
    )
    assert report.errors[0].hint == f"Add '{owner}' to 'requires'."
    loaded.close()


def test_an_export_asked_for_by_name_is_refused_just_so(tmp_path: Path) -> None:
    write_exporter(tmp_path, "com.test.z")
    code = "import importlib\nimportlib.import_module('zoo_' + 'shared')\n" + PLAIN
    write_mod(tmp_path, "com.test.user", REST, state=code)
    loaded, report = load(tmp_path)
    assert errors(report) == [("import-failed", "state.py", 2)]
    assert "'zoo_shared' belongs to 'com.test.z'; add 'com.test.z' to 'requires'" in report.errors[0].message
    loaded.close()


def test_a_word_in_a_comment_is_no_import(tmp_path: Path) -> None:
    write_exporter(tmp_path)
    code = "# zoo_shared is not for us\nfrom . import zoo_shared\n" + PLAIN
    write_mod(tmp_path, "com.test.user", REST, state=code, zoo_shared="")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    loaded.close()


def test_two_runtimes_share_an_export_until_the_last_is_closed(tmp_path: Path) -> None:
    write_exporter(tmp_path)
    code = PLAIN.replace("return 0.0", "import zoo_shared.part\n        return zoo_shared")
    write_mod(tmp_path, "com.test.user", REST, requires="com.test.base", state=code)
    first, second = load(tmp_path)[0], load(tmp_path)[0]
    found = [getattr(build(one, "com.test.user", "rest"), "target_position") for one in (first, second)]  # noqa: B009
    package = found[0](None)
    first.close()
    assert found[1](None) is package
    second.close()
    assert "zoo_shared" not in sys.modules


def test_an_exported_package_may_be_required_by_name(tmp_path: Path) -> None:
    write_exporter(tmp_path)
    write_mod(tmp_path, "com.test.user", requires="com.test.base", python="{import: zoo_shared.part}")
    loaded, report = load(tmp_path)
    assert report.codes() == []
    assert [manifest.id for manifest in loaded.manifests] == ["com.test.base", "com.test.user"]
    loaded.close()


def test_different_ids_have_different_private_names() -> None:
    ids = ["com.a.b", "com.a_b", "com.a-b", "com-a.b", "com.a.db", "com.a_vendor", "com.a.vendor"]
    names = [private_name(mod_id) for mod_id in ids]
    assert len(set(names)) == len(ids)
    assert all(name.isidentifier() for name in names)
