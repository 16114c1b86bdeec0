"""`colcon build` installs the executables and the share folder, as a robot's workspace does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COLCON = Path(sys.executable).parent / "colcon"

# In the source tree for a reason, and not for a robot.
GENERATED = ("__pycache__", ".")


def tree(folder: Path) -> set[str]:
    """Every file below the folder, by relative path, generated and hidden ones left out."""
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in files if not any(part.startswith(GENERATED) for part in path.parts)}


def top_level() -> set[str]:
    return {path.name for path in ROOT.iterdir()}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where colcon installed the package; the source tree is left as it was."""
    folder = tmp_path_factory.mktemp("workspace")
    before = top_level()
    command: list[str | Path] = [COLCON, "--log-base", folder / "log", "build", "--paths", ROOT]
    command += ["--build-base", folder / "build", "--install-base", folder / "install"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stdout + built.stderr
    assert top_level() == before
    return folder / "install" / "bxi_framework"


def run_installed(prefix: Path, executable: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an installed executable from a shell that has sourced the workspace, outside the source tree."""
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(prefix)}
    script = 'source "$1/setup.bash" && shift && exec "$@"'
    return subprocess.run(
        [
            "bash",
            "-c",
            script,
            "bash",
            prefix.parent,
            prefix / "lib" / "bxi_framework" / executable,
            *arguments,
        ],
        cwd=prefix,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("folder", ["config", "launch", "mods"])
def test_share_holds_every_file_of_the_source_folder(prefix: Path, folder: str) -> None:
    installed = tree(prefix / "share" / "bxi_framework" / folder)
    assert installed == tree(ROOT / folder)
    assert installed


def test_the_package_is_in_the_resource_index(prefix: Path) -> None:
    assert (prefix / "share" / "bxi_framework" / "package.xml").is_file()
    assert (prefix / "share" / "ament_index" / "resource_index" / "packages" / "bxi_framework").is_file()


def test_no_folder_of_the_source_tree_becomes_a_python_package(prefix: Path) -> None:
    site_packages = next(prefix.glob("lib/python3*/site-packages"))
    packages = {path.name for path in site_packages.iterdir() if not path.name.endswith(".egg-info")}
    assert packages == {"bxi_framework"}
    assert (site_packages / "bxi_framework" / "py.typed").is_file()


def test_the_installed_command_runs(prefix: Path) -> None:
    result = run_installed(prefix, "bxi", "--help")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("usage: bxi")


def test_the_installed_command_finds_the_installed_mods(prefix: Path) -> None:
    result = run_installed(prefix, "bxi", "mod", "list", "--json")
    assert result.returncode == 0, result.stderr
    assert str(prefix / "share" / "bxi_framework" / "mods") in result.stdout
    assert str(ROOT / "mods") not in result.stdout


def test_the_installed_command_has_its_templates(prefix: Path, tmp_path: Path) -> None:
    made = run_installed(prefix, "bxi", "mod", "new", "com.test.wave", "--root", str(tmp_path))
    assert made.returncode == 0, made.stderr
    assert {"mod.yaml", "state.py", "test/test_wave.py"} <= tree(tmp_path / "com.test.wave")


def test_both_executables_are_installed(prefix: Path) -> None:
    for name in ("bxi", "control_node"):
        assert os.access(prefix / "lib" / "bxi_framework" / name, os.X_OK), name
