"""The lexicon of group terms (group_terms.yaml): the words that replace each other in a counterpart.

`nextset.release.counterfactuals.phrase_swap` swaps these words in a text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field

from nextset.errors import WordListError, examples
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.files.yaml_values import written_as
from nextset.word_lists import FOLDER

__all__ = ["GroupTerms", "Term", "TermKind", "TermSet", "read_group_terms"]

TermKind = Literal["nouns", "adjectives", "before_nouns", "pronouns"]
"""The lists of a set. Terms in before_nouns count only directly before one of the lexicon's nouns."""


class TermSet(HandWritten):
    """Groups that can replace each other, with their terms: rows of one term per group."""

    name: str = Field(min_length=1)
    domains: tuple[str, ...] = ()
    groups: tuple[str, ...] = Field(min_length=2)
    nouns: tuple[dict[str, tuple[str, str]], ...] = ()
    adjectives: tuple[dict[str, str], ...] = ()
    before_nouns: tuple[dict[str, str], ...] = ()
    pronouns: tuple[dict[str, str], ...] = ()


class GroupTermsFile(HandWritten):
    """The whole of group_terms.yaml."""

    format: Literal[1]
    language: Annotated[str, written_as(r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*", "en")]
    nouns: tuple[str, ...] = ()
    agreement: tuple[tuple[str, str], ...] = ()
    sets: tuple[TermSet, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Term:
    """A form of a group's term."""

    set: str
    """The set's name."""
    group: str
    form: str
    """The form, with the capitals that it always has."""
    kind: TermKind
    """Its list."""
    plural: bool
    """True if the form is the plural of a noun."""
    others: Mapping[str, str]
    """The forms that replace it, by group."""


@dataclass(frozen=True)
class GroupTerms:
    """A lexicon of group terms, by form."""

    language: str
    """BCP 47 tag."""
    nouns: frozenset[str]
    """The nouns that adjectives precede, in lower case."""
    agreement: frozenset[frozenset[str]]
    """Pairs of words, in lower case, that may differ with the group."""
    sets: Mapping[str, TermSet]
    """The sets by name, in the order of the file."""
    by_form: Mapping[str, tuple[Term, ...]]
    """The terms, by form in lower case."""

    def of_language(self, language: str) -> bool:
        """Return whether the lexicon is for texts in ``language``, ignoring regions."""
        return language.partition("-")[0].lower() == self.language.partition("-")[0].lower()

    def groups_of(self, text: str) -> list[tuple[str, str]]:
        """Return the sets and groups whose name or term is ``text``, in the order of the file."""
        named = [
            (s, g) for s, term_set in self.sets.items() for g in term_set.groups if g.lower() == text.lower()
        ]
        termed = [(t.set, t.group) for t in self.by_form.get(text.lower(), ())]
        return list(dict.fromkeys((*named, *termed)))

    def pair_of(self, group1: str, group2: str, domain: str) -> tuple[str, str, str] | None:
        """Return a set and its two groups that ``group1`` and ``group2`` name, or None.

        The groups are different. A set that declares ``domain`` is preferred.
        """
        pairs = [
            (s, a, b)
            for s, a in self.groups_of(group1)
            for other, b in self.groups_of(group2)
            if s == other and a != b
        ]
        return min(pairs, key=lambda x: domain not in self.sets[x[0]].domains, default=None)


def read_group_terms(source: str, file_of: Callable[[str], Path]) -> GroupTerms:
    """Return the lexicon that ``release.group_terms`` names: builtin:LANGUAGE, or a file.

    ``file_of`` turns an entry of study.yaml into a path. Raises WordListError with file, line and remedy for
    an unknown built-in lexicon or key, a set without terms, a term of an unknown group, a term in two groups
    of one set, an empty term, extra spaces, and text that is not in Unicode NFC.
    """
    path = _built_in(source) if source.startswith("builtin:") else file_of(source)
    written, located = read_model(path, GroupTermsFile, WordListError)
    by_form: dict[str, dict[Term, None]] = {}
    sets: dict[str, TermSet] = {}
    for i, term_set in enumerate(written.sets):
        _check_groups(term_set, ("sets", i), path, located)
        if sets.setdefault(term_set.name, term_set) is not term_set:
            raise WordListError(
                f"there are two sets named {term_set.name!r}",
                file=path,
                line=located.line(("sets", i, "name")),
                remedy="rename one of them",
            )
        seen: dict[str, str] = {}
        terms = list(_terms(term_set, ("sets", i)))
        if not terms:
            raise WordListError(
                f"the set {term_set.name!r} has no terms",
                file=path,
                line=located.line(("sets", i)),
                remedy=f"add rows under one of {', '.join(get_args(TermKind))}, or remove the set",
            )
        for term, at in terms:
            _check_form(term, at, path, located)
            other = seen.setdefault(term.form.lower(), term.group)
            if other != term.group:
                raise WordListError(
                    f"{term.form!r} is a term of two groups of the set {term_set.name!r}: "
                    f"{other} and {term.group}",
                    file=path,
                    line=located.line(at),
                    remedy="keep the term in the row of only one group",
                )
            by_form.setdefault(term.form.lower(), {})[term] = None
    return GroupTerms(
        written.language,
        frozenset(noun.lower() for noun in written.nouns),
        frozenset(frozenset(word.lower() for word in pair) for pair in written.agreement),
        sets,
        {form: tuple(terms) for form, terms in by_form.items()},
    )


def _built_in(source: str) -> Path:
    language = source.removeprefix("builtin:")
    shipped = sorted(path.parent.name for path in FOLDER.glob("*/group_terms.yaml"))
    if language not in shipped:
        raise WordListError(
            f"there is no lexicon of group terms named {source!r}",
            remedy=f"set release.group_terms to {', '.join('builtin:' + s for s in shipped)} or to a file",
        )
    return FOLDER / language / "group_terms.yaml"


def _terms(found: TermSet, at: Location) -> Iterator[tuple[Term, Location]]:
    """Yield the terms of a set with their locations in the file."""
    for i, nouns in enumerate(found.nouns):
        for number in (0, 1):
            forms = {group: both[number] for group, both in nouns.items()}
            for group, form in forms.items():
                others = _Forms((g, f) for g, f in forms.items() if g != group)
                term = Term(found.name, group, form, "nouns", number == 1, others)
                yield term, (*at, "nouns", i, group, number)
    lists: tuple[tuple[TermKind, tuple[dict[str, str], ...]], ...] = (
        ("adjectives", found.adjectives),
        ("before_nouns", found.before_nouns),
        ("pronouns", found.pronouns),
    )
    for kind, rows in lists:
        for i, row in enumerate(rows):
            for group, form in row.items():
                others = _Forms((g, f) for g, f in row.items() if g != group)
                yield Term(found.name, group, form, kind, False, others), (*at, kind, i, group)


class _Forms(dict[str, str]):
    """Forms by group, hashable because nothing changes them."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def _check_groups(found: TermSet, at: Location, path: Path, located: LocatedYaml) -> None:
    """Raise WordListError if a group is listed twice, or a row has a group that the set does not list."""
    folded = [group.lower() for group in found.groups]
    for i, group in enumerate(folded):
        if group in folded[:i]:
            raise WordListError(
                f"the group {found.groups[i]!r} is listed twice",
                file=path,
                line=located.line((*at, "groups", i)),
                remedy="remove one of the two entries",
            )
    for kind in get_args(TermKind):
        for i, row in enumerate(getattr(found, kind)):
            for group in row:
                if group not in found.groups:
                    raise WordListError(
                        f"{group!r} is not one of the set's groups",
                        file=path,
                        line=located.line((*at, kind, i, group)),
                        remedy=f"use one of {examples(found.groups, 12)}, or add the group to groups",
                    )


def _check_form(term: Term, at: Location, path: Path, located: LocatedYaml) -> None:
    problem = None
    remedy = "write the word in NFC, without extra spaces"
    if not term.form:
        problem, remedy = "is empty", "write the word, or remove the group from the row"
    elif not unicodedata.is_normalized("NFC", term.form):
        problem = "is not in Unicode NFC"
    elif term.form != " ".join(term.form.split()):
        problem = "has extra spaces"
    elif not any(c.isalnum() for c in term.form):
        problem, remedy = "has no letter", "write a word"
    if problem:
        raise WordListError(
            f"the term {term.form!r} of {term.group!r} {problem}",
            file=path,
            line=located.line(at),
            remedy=remedy,
        )
