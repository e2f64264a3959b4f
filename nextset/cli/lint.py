"""`nextset lint`: a study, template files, a lexicon or a language pack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nextset.errors import InputError, examples
from nextset.files.file_search import files_below
from nextset.files.yaml_reader import read_yaml
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.generation.lint.template_lint import Finding

__all__ = ["Linted", "lint"]

_LANGUAGE_FILES = (
    "lexicon.yaml",
    "group_terms.yaml",
    "protected_groups.yaml",
    "gendered_words.yaml",
    "pack.yaml",
)


@short_repr
@dataclass(frozen=True)
class Linted:
    """The files that were checked, and the probable mistakes in them."""

    files: tuple[Path, ...]
    """The files."""
    findings: tuple[Finding, ...]
    """The probable mistakes."""
    accepted: tuple[Finding, ...] = ()
    """Findings that a language pack accepts, with a reason in its pack.yaml."""


def lint(path: Path | str) -> Linted:
    """Lint ``path``: a study's folder or study.yaml, a template file, a folder of them, a language pack.

    UnQover's published word lists are linted as they were published, without corrections.

    Raises the InputError of the first file that cannot be read.
    """
    from nextset.generation.lint.pack_lint import lint_sets
    from nextset.generation.lint.template_lint import lint_template
    from nextset.generation.questions.pack import is_pack
    from nextset.generation.questions.published_unqover import is_published, read_published
    from nextset.generation.templates.template_files import read_template

    path = Path(path)
    if path.name == "study.yaml" or (path / "study.yaml").is_file():
        return _lint_study(Study.load(path))
    if any((path / name).is_file() or path.name == name for name in _LANGUAGE_FILES):
        return _lint_pack(path)
    pack_folder = next((folder for folder in path.resolve().parents[:2] if is_pack(folder)), None)
    if pack_folder is not None:
        return _lint_pack(pack_folder)
    if is_published(path):
        published = read_published(path, "en", as_published=True)
        return Linted(published.files, tuple(lint_sets(published.sets)))
    files = [path] if path.is_file() else _templates_below(path)
    for file in files:
        _refuse_overlay(file)
    templates = [read_template(file) for file in files]
    return Linted(tuple(files), tuple(f for t in templates for f in lint_template(t)))


def _templates_below(folder: Path) -> list[Path]:
    """Return the template files below ``folder``; JSON without a key of published files is none.

    Raises InputError if there are none, or studies, or if ``folder`` holds the results of one.
    """
    from nextset.generation.templates.published_bbnli import has_published_keys

    study = next((up.parent for up in (folder, *folder.parents) if _is_out(up)), None)
    if study is not None:
        remedy = f"name the study: {study}"
        raise InputError(
            "no study.yaml or templates here, only results of nextset", file=folder, remedy=remedy
        )
    found = files_below(folder, (".yaml", ".json"), InputError)
    studies = [file.parent for file in found if file.name == "study.yaml"]
    if studies:
        raise InputError("this folder holds studies", file=folder, remedy=f"name one of {examples(studies)}")
    files = [file for file in found if file.suffix != ".json" or has_published_keys(file)]
    if not files:
        raise InputError(
            "no study.yaml or templates here",
            file=folder,
            remedy="name a study, a template file or folder, or a language pack",
        )
    return files


def _is_out(folder: Path) -> bool:
    return folder.name == "out" and (folder.parent / "study.yaml").is_file()


def _lint_study(study: Study) -> Linted:
    from nextset.cli.study_lint import lint_study_file
    from nextset.generation.lint.pack_lint import lint_sets
    from nextset.generation.lint.pack_rules.acceptances import sorted_out
    from nextset.generation.lint.template_lint import lint_template
    from nextset.generation.lint.typographic_quotes import quoted_values
    from nextset.generation.questions.pack import is_pack, read_pack
    from nextset.generation.stage import load_sources

    loaded, packs = load_sources(study)
    templates = loaded.templates
    findings = [*lint_study_file(study), *(f for t in templates for f in lint_template(t))]
    accepted: list[Finding] = []
    packs_files: list[Path] = []
    for folder in dict.fromkeys(s.file.parents[1] for s in packs.sets):
        if is_pack(folder):
            sets = [s for s in packs.sets if s.file.parents[1] == folder]
            packs_files += dict.fromkeys(s.file for s in sets)
            of_pack = sorted_out(lint_sets(sets), read_pack(folder).accepted)
            findings += of_pack.open
            accepted += of_pack.accepted
    findings += [f for file in packs_files for f in quoted_values(file)]
    files = (study.file, *(t.file for t in templates), *packs_files)
    return Linted(
        tuple(_as_given(study, file) for file in files),
        tuple(replace(f, file=_as_given(study, f.file)) for f in findings),
        tuple(replace(f, file=_as_given(study, f.file)) for f in accepted),
    )


def _as_given(study: Study, file: Path) -> Path:
    """Return ``file`` below the folder as the user wrote it, if it is below the study's."""
    below = file.is_relative_to(study.folder)
    return study.file.parent / file.relative_to(study.folder) if below else file


def _refuse_overlay(file: Path) -> None:
    """Raise InputError if ``file`` is an overlay, which cannot be linted by itself."""
    data = read_yaml(file, InputError).data if file.suffix == ".yaml" else None
    if isinstance(data, dict) and "extends" in data:
        raise InputError(
            "an overlay cannot be linted without the template file that it extends",
            file=file,
            remedy="lint the study that names it under overlays",
        )


def _lint_pack(path: Path) -> Linted:
    """Lint the folder of a language: its lexicon, lists of groups and language pack, or some of them."""
    from nextset.generation.lint.pack_lint import lint_pack
    from nextset.generation.lint.typographic_quotes import quoted_values
    from nextset.generation.questions.pack import is_pack, read_pack
    from nextset.release.counterfactuals.group_terms import read_group_terms
    from nextset.word_lists.gendered_words import read_gendered_words
    from nextset.word_lists.lexicon import read_lexicon
    from nextset.word_lists.protected_groups import read_protected_groups

    folder = path.parent if path.is_file() else path
    lexicon = folder / "lexicon.yaml"
    files: list[Path] = []
    findings: list[Finding] = []
    if lexicon.is_file():
        read_lexicon(lexicon)
        files.append(lexicon)
    terms = folder / "group_terms.yaml"
    if terms.is_file():
        read_group_terms(str(terms), Path)
        files.append(terms)
    protected = folder / "protected_groups.yaml"
    if protected.is_file():
        read_protected_groups(protected)
        files.append(protected)
    gendered = folder / "gendered_words.yaml"
    if gendered.is_file():
        read_gendered_words(gendered)
        files.append(gendered)
    accepted: tuple[Finding, ...] = ()
    if is_pack(folder):
        pack = read_pack(folder)
        files += pack.files
        of_pack = lint_pack(pack)
        findings += of_pack.open
        accepted = of_pack.accepted
    findings += [finding for file in files for finding in quoted_values(file)]
    return Linted(tuple(files), tuple(findings), accepted)
