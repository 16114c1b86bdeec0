"""Installed packages bring Mods through entry points; a broken one is a diagnostic, and none is imported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.arm import write_robot

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "test" / "packages"


def install(name: str, folder: Path) -> Path:
    """Install a package of test/packages for real, into a folder of its own; nothing is downloaded."""
    # The build leaves files beside the sources, so it gets a copy.
    source = folder / "source"
    shutil.copytree(PACKAGES / name, source, ignore=shutil.ignore_patterns("__pycache__"))
    target = folder / "target"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--no-compile", "--target", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a package with a Mod is installed."""
    return install("robot_hands", tmp_path_factory.mktemp("hands"))


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a package is installed whose entry points lead nowhere."""
    return install("robot_nothing", tmp_path_factory.mktemp("nothing"))


def bxi(*words: str | Path, path: list[Path], **variables: str) -> subprocess.CompletedProcess[str]:
    """Call the command in a process that finds these installed packages."""
    environment = {**os.environ, **variables, "PYTHONPATH": os.pathsep.join(map(str, [ROOT, *path]))}
    script = "import sys; from bxi_framework.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_mods_of_an_installed_package_are_found(hands: Path) -> None:
    said = bxi("mod", "list", "--json", path=[hands])
    assert (said.returncode, said.stderr) == (0, "")
    (row,) = [row for row in json.loads(said.stdout) if row["id"] == "com.test.hands"]
    assert row["state"] == "enabled"
    assert row["path"] == str(hands / "robot_hands" / "mods" / "com.test.hands")
    shown = json.loads(bxi("mod", "inspect", "com.test.hands", "--json", path=[hands]).stdout)
    assert shown["found_by"] == "entry point"


def test_they_run(hands: Path, tmp_path: Path) -> None:
    robot = write_robot(tmp_path, "mods: {select: [com.test.base, com.test.hands]}\n")
    said = bxi("graph", "--format", "json", "--config", robot, path=[hands])
    assert said.returncode == 0, said.stderr
    names = [state["name"] for state in json.loads(said.stdout)["states"]]
    assert "com.test.hands/open" in names


def test_an_entry_point_that_leads_nowhere_is_named_with_its_package(hands: Path, nothing: Path) -> None:
    said = bxi("mod", "list", "--json", path=[hands, nothing])
    assert said.returncode == 1
    assert "com.test.hands" in [row["id"] for row in json.loads(said.stdout)]
    assert "Traceback" not in said.stderr
    absent = "'absent = robot_that_is_not_there.mods' of 'robot-nothing'"
    single = "'single = robot_single' of 'robot-nothing'"
    assert f"The package of the entry point {absent} is not there." in said.stderr
    assert f"The entry point {single} names a single module, not a package with a folder." in said.stderr


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (b"[bxi_framework.mods]\nno equals sign\n", True),
        (b"[bxi_framework.mods]\nhands = \xff\n", True),
        (b"[console_scripts]\nno equals sign\n", False),
    ],
)
def test_a_damaged_list_of_entry_points_takes_no_others_along(
    hands: Path, tmp_path: Path, text: bytes, broken: bool
) -> None:
    info = tmp_path / "damaged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: damaged\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_bytes(text)
    said = bxi("mod", "list", "--json", path=[tmp_path, hands])
    assert "com.test.hands" in [row["id"] for row in json.loads(said.stdout)]
    assert said.returncode == (1 if broken else 0)
    assert ("The entry points of the package 'damaged' cannot be read." in said.stderr) == broken


def test_an_editable_package_is_found_too(tmp_path: Path) -> None:
    """An editable installation is known to an import hook only, such as this one."""
    site = tmp_path / "site"
    info = site / "robot_hands-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: robot-hands\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        "[bxi_framework.mods]\nhands = robot_hands.mods\n", encoding="utf-8"
    )
    (site / "sitecustomize.py").write_text(
        "import sys\n"
        "from importlib.util import spec_from_file_location\n"
        f"FOLDER = {str(PACKAGES / 'robot_hands' / 'robot_hands')!r}\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'robot_hands':\n"
        "            return spec_from_file_location(name, FOLDER + '/__init__.py')\n"
        "sys.meta_path.append(Finder())\n",
        encoding="utf-8",
    )
    said = bxi("mod", "list", "--json", path=[site])
    assert said.returncode == 0, said.stderr
    assert "com.test.hands" in [row["id"] for row in json.loads(said.stdout)]
