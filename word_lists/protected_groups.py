"""The words of a language that name protected groups of people, or carry one.

They are in protected_groups.yaml and group_markers.yaml.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.files.yaml_reader import Location, read_yaml
from nextset.records.content_ids import content_id
from nextset.text_tokens import all_pieces, plain_letters
from nextset.word_lists import FOLDER
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.fill_list import problem_of_word
from nextset.word_lists.gendered_words import gendered_words

__all__ = [
    "GroupWords",
    "ProtectedGroups",
    "group_words",
    "protected_groups",
    "read_group_markers",
    "read_protected_groups",
    "unlike_groups",
    "unlike_people",
]

_FILE, _MARKERS = "protected_groups.yaml", "group_markers.yaml"
_GENDER, _GENDERED = "sex and gender", "gendered_words.yaml"
_FIRST_NAMES = ("female_names", "male_names")
_SUBJECTS = {"countries": "nationality", "ethnic_groups": "race and ethnicity", "religions": "religion"}
_PEOPLE = {
    "de": "leute menschen person personen",
    "en": "folk folks individuals people person persons",
    "es": "gente persona personas",
    "fr": "gens personne personnes",
    "it": "gente persona persone",
    "nl": "mensen personen persoon",
    "pt": "gente pessoa pessoas",
    "ru": "люди людей людям людьми людях",
    "tr": "insan insanlar kişi kişiler",
}
"""By language, words for people as such: the item *person* of Swadesh (1955), and its forms."""
_DETERMINERS = frozenset(
    ("a", "all", "an", "any", "few", "many", "most", "no", "some", "such", "the", "these", "those")
)
_ADJECTIVES_AFTER = ("es", "fr", "it", "pt")
_MEN = re.compile(r"men\Z")
_BRACED = re.compile(r"\{([^{}]*)\}")
_PARTS = re.compile(r"[-\s]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?\Z")


class Ground(HandWritten):
    """A ground of discrimination, with words for its groups."""

    ground: str = Field(min_length=1)
    source: Prose = Field(min_length=1)
    terms: tuple[str, ...]
    capitalised: tuple[str, ...] = ()


class ProtectedGroupsFile(HandWritten):
    """The content of protected_groups.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    grounds: tuple[Ground, ...] = Field(min_length=1)


class MarkedGround(HandWritten):
    """A ground of discrimination, with words that carry its groups."""

    ground: str = Field(min_length=1)
    source: str = Field(min_length=1)
    terms: tuple[str, ...] = ()
    capitalised: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    agreeing: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    of_groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class GroupMarkersFile(HandWritten):
    """The content of group_markers.yaml."""

    format: Literal[1]
    language: str = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
    grounds: tuple[MarkedGround, ...] = Field(min_length=1)


@dataclass(frozen=True)
class ProtectedGroups:
    """Words that name protected groups."""

    terms: frozenset[str]
    """Words in lower case; case is ignored."""
    capitalised: frozenset[str]
    """Words that count only in this spelling."""

    def named_by(self, word: str) -> bool:
        """Return whether ``word``, or a part of it between hyphens, names a group, also as a possessive."""
        bare = _POSSESSIVE.sub("", word)
        return any(
            part.lower() in self.terms or part in self.capitalised for part in (bare, *_PARTS.split(bare))
        )

    @property
    def digest(self) -> str:
        """The content hash: equal words have equal digests."""
        return content_id("protected groups", *sorted(self.terms), "", *sorted(self.capitalised))


@functools.cache
def protected_groups(language: str) -> ProtectedGroups | None:
    """Return the words of ``language`` (BCP 47; regions are ignored); None if there is no list."""
    file = FOLDER / language.partition("-")[0].lower() / _FILE
    return read_protected_groups(file) if file.is_file() else None


