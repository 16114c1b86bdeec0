"""What was resolved, as a value that can be compared and printed: the plan of a simulation, schema 2.2.

Nothing in it depends on the order of declarations, on the machine or on where files lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import mujoco

from bxi_framework.simulation.authority import Authority
from bxi_framework.simulation.bindings import Binding
from bxi_framework.simulation.canonical import canonical_hash
from bxi_framework.simulation.compiling import Compiled
from bxi_framework.simulation.composing import Composition
from bxi_framework.simulation.descriptors import ComponentDescriptor
from bxi_framework.simulation.fitting import Fitted
from bxi_framework.simulation.identity import ExtensionIdentity
from bxi_framework.simulation.model_files import ModelFiles
from bxi_framework.simulation.overlay import Variation
from bxi_framework.simulation.registry import Role
from bxi_framework.simulation.scene import Scene
from bxi_framework.simulation.schedule import Schedule

SCHEMA: Final = "2.2"
_PHASES: Final = {Role.DEVICE: "sample", Role.OBSERVER: "observe"}


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability, who brought it, and its bindings by role."""

    id: str
    role: Role
    source: str
    bindings: tuple[tuple[str, Binding], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """``extensions`` are in the order of both phases, all else by id. ``mujoco`` is the version that compiled
    the model.
    """

    mujoco: str
    seed: int
    control_period: float
    files: ModelFiles
    extensions: tuple[ExtensionIdentity, ...]
    components: tuple[ComponentDescriptor, ...]
    capabilities: tuple[Capability, ...]
    schedule: Schedule
    authorities: tuple[Authority, ...]
    overlay: tuple[Variation, ...]

    @property
    def model_hash(self) -> str:
        """Over every file of the model."""
        return self.files.hash

    @property
    def parameter_set_hash(self) -> str:
        """Over all that was configured: the identities of the extensions, the types and configs of the
        components, the overlay and the periods; not over the model's files and the seed.
        """
        return canonical_hash(
            {
                "extensions": [_identity(each) for each in self.extensions],
                "components": [[each.id, each.type, each.config_hash] for each in self.components],
                "overlay": [_item(each) for each in self.overlay],
                "timestep": self.schedule.timestep,
                "control_period": self.control_period,
            }
        )

    @property
    def hash(self) -> str:
        """Over the whole plan: two simulations with the same one give, from the same seed, the same runs."""
        return canonical_hash(self._content())

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain data, for JSON."""
        hashes = {"model": self.model_hash, "parameter_set": self.parameter_set_hash, "plan": self.hash}
        return {"schema": SCHEMA, **self._content(), "hashes": hashes}

    def _content(self) -> dict[str, Any]:
        return {
            "mujoco": self.mujoco,
            "seed": self.seed,
            "model": {"hash": self.model_hash, "files": [list(each) for each in self.files.hashes]},
            "extensions": [_identity(each) for each in self.extensions],
            "components": [
                {
                    "id": each.id,
                    "type": each.type,
                    "config_hash": each.config_hash,
                    "contributes": list(each.contributes),
                }
                for each in self.components
            ],
            "capabilities": [
                {"id": each.id, "role": each.role.value, "source": each.source} for each in self.capabilities
            ],
            "bindings": [
                {"capability": each.id, "role": role, **_binding(binding)}
                for each in self.capabilities
                for role, binding in each.bindings
            ],
            "schedule": self._schedule(),
            "authorities": [
                {"kind": each.claim.kind.value, "name": each.claim.name, "holder": each.holder}
                for each in self.authorities
            ],
            "overlay": [{**_item(each), "nominal": list(each.nominal)} for each in self.overlay],
        }

    def _schedule(self) -> dict[str, Any]:
        schedule = self.schedule
        return {
            "timestep": schedule.timestep,
            "control_period": self.control_period,
            "steps_per_period": schedule.substeps,
            "each_period": [
                *({"phase": "prescribe", "id": each} for each in schedule.prescribed_states),
                *({"phase": "act", "id": each} for each in schedule.interactions),
                *({"phase": "drive", "id": each} for each in schedule.drivers),
            ],
            "beats": [
                {"phase": _PHASES[each.role], "id": each.id, "steps": each.steps} for each in schedule.beats
            ],
        }


def make_plan(
    scene: Scene,
    composition: Composition,
    compiled: Compiled,
    fitted: list[Fitted],
    schedule: Schedule,
    authorities: tuple[Authority, ...],
) -> Plan:
    """The plan of what was built."""
    capabilities = (
        Capability(
            each.registered.id,
            each.registered.role,
            str(each.registered.owner),
            tuple(sorted(each.bindings.items())),
        )
        for each in fitted
    )
    return Plan(
        mujoco.__version__,
        scene.seed,
        scene.control_period,
        compiled.files,
        tuple(member.identity for member in composition.extensions),
        tuple(composition.components[key] for key in sorted(composition.components)),
        tuple(capabilities),
        schedule,
        authorities,
        compiled.variations,
    )


def _identity(identity: ExtensionIdentity) -> dict[str, Any]:
    return {
        "id": identity.id,
        "version": identity.version or None,
        "unversioned": identity.unversioned,
        "dependencies": list(identity.dependencies),
        "config_hash": identity.config_hash,
    }


def _item(variation: Variation) -> dict[str, Any]:
    item = variation.item
    return {
        "target": item.target.value,
        "name": item.name,
        "quantity": item.quantity.value,
        "value": list(item.value),
    }


def _binding(binding: Binding) -> dict[str, Any]:
    request = binding.request
    return {
        "kind": request.kind.value,
        "name": request.name,
        "id": binding.id,
        "address": binding.address,
        "dof": binding.dof if binding.dof >= 0 else None,
        "size": binding.size,
    }
