"""A resource loads once, when it is wanted, and is closed in reverse order."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from bxi_framework.diagnostics import Report
from bxi_framework.loading import resources
from bxi_framework.loading.load_context import PluginContext
from bxi_framework.loading.resources import ResourceStore, asset_path
from bxi_framework.mod_api import ResourceKey
from bxi_framework.mod_api.resource import ResourceLoading

KEY: ResourceKey[Any] = ResourceKey("com.test.base/policy")


class Thing:
    """Something to close."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log

    def close(self) -> None:
        """Say so."""
        self.log.append(self.name)


def plugin(store: ResourceStore, root: Path, mod_id: str = "com.test.base", *required: str) -> PluginContext:
    return PluginContext(mod_id, root, store, required)


def test_a_lazy_resource_loads_on_first_use_and_only_once(tmp_path: Path) -> None:
    calls: list[str] = []
    store = ResourceStore()
    context = plugin(store, tmp_path)
    context.register_resource(KEY, lambda load: calls.append(load.mod_id) or object())  # type: ignore[func-returns-value]
    first, second = context.resource(KEY), context.resource(KEY)
    assert (first.name, first.ready, calls) == ("com.test.base/policy", False, [])
    store.load_eager(Report())
    assert calls == []
    assert first.get() is second.get()
    assert second.ready
    assert calls == ["com.test.base"]


@pytest.mark.parametrize("word", [{"loading": "eager"}, {"loading": "startup"}, {"policy": "eager"}])
def test_an_eager_resource_loads_before_the_start(tmp_path: Path, word: dict[str, Any]) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    context.register_resource(KEY, lambda load: 5, **word)
    handle = context.resource(KEY)
    report = Report()
    store.load_eager(report)
    assert report.codes() == []
    assert handle.ready
    assert handle.get() == 5


def test_a_failed_eager_load_is_an_error_with_the_reason(tmp_path: Path) -> None:
    store = ResourceStore()
    plugin(store, tmp_path).register_resource(KEY, lambda load: load.asset("assets/a.onnx"), loading="eager")
    report = Report()
    store.load_eager(report)
    (error,) = report.errors
    assert (error.code, error.mod, error.subject) == ("resource-load-failed", "com.test.base", KEY.name)
    assert "FileNotFoundError: there is no asset 'assets/a.onnx'" in error.message


def test_a_failed_load_is_tried_again(tmp_path: Path) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    answers: list[object] = [OSError("disk asleep"), SystemExit(3), "loaded"]

    def loader(load: object) -> object:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    context.register_resource(KEY, loader)
    handle = context.resource(KEY)
    with pytest.raises(
        RuntimeError, match=r"'com.test.base/policy' could not be loaded: OSError: disk asleep"
    ):
        handle.get()
    with pytest.raises(RuntimeError, match=r"SystemExit: 3"):
        handle.get()
    assert not handle.ready
    assert handle.get() == "loaded"


def test_the_control_thread_never_loads(tmp_path: Path) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    context.register_resource(KEY, lambda load: 5)
    handle = context.resource(KEY)
    store.control_thread_ident = threading.get_ident()
    with pytest.raises(RuntimeError, match=r"'com.test.base/policy' is not loaded"):
        handle.get()
    worker = threading.Thread(target=handle.get)
    worker.start()
    worker.join()
    assert handle.get() == 5


def test_many_threads_get_one_and_the_same(tmp_path: Path) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    gate = threading.Barrier(8)
    context.register_resource(KEY, lambda load: object())
    handle = context.resource(KEY)
    found: list[object] = []

    def work() -> None:
        gate.wait()
        found.append(handle.get())

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def test_a_loader_that_hangs_keeps_only_those_waiting_who_need_the_same(tmp_path: Path) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    other: ResourceKey[str] = ResourceKey("com.test.base/other")
    begun, gate = threading.Event(), threading.Event()
    context.register_resource(KEY, lambda load: begun.set() or gate.wait(60.0))
    context.register_resource(other, lambda load: "at once")
    worker = threading.Thread(target=context.resource(KEY).get)
    worker.start()
    try:
        assert begun.wait(10.0)
        assert context.resource(other).get() == "at once"
    finally:
        gate.set()
        worker.join(10.0)


