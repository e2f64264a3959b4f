"""Altair charts as SVGs for a page: without scripts or requests, with the same bytes every time."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "ANTI", "CELL_INK", "DARK", "ERROR", "FONT", "HOLLOW", "INK", "PALE", "PRO", "QUIET", "WIDTH",
    "dark_style", "drawable", "to_svg",
]  # fmt: skip

WIDTH = 360
"""The width of a plot in units of its viewBox: about a phone's, so that text keeps its size on phones."""
FONT = 13
"""The size of all text except titles, in the same units."""
_TITLE, _SUBTITLE = 40, 56
"""The most characters in a line of a title, and of the text below it."""

# Okabe and Ito's palette, which colour-blind readers can distinguish; each at least 3:1 against white.
PRO, ANTI, ERROR = "#D55E00", "#0072B2", "#767676"
INK, QUIET, PALE = "#222222", "#595959", "#DDDDDD"
HOLLOW = "#FFFFFF"
"""The inside of a ring, which is the colour of the page's cards."""
CELL_INK = "#000000"
"""Text on the cells of a heat map, which have the same colours in dark mode."""

DARK = {
    INK: "#E8E6E1", QUIET: "#B0AEA8", PALE: "#4A4C51", PRO: "#F08A4B", ANTI: "#56B4E9", ERROR: "#9A9A9A",
}  # fmt: skip
"""The colours in dark mode; text at least 4.5:1 and marks at least 3:1 against the cards of page.css."""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ROLES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')

_LANGUAGE = "6.4"
"""The version of Vega-Lite that Altair 6 writes."""


def to_svg(chart: alt.LayerChart | alt.FacetChart, *, title: str, subtitle: list[str], alt_text: str) -> str:
    """Return ``chart`` as an SVG element that fills its container; screen readers read ``alt_text``.

    Inner elements have no role, since the whole is one image. Text from data is escaped. No ids are used, so
    that a page can contain several SVGs.
    """
    import altair
    import vl_convert

    # a line that is too long would be cut, and would narrow the plot under its texts
    heading = altair.TitleParams(
        wrap(title, _TITLE) if len(title) > _TITLE else title,
        subtitle=[line for text in subtitle for line in wrap(text, _SUBTITLE)],
        anchor="start", frame="bounds", offset=14,
        fontSize=16, subtitleFontSize=FONT, subtitleColor=QUIET, color=INK, subtitlePadding=6,
    )  # fmt: skip
    whole = (
        chart.properties(title=heading, width=WIDTH, background="transparent", autosize="fit-x")
        .configure(font="sans-serif", aria=False, padding={"left": 4, "right": 4, "top": 4, "bottom": 4})
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=FONT, titleFontSize=FONT, labelColor=QUIET, grid=False, domain=False)
    )
    svg = vl_convert.vegalite_to_svg(drawable(whole.to_dict()), vl_version=_LANGUAGE)
    return _for_a_page(svg, drawable(alt_text))


def drawable(value: Any) -> Any:
    """Return ``value``, a text or texts inside lists and dicts, with escapes for characters forbidden in XML.

    Such characters would end the process that draws a plot.
    """
    if isinstance(value, str):
        return _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], value)
    if isinstance(value, dict):
        return {drawable(key): drawable(element) for key, element in value.items()}
    return [drawable(element) for element in value] if isinstance(value, list) else value


def dark_style() -> str:
    """Return the CSS that gives the plots of a page the colours of dark mode; style beats SVG attributes."""
    rules = [
        f'figure svg [{name}="{light}"] {{ {name}: {dark}; }}'
        for light, dark in DARK.items()
        for name in ("fill", "stroke")
    ]
    rules.append(f'figure svg .mark-symbol [fill="{HOLLOW}"] {{ fill: var(--card); }}')
    return "@media screen and (prefers-color-scheme: dark) {\n  " + "\n  ".join(rules) + "\n}\n"


def _for_a_page(svg: str, alt_text: str) -> str:
    head, _, body = svg.partition(">")
    view_box = re.search(r'viewBox="[-\d. ]+"', head)
    if view_box is None:
        raise ValueError("the renderer gave an SVG without a viewBox")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {view_box[0]} role="img" aria-label={quoteattr(alt_text)}>'
    )
    # The renderer gives groups of marks the role of images without a name; only the whole SVG has one.
    # "<" is escaped in texts, so only tags are changed.
    body = _TAG.sub(lambda tag: _ROLES.sub("", tag[0]), body)
    return f"{opening}<title>{escape(alt_text)}</title>{body}"
