"""`nextset lint`: a study, template files, a lexicon or a language pack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from nextset.cli.language_lint import is_of_language, lint_language, lint_selected
from nextset.cli.linted import Linted
from nextset.errors import InputError, examples
from nextset.files.file_search import files_below
from nextset.files.yaml_reader import read_yaml
from nextset.study.study_folder import Study

__all__ = ["lint"]


def lint(path: Study | Path | str, *, trust_code: bool = False) -> Linted:
    """Lint ``path``: a study, its folder or study.yaml, a template file, a folder of them, a language pack,
    or a file of an extension's kind.

    UnQover's published word lists are linted as they were published, without corrections.

    Raises the InputError of the first file that cannot be read.
    """
    from nextset.generation.lint.linted_files import LINTED_FILES
    from nextset.generation.lint.pack_lint import lint_sets
    from nextset.generation.lint.template_lint import lint_template
    from nextset.generation.questions.pack import is_pack
    from nextset.generation.questions.published_unqover import is_published, read_published
    from nextset.generation.templates.template_files import read_template

    if isinstance(path, Study):
        return _lint_study(path)
    path = Path(path)
    if path.name == "study.yaml" or (path / "study.yaml").is_file():
        return _lint_study(Study.load(path, trust_code))
    if is_of_language(path):
        return lint_language(path)
    pack_folder = next((folder for folder in path.resolve().parents[:2] if is_pack(folder)), None)
    if pack_folder is not None:
        return lint_language(pack_folder)
    kind = next((k for k in LINTED_FILES if k.is_of_kind(path)), None) if path.is_file() else None
    if kind is not None:
        return Linted((path,), tuple(kind.lint_file(path)))
    if is_published(path):
        published = read_published(path, "en", as_published=True)
        return Linted(published.files, tuple(lint_sets(published.sets)))
    files = [path] if path.is_file() else _templates_below(path)
    for file in files:
        _refuse_overlay(file)
    templates = [read_template(file) for file in files]
    findings = tuple(f for t in templates for f in lint_template(t))
    return Linted(tuple(files), findings, without_list=_without_list(t.language for t in templates))


def _without_list(languages: Iterable[str]) -> tuple[str, ...]:
    from nextset.generation.lint.template_lint import without_list

    return tuple(filter(None, map(without_list, sorted(set(languages)))))


def _templates_below(folder: Path) -> list[Path]:
    """Return the template files below ``folder``: YAML, and JSON with a key of published files.

    Raises InputError if there are none, or if ``folder`` holds studies or the results of one.
    """
    from nextset.generation.templates.published_bbnli import has_published_keys

    study = next((up.parent for up in (folder, *folder.parents) if _is_out(up)), None)
    if study is not None:
        remedy = f"name the study: {study}"
        raise InputError(
            "this folder has no study.yaml or templates, only results of nextset",
            file=folder,
            remedy=remedy,
        )
    for file in folder.glob("*.*"):
        if file.name.lower() in ("study.yaml", "study.yml"):
            raise InputError("a study is read from study.yaml", file=file, remedy="rename it to study.yaml")
    candidates = files_below(folder, (".yaml", ".json"), InputError)
    studies = [file.parent for file in candidates if file.name == "study.yaml"]
    if studies:
        raise InputError(
            "this folder contains studies", file=folder, remedy=f"name one of {examples(studies)}"
        )
    files = [file for file in candidates if file.suffix != ".json" or has_published_keys(file)]
    if not files:
        raise InputError(
            "this folder has no study.yaml or templates",
            file=folder,
            remedy="name a study, a template file or folder, or a language pack",
        )
    return files


def _is_out(folder: Path) -> bool:
    return folder.name == "out" and (folder.parent / "study.yaml").is_file()


def _lint_study(study: Study) -> Linted:
    from nextset.cli.study_lint import lint_study_file
    from nextset.generation.lint.linted_files import LINTED_FILES
    from nextset.generation.lint.template_lint import lint_template
    from nextset.generation.questions.pack import is_pack
    from nextset.generation.stage import load_sources
    from nextset.release.counterfactuals.group_terms import read_group_terms
    from nextset.scoring.study_models import prompts_of

    prompts_of(study)
    if study.settings.release is not None:
        read_group_terms(study.settings.release.group_terms, study.path)
    loaded, packs = load_sources(study)
    templates = loaded.templates
    findings = [*lint_study_file(study), *(f for t in templates for f in lint_template(t))]
    prefix = study.settings.questions.prefix if study.settings.questions else ""
    of_packs = [
        lint_selected(folder, [s for s in packs.sets if s.file.parents[1] == folder], prefix)
        for folder in dict.fromkeys(s.file.parents[1] for s in packs.sets)
        if is_pack(folder)
    ]
    findings += [f for of_pack in of_packs for f in of_pack.findings]
    of_kinds = [kind.lint_study(study) for kind in LINTED_FILES]
    findings += [f for of_kind in of_kinds for f in of_kind.findings]
    accepted = [f for of_pack in of_packs for f in of_pack.accepted]
    packs_files = [file for of_pack in of_packs for file in of_pack.files]
    kinds_files = [file for of_kind in of_kinds for file in of_kind.files]
    files = (study.file, *(t.file for t in templates), *packs_files, *kinds_files)
    return Linted(
        tuple(_as_given(study, file) for file in files),
        tuple(replace(f, file=_as_given(study, f.file)) for f in findings),
        tuple(replace(f, file=_as_given(study, f.file)) for f in accepted),
        (*_without_list(t.language for t in templates), *(w for p in of_packs for w in p.without_list)),
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
            "an overlay cannot be checked without the template file that it extends",
            file=file,
            remedy="lint the study that names it under overlays",
        )
