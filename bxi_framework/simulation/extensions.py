"""Extensions: where an application composes a simulation beyond what the manifest declares."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from bxi_framework.mod_api.config_reader import ConfigReader
from bxi_framework.simulation.capabilities import (
    Config,
    DeviceFactory,
    DomainStateFactory,
    InteractionFactory,
    ObserverFactory,
    PrescribedStateFactory,
)
from bxi_framework.simulation.components import ComponentFactory
from bxi_framework.simulation.descriptors import ComponentDescriptor, DeviceDescriptor, InputDescriptor

if TYPE_CHECKING:
    from typing_extensions import Self


class Declaring(Protocol):
    """What an extension may do before the manifest is interpreted."""

    def add_component_type(self, factory: ComponentFactory) -> None:
        """Offer a component type to the manifest."""


class Configuring(Protocol):
    """What an extension may do once every component is resolved. The model cannot be changed here: its
    structure and nominal values belong to the MJCF file, and variations to the parameter overlay.
    """

    @property
    def components(self) -> Mapping[str, ComponentDescriptor]:
        """The resolved components by id."""

    @property
    def devices(self) -> Mapping[str, DeviceDescriptor]:
        """The devices so far by id, those of extensions configured earlier included."""

    def add_device(self, factory: DeviceFactory) -> None:
        """Add a device."""

    def add_input(self, descriptor: InputDescriptor) -> None:
        """Add an external input source."""

    def add_prescribed_state(self, factory: PrescribedStateFactory) -> None:
        """Add a prescribed state."""

    def add_domain_state(self, factory: DomainStateFactory) -> None:
        """Add state of the application."""

    def add_interaction(self, factory: InteractionFactory) -> None:
        """Add an interaction."""

    def add_observer(self, factory: ObserverFactory) -> None:
        """Add an observer."""


class Extension(ABC):
    """One extension with its config, as a build takes it.

    ``id`` is unique in the build; ``version`` is a stable identity of its behaviour, empty for unversioned.
    Both, the dependencies and the hash of ``config`` are fixed before `declare` is called.
    """

    id: ClassVar[str]
    version: ClassVar[str] = ""

    def __init__(self, config: Config | None = None) -> None:
        self.config: Config = dict(config or {})

    @classmethod
    def create(cls, config: Config) -> Self:
        """An extension for one build: a Mod lists the class itself in ``simulation_extensions``."""
        return cls(config)

    def dependencies(self) -> Sequence[str]:
        """Ids of extensions that must be in the same build and come first; it loads nothing."""
        return ()

    def read_config(self, config: ConfigReader) -> None:
        """Read and check the config; called once before `declare`.

        Raises:
            ParameterError: the config does not fit.
        """
        config.finish()

    def declare(self, declaring: Declaring) -> None:  # noqa: B027 - both phases are optional
        """Offer what the manifest needs to be interpreted."""

    def configure(self, configuring: Configuring) -> None:  # noqa: B027
        """Add capabilities, with resolved descriptors at hand."""


class ExtensionLoader(Protocol):
    """Finds extensions, vehicles and tracks by id for a manifest; the builder knows neither Mods nor
    packages.
    """

    def known(self) -> Sequence[str]:
        """The ids that can be loaded, sorted."""

    def load(self, extension_id: str, config: Config) -> Any:
        """A new extension with its config, or the class of a vehicle or track; KeyError for an unknown id."""

    def code_of(self, extension_id: str) -> Path:
        """The folder of its code, where faults in `load` are looked for."""