def read_protected_groups(file: Path) -> ProtectedGroups:
    """Return the words in ``file``.

    Raises WordListError, with file and line, if a word is repeated, is not in Unicode NFC, or has spaces, or
    if a word that counts only with capitals has none.
    """
    written, located = read_model(file, ProtectedGroupsFile, WordListError)
    seen: set[str] = set()
    for i, ground in enumerate(written.grounds):
        for key, words in (("terms", ground.terms), ("capitalised", ground.capitalised)):
            for j, word in enumerate(words):
                problem = _problem(word, seen, capitalised=key == "capitalised")
                if problem:
                    raise WordListError(
                        f"{word!r} {problem}",
                        file=file,
                        line=located.line(("grounds", i, key, j)),
                        remedy="write each word once, in NFC and without spaces",
                    )
                seen.add(word.lower())
    return ProtectedGroups(
        frozenset(word.lower() for ground in written.grounds for word in ground.terms),
        frozenset(word for ground in written.grounds for word in ground.capitalised),
    )


def _problem(word: str, seen: set[str], *, capitalised: bool) -> str | None:
    if not word or word.split() != [word]:
        return "is empty or has spaces, but a mask is filled with one word"
    if not unicodedata.is_normalized("NFC", word):
        return "is not in Unicode NFC"
    if capitalised and not word[0].isupper():
        return "has no capital, but counts only with one"
    return "is repeated" if word.lower() in seen else None


Phrase = tuple[str, ...]
"""A word or several, in pieces as `all_pieces` splits them, case-folded and without spaces."""
Span = tuple[int, int]
"""The first character of a phrase, and the character after its last."""


@dataclass(frozen=True, eq=False)
class GroupWords:
    """The words of a language that name or carry the groups of one ground of discrimination."""

    called: frozenset[Phrase]
    """Words that groups are called by: those of protected_groups.yaml, and those of one group."""
    names: frozenset[Phrase]
    """Words that show that the ground is meant: names of groups, and all words that carry one."""
    markers: frozenset[Phrase]
    """Words that carry some group of the ground."""
    rows: tuple[frozenset[Phrase], ...]
    """The words of one group each, such as a country, its people and its capital."""
    capitals: frozenset[Phrase]
    """Markers and words of rows that count only with a capital."""
    titles: frozenset[Phrase]
    """Markers with a capital that begin a sentence only before another capital: Miss Hall."""
    beginnings: tuple[str, ...]
    """Beginnings of words that carry a group, in languages with many cases."""
    endings: tuple[str, ...]
    """Endings of words that carry a group: policeman."""
    agreeing: frozenset[Phrase]
    """Words that differ by group right before its name (la mujer), alone or together with the name."""
    exceptions: frozenset[Phrase]
    """Words and phrases that only look like one of the others: human, mother tongue."""

    def named(self, text: str) -> set[Phrase]:
        """Return the words in ``text`` that show that the ground is meant."""
        return {p for _, p in _phrases(text, self.names | self.exceptions)} - self.exceptions

    @functools.cached_property
    def _rows_of(self) -> dict[Phrase, list[int]]:
        rows: dict[Phrase, list[int]] = {}
        for i, row in enumerate(self.rows):
            for phrase in row | {(plain_letters(word),) for word, *more in row if not more}:
                rows.setdefault(phrase, []).append(i)
        return rows

    @functools.cached_property
    def _listed(self) -> frozenset[Phrase]:
        return self.called | self.exceptions

    @functools.cached_property
    def _without_row(self) -> tuple[frozenset[Phrase], frozenset[Phrase]]:
        """The words that are in no row, without the exceptions and with them."""
        words = self.called.difference(*self.rows, self.exceptions)
        return words, words | self.exceptions

    def rows_named(self, text: str, *, any_case: bool = False) -> dict[int, Span]:
        """Return the rows that have a word of ``text``, or one up to three letters shorter, and its place."""
        phrases = dict(_phrases(text, self._listed))
        for (start, end), word in _phrases(text, None):
            phrase = phrases.get((start, end), word)
            if phrase not in self._rows_of and phrase not in self.exceptions:
                shorter = ((plain_letters(word[0])[:-n],) for n in range(1, min(3, len(word[0]) - 4) + 1))
                stem = next((s for s in shorter if s in self._rows_of), None)  # alemanes, поляки, Türkler
                phrases |= {} if stem is None else {(start, end): stem}
        return {
            i: (start, end)
            for (start, end), phrase in phrases.items()
            if phrase not in self.exceptions and (any_case or self._has_capitals(text, start, end, phrase))
            for i in self._rows_of.get(phrase, ())
        }

    def carried(self, text: str, groups: tuple[str, str], exchanged: Sequence[Span]) -> Iterator[str]:
        """Yield the words of ``text``, outside the spans ``exchanged``, that carry one of the ``groups``.

        Nothing is yielded if the two groups do not differ by this ground.
        """
        searched = _searched(self, *groups)
        for (start, end), phrase in _phrases(text, searched) if searched else ():
            listed = phrase not in self.exceptions and self._has_capitals(text, start, end, phrase)
            if listed and not _overlap((start, end), exchanged):
                yield text[start:end]
        words = list(_phrases(text, None)) if searched else []
        for (start, end), (word,) in words:
            inflected = word.startswith(self.beginnings) or (
                word.endswith(self.endings) and not word.startswith(self.endings)
            )
            if inflected and (word,) not in searched and not _overlap((start, end), exchanged):
                yield text[start:end]
        for (start, end), one in words:
            for s, e in exchanged:
                if not text[end:s].strip() and end < s and self.agreeing & {one, one + _phrase(text[s:e])}:
                    yield text[start:e]

    def longer(self, text: str, groups: tuple[str, str], exchanged: Sequence[Span]) -> Iterator[str]:
        """Yield the exceptions in ``text`` that an exchanged word is only a part of: mother tongue."""
        for (start, end), _ in _phrases(text, self.exceptions) if _searched(self, *groups) else ():
            within = [(s, e) for s, e in exchanged if start <= s and e <= end]
            if any(s > start or e < end for s, e in within):
                yield text[start:end]

    def _has_capitals(self, text: str, start: int, end: int, phrase: Phrase) -> bool:
        if phrase not in self.capitals or text[start].upper() == text[start].lower():
            return True
        begins = not text[:start].strip("\"'“‘(« ") or text[:start].rstrip()[-1] in ".!?"
        title = phrase in self.titles and begins
        return text[start].isupper() and (not title or text[end:].lstrip(". ")[:1].isupper())


