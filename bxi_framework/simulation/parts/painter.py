"""A thread that draws what one camera sees, always from the newest state that it was given."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from bxi_framework.simulation.parts.gl import MissingGlError, open_context
from bxi_framework.simulation.physics import Physics

Image = NDArray[np.uint8]

POSES: Final = int(
    mujoco.mjtState.mjSTATE_TIME
    | mujoco.mjtState.mjSTATE_QPOS
    | mujoco.mjtState.mjSTATE_MOCAP_POS
    | mujoco.mjtState.mjSTATE_MOCAP_QUAT
)
"""The part of the state on which a picture depends."""

LOOK_S: Final = 0.2
"""Seconds between two looks whether the program is about to end."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture of shape (height, width, 3) with the time of the simulation that it shows (s) and its number,
    from 1.
    """

    image: Image
    stamp: float
    number: int


@dataclass(frozen=True, slots=True)
class View:
    """What to draw: a camera of the model, by its name for messages, and the size in pixels."""

    name: str
    camera: int
    width: int
    height: int


class Painter:
    """Draws in a thread of its own, which alone touches OpenGL. All methods may be called from one other
    thread; none waits for a picture.
    """

    def __init__(self, model: mujoco.MjModel, view: View) -> None:
        self._model = model
        self._view = view
        self._changed = threading.Condition()
        self._waiting: NDArray[np.float64] | None = None
        self._newest: Frame | None = None
        self._round = 0
        self._ending = False
        self._is_off = False
        # No daemon: one that is inside OpenGL when the interpreter goes away takes the process with it.
        self._thread = threading.Thread(target=self._run, name=f"camera {view.name}", daemon=False)
        self._thread.start()

    @property
    def newest(self) -> Frame | None:
        """The newest picture; None before the first one, and where nothing can be drawn."""
        return self._newest

    def show(self, physics: Physics) -> None:
        """Draw the present state as soon as the thread is free; a state that still waits is forgotten."""
        if self._is_off:
            return
        state = np.empty(mujoco.mj_stateSize(physics.model, POSES))
        mujoco.mj_getState(physics.model, physics.data, state, POSES)
        with self._changed:
            self._waiting = state
            self._changed.notify()

    def forget(self) -> None:
        """Drop all pictures so far, also the one being drawn."""
        with self._changed:
            self._waiting = self._newest = None
            self._round += 1

    def close(self) -> None:
        """End the thread, after the picture being drawn."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            context = open_context(self._view.width, self._view.height)
            try:
                self._draw_all()
            finally:
                context.free()
        except MissingGlError as error:
            self._give_up("no context", str(error))
        # Whatever a driver raises, the run goes on, without images instead of with an old one.
        except Exception as error:
            self._give_up("no drawing", f"drawing failed ({type(error).__name__}: {error})")

    def _give_up(self, kind: str, reason: str) -> None:
        self._is_off = True
        self.forget()
        warn_once(kind, f"Cameras give no images: {reason}.")

    def _draw_all(self) -> None:
        number = 0
        canvas = _Canvas(self._model, self._view)
        try:
            while (work := self._next()) is not None:
                state, round = work
                image, stamp = canvas.draw(state)
                number += 1
                with self._changed:
                    if round == self._round:
                        self._newest = Frame(image, stamp, number)
        finally:
            canvas.close()

    def _next(self) -> tuple[NDArray[np.float64], int] | None:
        """The newest state, once there is one; None at the end, also of a program that forgot to close."""
        with self._changed:
            while not self._ending and threading.main_thread().is_alive():
                if self._waiting is not None:
                    state, self._waiting = self._waiting, None
                    return state, self._round
                self._changed.wait(LOOK_S)
        return None


class _Canvas:
    """The drawing itself; needs a current OpenGL context from begin to end."""

    def __init__(self, model: mujoco.MjModel, view: View) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 1000)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = view.camera
        self._option, self._perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        self._rect = mujoco.MjrRect(0, 0, view.width, view.height)
        self._gl: Any = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._gl)
        self._upside_down = np.empty((view.height, view.width, 3), dtype=np.uint8)

    def draw(self, state: NDArray[np.float64]) -> tuple[Image, float]:
        """A new picture of a state, and the state's time."""
        model, data = self._model, self._data
        mujoco.mj_setState(model, data, state, POSES)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        mujoco.mj_tendon(model, data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            model, data, self._option, self._perturb, self._camera, everything, self._scene
        )
        mujoco.mjr_render(self._rect, self._scene, self._gl)
        mujoco.mjr_readPixels(self._upside_down, None, self._rect, self._gl)
        return self._upside_down[::-1].copy(), float(data.time)

    def close(self) -> None:
        self._gl.free()


def warn_once(kind: str, message: str) -> None:
    """Log a warning, the first of its kind in this process: each camera and each reset meets the same
    trouble, which a driver may put in other words the second time.
    """
    with _saying:
        if kind in _said:
            return
        _said.add(kind)
    logging.getLogger("bxi_framework.simulation").warning(message)


_saying = threading.Lock()
_said: Final[set[str]] = set()
