"""Finds and reads the language packs of a study."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError
from nextset.generation.questions.pack import Pack, is_pack, read_pack
from nextset.generation.questions.published_unqover import is_published, read_published
from nextset.generation.questions.question_set import QuestionSet
from nextset.records.question_quads import PackRow
from nextset.study.generation_settings import QuestionSettings
from nextset.study.study_folder import Study
from nextset.word_lists import FOLDER

__all__ = ["LoadedQuestions", "load_questions", "pack_folder", "read_words"]


@dataclass(frozen=True)
class LoadedQuestions:
    """The question sets of a study, and the bytes of every file that went into them."""

    sets: tuple[QuestionSet, ...]
    """The classes and forms that the study wants, in the order of the packs."""
    packs: tuple[PackRow, ...]
    """Where the sets come from."""
    files: dict[str, bytes]
    """sha256 to content."""


def read_words(folder: Path, language: str, settings: QuestionSettings) -> Pack:
    """Read ``folder``, a language pack or UnQover's published layout; raises InputError."""
    if is_pack(folder):
        return read_pack(folder, settings.prefix)
    return read_published(
        folder,
        language,
        prefix=settings.prefix,
        masked_for=settings.masked_for,
        as_published=settings.quirks == "published",
    )


def load_questions(study: Study) -> LoadedQuestions:
    """Read all packs that the study names; raises StudyError and WordListError.

    A class that two packs of one language give is an error, since its rows could not be told apart.
    """
    settings = study.settings.questions
    if settings is None:
        return LoadedQuestions((), (), {})
    packs = []
    for entry in settings.packs:
        folder = pack_folder(study, entry)
        try:
            _check_fits(study, settings, folder, entry)
        except OSError as e:
            raise StudyError(
                f"{entry[:60]!r}: {e.strerror}", file=study.file, remedy="check the path"
            ) from None
        packs.append(read_words(folder, study.settings.language, settings))
    known = dict.fromkeys(s.name for pack in packs for s in pack.sets)
    for name in settings.classes:
        if name not in known:
            raise StudyError(
                f"questions.classes: there is no class {name!r}",
                file=study.file,
                remedy=f"the packs have {', '.join(known)}",
            )
    sets = tuple(_chosen(packs, settings))
    for name in settings.classes or ([] if sets else known):
        if not any(s.name == name for s in sets):
            raise StudyError(
                f"the class {name!r} has no {' and no '.join(f + 's' for f in settings.forms)}",
                file=study.file,
                remedy="write some, or ask for another form in questions.forms",
            )
    seen: dict[tuple[str, str, str], Path] = {}
    for s in sets:
        key = (s.language, s.name, s.form)
        if key in seen:
            raise StudyError(
                f"two packs have the class {s.name!r} ({seen[key].parent} and {s.file.parent})",
                file=study.file,
                remedy="name one of them, or rename the class",
            )
        seen[key] = s.file
    rows = tuple(_row(pack, sets) for pack in packs)
    raw = [file.read_bytes() for pack in packs for file in pack.files]
    return LoadedQuestions(sets, rows, {hashlib.sha256(r).hexdigest(): r for r in raw})


def _row(pack: Pack, chosen: tuple[QuestionSet, ...]) -> PackRow:
    classes = tuple(dict.fromkeys(s.name for s in pack.sets if s in chosen))
    return PackRow(
        language=pack.language, direction=pack.direction, checked_by=pack.checked_by, classes=classes
    )


def _chosen(packs: list[Pack], settings: QuestionSettings) -> Iterator[QuestionSet]:
    for s in (s for pack in packs for s in pack.sets):
        if s.form in settings.forms and (not settings.classes or s.name in settings.classes):
            yield s


def _check_fits(study: Study, settings: QuestionSettings, folder: Path, entry: str) -> None:
    if is_pack(folder):
        for key, value in (("quirks", settings.quirks == "published"), ("masked_for", settings.masked_for)):
            if value:
                raise StudyError(
                    f"questions.{key} is for folders in UnQover's published layout, and {entry!r} is a pack",
                    file=study.file,
                    remedy=f"leave {key} out",
                )
    elif not is_published(folder):
        raise StudyError(
            f"{entry!r} is neither a language pack nor a folder in UnQover's layout ({folder})",
            file=study.file,
            remedy="name a folder with pack.yaml, or with slots/ and nouns/subjects/, or builtin:en",
        )


def pack_folder(study: Study, entry: str) -> Path:
    """The folder that an entry of ``questions.packs`` names; builtin:en is shipped."""
    if not entry.startswith("builtin:"):
        return study.path(entry)
    shipped = sorted(p.parent.name for p in FOLDER.glob("*/pack.yaml"))
    name = entry.removeprefix("builtin:")
    if name not in shipped:
        raise StudyError(
            f"there is no pack {entry!r}",
            file=study.file,
            remedy=f"use {', '.join('builtin:' + s for s in shipped)}, or name a folder",
        )
    return FOLDER / name
