"""A drawing as SVG text: the few shapes that our pictures need, in pixels from the upper left."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr


class Drawing:
    """Collects shapes; `text` is the finished picture."""

    def __init__(self, width: int, height: int) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif">',
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
        ]

    def box(self, x: float, y: float, width: float, height: float, fill: str, tip: str = "") -> None:
        """A filled rectangle; ``tip`` shows under the pointer."""
        title = f"<title>{escape(tip)}</title>" if tip else ""
        shape = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"'
        self._parts.append(f"{shape}>{title}</rect>" if title else f"{shape}/>")

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0) -> None:
        """A straight line."""
        self._parts.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'
        )

    def curve(
        self, strokes: Iterable[Iterable[tuple[float, float]]], colour: str, width: float = 1.0
    ) -> None:
        """Lines through points; each stroke begins anew."""
        drawn = ["M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in stroke) for stroke in strokes]
        if drawn:
            self._parts.append(
                f'<path d="{"".join(drawn)}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
                'stroke-linejoin="round"/>'
            )

    def write(
        self, x: float, y: float, words: str, size: int = 11, colour: str = "#333", anchor: str = "start"
    ) -> None:
        """Text whose base line begins (or, by ``anchor``, ends or is centred) at a point."""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
            f"text-anchor={quoteattr(anchor)}>{escape(words)}</text>"
        )

    @property
    def text(self) -> str:
        """The SVG file."""
        return "\n".join([*self._parts, "</svg>", ""])
