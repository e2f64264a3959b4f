"""Placeholders for the study's own words in texts for annotators: an ellipsis, X, TODO, brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError, examples
from nextset.files.yaml_reader import read_yaml
from nextset.study.validation_settings import SessionSettings

__all__ = ["UnwrittenText", "refuse_unwritten_texts", "unwritten_texts"]

_PLACE = re.compile(
    r"…|\.{3,}"
    r"|\bX+\b|\bN\. ?N\.|\b(?:TODO|TBD|TBA|FIXME)\b|\b[A-Z]+_[A-Z_]+\b|_{3,}"
    r"|\[[^\[\]\n]*\](?!\()"  # in Markdown, a link continues with a round bracket
    r"|<[A-Za-z][A-Za-z' -]*>"  # an address such as <a@example.org> contains other characters
    r"|\{[^{}\n]*\}"
    r"|\b[Ll]orem ipsum\b"
)
_KEYS = ("consent", "support", "warning")


@dataclass(frozen=True, slots=True)
class UnwrittenText:
    """A text of validate.session that still has a placeholder for the study's own words."""

    key: tuple[str, ...]
    """The text's key in study.yaml."""
    problem: str
    """The key and its placeholders, as text."""


def unwritten_texts(session: SessionSettings) -> tuple[UnwrittenText, ...]:
    """Return the texts of ``session`` for annotators that are unfinished."""
    unwritten = []
    for name in _KEYS:
        if places := dict.fromkeys(_PLACE.findall(getattr(session, name))):
            problem = f"validate.session.{name} still has a placeholder: {examples(map(repr, places))}"
            unwritten.append(UnwrittenText(("validate", "session", name), problem))
    return tuple(unwritten)


def refuse_unwritten_texts(session: SessionSettings | None, file: Path) -> None:
    """Raise StudyError, naming the line of ``file`` (study.yaml), if annotators would read a placeholder."""
    for text in unwritten_texts(session) if session else ():
        raise StudyError(
            text.problem,
            file=file,
            line=read_yaml(file, StudyError).line(text.key),
            remedy="replace it with your own words: who runs the study, and whom people can talk to",
        )
