"""Finding the events of a tick among 12 and 200 declared ones."""

from __future__ import annotations

from itertools import cycle

from measuring import measure

from bxi_framework.machine.events import EventExtractor
from bxi_framework.manifest.mod import EventDecl
from bxi_framework.manifest.names import SLOT_NAMES

REST = (0,) * len(SLOT_NAMES)


def bench(declared: int) -> None:
    """Measure with ``declared`` events, spread over the slots."""
    events = [
        EventDecl(f"com.example.many/e{number}", SLOT_NAMES[number % 12], number // 12 + 1, "")
        for number in range(declared)
    ]
    extractor = EventExtractor(events)
    extractor.poll(REST, 0)
    measure(f"events_{declared}_same_object", lambda: extractor.poll(REST, 0))

    equal = cycle([tuple(REST[:]), (*REST[:-1], 0)])
    assert next(equal) is not next(equal)
    measure(f"events_{declared}_equal_values", lambda: extractor.poll(next(equal), 0))

    changing = cycle([(1, *REST[1:]), REST])
    assert extractor.poll(next(changing), 0) == ("com.example.many/e0",)
    measure(f"events_{declared}_one_change", lambda: extractor.poll(next(changing), 0))


if __name__ == "__main__":
    bench(12)
    bench(200)
