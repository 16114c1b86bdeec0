"""What a Mod author imports, and nothing else; every name here is kept from one level of the API to the next.

``state``          `RobotControlState`, the base of every state and its life cycle
``motion_states``  states that hold a pose or follow a formula
``policy``         states that a policy drives
``model_state``    a state that a trained model drives
``inference``      asks a model without keeping the loop waiting
``model``          what a model is
``onnx_model``     networks in the ONNX format
``entry_window``   limits of an entry
``replay``         states that play a motion to its end
``layers``         one frame composed of several controllers' targets
``frame``          all about motor frames in one place
``geometry``       orientations as quaternions
``context``        what a state sees of the robot, its inputs and the machine
``providers``      what transitions may ask of a state
``transition``     own transition types
``speed``          speed profiles
``logger``         the logger of a state
``definition``     what an entry plugin gets and returns
``check``          what a Mod looks at for ``bxi doctor``
``build``          what a state factory gets
``node``           what a node factory gets
``resource``       things loaded once and shared by key
``device_contract`` what a robot measures and how it is commanded, as data; ``contract_version`` its version;
                   both are checked by ``contract_reading`` and ``contract_rules``
``config_reader``  typed reading of plain configuration data
``version``        the API levels
"""

from __future__ import annotations

from bxi_framework.mod_api.build import StateBuildContext
from bxi_framework.mod_api.check import CheckContext, CheckOutcome, CheckResult, ModCheck
from bxi_framework.mod_api.config_reader import ConfigReader, ParameterError
from bxi_framework.mod_api.context import InferenceFrame, StateContext
from bxi_framework.mod_api.contract_reading import ContractError
from bxi_framework.mod_api.contract_version import ContractVersion
from bxi_framework.mod_api.definition import ModDefinition, ModLoadContext
from bxi_framework.mod_api.device_contract import ActuatorDescriptor, DeviceContract, SensorDescriptor
from bxi_framework.mod_api.entry_window import EntryWindow
from bxi_framework.mod_api.inference import Inference
from bxi_framework.mod_api.layers import (
    JointCommandComposer,
    JointCommandLayer,
    JointTargetBuffer,
    JointTargetView,
)
from bxi_framework.mod_api.logger import StateLogger
from bxi_framework.mod_api.model import InferenceSummary, Model, ModelError, Runner
from bxi_framework.mod_api.model_state import History, ModelState
from bxi_framework.mod_api.motion_states import PoseState, ProceduralState
from bxi_framework.mod_api.node import NodeBuildContext
from bxi_framework.mod_api.onnx_model import OnnxModel, OnnxOptions, TensorSpec
from bxi_framework.mod_api.policy import PolicyState
from bxi_framework.mod_api.providers import EntryFrameProvider, RunningFrameProvider
from bxi_framework.mod_api.replay import MotionReplayState, ReplayPolicy
from bxi_framework.mod_api.resource import ResourceHandle, ResourceKey, ResourceLoadContext
from bxi_framework.mod_api.speed import SpeedProfile
from bxi_framework.mod_api.state import RobotControlState
from bxi_framework.mod_api.transition import SingleClassTransition, TransitionContext
from bxi_framework.mod_api.version import API_LEVELS, MOD_API_VERSION
from bxi_framework.robot import (
    FloatArray,
    Heard,
    IdealActuators,
    JointLayout,
    JointReadings,
    MotorFrame,
    MotorTarget,
)

__all__ = [
    "API_LEVELS",
    "MOD_API_VERSION",
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
