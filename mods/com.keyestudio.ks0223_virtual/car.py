"""The virtual car in virtual time: the vehicle on a track, with what the kit's programs ask of a car."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bxi_framework.diagnostics import Report
from bxi_framework.simulation import (
    ComponentDecl,
    Physics,
    Scene,
    SimulationBuilder,
    TrackDecl,
    UnsoundSimulationError,
    VehicleDecl,
)
from bxi_framework.simulation.from_mods import ModExtensions

from .jpeg import Picture, to_jpeg
from .progress import Along, Laps, NoProgress, Point, Progress
from .sonar import SERVO_SPEED, Sonar
from .tracks import TRACKS, CardboardCorridor, LineLoop, loop_points
from .vehicle import FULL_DUTY, HULL, LINES, TAPE_EDGE, Ks0223

TIMESTEP: Final = 0.0025
"""Seconds; at twice as much the car bounces off walls, and floors no longer differ."""

PERIOD: Final = 0.01
"""Seconds from one control period to the next."""

LOOKS: Final = 0.1
"""Seconds between two looks at the progress."""

SERVOS: Final = ("ultrasonic_pan", "camera_tilt", "camera_pan")
SERVO_KP, SERVO_KD = 2.0, 0.06
CENTRE: Final = 90.0
CAMERA: Final = "eye"


@dataclass(frozen=True)
class Pose:
    """Place (m), heading (rad), forward speed (m/s), turn rate (rad/s), path driven (m)."""

    x: float
    y: float
    heading: float
    speed: float
    turn: float
    path: float


class PhysicalCar:
    """Implements the kit's `CarHardware`. Time passes only in `advance`; not thread safe.

    Args:
        track: the id of the track.
        parameters: those of the track that differ from its defaults.
        seed: decides the track's irregularities, and how the car turns.
        config: of the vehicle, what differs from its defaults.
        image_rate: pictures per second of simulated time; 0 for no camera.

    Raises:
        UnsoundSimulationError: a parameter is wrong; the text says which, and what is allowed.
    """

    def __init__(
        self,
        track: str,
        parameters: Mapping[str, Any] = {},
        seed: int = 0,
        *,
        config: Mapping[str, Any] = {},
        image_rate: float = 0.0,
    ) -> None:
        self._track = track
        scene = _scene(track, parameters, seed, config, image_rate)
        report = Report()
        offers: dict[str, Any] = {**TRACKS, Ks0223.id: Ks0223}
        simulation = SimulationBuilder(scene, ModExtensions(offers)).build(report)
        if simulation is None:
            raise UnsoundSimulationError(report)
        self._parameters = _complete(track, parameters)
        self._run = simulation.open(seed=seed)
        model = simulation.model
        self._sonar = Sonar(model, "car/ultrasonic")
        body = model.body("car/chassis")
        self._place, self._motion = int(body.jntadr[0]), int(body.dofadr[0])
        self._lines = [int(model.site(f"car/{name}").id) for name in LINES]
        self._down = [int(model.sensor(f"car/{name}").adr[0]) for name in LINES]
        self._begin()

    def _begin(self) -> None:
        self._ordered = (0.0, 0.0)
        self._wanted = [CENTRE] * len(SERVOS)
        self._angles = [CENTRE] * len(SERVOS)
        self._aim()
        self._path = self._rest = 0.0
        self._look_at = 0.0
        self._progress = self._new_progress()

    def close(self) -> None:
        """End the simulation."""
        self._run.close()

    def reset(self, seed: int) -> None:
        """Begin anew, exactly as a new car with this seed would."""
        self._run.reset(seed)
        self._begin()

    def advance(self, seconds: float) -> None:
        """Let time pass; what is less than a control period is kept for the next call."""
        self._rest += seconds
        periods = int(self._rest / PERIOD + 1e-6)
        self._rest -= periods * PERIOD
        for _ in range(periods):
            if self._angles != self._wanted:
                self._turn_servos()
            before = self._physics.data.qpos[self._place : self._place + 2].copy()
            self._run.step()
            after = self._physics.data.qpos[self._place : self._place + 2]
            self._path += math.dist(before, after)
            if self.time >= self._look_at:
                self._look_at = self.time + LOOKS
                self._progress.look(*after.tolist())

    @property
    def time(self) -> float:
        """Simulated seconds since the start or the last reset."""
        return self._run.time

    @property
    def seed(self) -> int:
        """Of this run."""
        return self._run.seed

    @property
    def pose(self) -> Pose:
        """Where it is and how it moves."""
        data = self._physics.data
        x, y, _, *quaternion = data.qpos[self._place : self._place + 7].tolist()
        w, i, j, k = quaternion
        heading = math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
        vx, vy, _, _, _, turn = data.qvel[self._motion : self._motion + 6].tolist()
        speed = vx * math.cos(heading) + vy * math.sin(heading)
        return Pose(x, y, heading, speed, turn, self._path)

    @property
    def touching(self) -> bool:
        """Whether the hull touches something now."""
        return bool(self._run.reading("touch").channels["touching"].any())

    @property
    def touches(self) -> int:
        """How often it has touched something."""
        return int(self._run.reading("touch").channels["count"].sum())

    @property
    def progress(self) -> float:
        """Laps of the line, or metres of the corridor; 0 elsewhere."""
        return self._progress.value

    @property
    def ordered(self) -> tuple[float, float]:
        """The duties of both sides that were asked for last."""
        return self._ordered

    @property
    def ultrasonic_angle(self) -> float:
        """Where the distance sensor points now, in degrees."""
        return self._angles[0]

    def drive(self, left: float, right: float) -> None:
        self._ordered = (left, right)
        throttle, steer = (left + right) / 2.0 / FULL_DUTY, (right - left) / 2.0 / FULL_DUTY
        self._run.command("car/control", [throttle, steer, 0.0])

    def point_camera(self, tilt: float, pan: float) -> None:
        self._wanted[1:] = [tilt, pan]

    def point_ultrasonic(self, angle: float) -> None:
        self._wanted[0] = angle

    def distance(self) -> float | None:
        return self._sonar.distance(self._physics)

    def line(self) -> tuple[int, int, int]:
        data = self._physics.data
        heights = data.site_xpos[self._lines, 2] - data.sensordata[self._down]
        left, centre, right = (heights > TAPE_EDGE).tolist()
        return int(left), int(centre), int(right)

    def pixels(self) -> Picture | None:
        """The newest picture, (240, 320, 3); None without a camera or before its first picture."""
        if CAMERA not in self._run.devices:
            return None
        channels = self._run.reading(CAMERA).channels
        return channels["image"] if channels["stamp"] >= 0.0 else None

    def image(self) -> bytes | None:
        pixels = self.pixels()
        return None if pixels is None else to_jpeg(pixels)

    @property
    def physics(self) -> Physics:
        """The physics of this run; another object after a reset."""
        return self._physics

    @property
    def _physics(self) -> Physics:
        return self._run.physics

    def _turn_servos(self) -> None:
        most = SERVO_SPEED * PERIOD
        for index, wanted in enumerate(self._wanted):
            way = wanted - self._angles[index]
            self._angles[index] = (
                wanted if abs(way) <= most else self._angles[index] + math.copysign(most, way)
            )
        self._aim()

    def _aim(self) -> None:
        count = len(SERVOS)
        angles = [math.radians(angle - CENTRE) for angle in self._angles]
        rows = [angles, [0.0] * count, [SERVO_KP] * count, [SERVO_KD] * count, [0.0] * count]
        self._run.command("servos", rows)

    def _new_progress(self) -> Progress:
        if self._track == LineLoop.id:
            return Laps(loop_points(self._parameters))
        if self._track == CardboardCorridor.id:
            return Along(self.centre_line())
        return NoProgress()

    def centre_line(self) -> list[Point]:
        """The middle of the corridor of this run, or of the line; empty in a world that has neither."""
        if self._track == LineLoop.id:
            return loop_points(self._parameters)
        data, model = self._physics.data, self._physics.model
        places = {
            model.body(body).name: data.mocap_pos[model.body_mocapid[body], :2]
            for body in range(model.nbody)
            if model.body_mocapid[body] >= 0
        }
        if "begin" not in places:
            return []
        pieces = sum(name.startswith("left_") for name in places)
        middles = [(places[f"left_{piece}"] + places[f"right_{piece}"]) / 2.0 for piece in range(pieces)]
        points = [places["begin"], *middles, places["end"]]
        return [(float(point[0]), float(point[1])) for point in points]


def _complete(track: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with the defaults of the track's schema."""
    if track not in TRACKS:
        return dict(parameters)
    schema: Any = TRACKS[track].descriptor.parameters_schema
    return {**{name: each["default"] for name, each in schema["properties"].items()}, **parameters}


def _scene(
    track: str, parameters: Mapping[str, Any], seed: int, config: Mapping[str, Any], image_rate: float
) -> Scene:
    servos = [f"car/{name}" for name in SERVOS]
    components = [
        ComponentDecl("servos", "bxi/mit_actuator", {"joints": servos, "effort": 2.0}),
        ComponentDecl("touch", "bxi/contact_monitor", {"geoms": [f"car/{HULL}"], "period_s": PERIOD}),
    ]
    if image_rate > 0.0:
        period = max(round(1.0 / image_rate / TIMESTEP), 1) * TIMESTEP
        components.append(ComponentDecl(CAMERA, "bxi/camera", {"camera": "car/camera", "period_s": period}))
    return Scene(
        None,
        TIMESTEP,
        PERIOD,
        seed,
        tuple(components),
        track=TrackDecl(track, dict(parameters)),
        vehicles=(VehicleDecl("car", Ks0223.id, (0.0, 0.0, 0.0), dict(config)),),
    )