_rows_named = functools.lru_cache(maxsize=1024)(GroupWords.rows_named)
"""`GroupWords.rows_named` for texts that are compared with many others."""


@functools.lru_cache(maxsize=1024)
def _searched(words: GroupWords, one: str, two: str) -> frozenset[Phrase]:
    """Return the phrases to search for if ``one`` and ``two`` are exchanged; empty if they do not differ."""
    differing = words.named(one) ^ words.named(two)
    rows = [words.rows[i] for i in sorted(words.rows_named(one).keys() ^ words.rows_named(two).keys())]
    return words.markers.union(words.exceptions, *rows) if differing or rows else frozenset()


def unlike_groups(language: str, text: str, other: str, own: Sequence[str] = ()) -> list[str]:
    """Return the words for groups in ``text``, as written, that have no word for the same group in ``other``.

    The groups are those that the lists of ``language`` know, and ``own``, each by the words that no other of
    ``own`` has (fat, of *fat people* and *thin people*).
    """
    unlike: dict[Span, str] = {}
    of_own = [{phrase for _, phrase in _phrases(group, None)} for group in own]
    for words in of_own:
        mine = frozenset(words.difference(*(others for others in of_own if others is not words)))
        if not any(_phrases(other, mine)):
            unlike |= {span: text[slice(*span)] for span, _ in _phrases(text, mine)}
    for listed in group_words(language).values():
        rows = _rows_named(listed, other, any_case=True)
        unlike |= {at: text[slice(*at)] for i, at in _rows_named(listed, text).items() if i not in rows}
        names, with_exceptions = listed._without_row
        there = {phrase for _, phrase in _phrases(other, with_exceptions)}
        for (start, end), phrase in _phrases(text, names):
            if not any(_same(phrase, p) for p in there) and listed._has_capitals(text, start, end, phrase):
                unlike[start, end] = text[start:end]
    return [unlike[span] for span in sorted(unlike)]


