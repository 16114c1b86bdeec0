"""Three Mods that fit together and use everything that a manifest offers, and a configuration for them."""

from __future__ import annotations

from pathlib import Path

HEADER = """\
schema: 1
id: {id}
name: 挥手示例
version: 1.2.0
api: ">=2,<3"
enable: true
entrypoint: null
visibility: public
requires:
{requires}
conflicts: []
python_exports: []
runtime_requirements:
  python: []
  ros: []
  system: []
"""
BASE = """\
events:
  normal: {slot: btn_1, value: 1}
  rest: {slot: btn_2}
states:
  normal:
    factory: state:Normal
    label: Normal
    priority: 100
    speed_profile: slow
    params: {rate: 0.5, loop: true, name: "no"}
  rest:
    factory: "state:Rest"
    id: 7
    manifest:
      label: Rest
      index: 3
      confirm: true
      confirm_message: "Sure?"
routes:
  - from: normal
    event: rest
    to: rest
    transition: gentle
    delay: 0.5
  - {from: rest, after: 2.0, to: normal, transition: {profile: gentle, duration: 1.5}}
actions:
  - from: normal
    event: normal
    action: wave
    manifest: {label: Wave, ui: false}
speed_profiles:
  slow: {vx_scale: 0.5, vx_min: -0.4, vx_max: 0.4}
transition_profiles:
  gentle: {type: running_blend, duration: 0.8, curve: linear}
  slowly:
    type: sequence
    steps:
      - {type: hold, duration: 0.02}
      - {type: running_blend, duration: 0.8}
"""
USER = """\
events:
  activate: {slot: btn_10, value: 8}
states:
  wave: {factory: "state:Wave", group: Customer, icon: waving_hand}
routes:
  - from: com.test.base/normal
    event: activate
    to: wave
    transition: soft_switch
  - from: wave
    event: com.test.base/normal
    to: com.test.base/normal
    transition: {type: hold, duration: 0.1}
"""
NODES = """\
states:
  look: {factory: "state:Look", speed_profile: com.test.absent/slow}
routes:
  - {from: com.test.base/rest, event: com.test.absent/go, to: look, transition: com.test.absent/gentle}
  - {from: com.test.base/rest, after: 5, to: look, transition: com.test.absent/gentle}
  - {from: com.test.base/rest, after: 6, to: look}
runtime_profiles:
  lab:
    mode: portable
    candidates: [runtime/lab]
nodes:
  camera:
    runtime: python
    entrypoint: node:create_node
    execution: process
    lifecycle: state
    states: [com.test.base/rest, com.test.absent/sit]
    depends_on: [clock, com.test.absent/clock]
    params: {url: "http://${bxi.system.ip}:8080", sizes: [1, 2.5]}
    arguments: ["--machine", "${bxi.system.machine}"]
    namespace: head
    remappings: {image: camera/image}
    environment:
      LEVEL: "${LEVEL:-info}"
      HOME_OF_LOGS: $HOME
    cwd: data
    runtime_profile: lab
    scheduling: {cpu_affinity: [0, 1]}
    restart: {max_attempts: 3, delay: 0.5, backoff: 2, reset_after: 30, non_retryable_exit_codes: [2]}
    shutdown: {signal: SIGINT, terminate_after: 1, kill_after: 1.5}
    manifest: {label: Camera}
  clock:
    entrypoint: node:create_node
  program:
    runtime: command
    entrypoint: run.sh
    interpreter: sh
"""
MODS = {
    "com.test.base": ("  []", BASE),
    "com.test.user": ('  - {id: com.test.base, version: ">=1,<2"}', USER),
    "com.test.nodes": ("  - com.test.base\n  - {id: com.test.absent, optional: true}", NODES),
}
CONFIG = """\
robot: {name: arm, joints: {j: {lower: 0, upper: 1}}}
initial_state: com.test.base/normal
fault_state: com.test.base/rest
fault_transition: {profile: soft_switch, duration: 0.1}
mods: {params: {com.test.base: {states: {normal: {rate: 2}}}, com.test.nodes: {nodes: {clock: {a: 1}}}}}
"""


def write_files(folder: Path) -> None:
    """What the manifests name besides each other."""
    root = folder / "com.test.nodes"
    for name in ("runtime/lab", "data"):
        (root / name).mkdir(parents=True)
    (root / "node.py").write_text("def create_node(context):\n    return None\n")
    (root / "run.sh").write_text("exit 0\n")


def manifest_of(mod_id: str) -> bytes:
    requires, body = MODS[mod_id]
    header = HEADER.format(id=mod_id, requires=requires)
    return (header.replace("requires:\n  []", "requires: []") + body).encode()
