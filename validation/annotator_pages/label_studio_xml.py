"""Building blocks of the pages, in Label Studio's configuration language."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nextset.validation.annotator_pages.page_wording import Label, Wording

__all__ = ["Option", "choices", "finished", "heading", "note", "page", "plain", "shown", "view", "when"]

_STYLE = Path(__file__).parent / "page.css"


class Option:
    """A choice: the stored alias, its key (empty if there is none), and the text of its button."""

    def __init__(self, alias: str, key: str, label: str, hint: str = "") -> None:
        self.alias, self.key, self.label, self.hint = alias, key, label, hint

    @classmethod
    def of(cls, alias: str, key: str, label: Label) -> Option:
        return cls(alias, key, label.label, label.hint)


def page(wording: Wording, name: str) -> Element:
    """Return the page's outermost element, with the style."""
    root = Element("View", className=f"ns ns-{name} ns-{wording.direction}")
    SubElement(root, "Style").text = _STYLE.read_text(encoding="utf-8")
    return root


def view(parent: Element, name: str) -> Element:
    """Add and return a block of the page; ``name`` is its class in the style."""
    return SubElement(parent, "View", className=f"ns-{name}")


def when(parent: Element, name: str, block: str, *aliases: str) -> Element:
    """Add and return a block that is shown while one of ``aliases`` is chosen in the block ``block``."""
    return SubElement(
        parent,
        "View",
        className=f"ns-{name}",
        visibleWhen="choice-selected",
        whenTagName=block,
        whenChoiceValue=",".join(aliases),
    )


def heading(parent: Element, text: str) -> None:
    """Add a heading from the page's wording."""
    SubElement(parent, "Header", value=plain(text), size="5")


def note(parent: Element, name: str, text: str) -> None:
    """Add a small line from the page's wording."""
    heading(view(parent, name), text)


def shown(parent: Element, field: str, title: str = "", name: str = "fact", *, html: bool = False) -> None:
    """Add a field of the task under a heading: as text, or as HTML if nextset rendered the field."""
    block = view(parent, name)
    if title:
        heading(block, title)
    if html:
        SubElement(block, "HyperText", name=field, value=f"${field}", inline="true")
    else:
        SubElement(block, "Text", name=field, value=f"${field}")


def choices(
    parent: Element,
    name: str,
    of: str,
    options: Iterable[Option],
    *,
    required: str = "",
    multiple: bool = False,
) -> None:
    """Add a block of choices about the field ``of``; ``required`` is the message if none was chosen."""
    block = SubElement(
        parent, "Choices", name=name, toName=of, choice="multiple" if multiple else "single", layout="inline"
    )
    if required:
        block.set("required", "true")
        block.set("requiredMessage", plain(required))
    for option in options:
        # Label Studio cleans this HTML before it shows it; the style uses tags that remain.
        key = f"<kbd>{escape(option.key)}</kbd>" if option.key else ""
        shown = f"{key}<b>{escape(option.label)}</b>"
        hint = f"<small>{escape(option.hint)}</small>" if option.hint else ""
        choice = SubElement(block, "Choice", value=plain(option.label), alias=option.alias, html=shown + hint)
        if option.key:
            choice.set("hotkey", option.key)


def finished(root: Element) -> str:
    """Return the configuration as text."""
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def plain(text: str) -> str:
    """Return ``text`` with U+2060, which has no width, after each ``$``, which would name a task's field."""
    return text.replace("$", "$\u2060")