def test_loaders_of_two_threads_that_need_each_other_end_with_a_reason(tmp_path: Path) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    keys: list[ResourceKey[object]] = [ResourceKey(f"com.test.base/{name}") for name in ("one", "two")]
    both, said = threading.Barrier(2), []
    begun: set[int] = set()
    for mine, theirs in ((0, 1), (1, 0)):

        def load(_: object, mine: int = mine, theirs: int = theirs) -> object:
            if mine not in begun:
                begun.add(mine)
                both.wait(10.0)
            return context.resource(keys[theirs]).get()

        context.register_resource(keys[mine], load)

    def work(key: ResourceKey[object]) -> None:
        try:
            context.resource(key).get()
        except RuntimeError as error:
            said.append(str(error))

    workers = [threading.Thread(target=work, args=(key,)) for key in keys]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(10.0)
        assert not worker.is_alive()
    assert len(said) == 2 and all("could not be loaded" in reason for reason in said)


def test_closing_goes_backwards_and_says_what_failed(tmp_path: Path) -> None:
    log: list[str] = []
    store = ResourceStore()
    context = plugin(store, tmp_path)

    class Stubborn:
        """Cannot be closed."""

        def close(self) -> None:
            """Fail."""
            raise ValueError("stuck")

    things: dict[str, object] = {
        "a": Thing("a", log),
        "b": Stubborn(),
        "c": 3,
        "d": Thing("d", log),
        "e": Thing("e", log),
    }
    handles = {}
    for name, thing in things.items():
        key: ResourceKey[object] = ResourceKey(f"com.test.base/{name}")
        context.register_resource(key, lambda load, thing=thing: thing)  # type: ignore[misc]
        handles[name] = context.resource(key)
    for name in ("d", "b", "c", "a"):
        handles[name].get()
    assert store.close() == ["closing the resource 'com.test.base/b' failed: ValueError: stuck"]
    assert log == ["a", "d"]
    assert store.close() == []
    with pytest.raises(RuntimeError, match=r"closed"):
        handles["a"].get()


def test_a_loader_may_use_another_resource_but_not_its_own(tmp_path: Path) -> None:
    log: list[str] = []
    store = ResourceStore()
    context = plugin(store, tmp_path)
    inner: ResourceKey[Thing] = ResourceKey("com.test.base/inner")
    context.register_resource(inner, lambda load: Thing("inner", log))
    context.register_resource(KEY, lambda load: context.resource(inner).get() and Thing("outer", log))
    context.resource(KEY).get()
    store.close()
    assert log == ["outer", "inner"]
    store = ResourceStore()
    again = plugin(store, tmp_path)
    again.register_resource(KEY, lambda load: again.resource(KEY).get())
    with pytest.raises(RuntimeError, match=r"needs the resource itself"):
        again.resource(KEY).get()


def test_a_mod_uses_the_resources_of_those_it_requires(tmp_path: Path) -> None:
    store = ResourceStore()
    plugin(store, tmp_path).register_resource(KEY, lambda load: 5)
    assert plugin(store, tmp_path, "com.test.user", "com.test.base").resource(KEY).get() == 5
    with pytest.raises(ValueError, match=r"add 'com.test.base' to 'requires'"):
        plugin(store, tmp_path, "com.test.user").resource(KEY)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("com.test.other/policy", {}, "must have the form 'com.test.base/<name>'"),
        ("policy", {}, "must have the form 'com.test.base/<name>'"),
        ("com.test.base/Policy", {}, "must have the form 'com.test.base/<name>'"),
        ("com.test.base/b", {"loading": "late"}, "loads 'late', not one of lazy, on_demand, eager, startup"),
        ("com.test.base/b", {"loading": "lazy", "policy": "eager"}, "they mean the same"),
        ("com.test.base/policy", {}, "registered twice, by 'com.test.base' and by 'com.test.base'"),
    ],
)
def test_a_wrong_registration_is_refused(
    tmp_path: Path, name: str, arguments: dict[str, Any], message: str
) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    context.register_resource(KEY, lambda load: 5)
    with pytest.raises(ValueError, match=message):
        context.register_resource(ResourceKey(name), lambda load: 5, **arguments)


def test_a_misspelt_key_gets_the_nearest(tmp_path: Path) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    context.register_resource(KEY, lambda load: 5)
    with pytest.raises(ValueError, match=r"Did you mean 'com.test.base/policy'"):
        context.resource(ResourceKey("com.test.base/polcy"))


