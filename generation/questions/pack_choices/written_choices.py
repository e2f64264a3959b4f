"""The files of choice/ in a language pack, read as they are written, with the lists that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError, examples
from nextset.files.file_search import yaml_files
from nextset.files.yaml_model import read_model
from nextset.generation.questions.pack_choices.choice_schema import ChoiceFile, UnknownFile
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.question_set import Subject

__all__ = ["FOLDER_OF_CHOICES", "WrittenChoices", "wordings_of_unknown", "written_choices"]

FOLDER_OF_CHOICES = "choice"
"""The folder of the templates in a pack."""
_UNKNOWN = "unknown.yaml"


@dataclass(frozen=True)
class WrittenChoices:
    """One file of choice/, with the people that it names."""

    written: ChoiceFile
    place: Place
    """The top of the file."""
    subjects: tuple[Subject, ...]
    names: tuple[Subject, ...]
    lists: tuple[Path, ...]
    """The files of the lists."""

    @property
    def file(self) -> Path:
        """The file."""
        return self.place.file


def written_choices(
    folder: Path, read_list: Callable[[Path], Sequence[Subject]]
) -> tuple[list[WrittenChoices], Path | None]:
    """Read the files in ``folder``/choice, and return them with the file of the wordings of unknown.

    ``read_list`` reads a list of subjects. There are no files if the pack has no folder choice. Raises
    WordListError.
    """
    below = folder / FOLDER_OF_CHOICES
    if not below.is_dir():
        return [], None
    every = yaml_files(below, WordListError)
    files = [file for file in every if file.name != _UNKNOWN]
    if not files:
        return [], None
    unknown = below / _UNKNOWN
    if unknown not in every:
        raise WordListError(
            "the pack has templates of choices, and no wordings of the option that the answer is unknown",
            file=below,
            remedy=f"write {_UNKNOWN} there: format: 1 and unknown: [Cannot be known]",
        )
    return _distinct([_read(file, folder, read_list) for file in files]), unknown


def wordings_of_unknown(file: Path) -> tuple[str, ...]:
    """Read the wordings of the option unknown; raises WordListError if one is listed twice."""
    written, located = read_model(file, UnknownFile, WordListError)
    place = Place(file, located, ())
    seen: set[str] = set()
    for i, text in enumerate(written.unknown):
        here = Place(file, located, ("unknown", i))
        if here.text(text).casefold() in seen:
            raise here.error(f"the wording {text!r} is listed twice", "remove one of the two")
        if any(c in text for c in "[]{}"):
            raise here.error(f"{text!r} contains a bracket", "write the wording without slots")
        seen.add(text.casefold())
    place.text(written.about.replace("\n", " "))
    return written.unknown


def _read(file: Path, folder: Path, read_list: Callable[[Path], Sequence[Subject]]) -> WrittenChoices:
    written, located = read_model(file, ChoiceFile, WordListError)
    place = Place(file, located, ())
    here = place.inside("groups")
    names = (*written.groups.subjects, *written.groups.names)
    if not names:
        raise here.error("the file names no list of people", "write groups: {subjects: [LIST]}")
    for name in names:
        if names.count(name) > 1:
            raise here.error(f"the list {name!r} is named twice", "name it once")
        if not (folder / "subjects" / f"{name}.yaml").is_file():
            known = examples(sorted(f.stem for f in (folder / "subjects").glob("*.yaml")), 12)
            raise here.error(f"there is no subjects/{name}.yaml", f"use one of {known}, or write the file")
    people = {name: tuple(read_list(folder / "subjects" / f"{name}.yaml")) for name in names}
    _check_people(here, people, written.groups.crossed)
    return WrittenChoices(
        written,
        place,
        tuple(s for name in written.groups.subjects for s in people[name]),
        tuple(s for name in written.groups.names for s in people[name]),
        tuple(folder / "subjects" / f"{name}.yaml" for name in names),
    )


def _check_people(place: Place, people: Mapping[str, Sequence[Subject]], crossed: Sequence[str]) -> None:
    """Raise WordListError for a person without a group, or listed twice, and for a group of other parts."""
    seen: dict[str, Subject] = {}
    for subject in (s for listed in people.values() for s in listed):
        problem = remedy = ""
        if not subject.cluster:
            problem, remedy = f"{subject.name!r} has no cluster", "write cluster: the group, such as old"
        elif len(subject.cluster.split("/")) != max(1, len(crossed)):
            here = f"the cluster {subject.cluster!r} of {subject.name!r}"
            problem = f"{here} has several parts, and groups.crossed names no attributes"
            remedy = "name them, such as crossed: [race, gender], or write a cluster without /"
            if crossed:
                problem = f"{here} has not one part for each of {' and '.join(crossed)}"
                remedy = "write a part for each, such as black/female"
        elif subject.name in seen:
            problem = f"the subject {subject.name!r} is also listed in {seen[subject.name].file.name}"
            remedy = "remove one of the two"
        if problem:
            raise WordListError(problem, file=subject.file, line=subject.line, remedy=remedy)
        seen[subject.name] = subject
    if len({s.cluster for s in seen.values()}) < 2:
        raise place.error("all people are of one group", "name lists with two groups or more")


def _distinct(files: Sequence[WrittenChoices]) -> list[WrittenChoices]:
    """Return ``files``; raises WordListError for a category or a template's name that two of them have."""
    categories: dict[str, Path] = {}
    templates: dict[str, Path] = {}
    for one in files:
        category = one.written.category
        if category in categories:
            raise one.place.inside("category").error(
                f"{categories[category].name} has the category {category!r} too",
                "move the templates into one file",
            )
        categories[category] = one.file
        for key, name in _template_names(one):
            if name in templates:
                raise one.place.inside(key, name).error(
                    f"the template {name!r} is also in {templates[name].name}", "rename one of the two"
                )
            templates[name] = one.file
    return list(files)


def _template_names(one: WrittenChoices) -> Iterator[tuple[str, str]]:
    yield from (("templates", name) for name in one.written.templates)
    yield from (("controls", name) for name in one.written.controls)
