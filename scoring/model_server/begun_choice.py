"""The choice that an answer's text gives or begins, while the rest of the answer is not known yet.

Decoration before the choice is skipped: white space, quotation marks, the beginning of ``{"answer": "`` and
of a Markdown fence, and a tag such as ``<answer>``. Case is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from nextset.scoring.prompts.answer_parsing import AROUND, continues_word, plain_choice

__all__ = ["Beginning", "beginning_of"]

_PREFIXES = ('{"answer":"', '```{"answer":"', '```json{"answer":"')
_JSON = re.compile(r'^\s*(?:```(?:json)?\s*)?\{\s*"answer"\s*:\s*"', re.IGNORECASE)
_TAG = re.compile(r"\s*<\w+>")
_PART_OF_TAG = re.compile(r"\s*<\w*")
_SHORT_WORDS = {"a", "an", "as", "at", "if", "i", "in", "it", "no", "not", "on", "the", "to", "we"}
"""Words that also begin sentences which are not choices, such as refusals."""


class Beginning(NamedTuple):
    """What a text says of the choices."""

    state: Literal["whole", "begun", "open", "other"]
    """whole: it is a choice, or goes on after one. begun: it is a part of one choice alone. open: it may
    become several choices, or too little is written to tell. other: it cannot become a choice."""
    choice: int | None = None
    """The place of the choice; None if the text is open or other."""


def beginning_of(text: str, choices: Sequence[str], *, ended: bool) -> Beginning:
    """Return what ``text`` says of ``choices``, which are in the form of `plain_choice`.

    ``ended`` says that nothing follows; a line end ends the answer too. A choice is not whole while its last
    word goes on (*Nigerian* is not Niger), or while a longer choice may follow (Niger, Nigeria). Characters �
    at the end stand for bytes of a character that is not whole yet.
    """
    characters = text.rstrip("\ufffd")
    rest = _undecorated(characters)
    if not rest:
        return Beginning("other" if ended and characters == text else "open")
    line, line_end, _ = rest.partition("\n")
    seen = plain_choice(f"x{line}x")[1:-1]  # the ends protect the blanks and signs behind the text
    going_on = not ended and not line_end
    if characters != text and seen in choices:
        return Beginning("open")
    written = [n for n, choice in enumerate(choices) if _is_over(seen, choice)]
    longer = [
        n for n, choice in enumerate(choices) if going_on and choice.startswith(seen) and choice != seen
    ]
    if written:
        longest = max(written, key=lambda n: len(choices[n]))
        return Beginning("open") if longer else Beginning("whole", longest)
    if len(longer) == 1 and not _is_short(seen.strip()):
        return Beginning("begun", longer[0])
    return Beginning("open" if longer else "other")


def _undecorated(text: str) -> str:
    """Return ``text`` from the first character of the choice on; empty if there is only decoration."""
    rest = text
    while (tag := _TAG.match(rest)) is not None:
        rest = rest[tag.end() :]
    compact = "".join(rest.split()).casefold()
    if _PART_OF_TAG.fullmatch(rest) or any(prefix.startswith(compact) for prefix in _PREFIXES):
        return ""
    return _JSON.sub("", rest, count=1).lstrip(AROUND)


def _is_over(seen: str, choice: str) -> bool:
    """Return True if ``seen`` is ``choice``, or that and something that does not continue its last word."""
    after = seen.removeprefix(choice)
    return seen.startswith(choice) and not (after and continues_word(after[0]))


def _is_short(seen: str) -> bool:
    """Return True if a text is too short to tell a choice from any other answer."""
    return seen in _SHORT_WORDS or (len(seen) == 1 and seen.upper() != seen.lower())