def test_assets_stay_below_their_folder(tmp_path: Path) -> None:
    root = tmp_path / "mod"
    (root / "assets" / "deep").mkdir(parents=True)
    (root / "assets" / "deep" / "a.onnx").write_text("x")
    (root / "assets2").mkdir()
    (root / "assets2" / "a.onnx").write_text("x")
    (root / "assets" / "inside").symlink_to(root / "assets" / "deep")
    (root / "assets" / "outside").symlink_to(tmp_path)
    (root / "assets" / "secret").symlink_to(root / "mod.yaml")
    (root / "mod.yaml").write_text("x")
    (tmp_path / "a.onnx").write_text("x")
    assert asset_path(root, "assets/deep/a.onnx") == (root / "assets/deep/a.onnx").resolve()
    assert asset_path(root, "assets/inside/a.onnx") == (root / "assets/deep/a.onnx").resolve()
    for path in (
        "assets/../mod.yaml",
        "assets/deep/../../mod.yaml",
        "assets/outside/a.onnx",
        "assets/secret",
        "assets2/a.onnx",
        "mod.yaml",
        str(root / "assets/deep/a.onnx"),
        "../mod/assets/deep/a.onnx",
        "assets\\deep\\a.onnx",
        "assets",
        "",
        "assets/a\0b",
    ):
        with pytest.raises(ValueError, match=r"the asset"):
            asset_path(root, path)
    for path in ("assets/b.onnx", "assets/deep"):
        with pytest.raises(FileNotFoundError):
            asset_path(root, path)


def test_an_assets_folder_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.onnx").write_text("x")
    (tmp_path / "mod").mkdir()
    (tmp_path / "mod" / "assets").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match=r"through a link"):
        asset_path(tmp_path / "mod", "assets/a.onnx")


def test_closing_does_not_wait_for_ever_for_a_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loaded already is left as it is: the loader may be using it."""
    monkeypatch.setattr(resources, "_PATIENCE", 0.2)
    log: list[str] = []
    store = ResourceStore()
    context = plugin(store, tmp_path)
    other: ResourceKey[Thing] = ResourceKey("com.test.base/thing")
    context.register_resource(other, lambda load: Thing("thing", log))
    context.resource(other).get()
    begun, gate = threading.Event(), threading.Event()
    context.register_resource(KEY, lambda load: begun.set() or gate.wait())
    worker = threading.Thread(target=context.resource(KEY).get)
    worker.start()
    assert begun.wait(10.0)
    assert store.close() == ["the loader of the resource 'com.test.base/policy' does not return"]
    assert log == []
    gate.set()
    worker.join(10.0)
    assert store.close() == []
    assert log == ["thing"]


def test_a_failed_mod_takes_its_resources_along(tmp_path: Path) -> None:
    log: list[str] = []
    store = ResourceStore()
    for mod_id in ("com.test.base", "com.test.other"):
        key: ResourceKey[Thing] = ResourceKey(f"{mod_id}/policy")
        context = plugin(store, tmp_path, mod_id)
        context.register_resource(key, lambda load: Thing(load.mod_id, log))
        context.resource(key).get()
    store.remove("com.test.base")
    assert log == ["com.test.base"]
    assert "com.test.base/policy" not in store
    plugin(store, tmp_path).register_resource(KEY, lambda load: 5)
    store.close()
    assert log == ["com.test.base", "com.test.other"]


@pytest.mark.parametrize("word", ["lazy", "on_demand"])
def test_lazy_resources_wait_until_they_are_asked_for(tmp_path: Path, word: ResourceLoading) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    context.register_resource(KEY, lambda load: 5, loading=word)
    report = Report()
    store.load_eager(report)
    assert report.codes() == []
    assert not context.resource(KEY).ready
    assert context.resource(KEY).get() == 5


def test_eager_resources_load_in_the_order_of_their_registration_and_each_failure_is_told(
    tmp_path: Path,
) -> None:
    store = ResourceStore()
    context = plugin(store, tmp_path)
    loaded: list[str] = []

    def load(name: str) -> str:
        loaded.append(name)
        if name == "b":
            raise KeyboardInterrupt
        return name

    for name in ("c", "b", "a"):
        key: ResourceKey[str] = ResourceKey(f"com.test.base/{name}")
        context.register_resource(key, lambda _, name=name: load(name), loading="startup")  # type: ignore[misc]
    report = Report()
    store.load_eager(report)
    assert loaded == ["c", "b", "a"]
    assert [(error.code, error.subject) for error in report.errors] == [
        ("resource-load-failed", "com.test.base/b")
    ]
    assert "KeyboardInterrupt" in report.errors[0].message
