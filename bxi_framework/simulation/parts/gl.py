"""Off-screen OpenGL without a window: which backend this machine offers, and what is missing if none."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Final

LIBRARIES: Final = {"egl": ("libEGL.so.1", "libegl1"), "osmesa": ("libOSMesa.so.8", "libosmesa6")}
"""For each backend its library and the package of Debian and Ubuntu that has it."""


_opening = threading.Lock()


class MissingGlError(Exception):
    """Nothing can be drawn here; the message names the missing piece and what to do."""


def open_context(width: int, height: int) -> Any:
    """A context for images of the given size in pixels, current in the calling thread, where ``free()`` ends
    it.

    ``MUJOCO_GL`` chooses the backend, ``egl`` or ``osmesa``; otherwise the first whose library is found.

    Raises:
        MissingGlError: no backend works.
    """
    backend = _backend()
    context = None
    try:
        # The first context also opens the display that all share.
        with _opening:
            if backend == "egl":
                from mujoco.egl import GLContext
            else:
                from mujoco.osmesa import GLContext
            context = GLContext(width, height)
        context.make_current()
    except ModuleNotFoundError as error:
        raise MissingGlError(f"the Python module {error.name} is missing; install PyOpenGL") from error
    # Whatever a driver or a library raises, a simulation goes on without images.
    except Exception as error:
        if context is not None:
            context.free()
        said = " ".join(str(error).split("\n", 1)[0].split())
        raise MissingGlError(
            f"OpenGL by {backend} does not start ({type(error).__name__}: {said}); "
            f"a graphics driver such as that of the package libgl1-mesa-dri may be missing"
        ) from error
    return context


def _backend() -> str:
    wanted = os.environ.get("MUJOCO_GL", "").lower()
    if wanted in LIBRARIES:
        library, package = LIBRARIES[wanted]
        if not _is_there(library):
            raise MissingGlError(f"MUJOCO_GL is {wanted}, and {library} is not found; install {package}")
        return wanted
    if wanted in ("disable", "disabled", "off", "false", "0"):
        raise MissingGlError(f"MUJOCO_GL is {wanted}; set it to egl or osmesa, or leave it out")
    for backend, (library, _) in LIBRARIES.items():
        if _is_there(library):
            return backend
    raise MissingGlError(
        "neither "
        + " nor ".join(library for library, _ in LIBRARIES.values())
        + " is found; install "
        + " or ".join(package for _, package in LIBRARIES.values())
    )


def _is_there(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
