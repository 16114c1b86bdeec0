"""Virtual robots by composition: parts declared in a manifest, checked before they run, on MuJoCo.

What a manifest or a program says
    ``scene``         what to build, as a value; ``read_manifest`` reads it from a file
    ``overlay``       the variations of physical values; ``varying`` applies them
    ``bindings``      what a part names in the model
    ``descriptors``   what a part says of itself
    ``capabilities``  what a part can bring, one factory for each role
    ``components``    reusable units by type; ``parts`` those that come with the framework
    ``extensions``    where an application composes more; ``from_mods`` finds those of Mods

How it is built
    ``builder``       from a scene to a simulation, all faults in one report; ``opening`` from a file
    ``composing``     components and extensions into one ``registry``, in their ``ordering``
    ``compiling``     the model; ``fitting`` resolves what parts need of it
    ``authority``     who alone may write what; ``schedule`` what happens when
    ``identity``      who an extension is, over ``canonical`` data; ``plan`` all that was resolved

How it runs
    ``simulation``    what was built, frozen; ``instance`` one run of it
    ``runtime``       what lives for one run; ``run_parts``, ``beats``, ``mailbox`` hold it
    ``errors``        what goes wrong in a run; ``physics_watch`` and ``claim_check`` find it
"""

from __future__ import annotations

from bxi_framework.simulation.beats import StampedReading
from bxi_framework.simulation.bindings import Binding, BindingKind, BindingRequest, Bindings
from bxi_framework.simulation.builder import SimulationBuilder
from bxi_framework.simulation.capabilities import (
    CapabilityFactory,
    Config,
    DeviceFactory,
    DomainStateFactory,
    DriverFactory,
    InteractionFactory,
    ObserverFactory,
    PrescribedStateFactory,
)
from bxi_framework.simulation.components import (
    ComponentContributions,
    ComponentDefinition,
    ComponentFactory,
    ComponentRegistry,
)
from bxi_framework.simulation.descriptors import (
    Channel,
    ClaimKind,
    ComponentDescriptor,
    DeviceDescriptor,
    EndpointDescriptor,
    InputDescriptor,
    StateClaim,
)
from bxi_framework.simulation.episode import Episode
from bxi_framework.simulation.errors import (
    BusyError,
    ClaimError,
    CommandError,
    NotRunningError,
    PartError,
    PhysicsError,
    ReadingError,
    SimulationError,
    UnknownIdError,
)
from bxi_framework.simulation.extensions import Configuring, Declaring, Extension, ExtensionLoader
from bxi_framework.simulation.instance import SimulationInstance
from bxi_framework.simulation.opening import UnsoundSimulationError, open_simulation
from bxi_framework.simulation.overlay import OverlayItem, OverlayTarget, Quantity
from bxi_framework.simulation.physics import Physics
from bxi_framework.simulation.plan import Plan
from bxi_framework.simulation.read_manifest import read_scene
from bxi_framework.simulation.runtime import (
    DeviceRuntime,
    DriverRuntime,
    InteractionRuntime,
    ObserverRuntime,
    PrescribedStateRuntime,
    Reading,
    Runtime,
    Values,
)
from bxi_framework.simulation.scene import (
    ComponentDecl,
    ExtensionDecl,
    ModelText,
    Scene,
    TrackDecl,
    VehicleDecl,
)
from bxi_framework.simulation.simulation import Simulation
from bxi_framework.simulation.snapshot import Snapshot

__all__ = [
    "Binding",
    "BindingKind",
    "BindingRequest",
    "Bindings",
    "BusyError",
    "CapabilityFactory",
    "Channel",
    "ClaimError",
    "ClaimKind",
    "CommandError",
    "ComponentContributions",
    "ComponentDecl",
    "ComponentDefinition",
    "ComponentDescriptor",
    "ComponentFactory",
    "ComponentRegistry",
    "Config",
    "Configuring",
    "Declaring",
    "DeviceDescriptor",
    "DeviceFactory",
    "DeviceRuntime",
    "DomainStateFactory",
    "DriverFactory",
    "DriverRuntime",
    "EndpointDescriptor",
    "Episode",
    "Extension",
    "ExtensionDecl",
    "ExtensionLoader",
    "InputDescriptor",
    "InteractionFactory",
    "InteractionRuntime",
    "ModelText",
    "NotRunningError",
    "ObserverFactory",
    "ObserverRuntime",
    "OverlayItem",
    "OverlayTarget",
    "PartError",
    "Physics",
    "PhysicsError",
    "Plan",
    "PrescribedStateFactory",
    "PrescribedStateRuntime",
    "Quantity",
    "Reading",
    "ReadingError",
    "Runtime",
    "Scene",
    "Simulation",
    "SimulationBuilder",
    "SimulationError",
    "SimulationInstance",
    "Snapshot",
    "StampedReading",
    "StateClaim",
    "TrackDecl",
    "UnknownIdError",
    "UnsoundSimulationError",
    "Values",
    "VehicleDecl",
    "open_simulation",
    "read_scene",
]
