"""What a vehicle's class names of its own model: declared as class attributes, resolved before the run.

    class Cart(Vehicle):
        left = Actuator("left_motor")

In the class ``left`` is a declaration; in a vehicle that runs, ``self.left`` is the handle of that actuator.
The names are those of the vehicle's own model; the instance's prefix is added by the framework, so a vehicle
can name nothing of another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar, overload

from bxi_framework.simulation.bindings import BindingKind, BindingRequest
from bxi_framework.simulation.vehicles.handles import (
    ActuatorHandle,
    BodyHandle,
    CameraHandle,
    GeomHandle,
    Handle,
    JointHandle,
    SensorHandle,
    SiteHandle,
)
from bxi_framework.simulation.vehicles.link import Link, NotAllowedError

LINK: Final = "_link"
"""The attribute of a vehicle that ties it to its run."""

H = TypeVar("H", bound=Handle)
PartT = TypeVar("PartT", bound="Part[Any]")


class Part(Generic[H]):
    """One named thing of a vehicle's model."""

    kind: ClassVar[BindingKind]
    handle: ClassVar[type[Handle]]

    def __init__(self, name: str) -> None:
        self.name = name
        self.attribute = name

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    @overload
    def __get__(self: PartT, instance: None, owner: type) -> PartT: ...

    @overload
    def __get__(self, instance: Any, owner: type) -> H: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        link: Link | None = instance.__dict__.get(LINK)
        if link is None:
            raise NotAllowedError("this vehicle is in no simulation: vehicles are made by the framework")
        return link.handle(self.attribute)

    def __set__(self, instance: Any, value: object) -> None:
        raise AttributeError(f"'{self.attribute}' is a part of the model; call its methods instead")

    def request(self, vehicle_id: str) -> BindingRequest:
        """What the compiled model must have for one instance."""
        return BindingRequest(self.kind, f"{vehicle_id}/{self.name}")


class Actuator(Part[ActuatorHandle]):
    """An actuator that the vehicle drives."""

    kind = BindingKind.ACTUATOR
    handle = ActuatorHandle


class Joint(Part[JointHandle]):
    """A joint that the vehicle reads, and may place at a reset."""

    kind = BindingKind.JOINT
    handle = JointHandle


class Body(Part[BodyHandle]):
    """A body that the vehicle reads, pushes, or gives another mass."""

    kind = BindingKind.BODY
    handle = BodyHandle


class Geom(Part[GeomHandle]):
    """A geom that the vehicle gives another friction or color."""

    kind = BindingKind.GEOM
    handle = GeomHandle


class Site(Part[SiteHandle]):
    """A site that the vehicle reads."""

    kind = BindingKind.SITE
    handle = SiteHandle


class Sensor(Part[SensorHandle]):
    """A sensor of the model; one with the name of a scalar sensor of the contract is in the telemetry by
    default.
    """

    kind = BindingKind.SENSOR
    handle = SensorHandle


class Camera(Part[CameraHandle]):
    """A camera of the model; the only one of a vehicle gives its frames by default."""

    kind = BindingKind.CAMERA
    handle = CameraHandle


def parts_of(cls: type) -> Mapping[str, Part[Any]]:
    """The parts that a class and its bases declare, by attribute."""
    found: dict[str, Part[Any]] = {}
    for each in reversed(cls.__mro__):
        found |= {name: value for name, value in vars(each).items() if isinstance(value, Part)}
    return found
