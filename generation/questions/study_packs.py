"""The language packs of a study: found by their entries in study.yaml, and read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import StudyError, examples
from nextset.files.yaml_reader import line_of
from nextset.generation.questions.pack import Pack, is_pack, read_pack, shipped_packs
from nextset.generation.questions.published_unqover import is_published, read_published
from nextset.generation.questions.question_set import QuestionSet
from nextset.records.question_quads import PackRow
from nextset.study.generation_settings import QuestionSettings

__all__ = ["LoadedQuestions", "load_questions", "pack_folder", "read_words"]


@dataclass(frozen=True)
class LoadedQuestions:
    """The question sets of a study, and the bytes of every file that they were read from."""

    sets: tuple[QuestionSet, ...]
    """The classes and forms that the study names, in the order of the packs."""
    statements: tuple[QuestionSet, ...]
    """The same classes in the form of statements, also if the study does not name that form."""
    packs: tuple[PackRow, ...]
    """The packs of the sets."""
    files: dict[Path, bytes]
    """The content of each file."""
    folders: tuple[Path, ...]
    """The folder of each pack, with its files."""


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


def load_questions(
    settings: QuestionSettings | None, language: str, resolve: Callable[[str], Path], study_file: Path
) -> LoadedQuestions:
    """Read all language packs that ``settings`` name; none without settings.

    ``language`` is the language of folders in UnQover's layout, which do not name one. ``resolve`` turns an
    entry of ``study_file`` into a path. Raises StudyError and WordListError. If two packs of one language
    define the same class, that is an error, since its rows could not be distinguished.
    """
    if settings is None:
        return LoadedQuestions((), (), (), {}, ())
    packs, folders = [], []
    for entry in settings.packs:
        folder = pack_folder(entry, resolve, study_file)
        folders.append(folder)
        try:
            _check_layout(folder, entry, settings, study_file)
        except OSError as e:
            raise StudyError(
                f"{entry[:60]!r}: {e.strerror}",
                file=study_file,
                line=line_of(study_file, value=entry),
                remedy="check the path",
            ) from None
        packs.append(read_words(folder, language, settings))
    known = dict.fromkeys(s.name for pack in packs for s in pack.sets)
    for name in settings.classes:
        if name not in known:
            raise StudyError(
                f"questions.classes: no pack has the class {name!r}",
                file=study_file,
                line=line_of(study_file, "questions", "classes", value=name),
                remedy=f"use one of {examples(known, 12)}",
            )
    sets = tuple(_selected_sets(packs, settings))
    for name in settings.classes or ([] if sets else known):
        if not any(s.name == name for s in sets):
            raise StudyError(
                f"the class {name!r} has no {' and no '.join(f + 's' for f in settings.forms)}",
                file=study_file,
                line=line_of(study_file, "questions", "classes", value=name),
                remedy="add templates for it, or name a different form in questions.forms",
            )
    seen: dict[tuple[str, str, str], Path] = {}
    for s in sets:
        key = (s.language, s.name, s.form)
        if key in seen:
            raise StudyError(
                f"two packs have the class {s.name!r} ({seen[key].parent} and {s.file.parent})",
                file=study_file,
                line=line_of(study_file, "questions", "packs"),
                remedy="name only one of these packs, or rename the class",
            )
        seen[key] = s.file
    rows = tuple(_pack_row(pack, sets) for pack in packs)
    files = {file: file.read_bytes() for pack in packs for file in pack.files}
    chosen = {(s.language, s.name) for s in sets}
    every = (s for pack in packs for s in pack.sets)
    statements = tuple(s for s in every if s.masks_subject and (s.language, s.name) in chosen)
    return LoadedQuestions(sets, statements, rows, files, tuple(folders))


def _pack_row(pack: Pack, sets: tuple[QuestionSet, ...]) -> PackRow:
    classes = tuple(dict.fromkeys(s.name for s in pack.sets if s in sets))
    checks = (
        f"{c.name} ({c.date.isoformat()}, {_share(c.seen)} seen"
        f"{', texts changed since' if c.of_earlier_texts(pack.texts_digest) else ''})"
        for c in pack.checked_by
    )
    used = {name for s in pack.sets if s in sets for name in _names(s)}
    every = {name for s in pack.sets for name in _names(s)}
    accepted = (
        f"{a.rule}{a.name and f' of {a.name}'}: {a.reason}"
        for a in pack.accepted
        if a.name in used or a.name not in every
    )
    return PackRow(
        language=pack.language,
        direction=pack.direction,
        checked_by=", ".join(checks),
        accepted=tuple(accepted),
        classes=classes,
    )


def _share(seen: float) -> str:
    """Return a share in per cent, rounded down, so that only a complete share is 100 %."""
    return f"{math.floor(100 * seen)} %" if seen >= 0.01 else "less than 1 %"


def _names(questions: QuestionSet) -> Iterator[str]:
    """Yield the names of the subjects, attributes and templates of a class."""
    for listed in questions.subjects:
        yield from (s.name for s in listed)
    for t in questions.templates:
        yield t.id
        yield t.id.rpartition(".")[0] if t.gender else t.id
        yield from (a.attribute.name for a in t.by_attribute)


def _selected_sets(packs: list[Pack], settings: QuestionSettings) -> Iterator[QuestionSet]:
    for s in (s for pack in packs for s in pack.sets):
        if s.form in settings.forms and (not settings.classes or s.name in settings.classes):
            yield s


def _check_layout(folder: Path, entry: str, settings: QuestionSettings, study_file: Path) -> None:
    if is_pack(folder):
        for key, value in (("quirks", settings.quirks == "published"), ("masked_for", settings.masked_for)):
            if value:
                raise StudyError(
                    f"questions.{key} is for folders in UnQover's published layout, "
                    f"and {entry!r} is a language pack",
                    file=study_file,
                    line=line_of(study_file, "questions", key),
                    remedy=f"remove {key}",
                )
    elif not is_published(folder):
        raise StudyError(
            f"{entry!r} is neither a language pack nor a folder in UnQover's layout ({folder})",
            file=study_file,
            line=line_of(study_file, "questions", "packs", value=entry),
            remedy="name a folder with pack.yaml, or with slots/ and nouns/subjects/, or builtin:en",
        )


def pack_folder(
    entry: str, resolve: Callable[[str], Path], study_file: Path, section: str = "questions"
) -> Path:
    """Return the folder that an entry of ``packs`` in a ``section`` names; builtin:en is shipped.

    Raises StudyError for a built-in pack that does not exist.
    """
    if not entry.startswith("builtin:"):
        return resolve(entry)
    shipped = shipped_packs()
    if entry not in shipped:
        raise StudyError(
            f"nextset has no language pack {entry!r}",
            file=study_file,
            line=line_of(study_file, section, "packs", value=entry),
            remedy=f"use {', '.join(shipped)}, or name a folder",
        )
    return shipped[entry]
