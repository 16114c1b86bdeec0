"""Calls into a vehicle's own code: in their phase, and with what they return checked."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from bxi_framework.diagnostics.guard import describe_error
from bxi_framework.mod_api.config_reader import ParameterError
from bxi_framework.simulation.vehicles.commands import ControlCommand
from bxi_framework.simulation.vehicles.config_values import ConfigKeyValue
from bxi_framework.simulation.vehicles.link import Link, Phase
from bxi_framework.simulation.vehicles.states import CameraFrame, VehicleState
from bxi_framework.simulation.vehicles.vehicle import Vehicle

T = TypeVar("T")


class VehicleCodeError(RuntimeError):
    """The code of a vehicle or track failed, or gave something else than it promises."""


class VehicleCalls:
    """One vehicle in one run, called by the framework alone."""

    def __init__(self, vehicle: Vehicle, link: Link) -> None:
        self.vehicle = vehicle
        self.link = link
        contract = vehicle.descriptor.contract
        self._scalars = [sensor.id for sensor in contract.sensors if sensor.sensor_type == "scalar"]
        camera = next((sensor for sensor in contract.sensors if sensor.sensor_type == "camera"), None)
        self._image = None if camera is None else camera.shape

    def configure(self, values: Sequence[ConfigKeyValue]) -> None:
        """Hand over the scenario's values.

        Raises:
            ParameterError: the vehicle refused one, by its path below the entry of the manifest.
        """
        try:
            self._call(Phase.CONFIG, self.vehicle.apply_vehicle_config, values)
        except VehicleCodeError as error:
            cause = error.__cause__
            if isinstance(cause, ParameterError):
                raise ParameterError(f"config.{cause.field}", cause.message, cause.hint) from cause
            raise

    def reset(self, seed: int) -> None:
        """Begin a run."""
        self._call(Phase.RESET, self.vehicle.reset_vehicle, seed)

    def drive(self, command: ControlCommand) -> None:
        """One control period."""
        self._call(Phase.CONTROL, self.vehicle.apply_control, command)

    def show_to_peers(self, visible: bool) -> None:
        """Show or hide it in the pictures of others."""
        self._call(Phase.PEERS, self.vehicle.set_peer_visibility, visible)

    def state(self) -> VehicleState:
        """Its state, with all scalar sensors of the contract and no others."""
        state = self._call(Phase.READ, self.vehicle.read_state)
        if not isinstance(state, VehicleState):
            raise self._returned(Phase.READ, f"must return a VehicleState, not a {type(state).__name__}")
        if sorted(state.telemetry) != sorted(self._scalars):
            raise self._returned(
                Phase.READ,
                f"must give the contract's scalar sensors {sorted(self._scalars)} as telemetry, "
                f"not {sorted(state.telemetry)}",
            )
        for name, value in state.telemetry.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isinf(value):
                raise self._returned(
                    Phase.READ, f"must give a number or nan as telemetry '{name}', not {value!r}"
                )
        return state

    def frame(self) -> CameraFrame | None:
        """Its newest picture, in the size of the contract."""
        frame = self._call(Phase.CAMERA, self.vehicle.try_read_camera_frame)
        if frame is None:
            return None
        if not isinstance(frame, CameraFrame):
            raise self._returned(
                Phase.CAMERA, f"must return a CameraFrame or None, not a {type(frame).__name__}"
            )
        if frame.pixels.shape != self._image:
            raise self._returned(
                Phase.CAMERA,
                f"must return pixels of the contract's shape {self._image}, not {frame.pixels.shape}",
            )
        return frame

    def _call(self, phase: Phase, method: Callable[..., T], *args: Any) -> T:
        try:
            with self.link.during(phase):
                return method(*args)
        # One that was interrupted by the user is no fault of the vehicle.
        except (Exception, SystemExit) as error:
            raise VehicleCodeError(
                f"{phase.value} of vehicle '{self.link.vehicle_id}' failed: {describe_error(error)}"
            ) from error

    def _returned(self, phase: Phase, said: str) -> VehicleCodeError:
        return VehicleCodeError(
            f"{phase.value} of vehicle '{self.link.vehicle_id}' {said}"
            f"{definition_place(getattr(type(self.vehicle), phase.value))}"
        )


def definition_place(function: Any) -> str:
    """Where a function is defined, for the end of a sentence; empty where that is not known."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
