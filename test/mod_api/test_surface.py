"""The names that Mods import: what is listed here stays."""

from __future__ import annotations

from bxi_framework import mod_api

SURFACE = [
    "API_LEVELS",
    "ActuatorDescriptor",
    "CheckContext",
    "CheckOutcome",
    "CheckResult",
    "ConfigReader",
    "ContractError",
    "ContractVersion",
    "DeviceContract",
    "EntryFrameProvider",
    "EntryWindow",
    "FloatArray",
    "Heard",
    "History",
    "IdealActuators",
    "Inference",
    "InferenceFrame",
    "InferenceSummary",
    "JointCommandComposer",
    "JointCommandLayer",
    "JointLayout",
    "JointReadings",
    "JointTargetBuffer",
    "JointTargetView",
    "MOD_API_VERSION",
    "ModCheck",
    "ModDefinition",
    "ModLoadContext",
    "Model",
    "ModelError",
    "ModelState",
    "MotionReplayState",
    "MotorFrame",
    "MotorTarget",
    "NodeBuildContext",
    "OnnxModel",
    "OnnxOptions",
    "ParameterError",
    "PolicyState",
    "PoseState",
    "ProceduralState",
    "ReplayPolicy",
    "ResourceHandle",
    "ResourceKey",
    "ResourceLoadContext",
    "RobotControlState",
    "Runner",
    "RunningFrameProvider",
    "SensorDescriptor",
    "SingleClassTransition",
    "SpeedProfile",
    "StateBuildContext",
    "StateContext",
    "StateLogger",
    "TensorSpec",
    "TransitionContext",
]


def test_the_public_names_are_exactly_these() -> None:
    assert sorted(mod_api.__all__) == sorted(SURFACE)


def test_every_name_is_there_and_documented() -> None:
    for name in mod_api.__all__:
        thing = getattr(mod_api, name)
        assert not isinstance(thing, type) or thing.__doc__, name


def test_every_api_level_is_announced_and_the_newest_is_the_version() -> None:
    assert mod_api.API_LEVELS == ("1.1.0", "2.0.0", "4.0.0")
    assert mod_api.MOD_API_VERSION == "4.0.0"
