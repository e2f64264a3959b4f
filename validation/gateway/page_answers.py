"""The answers that a page can give: an answer that a pull could not read is refused, not stored."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from nextset.validation.gateway.annotator_requests import Refused
from nextset.validation.judgments.unsafe_text import MAX_CHARACTERS

__all__ = ["NotTaken", "check_answer", "check_length"]

_MOST_BYTES = 150_000
"""The most bytes of an answer: a comment of `MAX_CHARACTERS` has at most 120,000 in JSON."""


class NotTaken(Refused):
    """An answer that is not stored; the message says why, in plain words for the annotator."""


@dataclass(frozen=True)
class _Block:
    """A question of a page."""

    kind: str
    """The type of its answer: choices or textarea."""
    choices: frozenset[str]
    single: bool
    required: bool
    when: tuple[tuple[str, frozenset[str]], ...]
    """The choices of other questions with which it is shown, one of each."""


def check_answer(page: str, given: Mapping[str, Any], *, draft: bool, skippable: bool) -> None:
    """Raise NotTaken if ``page``, a labelling configuration, cannot have sent an answer or a draft.

    ``given`` is the body that is passed on. ``skippable`` says whether the page has the button that skips an
    item. Whether a page can show a choice is not checked if ``page`` is not XML.
    """
    if given.get("was_cancelled") and not draft:
        if not skippable:
            raise NotTaken("this page cannot be skipped")
        return
    regions: Sequence[Mapping[str, Any]] = given.get("result") or ()
    blocks = _blocks(page)
    if blocks is None:
        return
    chosen: dict[str, list[Any]] = {}
    for region in regions:
        name, kind = region["from_name"], region["type"]
        block = blocks.get(name)
        if block is None or block.kind != kind:
            raise NotTaken(f"this page has no question {name[:40]!a}")
        if name in chosen:
            raise NotTaken(f"there are two answers to {name!a}")
        values = region["value"].get("choices" if kind == "choices" else "text")
        chosen[name] = values if isinstance(values, list) else [values]
        if kind == "choices":
            if not isinstance(values, list):
                raise NotTaken(f"the answer to {name!a} is not a choice")
            _check_choices(name, block, chosen[name])
        elif not all(isinstance(line, str) for line in chosen[name]):
            raise NotTaken(f"the answer to {name!a} is not a text")
    for name, block in blocks.items():
        shown = all(not wanted.isdisjoint(chosen.get(other, ())) for other, wanted in block.when)
        if block.required and shown and name not in chosen and not draft:
            raise NotTaken(f"there is no answer to {name!a}")


def check_length(content: bytes, given: Mapping[str, Any]) -> None:
    """Raise NotTaken if an answer or draft, or a comment in it, is too long to be stored and read."""
    for region in given.get("result") or ():
        text = region["value"].get("text")
        texts = text if isinstance(text, list) else [text]
        if sum(len(line) for line in texts if isinstance(line, str)) > MAX_CHARACTERS:
            raise NotTaken(f"a comment can have at most {MAX_CHARACTERS:,} characters")
    if len(content) > _MOST_BYTES:
        raise NotTaken(f"an answer can have at most {_MOST_BYTES:,} bytes")


def _check_choices(name: str, block: _Block, values: Sequence[Any]) -> None:
    if not values:
        raise NotTaken(f"there is no choice for {name!a}")
    for value in values:
        if not (isinstance(value, str) and value in block.choices):
            raise NotTaken(f"{value!a:.60} is not a choice for {name!a}")
    if len(values) > (1 if block.single else len(set(values))):
        raise NotTaken(f"there are {len(values)} choices for {name!a}, but only one is possible")


@functools.lru_cache(maxsize=256)
def _blocks(page: str) -> Mapping[str, _Block] | None:
    """Return the questions of a page by name; None if there are none, or if it is not XML."""
    try:
        return {**dict(_questions(fromstring(page), ()))} or None
    except (ParseError, ValueError):
        return None


def _questions(
    element: Element, when: tuple[tuple[str, frozenset[str]], ...]
) -> Iterator[tuple[str, _Block]]:
    if element.get("visibleWhen") == "choice-selected":
        wanted = frozenset(element.get("whenChoiceValue", "").split(","))
        when = (*when, (element.get("whenTagName", ""), wanted))
    kind = element.tag.lower()
    if kind in ("choices", "textarea"):
        aliases = (choice.get("alias") or choice.get("value") or "" for choice in element.iter("Choice"))
        single, required = element.get("choice") != "multiple", element.get("required") == "true"
        yield element.get("name", ""), _Block(kind, frozenset(aliases), single, required, when)
    for child in element:
        yield from _questions(child, when)
