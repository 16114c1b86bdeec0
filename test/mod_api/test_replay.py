"""States that play a motion to its end: time, pause, the request at the end, and what a look may change."""

from __future__ import annotations

from typing import Any

import pytest
from mod_api.arm import MODEL, Wishes, commanded, context

from bxi_framework.mod_api import InferenceFrame, JointLayout, JointTargetBuffer, MotionReplayState

DT = 0.5


class Film:
    """Ten pictures, one every 0.5 s; the elbow shows the picture's number."""

    LENGTH = 10

    def __init__(self) -> None:
        self.output = JointTargetBuffer(JointLayout(["elbow"]))
        self.picture = 0
        self.steps = 0

    def step(self, frame: InferenceFrame, dt: float, *, advance: bool = True) -> None:
        self.steps += 1
        if advance:
            self.picture = min(self.picture + round(dt / DT), self.LENGTH)
        self.output.update(qpos=self.picture, kp=5.0, kd=0.5)

    def reset(self, frame: InferenceFrame) -> None:
        self.picture = 0

    def finished(self, trim: int = 0) -> bool:
        return self.picture >= self.LENGTH - trim


def replay(film: Film, **settings: Any) -> MotionReplayState[Film]:
    return MotionReplayState("dance", 1, film, finish_state="normal", finish_trigger="done", **settings)


def elbow(frame: Any) -> float:
    return float(frame.qpos[frame.layout.index("elbow")])


def test_updates_play_the_motion_with_its_own_gains_and_layout() -> None:
    ctx = context()
    state = replay(Film())
    pictures = []
    for _ in range(3):
        state.on_update(ctx, DT)
        pictures.append(elbow(commanded(ctx)))
    assert pictures == [1.0, 2.0, 3.0]
    frame = commanded(ctx)
    assert frame.layout is MODEL.layout
    assert frame.data[2:4].tolist() == [[10, 5], [1, 0.5]]


def test_a_late_tick_plays_as_much_as_has_passed() -> None:
    ctx = context()
    state = replay(Film())
    state.on_update(ctx, 3 * DT)
    assert elbow(commanded(ctx)) == 3.0


def test_at_the_end_the_last_picture_is_held_and_the_finish_state_requested_once() -> None:
    wishes = Wishes()
    ctx = context(wishes)
    film = Film()
    state = replay(film, end_transition="soft_switch")
    for _ in range(9):
        state.on_update(ctx, DT)
    assert wishes.made == []
    state.on_update(ctx, DT)
    assert wishes.made == [("normal", "done", "soft_switch")]
    steps = film.steps
    for _ in range(20):
        state.on_update(ctx, DT)
        assert elbow(commanded(ctx)) == 10.0
    assert len(wishes.made) == 1
    assert film.steps == steps


def test_pictures_at_the_end_can_be_left_out() -> None:
    wishes = Wishes()
    ctx = context(wishes)
    state = replay(Film(), end_frame_trim=4)
    for _ in range(8):
        state.on_update(ctx, DT)
    assert elbow(commanded(ctx)) == 6.0
    assert wishes.made == [("normal", "done", None)]


def test_a_refused_request_is_made_again_but_not_every_tick() -> None:
    wishes = Wishes(accept=False)
    ctx = context(wishes)
    state = replay(Film())
    state.on_update(ctx, Film.LENGTH * DT)
    assert len(wishes.made) == 1
    for _ in range(50):
        state.on_update(ctx, 0.02)
    assert len(wishes.made) == 3, "once at the end and twice in the second after it"
    wishes.accept = True
    for _ in range(100):
        state.on_update(ctx, 0.02)
    assert len(wishes.made) == 4


def test_toggle_pause_holds_the_motion_and_lets_it_go_on() -> None:
    ctx = context()
    film = Film()
    state = replay(film)
    state.on_update(ctx, DT)
    assert state.on_action(ctx, "toggle_pause")
    assert state.paused
    for _ in range(5):
        state.on_update(ctx, DT)
        assert elbow(commanded(ctx)) == 1.0
        assert elbow(state.sample_running_frame(ctx, DT, advance=True)) == 1.0
    assert state.on_action(ctx, "toggle_pause")
    state.on_update(ctx, DT)
    assert elbow(commanded(ctx)) == 2.0


def test_nothing_is_requested_while_paused_at_the_end() -> None:
    wishes = Wishes()
    ctx = context(wishes)
    film = Film()
    state = replay(film)
    film.picture = Film.LENGTH
    state.on_action(ctx, "toggle_pause")
    state.on_update(ctx, DT)
    assert wishes.made == []
    state.on_action(ctx, "toggle_pause")
    state.on_update(ctx, DT)
    assert len(wishes.made) == 1


def test_other_actions_are_unknown() -> None:
    assert not replay(Film()).on_action(context(), "jump")


def test_looking_changes_nothing() -> None:
    ctx = context()
    film = Film()
    state = replay(film)
    state.on_update(ctx, DT)
    for _ in range(5):
        assert elbow(state.get_entry_frame(ctx)) == 1.0
        assert elbow(state.sample_running_frame(ctx, DT, advance=False)) == 1.0
    assert film.picture == 1
    assert elbow(state.sample_running_frame(ctx, DT, advance=True)) == 2.0


def test_a_new_run_begins_at_the_beginning_unpaused_and_asks_again_at_its_end() -> None:
    wishes = Wishes()
    ctx = context(wishes)
    state = replay(Film())
    for _ in range(2):
        state._rewind(ctx)
        assert elbow(state.get_entry_frame(ctx)) == 0.0
        state.on_update(ctx, Film.LENGTH * DT)
        state.on_action(ctx, "toggle_pause")
    state._rewind(ctx)
    assert not state.paused
    assert len(wishes.made) == 2


def test_the_motion_may_come_from_a_handle_and_is_warmed_up_beside_the_loop() -> None:
    film = Film()

    class Handle:
        name = "mod/film"
        ready = True

        def get(self) -> Film:
            return film

    state = MotionReplayState[Film]("dance", 1, Handle(), finish_state="normal", finish_trigger="done")
    ctx = context()
    state.on_prepare(ctx, replay(Film()))
    assert (film.steps, film.picture) == (1, 0)
    state._rewind(ctx)
    state.on_update(ctx, DT)
    assert elbow(commanded(ctx)) == pytest.approx(1.0)
