"""The sentences of a study, as interventions with their places, some of them held out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from nextset.errors import StudyError, WordListError, examples
from nextset.extensions.interventions.intervention import Intervention, Place
from nextset.extensions.interventions.sentences.published_sentences import (
    is_published_sentences,
    read_published_sentences,
)
from nextset.extensions.interventions.sentences.sentence_files import Sentence, read_sentences
from nextset.extensions.interventions.settings.intervention_settings import InterventionSettings
from nextset.files.file_search import yaml_files
from nextset.files.yaml_reader import line_of
from nextset.letter_case import small_i
from nextset.records.content_ids import SCHEMA_VERSION, content_id
from nextset.study.held_out_names import held_out_together
from nextset.word_lists import FOLDER
from nextset.word_lists.closed_class import closed_class_words

__all__ = ["LoadedInterventions", "intervention", "load_interventions"]

_FOLDER = "interventions"
_KEY = ("interventions", "sentences")
_STOPS = ".:!?;。：！？…"


@dataclass(frozen=True)
class LoadedInterventions:
    """The interventions of a study, and the bytes of every file that they were read from."""

    rows: tuple[Intervention, ...]
    """The interventions, each sentence at each place, in the order of the files."""
    files: dict[Path, bytes]
    """The content of each file."""


def load_interventions(
    settings: InterventionSettings | None,
    resolve: Callable[[str], Path],
    study_file: Path,
    classes: Mapping[tuple[str, str], Collection[str]],
    domains: Collection[tuple[str, str]],
) -> LoadedInterventions:
    """Read the sentences that ``settings`` name; without settings there are none.

    ``classes`` are the study's classes, each with its language and the clusters of its attributes;
    ``domains`` are its domains. Sentences for others are ignored. Raises StudyError if an entry leads to no
    file or if no sentence is for the study, WordListError for damaged files and for a sentence about a
    cluster that does not exist.
    """
    if settings is None:
        return LoadedInterventions((), {})
    files = [file for entry in settings.sentences for file in _files(entry, resolve, study_file)]
    read = {file: _read(file) for file in dict.fromkeys(files)}
    for file, listed in read.items():
        if not is_published_sentences(file):  # their categories have their own names
            _check_clusters(file, listed, classes)
    sentences = [
        s
        for listed in read.values()
        for s in listed
        if s.kind in settings.kinds
        and (any((s.language, c) in classes for c in s.classes) or _has_domain(s, domains))
    ]
    if not sentences:
        known = sorted(
            {
                f"{c} ({s.language})"
                for of_file in read.values()
                for s in of_file
                for c in (*s.classes, *s.domains)
            }
        )
        wanted = sorted({f"{name} ({language})" for language, name in (*classes, *domains)})
        raise StudyError(
            f"interventions.sentences: no {' or '.join(settings.kinds)} sentence is for the classes or "
            f"domains of this study, in its language ({examples(wanted, 8)})",
            file=study_file,
            line=line_of(study_file, *_KEY),
            remedy=f"the files have sentences for {examples(known, 8)}: name those classes in "
            "questions.classes, or name files with sentences for your classes",
        )
    chosen = list(_first_ones(sentences, settings.most))
    rows: dict[str, Intervention] = {}
    for place in settings.places:
        for s in _with_held_out(chosen, settings.seed):
            made = intervention(s.sentence, place, settings.lead, held_out=s.held_out)
            rows.setdefault(made.id, made)
    return LoadedInterventions(tuple(rows.values()), {file: file.read_bytes() for file in read})


def intervention(sentence: Sentence, place: Place, lead: str = "", *, held_out: bool) -> Intervention:
    """Return ``sentence`` at ``place``, after the words ``lead``."""
    text = sentence.text
    if lead:
        keeps = lead[-1] in _STOPS or text.startswith(("I ", "I’", "I'")) or _is_german_noun(sentence)
        small = text if keeps else small_i(text[:1], sentence.language).lower() + text[1:]
        text = lead + sentence.join + small
    return Intervention(
        id=content_id(
            "intervention",
            str(SCHEMA_VERSION),
            sentence.language,
            sentence.kind,
            place,
            text,
            *(",".join(names) for names in (sentence.classes, sentence.clusters, sentence.domains)),
        ),
        language=sentence.language,
        kind=sentence.kind,
        name=sentence.name,
        text=text,
        place=place,
        join=sentence.join,
        classes=sentence.classes,
        attribute_clusters=sentence.clusters,
        domains=sentence.domains,
        source=sentence.source,
        held_out=held_out,
    )


def _is_german_noun(sentence: Sentence) -> bool:
    """Return whether the first word of ``sentence`` keeps its capital in German, as nouns do.

    Function words and verbs before *Sie* do not.
    """
    first, second = [*sentence.text.split(), "", ""][:2]
    words = closed_class_words("de") if sentence.language.partition("-")[0].lower() == "de" else None
    if words is None or second.rstrip(",.!") == "Sie":
        return False
    small = first.rstrip(",:").lower()
    return {small, small.removesuffix("em"), small.removesuffix("en")}.isdisjoint(words.functions | {"bitte"})


def _check_clusters(
    file: Path, sentences: Sequence[Sentence], classes: Mapping[tuple[str, str], Collection[str]]
) -> None:
    """Raise WordListError if no attribute of a sentence's classes has its cluster, if all these are known."""
    for s in sentences:
        if not s.clusters or any((s.language, c) not in classes for c in s.classes):
            continue
        known = sorted({cluster for c in s.classes for cluster in classes[s.language, c]} - {""})
        for cluster in s.clusters:
            if cluster not in known:
                near = get_close_matches(cluster, known, 1)
                raise WordListError(
                    f"the sentence {s.name!r} is for the cluster {cluster!r}, but no attribute of "
                    f"{' or '.join(s.classes)} is in it",
                    file=file,
                    remedy=f"did you mean {near[0]!r}?" if near else f"use one of {examples(known, 8)}",
                )


