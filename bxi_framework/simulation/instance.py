"""One run of a simulation, stepped by whole control periods.

The same plan, seed and inputs give the same run to the bit, however the steps are split, and also after a
snapshot was restored.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

import mujoco
from mujoco import mj_step
from numpy.typing import ArrayLike

from bxi_framework.simulation.authority import Authority
from bxi_framework.simulation.beats import Beats, StampedReading
from bxi_framework.simulation.claim_check import ClaimCheck
from bxi_framework.simulation.descriptors import DeviceDescriptor, EndpointDescriptor, InputDescriptor
from bxi_framework.simulation.episode import sound_seed
from bxi_framework.simulation.errors import NotRunningError, PartError, SimulationError
from bxi_framework.simulation.fitting import Fitted
from bxi_framework.simulation.mailbox import Slot, expire, unknown
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.physics_watch import PhysicsWatch, forward, silence_mujoco
from bxi_framework.simulation.registry import Role
from bxi_framework.simulation.run_parts import RunPart, RunParts, make_parts
from bxi_framework.simulation.runtime import Runtime
from bxi_framework.simulation.schedule import Schedule
from bxi_framework.simulation.snapshot import Snapshot
from bxi_framework.simulation.turn import Turn

if TYPE_CHECKING:
    from typing_extensions import Self


class SimulationInstance:
    """A run, as `Simulation.open` makes it; use it as a context manager.

    ``devices``, ``endpoints`` and ``inputs`` are the descriptors by id.
    """

    def __init__(
        self,
        model: Any,
        capabilities: Mapping[str, Fitted],
        schedule: Schedule,
        authorities: Sequence[Authority],
        seed: int,
        *,
        check: bool,
    ) -> None:
        self._origin = model
        self._capabilities = capabilities
        self._schedule = schedule
        self._authorities = authorities
        self._check = check
        self.devices: dict[str, DeviceDescriptor] = {
            key: part.descriptor for key, part in self._all(Role.DEVICE).items()
        }
        self.endpoints: dict[str, EndpointDescriptor] = self._all(Role.ENDPOINT)
        self.inputs: dict[str, InputDescriptor] = self._all(Role.INPUT)
        self._commands = {
            key: Slot(key, descriptor.command, descriptor.neutral, descriptor.timeout_s)
            for key, descriptor in self.endpoints.items()
        }
        self._feeds = {
            key: Slot(key, descriptor.value, descriptor.neutral, descriptor.timeout_s)
            for key, descriptor in self.inputs.items()
        }
        self._slots = self._commands | self._feeds
        self._timed = [slot for slot in self._slots.values() if slot.timeout is not None]
        self._values = {key: slot.value for key, slot in self._feeds.items()}
        self._parts = RunParts()
        self._closed = False
        self._turn = Turn()
        self._failure: BaseException | None = None
        self.seed = seed
        silence_mujoco()
        try:
            self.reset(seed)
        except BaseException:
            with suppress(PartError):  # The first failure is the one to tell.
                self._parts.close()
            raise

    def _all(self, role: Role) -> dict[str, Any]:
        found = (fitted.registered for fitted in self._capabilities.values())
        return {each.id: each.part for each in found if each.role is role}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def time(self) -> float:
        """Simulated seconds since the start of the run."""
        return float(self.physics.data.time)

    @property
    def period(self) -> float:
        """Seconds of one control period."""
        return self._schedule.timestep * self._schedule.substeps

    def reset(self, seed: int | None = None) -> None:
        """Begin anew, exactly as a fresh run with this seed would; the same seed as before if none is given.
        `physics` is another object afterwards.

        Raises:
            PartError: a part could not be made.
            ReadingError: a device gave something else than its descriptor promises.
            ValueError: the seed is out of range.
            BusyError: a step is under way.
        """
        with self._turn:
            self._demand_open()
            self._begin(self.seed if seed is None else seed)

    def _begin(self, seed: int) -> None:
        seed = sound_seed(seed)
        self._failure = NotRunningError("the run could not begin")
        self._parts.close()
        self.seed = seed
        model = copy.copy(self._origin)
        data = mujoco.MjData(model)
        self.physics = Physics(model, data)
        check = ClaimCheck(self.physics, self._authorities).wrap if self._check else None
        self._parts = make_parts(self._capabilities, seed, check)
        self._parts.start(self.physics)
        forward(self.physics)
        for slot in self._slots.values():
            slot.clear()
        self._arrange()
        self._count = 0
        self._beats.run(0, self.physics)
        self._beats.check_readings(self.physics)
        self._failure = None

    def _arrange(self) -> None:
        """What each period calls, in order."""
        schedule = self._schedule
        self._actors = self._parts.of((*schedule.prescribed_states, *schedule.interactions))
        self._drivers = self._parts.of(schedule.drivers)
        for driver in self._drivers:
            endpoint = self._capabilities[driver.id].registered.endpoint
            driver.command = self._commands[endpoint or ""].value
        self._beats = Beats(schedule.beats, self._parts, self.devices)
        data = self.physics.data
        self._watch = PhysicsWatch(self.physics.model, data, self._authorities)
        self._warned, self._no_warning = self._watch.warned, self._watch.no_warning
        self._clear_body_forces = data.xfrc_applied.fill
        self._clear_joint_forces = data.qfrc_applied.fill

    def step(self, periods: int = 1) -> None:
        """Go on by whole control periods.

        Raises:
            SimulationError: a part or the physics failed; the instance then needs a reset or a restore.
            NotRunningError: it is closed, or has failed before.
            BusyError: a part of this run, or another thread, calls it during a step.
            ValueError: the number of periods is negative.
        """
        if periods < 0:
            raise ValueError(f"a run goes on by 0 periods or more, not by {periods}")
        count = range(periods)
        self._demand_running()
        self._turn.take()
        try:
            for _ in count:
                self._prepare()
                self._advance()
        except BaseException as error:
            self._failure = error
            raise
        finally:
            self._turn.give()

    def _prepare(self) -> None:
        """The first half of a control period: what is written before the physics goes on."""
        physics = self.physics
        self._clear_body_forces(0.0)
        self._clear_joint_forces(0.0)
        if self._timed:
            expire(self._timed, physics.data.time)
        part: RunPart | None = None
        try:
            for part in self._actors:
                part.call(physics, self._values)
            for part in self._drivers:
                part.call(physics, part.command)
        except SimulationError:
            raise
        except (Exception, SystemExit) as error:
            assert part is not None
            raise PartError(part.id, part.work, self.time, error, part.runtime) from error

    def _advance(self) -> None:
        """The second half: as few calls of the physics as the beats allow."""
        physics, beats, count = self.physics, self._beats, self._count
        model, data = physics.model, physics.data
        end = count + self._schedule.substeps
        while count < end:
            stop = beats.next if beats.next < end else end
            try:
                mj_step(model, data, stop - count)
            except mujoco.FatalError as error:
                raise self._watch.fatal(error, count) from error
            if self._warned() != self._no_warning:
                raise self._watch.error(count)
            self._count = count = stop
            if stop == beats.next:
                beats.run(stop, physics)
                if self._check:
                    beats.check_readings(physics)

    def command(self, endpoint_id: str, values: ArrayLike) -> None:
        """Give an endpoint a new command, which counts from the next control period on.

        Raises:
            UnknownIdError: there is no such endpoint.
            CommandError: the shape is wrong, or a value is not finite.
        """
        self._put(self._commands, endpoint_id, values, "endpoint")

    def feed(self, input_id: str, values: ArrayLike) -> None:
        """Give an external input a new value, which counts from the next control period on.

        Raises:
            UnknownIdError: there is no such input.
            CommandError: the shape is wrong, or a value is not finite.
        """
        self._put(self._feeds, input_id, values, "input")

    def _put(self, slots: Mapping[str, Slot], slot_id: str, values: ArrayLike, what: str) -> None:
        slot = slots.get(slot_id)
        if slot is None:
            raise unknown(what, slot_id, slots)
        slot.put(values)
        if slot.timeout is not None:
            slot.expires = self.time + slot.timeout

    def reading(self, device_id: str) -> StampedReading:
        """A copy of what a device gave last.

        Raises:
            UnknownIdError: there is no such device.
        """
        self._demand_open()
        if device_id not in self.devices:
            raise unknown("device", device_id, self.devices)
        return self._beats.reading(device_id)

    def domain(self, domain_id: str) -> Any:
        """The state of an application with this id, as its extension made it for this run.

        Raises:
            UnknownIdError: there is none.
        """
        return self._runtime(domain_id, Role.DOMAIN_STATE)

    def observer(self, observer_id: str) -> Any:
        """The observer with this id, as it was made for this run.

        Raises:
            UnknownIdError: there is none.
        """
        return self._runtime(observer_id, Role.OBSERVER)

    def _runtime(self, part_id: str, role: Role) -> Runtime:
        self._demand_open()
        known = self._all(role)
        if part_id not in known:
            raise unknown(role.value, part_id, known)
        return self._parts.by_id[part_id].runtime

    def snapshot(self) -> Snapshot:
        """A copy of all that changes.

        Raises:
            NotRunningError: it is closed, or has failed before.
            PartError: a part failed to give what changes of it.
            BusyError: a step is under way.
        """
        with self._turn:
            self._demand_running()
            return Snapshot(
                self.time,
                self.seed,
                self._origin,
                copy.copy(self.physics.data),
                self._count,
                self._parts.kept(self.time),
                self._beats.kept(),
                {key: slot.kept() for key, slot in self._slots.items()},
            )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this simulation; its seed becomes that of this run.

        Raises:
            ValueError: the snapshot is of another simulation.
            PartError: a part failed to take it back; the instance then needs a reset or another restore.
            BusyError: a step is under way.
        """
        with self._turn:
            self._demand_open()
            if snapshot.origin is not self._origin:
                raise ValueError("the snapshot is of another simulation")
            self._return_to(snapshot)

    def _return_to(self, snapshot: Snapshot) -> None:
        if snapshot.seed != self.seed or self._failure is not None:
            self._begin(snapshot.seed)
        self._failure = NotRunningError("the run could not be restored")
        mujoco.mj_copyData(self.physics.data, self.physics.model, snapshot.data)
        self._count = snapshot.count
        self._parts.restore(snapshot.parts, snapshot.time)
        self._beats.restore(snapshot.beats)
        for key, slot in self._slots.items():
            slot.restore(snapshot.slots[key])
        self._parts.restored(self.physics)
        self._failure = None

    def close(self) -> None:
        """End the run; safe to call twice.

        Raises:
            PartError: a part failed to close; all others are closed all the same.
            BusyError: a step is under way, and the run stays open.
        """
        with self._turn:
            self._closed = True
            self._parts.close()

    def _demand_open(self) -> None:
        if self._closed:
            raise NotRunningError("the simulation is closed")

    def _demand_running(self) -> None:
        self._demand_open()
        if self._failure is not None:
            reason = str(self._failure) or type(self._failure).__name__
            raise NotRunningError(f"the simulation has failed and needs a reset: {reason}")
