"""What the machine lacks when a node is to start is named, with what to do; once there is room it starts."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from supervision.living import marked, until
from supervision.rig import write_fleet

PROGRAM = Path(__file__).with_name("scarce.py")
ONCE = {"max_attempts": 0}
PLAIN = {"runtime": "command", "interpreter": "/bin/sh", "entrypoint": "scripts/rest.sh", "restart": ONCE}
NODES = {"early": PLAIN, "late": {**PLAIN, "params": {"text": "x" * 8000}}}

PROCESSES = "No more processes or threads may be started here: "
HANDLES = "No file handles are left: "

# The limit of processes holds for nobody with the powers of root; file access is kept.
AS_SOMEBODY = (
    "setpriv",
    "--reuid=12345",
    "--inh-caps=+dac_override,+dac_read_search,+kill",
    "--ambient-caps=+dac_override,+dac_read_search,+kill",
)
SMALL = 'mount -t tmpfs -o size=64k none "$TMPDIR" && exec "$@"'


def outcomes(folder: Path, what: str, warm: str, wrapper: tuple[str, ...] = ()) -> list[str]:
    """Why the first start has failed, and what there is to say of the second."""
    mark = f"bxi-test-{secrets.token_hex(8)}"
    root = write_fleet(folder, NODES if warm else {"late": NODES["late"]}).root
    (root / "scripts" / "rest.sh").write_text("exec sleep 600\n", encoding="utf-8")
    temporary = folder / "tmp"
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o777)
    ended = subprocess.run(
        [*wrapper, sys.executable, str(PROGRAM), str(root), mark, what, warm],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    until(lambda: marked(mark) == [], "nothing is left")
    assert ended.returncode == 0, ended.stderr
    assert list(temporary.iterdir()) == [], "no parameter file is left"
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("warm", ["", "early"], ids=["first node", "with a guard"])
def test_no_processes(tmp_path: Path, warm: str) -> None:
    wrapper: tuple[str, ...] = ()
    if os.getuid() == 0:
        tried = shutil.which("setpriv") and subprocess.run([*AS_SOMEBODY, "true"], check=False).returncode
        if tried != 0:
            pytest.skip("this machine lets nobody be limited")
        wrapper = AS_SOMEBODY
        for folder in (tmp_path, *tmp_path.parents[:2]):
            folder.chmod(0o755)
    why, then = outcomes(tmp_path, "processes", warm, wrapper)
    what = "its keeper cannot be made" if warm else "the guard cannot be asked to start it"
    assert why.startswith(f"{what}: Resource temporarily unavailable. {PROCESSES}")
    assert then == ""


def test_no_handles(tmp_path: Path) -> None:
    why, then = outcomes(tmp_path, "handles", "early")
    assert why.startswith("the guard cannot be asked to start it: Too many open files. ")
    assert HANDLES in why
    assert then == ""


def test_no_handles_for_the_first_node(tmp_path: Path) -> None:
    why, then = outcomes(tmp_path, "handles", "")
    assert why.startswith(("the guard cannot be asked to start it: ", "there is no place"))
    assert HANDLES in why
    assert then == ""


def test_no_folder_for_temporary_files(tmp_path: Path) -> None:
    why, then = outcomes(tmp_path, "folder", "early")
    assert why.startswith("there is no place for its parameter file: No such file or directory (/proc/self/")
    assert why.endswith("Let TMPDIR name a folder that can be written.")
    assert then == ""


def test_no_space_for_the_parameter_file(tmp_path: Path) -> None:
    own = ("unshare", "--mount", "sh", "-c", SMALL, "sh")
    if os.getuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
        pytest.skip("only root may mount a small folder")
    why, then = outcomes(tmp_path, "space", "early", own)
    assert why.startswith("its parameter file cannot be written: No space left on device")
    assert why.endswith("The disk is full: free some space, or let TMPDIR name a folder that has some.")
    assert then == ""