def _has_domain(sentence: Sentence, domains: Collection[tuple[str, str]]) -> bool:
    return not sentence.clusters and any((sentence.language, d) in domains for d in sentence.domains)


def _files(entry: str, resolve: Callable[[str], Path], study_file: Path) -> list[Path]:
    shipped = {f"builtin:{f.parent.name}": f for f in sorted(FOLDER.glob(f"*/{_FOLDER}"))}
    if entry.startswith("builtin:"):
        if entry not in shipped:
            raise StudyError(
                f"interventions.sentences: nextset has no sentences {entry!r}",
                file=study_file,
                line=line_of(study_file, *_KEY, value=entry),
                remedy=f"use {', '.join(shipped)}, or name a file",
            )
        return sorted(shipped[entry].glob("*.yaml"))
    path = resolve(entry)
    if path.is_file():
        return [path]
    folder = path / _FOLDER if (path / "pack.yaml").is_file() else path
    files = yaml_files(folder, StudyError)
    if not files:
        raise StudyError(
            f"interventions.sentences: {entry!r} is neither a file nor a folder with sentences ({folder})",
            file=study_file,
            line=line_of(study_file, *_KEY, value=entry),
            remedy="name a file, a folder with *.yaml, or a language pack with interventions/*.yaml",
        )
    return files


def _read(file: Path) -> tuple[Sentence, ...]:
    return read_published_sentences(file) if is_published_sentences(file) else read_sentences(file)


def _first_ones(sentences: Iterable[Sentence], most: int | None) -> Iterator[Sentence]:
    """Yield the first ``most`` texts of each language, kind, class and cluster, each text once in a group.

    For NLI items, a domain takes the place of class and cluster. A sentence keeps those of its classes,
    clusters and domains in which it is among the first, so that a file for other classes changes nothing.
    """
    texts: dict[tuple[str, ...], set[str]] = {}

    def is_first(sentence: Sentence, name: str, cluster: str = "", part: str = "class") -> bool:
        known = texts.setdefault((sentence.language, sentence.kind, part, name, cluster), set())
        if sentence.text in known or len(known) == most:
            return False
        known.add(sentence.text)
        return True

    for s in sentences:
        classes: dict[tuple[str, ...], list[str]] = {}
        for name in dict.fromkeys(s.classes):
            clusters = tuple(c for c in dict.fromkeys(s.clusters) if is_first(s, name, c))
            if clusters or (not s.clusters and is_first(s, name)):
                classes.setdefault(clusters, []).append(name)
        domains = s.domains
        if not s.clusters:  # a sentence about a cluster is not added to NLI items
            domains = tuple(d for d in dict.fromkeys(s.domains) if is_first(s, d, part="domain"))
            if domains:
                classes.setdefault((), [])
        for clusters, names in classes.items():
            yield replace(s, classes=tuple(names), clusters=clusters, domains=domains)


@dataclass(frozen=True)
class _Split:
    sentence: Sentence
    held_out: bool


def _with_held_out(sentences: Sequence[Sentence], seed: int) -> list[_Split]:
    """Return the sentences, with half of those of each language, kind, class and cluster held out.

    A single sentence is not held out. A text in several of these groups is held out in all or in none.
    """
    by_group: dict[tuple[object, ...], list[str]] = {}
    for s in sentences:
        for part in s.classes or s.domains:
            by_group.setdefault((s.language, s.kind, part, s.clusters), []).append(s.text)
    hidden = held_out_together(by_group.values(), lambda n: n // 2, str(seed))
    return [_Split(s, s.text in hidden) for s in sentences]
