"""A context with new given names for its people, and titles and pronouns of the new gender."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nextset.extensions.ambiguity.person_mentions import Gender
from nextset.extensions.ambiguity.questions.folded_words import Word
from nextset.extensions.ambiguity.questions.person_names import NameParts
from nextset.extensions.ambiguity.questions.text_people import TextPeople

__all__ = ["NewNames", "renamed_name", "renamed_text"]


@dataclass(frozen=True)
class NewNames:
    """The new names of a person."""

    given: Mapping[str, str] = field(default_factory=dict)
    """The new name for each given name (without accents, more than one letter); an empty text removes it."""
    inserted: str = ""
    """A given name to insert before the first mention of a person whom the text calls only by family name."""
    gender: Gender | None = None
    """The gender of the new titles and pronouns; None keeps them."""


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


def renamed_text(context: str, people: TextPeople, new: Sequence[NewNames]) -> str:
    """Return ``context`` with the new names of its people; all other bytes stay the same."""
    return _edited(context, [*_name_edits(people, new), *_pronoun_edits(people, new)])


def renamed_name(parts: NameParts, new: NewNames, people: TextPeople) -> str:
    """Return the person's name with the new given names, and titles of the new gender."""
    words = parts.given
    edits: list[_Edit] = []
    for i, word in enumerate(words):
        text = new.given.get(word.text)
        if text is None:  # an initial
            continue
        following = words[i + 1].start if i + 1 < len(words) else None
        edits.append(_given_edit(word, text, following))
    for title in parts.titles:
        edits += _title_edits(title.text, title.start, title.end, new, people)
    name = _edited(parts.text, edits)
    if not new.inserted:
        return name
    at = parts.titles[-1].end + 1 if parts.titles else 0
    while at < len(name) and name[at] in ". ":
        at += 1
    return f"{name[:at]}{new.inserted} {name[at:]}"


def _edited(text: str, edits: list[_Edit]) -> str:
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def _name_edits(people: TextPeople, new: Sequence[NewNames]) -> Iterator[_Edit]:
    words = people.words
    inserted: set[int] = set()
    for mention in people.mentions:
        names = new[mention.person]
        if names.inserted and mention.person not in inserted:
            inserted.add(mention.person)
            start = words[mention.first].start
            yield _Edit(start, start, f"{names.inserted} ")
        for part in mention.given:
            if len(part.name) > 1:
                following = words[part.at + 1].start if part.at + 1 < mention.after else None
                yield _given_edit(part.word, names.given[part.name], following)
        for at in mention.titles:
            yield from _title_edits(words[at].text, words[at].start, words[at].end, names, people)


def _given_edit(word: Word, text: str, following: int | None) -> _Edit:
    """Return the edit that replaces a given name by ``text``; if empty, it removes it up to ``following``."""
    if not text:
        return _Edit(word.start, word.end if following is None else following, "")
    return _Edit(word.start, word.end, text[:1] if word.is_initial else text)


def _title_edits(text: str, start: int, end: int, new: NewNames, people: TextPeople) -> Iterator[_Edit]:
    title = people.rules.titles.get(text)
    if title is not None and new.gender is not None:
        yield _Edit(start, end, title[1][new.gender])


def _pronoun_edits(people: TextPeople, new: Sequence[NewNames]) -> Iterator[_Edit]:
    for reference in people.references:
        gender = None if reference.person is None else new[reference.person].gender
        if gender is None or reference.form is None:
            continue
        start = people.words[reference.at].start
        text = reference.form.forms[gender]
        if reference.base.isupper() and len(reference.base) > 1:
            text = text.upper()
        elif reference.base[0].isupper():
            text = text.capitalize()
        yield _Edit(start, start + len(reference.base), text)