def unlike_people(language: str, text: str, other: str) -> tuple[str, str] | None:
    """Return the words beside a word for people in ``text`` and in ``other``, if each text lacks the other's.

    They are *fat* and *thin*, of *fat people* and *thin people*, groups that no list need know. None if there
    are none, or no word for people is known in ``language``. In English, the word begins its phrase, so that
    it is not a verb, which changes after *do*: *he bought people food*.
    """
    subtag = language.partition("-")[0].lower()
    people, sides = _PEOPLE.get(subtag, ""), (-1, 1) if subtag in _ADJECTIVES_AFTER else (-1,)
    listed = closed_class_words(language)
    closed = listed.functions | listed.numbers if listed else frozenset()
    one, two = ([word for _, (word,) in _phrases(t, None)] for t in (text, other))
    verbs = {w for before, w in pairwise(("the", *one)) if subtag == "en" and before not in _DETERMINERS}
    for side in sides:
        mine, others = (list(_beside(words, people.split(), side)) for words in (one, two))
        mine = [w for w in mine if w not in closed.union(two, verbs)]
        others = [w for w in others if w not in closed.union(one)]
        if mine and others and not _same((mine[0],), (others[0],)):
            return mine[0], others[0]
    return None


def _beside(words: Sequence[str], people: Sequence[str], side: int) -> Iterator[str]:
    """Yield the words before (``side`` −1) or after (1) each word for people."""
    for i, word in enumerate(words):
        if word in people and 0 <= i + side < len(words) and words[i + side].isalpha():
            yield words[i + side]


def _same(one: Phrase, two: Phrase) -> bool:
    """Return whether two words are forms of one word: man and men, Türke and Türken, женщина and женщину."""
    a, b = sorted((plain_letters(_MEN.sub("man", " ".join(words))) for words in (one, two)), key=len)
    return b.startswith(a if len(a) < 4 else a[:-1]) and len(b) - len(a) <= 3


