"""The language packs that nextset ships, each read once."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from nextset.generation.questions.pack import Pack, read_pack
from nextset.generation.questions.question_set import Attribute, Subject
from nextset.word_lists import FOLDER

__all__ = ["LANGUAGES", "entries_of", "pack_of", "subjects_of"]

LANGUAGES = sorted(file.parent.name for file in FOLDER.glob("*/pack.yaml"))


@functools.cache
def pack_of(language: str) -> Pack:
    """Return the pack of ``language``."""
    return read_pack(FOLDER / language)


def subjects_of(pack: Pack, file: str = "") -> dict[str, Subject]:
    """Return the subjects of a pack by name, of all lists or of one file."""
    return {
        s.name: s
        for questions in pack.sets
        for listed in questions.subjects
        for s in listed
        if file in ("", s.file.stem)
    }


def entries_of(pack: Pack) -> Iterator[Subject | Attribute]:
    """Yield the subjects and attributes of a pack; those of several classes several times."""
    yield from (s for questions in pack.sets for listed in questions.subjects for s in listed)
    yield from (a.attribute for q in pack.sets for t in q.templates for a in t.by_attribute)
