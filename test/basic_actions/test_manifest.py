"""The manifest of the base actions against what operators rely on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bxi_framework.diagnostics import Report
from bxi_framework.manifest.mod import ModManifest
from bxi_framework.manifest.read_mod import read_mod

MODS = Path(__file__).parents[2] / "mods"
BASE = "com.bxi.basic_actions"


@pytest.fixture(scope="module")
def manifest() -> ModManifest:
    report = Report()
    found = read_mod(MODS / BASE / "mod.yaml", report)
    assert found is not None, list(report)
    return found


@pytest.mark.parametrize(
    ("name", "label", "priority", "slot", "value"),
    [
        ("normal", "Walk", 1000, "btn_1", 1),
        ("zero_torque", "Zero torque", 990, "btn_2", 1),
        ("pd_brake", "Initial pose", 980, "btn_3", 1),
        ("initial_pos", "Zero position", 960, "btn_4", 1),
        ("applause", "Applaud", 880, "btn_10", 5),
        ("hello", "Wave", 870, "btn_10", 6),
    ],
)
def test_states_have_their_labels_places_and_slots(
    manifest: ModManifest, name: str, label: str, priority: int, slot: str, value: int
) -> None:
    (state,) = [state for state in manifest.states if state.local == name]
    (event,) = [event for event in manifest.events if event.name == f"{BASE}/{name}"]
    assert (state.look.label, state.look.priority, state.look.group) == (label, priority, "Base")
    assert not state.look.confirm
    assert (event.slot, event.value) == (slot, value)


def test_every_state_leads_to_zero_torque_at_once(manifest: ModManifest) -> None:
    sources = {
        route.source
        for route in manifest.routes
        if (route.event, route.target) == (f"{BASE}/zero_torque", f"{BASE}/zero_torque")
        and route.transition is not None
        and route.transition.profile == "instant"
    }
    assert sources == {state.name for state in manifest.states} - {f"{BASE}/zero_torque"}


@pytest.mark.parametrize(
    ("source", "target", "profile"),
    [
        ("pd_brake", "normal", "soft_switch"),
        ("zero_torque", "pd_brake", "first_frame_switch"),
        ("normal", "pd_brake", "first_frame_switch"),
        ("initial_pos", "pd_brake", "first_frame_switch"),
        ("zero_torque", "initial_pos", "first_frame_switch"),
        ("normal", "initial_pos", "first_frame_switch"),
        ("pd_brake", "initial_pos", "first_frame_switch"),
        ("normal", "hello", "dual_running_blend"),
        ("normal", "applause", "dual_running_blend"),
    ],
)
def test_routes_that_people_rely_on(manifest: ModManifest, source: str, target: str, profile: str) -> None:
    (route,) = [
        route
        for route in manifest.routes
        if (route.source, route.target) == (f"{BASE}/{source}", f"{BASE}/{target}")
    ]
    assert route.event == f"{BASE}/{target}"
    assert route.transition is not None
    assert (route.transition.profile, dict(route.transition.config)) == (profile, {})


@pytest.mark.parametrize("gesture", ["hello", "applause"])
def test_gestures_end_slowly_and_can_be_paused(manifest: ModManifest, gesture: str) -> None:
    ways_out = [route for route in manifest.routes if route.source == f"{BASE}/{gesture}"]
    blends = {route.target.partition("/")[2]: route.transition for route in ways_out}
    for target in ("normal", "pd_brake"):
        transition = blends[target]
        assert transition is not None
        assert (transition.profile, dict(transition.config)) == ("dual_running_blend", {"duration": 1.0})
    (action,) = [action for action in manifest.actions if action.source == f"{BASE}/{gesture}"]
    assert (action.event, action.action) == (f"{BASE}/toggle_pause", "toggle_pause")
    assert action.label


def test_the_speed_profile_of_walking(manifest: ModManifest) -> None:
    (profile,) = manifest.speed_profiles
    (state,) = [state for state in manifest.states if state.local == "normal"]
    assert state.speed_profile == profile.name == f"{BASE}/normal"
    speed = profile.profile
    assert (speed.vx_scale, speed.vx_min, speed.vx_max) == (1.0, -1.0, 1.0)
    assert (speed.vy_scale, speed.yaw_scale) == (0.5, 1.5)


@pytest.mark.parametrize("folder", ["mods/com.bxi.ideal_robot", "docs/examples/com.example.wave"])
def test_the_other_mods_that_come_along_are_sound(folder: str) -> None:
    report = Report()
    assert read_mod(MODS.parent / folder / "mod.yaml", report) is not None, list(report)