def _overlap(span: Span, others: Iterable[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


@functools.cache
def group_words(language: str) -> Mapping[str, GroupWords]:
    """Return the words of ``language`` (BCP 47; regions are ignored) by ground of discrimination.

    They are those of protected_groups.yaml, group_markers.yaml, gendered_words.yaml and the subjects of the
    language pack. Empty if there is no list.
    """
    folder = FOLDER / language.partition("-")[0].lower()
    named, marked = folder / _FILE, folder / _MARKERS
    groups = read_model(named, ProtectedGroupsFile, WordListError)[0].grounds if named.is_file() else ()
    listed = {g.ground: g for g in read_group_markers(marked)} if marked.is_file() else {}
    rows, first_names = _subjects(folder)
    if gendered := gendered_words(folder, language):
        mine = listed.get(_GENDER, MarkedGround(ground=_GENDER, source=_GENDERED))
        listed[_GENDER] = mine.model_copy(update={"terms": (*mine.terms, *gendered.f, *gendered.m)})
    words = {}
    for ground in dict.fromkeys([*(g.ground for g in groups), *listed, *rows]):
        mine = listed.get(ground, MarkedGround(ground=ground, source=_FILE))
        of_groups = rows.get(ground, {})
        for key, texts in mine.of_groups.items():
            of_groups.setdefault(key, {key}).update(texts)
        terms = [w for g in groups if g.ground == ground for w in (*g.terms, *g.capitalised)]
        exceptions = _all(mine.exceptions)
        titles, markers = _all(mine.capitalised), _all(mine.terms) - exceptions
        given = (_all(first_names) if ground == _GENDER else frozenset()) - exceptions - markers
        capital = (text for texts in of_groups.values() for text in texts if text[0].isupper())
        words[ground] = GroupWords(
            called=_all(terms).union(*map(_all, of_groups.values())),
            names=_all(terms).union(markers, titles, given, *map(_all, of_groups.values())),
            markers=markers | titles | given,
            rows=tuple(map(_all, of_groups.values())),
            capitals=_all(capital) | given | (titles - markers),
            titles=titles,
            beginnings=tuple(map(str.casefold, mine.beginnings)),
            endings=tuple(map(str.casefold, mine.endings)),
            agreeing=_all(mine.agreeing),
            exceptions=exceptions,
        )
    return words


def _all(texts: Iterable[str]) -> frozenset[Phrase]:
    return frozenset(map(_phrase, texts))


def read_group_markers(file: Path) -> tuple[MarkedGround, ...]:
    """Return the words in ``file`` by ground of discrimination.

    Raises WordListError, with file and line, for a word with a problem by `problem_of_word`, or one that is
    listed twice.
    """
    written, located = read_model(file, GroupMarkersFile, WordListError)
    for i, ground in enumerate(written.grounds):
        lists: list[tuple[Location, tuple[str, ...]]] = [
            ((key,), getattr(ground, key)) for key in ("terms", "capitalised", "agreeing", "exceptions")
        ]
        lists += [(("of_groups", key), words) for key, words in ground.of_groups.items()]
        for at, words in lists:
            seen: set[str] = set()
            for j, word in enumerate(words):
                if problem := problem_of_word(word, seen):
                    raise WordListError(
                        f"{word[:60]!r} {problem}",
                        file=file,
                        line=located.line(("grounds", i, *at, j)),
                        remedy="write each word once, in NFC and without extra spaces",
                    )
    return written.grounds


def _subjects(folder: Path) -> tuple[dict[str, dict[str, set[str]]], set[str]]:
    """Return the texts of a language pack's subjects by ground and key, and its first names."""
    rows: dict[str, dict[str, set[str]]] = {}
    first_names: set[str] = set()
    for file in sorted((folder / "subjects").glob("*.yaml")):
        for key, subject in read_yaml(file, WordListError).data["subjects"].items():
            forms = subject.get("forms") or {}
            written = {(_BRACED.search(form) or [form, form])[1] for form in forms.values()}
            if file.stem in _SUBJECTS:
                # Outside English, the key is English: it is the text of a subject without forms only.
                texts = written | {key} if folder.name == "en" and "" not in forms else written or {key}
                rows.setdefault(_SUBJECTS[file.stem], {})[key] = texts
            elif file.stem in _FIRST_NAMES:
                first_names |= written or {key}
    return rows, first_names


def _phrase(text: str) -> Phrase:
    return tuple(piece.casefold() for piece in all_pieces(text) if not piece.isspace())


def _phrases(text: str, phrases: frozenset[Phrase] | None) -> Iterator[tuple[Span, Phrase]]:
    """Yield the ``phrases`` in ``text`` from left to right, the longest first; every word if None."""
    pieces = _folded_pieces(text)
    longest, i = 1 if phrases is None else _longest(phrases), 0
    while i < len(pieces):
        for n in range(min(longest, len(pieces) - i), 0, -1):
            key = tuple([word for _, _, word in pieces[i : i + n]])
            if phrases is None or key in phrases:
                yield (pieces[i][0], pieces[i + n - 1][1]), key
                break
        else:
            n = 1
        i += n


@functools.lru_cache(maxsize=1024)
def _folded_pieces(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the pieces of ``text`` that are not white space, case-folded, each with its place."""
    pieces, at = [], 0
    for piece in all_pieces(text):
        if not piece.isspace():
            pieces.append((at, at + len(piece), piece.casefold()))
        at += len(piece)
    return tuple(pieces)


@functools.lru_cache(maxsize=1024)
def _longest(phrases: frozenset[Phrase]) -> int:
    return max(map(len, phrases), default=0)
