"""Circles in a graph of names, each found once, whatever the graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

_MOST_STEPS: Final = 20_000
"""How long one group of names is searched; a dense group has more circles than anyone could read."""

Graph = Mapping[str, Sequence[str]]


def find_cycles(needs: Graph, most: int) -> list[tuple[str, ...]]:
    """The cycles of a graph, each once and beginning with its smallest name.

    Of names that all reach each other at most ``most`` cycles are found, and at least one.
    """
    return [cycle for group in cyclic_groups(needs) for cycle in _cycles_of(needs, group, most)]


def cyclic_groups(needs: Graph) -> list[tuple[str, ...]]:
    """The groups of names that reach each other, sorted; a name that only needs itself is a group too."""
    groups = []
    for group in _components(needs):
        if len(group) > 1 or group[0] in needs[group[0]]:
            groups.append(tuple(sorted(group)))
    return sorted(groups)


def _components(needs: Graph) -> list[list[str]]:
    """The strongly connected components, by Tarjan's algorithm without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_path: dict[str, None] = {}
    found: list[list[str]] = []
    for start in needs:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        on_path[start] = None
        walk = [(start, iter(needs[start]))]
        while walk:
            name, rest = walk[-1]
            step = next(rest, None)
            if step is None:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[name])
                if low[name] == index[name]:
                    found.append(_cut(on_path, name))
            elif step not in index:
                index[step] = low[step] = len(index)
                on_path[step] = None
                walk.append((step, iter(needs[step])))
            elif step in on_path:
                low[name] = min(low[name], index[step])
    return found


def _cut(on_path: dict[str, None], first: str) -> list[str]:
    """Take ``first`` and what came after it off the path."""
    group: list[str] = []
    while not group or group[-1] != first:
        group.append(on_path.popitem()[0])
    return group


def _cycles_of(needs: Graph, group: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """The cycles within one group."""
    found: list[tuple[str, ...]] = []
    steps = 0
    inside = set(group)
    for start in group:
        if len(found) >= most or steps >= _MOST_STEPS:
            break
        back = _reaching(needs, start, inside)
        steps += len(back)
        path = [start]
        branches = [iter(sorted(needs[start]))]
        while branches and len(found) < most and steps < _MOST_STEPS:
            steps += 1
            step = next(branches[-1], None)
            if step is None:
                branches.pop()
                path.pop()
            elif step == start:
                found.append(tuple(path))
            elif step > start and step in back and step not in path:
                path.append(step)
                branches.append(iter(sorted(needs[step])))
    return found or [_shortest(needs, group)]


def _reaching(needs: Graph, goal: str, inside: Collection[str]) -> set[str]:
    """The names of a group from which ``goal`` can be reached through names not smaller than it."""
    sources: dict[str, list[str]] = {}
    for name in inside:
        for other in needs[name]:
            sources.setdefault(other, []).append(name)
    reached: set[str] = set()
    waiting = [goal]
    while waiting:
        for name in sources.get(waiting.pop(), ()):
            if name >= goal and name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def _shortest(needs: Graph, group: Sequence[str]) -> tuple[str, ...]:
    """A shortest way from the smallest name of a group back to it."""
    inside = set(group)
    start = group[0]
    paths: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    for path in paths:
        for step in sorted(needs[path[-1]]):
            if step == start:
                return path
            if step in inside and step not in seen:
                seen.add(step)
                paths.append((*path, step))
    return (start,)
