"""Checks of a report in a browser that several packages share: names of images, colours, and overflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nextset.html.svg import ANTI, ERROR, INK, PRO, QUIET

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["faint_marks", "faint_texts", "tables_without_hint", "unnamed_images"]

_COLOURS = """
const luminance = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
};
const card = svg => getComputedStyle(svg.closest('figure')).backgroundColor;
const painted = (svg, type) => [...svg.querySelectorAll(type)].map(e => [e, getComputedStyle(e)])
    .filter(([e, style]) => style.fill.startsWith('rgb') && e.getBoundingClientRect().width > 0);
"""
"""Contrast as WCAG 2 defines it."""


def unnamed_images(page: Page) -> list[str]:
    """Return the markup of images in SVG that have no text alternative (axe's rule svg-img-alt)."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(
            'svg [role=img], svg[role=img], [role="graphics-symbol"], svg[role="graphics-document"]'
        )].filter(e => !e.getAttribute('aria-label') && !e.querySelector(':scope > title'))
            .map(e => e.outerHTML.slice(0, 200))"""
    )
    return found


def faint_texts(page: Page) -> list[str]:
    """Return the texts of plots whose contrast to what is under them is below 4.5."""
    found: list[str] = page.evaluate(
        f"""() => {{ {_COLOURS}
            return [...document.querySelectorAll('figure svg')].flatMap(svg => {{
                const cells = painted(svg, '.mark-rect path');
                return painted(svg, 'text').filter(([text, style]) => {{
                    const a = text.getBoundingClientRect(), x = a.x + a.width / 2, y = a.y + a.height / 2;
                    const under = cells.filter(([e]) => {{
                        const b = e.getBoundingClientRect();
                        return b.left < x && x < b.right && b.top < y && y < b.bottom;
                    }}).pop();
                    return contrast(style.fill, under ? under[1].fill : card(svg)) < 4.5;
                }}).map(([text]) => text.textContent);
            }});
        }}"""
    )
    return found


def faint_marks(page: Page) -> list[str]:
    """Return the fills of points and bars whose contrast to the card is below 3."""
    found: list[str] = page.evaluate(
        f"""colours => {{ {_COLOURS}
            return [...document.querySelectorAll('figure svg')].flatMap(svg =>
                painted(svg, '.mark-rect path, .mark-symbol path')
                    .filter(([e]) => colours.includes(e.getAttribute('fill')))
                    .filter(([, style]) => contrast(style.fill, card(svg)) < 3)
                    .map(([e]) => e.getAttribute('fill')));
        }}""",
        [INK, QUIET, PRO, ANTI, ERROR],
    )
    return found


def tables_without_hint(page: Page) -> list[str]:
    """Return the frames that scroll sideways without a shade at the edge that goes when it is reached."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth)
            .filter(e => getComputedStyle(e).backgroundAttachment !== 'local, local, scroll, scroll')
            .map(e => e.getAttribute('aria-label'))"""
    )
    return found
