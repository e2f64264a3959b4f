"""Lint of the folder of a language: its lexicon, lists of groups and words, and language pack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.cli.linted import Linted
from nextset.errors import WordListError
from nextset.files.regular_file import has_file

if TYPE_CHECKING:
    from nextset.generation.questions.question_set import QuestionSet

__all__ = ["is_of_language", "lint_language", "lint_selected"]

_GENDERED = "gendered_words.yaml"
_PACK = "pack.yaml"
_MARKERS = "group_markers.yaml"
_FILES = ("lexicon.yaml", "group_terms.yaml", "protected_groups.yaml", _MARKERS, _GENDERED, _PACK)


def is_of_language(path: Path) -> bool:
    """Return whether ``path`` is a file of a language, by its name, or a folder that contains one.

    Raises WordListError if something other than a file, such as a broken link, has the name of such a file.
    """
    return path.name in _FILES or (path.is_dir() and any(_has(path, name) for name in _FILES))


def lint_language(path: Path) -> Linted:
    """Lint the folder ``path`` of a language, or the folder of the file ``path``. Files may be missing.

    Raises WordListError if a file cannot be read, or if there is none.
    """
    from nextset.generation.lint.linted_files import LINTED_FILES
    from nextset.generation.lint.pack_lint import lint_pack, pack_without_list
    from nextset.generation.lint.template_lint import lint_yaml
    from nextset.generation.questions.pack import read_pack
    from nextset.release.counterfactuals.group_terms import read_group_terms
    from nextset.word_lists.gendered_words import read_gendered_words
    from nextset.word_lists.lexicon import read_lexicon
    from nextset.word_lists.protected_groups import read_group_markers, read_protected_groups

    folder = path.parent if path.name in _FILES else path
    if folder != path and not _has(folder, path.name):
        raise WordListError("there is no such file", file=path, remedy="check the path")
    readers: dict[str, Callable[[Path], object]] = {
        "lexicon.yaml": read_lexicon,
        "group_terms.yaml": lambda file: read_group_terms(str(file), Path),
        "protected_groups.yaml": read_protected_groups,
        _MARKERS: read_group_markers,
        _GENDERED: read_gendered_words,
    }
    files = [folder / name for name in readers if _has(folder, name)]
    for file in files:
        readers[file.name](file)
    linted = Linted((), ())
    if _has(folder, _PACK):
        pack = read_pack(folder)
        files += dict.fromkeys((*pack.files, *(pack.choices.files if pack.choices is not None else ())))
        of_pack = lint_pack(pack)
        linted = Linted((), of_pack.open, of_pack.accepted, pack_without_list(folder, pack.language))
    of_kinds = [(kind, file) for kind in LINTED_FILES for file in kind.files_of_language(folder)]
    files += [file for _, file in of_kinds]
    of_files = [finding for kind, file in of_kinds for finding in kind.lint_file(file)]
    quoted = (finding for file in files for finding in lint_yaml(file))
    findings = (*linted.findings, *of_files, *quoted)
    return Linted(tuple(files), findings, linted.accepted, linted.without_list)


def lint_selected(folder: Path, sets: Sequence[QuestionSet], prefix: str) -> Linted:
    """Lint the language pack in ``folder`` for a study that takes these ``sets`` of it, and one prefix.

    All files of the pack are checked for typographic quotes, and an acceptance may be about any class. Raises
    WordListError if a file cannot be read.
    """
    from nextset.generation.lint.pack_lint import lint_pack, pack_without_list
    from nextset.generation.lint.template_lint import lint_yaml
    from nextset.generation.questions.pack import read_pack
    from nextset.word_lists.gendered_words import read_gendered_words

    files = [folder / _GENDERED] if _has(folder, _GENDERED) else []
    for file in files:
        read_gendered_words(file)
    pack = read_pack(folder, prefix)
    files += pack.files
    of_pack = lint_pack(pack, sets, prefix)
    quoted = (finding for file in files for finding in lint_yaml(file))
    findings = (*of_pack.open, *quoted)
    return Linted(tuple(files), findings, of_pack.accepted, pack_without_list(folder, pack.language))


def _has(folder: Path, name: str) -> bool:
    return has_file(folder / name, WordListError)
