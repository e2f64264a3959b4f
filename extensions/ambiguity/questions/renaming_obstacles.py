"""Obstacles to renaming a text's people: words about them that might stay unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nextset.extensions.ambiguity.person_mentions import GENDERS, Gender
from nextset.extensions.ambiguity.questions.folded_words import Word, folded_words
from nextset.extensions.ambiguity.questions.name_mentions import NameMention
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.extensions.ambiguity.questions.text_people import TextPeople, text_rules
from nextset.extensions.ambiguity.questions.unreplaced_names import UnreplacedNames

__all__ = ["Obstacle", "genders_in_text", "given_names", "needs_insertion", "renaming_obstacle"]

UNNAMED = "the context does not name a person"
NAMESAKE = "a given name that is not in the person's name"
INITIALS = "only initials of a given name"
NOBLE = "a title that cannot be before a given name"
ARTICLE = "an article before a name"
STRAY = "a given name that may be another person's"
NICKNAME = "another name of a person"
SEVERAL = "a pronoun that may refer to several people"
NOBODY = "a pronoun whose person is not certain"
UNCLEAR = "her, which may be an object or a possessive"
TITLE = "a title of one gender that may be the person's"
NOUN = "a noun of one gender"
MISMATCH = "a pronoun or title whose gender is not the person's"
ASKED = "a given name in the question"

_ARTICLES = ("a", "an")
_RAISED_TO = frozenset(
    ["became", "become", "made", "created", "as", "styled", "titled", "called", "was", "is", "a"]
)
"""Words that mean that a person gets a title of nobility, if they are within three words before it."""
_EXCERPT = 25
"""The number of characters of the text that are shown on either side."""


@dataclass(frozen=True)
class Obstacle:
    """A reason why people cannot be renamed."""

    reason: str
    """The kind of obstacle, as text."""
    at: str
    """The words that are the obstacle, as they are written, or the person."""
    excerpt: str = ""
    """The text around these words; empty if the text does not have them."""

    @property
    def place(self) -> str:
        """The words, with the text around them."""
        return f"{self.at!r} in “{self.excerpt}”" if self.excerpt else repr(self.at)


@dataclass(frozen=True)
class _Found:
    reason: str
    at: int | str
    """The index of the word, or the name of a person."""


def renaming_obstacle(source: SourceQuestion, people: TextPeople, groups: Sequence[str]) -> Obstacle | None:
    """Return why the people of ``source`` cannot be renamed; None if they can.

    ``groups`` are the people's groups; if these are genders, titles and pronouns are checked against them.
    """
    obstacle = next(_obstacles(source, people, groups), None)
    if obstacle is None or isinstance(obstacle.at, str):
        return None if obstacle is None else Obstacle(obstacle.reason, str(obstacle.at))
    word, text = people.words[obstacle.at], source.context
    begin, end = max(0, word.start - _EXCERPT), min(len(text), word.end + _EXCERPT)
    while begin and not text[begin - 1].isspace():
        begin -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    shown = " ".join(text[begin:end].split())
    return Obstacle(
        obstacle.reason,
        text[word.start : word.end],
        f"{'…' if begin else ''}{shown}{'…' if end < len(text) else ''}",
    )


def _obstacles(source: SourceQuestion, people: TextPeople, groups: Sequence[str]) -> Iterator[_Found]:
    for person, written in enumerate(source.people):
        for reason in _of_names(people, person):
            yield _Found(reason, written.name)
    yield from _of_strays(people)
    yield from _of_unreplaced(source, people)
    for reference in people.references:
        if reference.person is None:
            yield _Found(SEVERAL if reference.several else NOBODY, reference.at)
        elif reference.form is None:
            yield _Found(UNCLEAR, reference.at)
    yield from _of_titles(people)
    yield from _of_suffixes(source, people)
    yield from _of_nouns(people)
    for person, group in enumerate(groups):
        genders = genders_in_text(people, person)
        if len(genders) > 1 or (group in GENDERS and genders - {group}):
            yield _Found(MISMATCH, _mismatch(people, person, group, source))
    question_words = {word.text for text in (source.question, source.item) for word in folded_words(text)}
    question_words -= _family_names(people)
    for person in range(len(source.people)):
        for name in sorted(question_words.intersection(given_names(people, person))):
            yield _Found(ASKED, name)


def _mismatch(people: TextPeople, person: int, group: str, source: SourceQuestion) -> int | str:
    """Return the place of the first pronoun or title of the person that is not of ``group``."""
    titles = people.rules.titles
    wrong = [r.at for r in people.references if r.person == person and group not in r.genders]
    wrong += [
        at
        for mention in people.of(person)
        for at in mention.titles
        if (text := people.words[at].text) in titles and titles[text][0] != group
    ]
    return min(wrong, default=source.people[person].name)


def given_names(people: TextPeople, person: int) -> tuple[str, ...]:
    """Return the given names of more than one letter that the name or the context gives the person."""
    parts = people.names[person]
    of_name = [word.text for word in parts.given] if parts is not None else []
    of_text = [part.name for mention in people.of(person) for part in mention.given]
    return tuple(dict.fromkeys(name for name in (*of_name, *of_text) if len(name) > 1))


def _family_names(people: TextPeople) -> set[str]:
    return {word for parts in people.names if parts is not None for word in parts.family}


def needs_insertion(people: TextPeople, person: int) -> bool:
    """Return whether the context mentions the person only by the family name."""
    return all(mention.kind == "family" for mention in people.of(person))


def genders_in_text(people: TextPeople, person: int) -> set[Gender]:
    """Return the genders of the person's titles and pronouns."""
    titles = people.rules.titles
    parts = people.names[person]
    genders = {titles[word.text][0] for word in (parts.titles if parts else ()) if word.text in titles}
    for mention in people.of(person):
        genders |= {titles[text][0] for at in mention.titles if (text := people.words[at].text) in titles}
    for reference in people.references:
        if reference.person == person:
            genders.update(reference.genders)
    return genders


def _of_names(people: TextPeople, person: int) -> Iterator[str]:
    mentions, parts = people.of(person), people.names[person]
    if not mentions or parts is None:
        yield UNNAMED
        return
    if any(mention.namesake for mention in mentions):
        yield NAMESAKE
    own = {word.text for word in parts.given}
    if any(mention.given and mention.given[0].name not in own for mention in mentions):
        yield NAMESAKE
    if needs_insertion(people, person):
        titles = [people.words[at].text for at in mentions[0].titles]
        if any(title in people.rules.noble_titles for title in titles):
            yield NOBLE
    elif not any(len(p.name) > 1 and not p.word.is_initial for m in mentions for p in m.given):
        yield INITIALS
    for mention in mentions:
        if not mention.titles and _follows_article(people, mention):
            yield ARTICLE


def _follows_article(people: TextPeople, mention: NameMention) -> bool:
    before = people.words[mention.first - 1] if mention.first else None
    return (
        before is not None
        and before.small in _ARTICLES
        and people.words[mention.first].glue.isspace()
        and mention.kind != "family"
    )


def _of_strays(people: TextPeople) -> Iterator[_Found]:
    """Yield a reason for each given name of a person outside mentions, unless it begins another name."""
    names = {name for person in range(len(people.names)) for name in given_names(people, person)}
    mentioned = {i for m in people.mentions for i in range(m.first, m.after)}
    words, families = people.words, _family_names(people)
    small = {name.casefold() for name in names}
    for i, word in enumerate(words):
        if i in mentioned or word.text in families:
            continue
        if i and words[i - 1].text in people.rules.saints:  # Saint Robert is a town
            continue
        if word.small in small and word.text.isupper():  # a name in capitals
            yield _Found(STRAY, i)
        if word.text not in names:
            continue
        following = words[i + 1] if i + 1 < len(words) and i + 1 not in mentioned else None
        begins_name = following is not None and following.is_capital and following.glue in (" ", "\u00a0")
        if not begins_name or word.possessive:
            yield _Found(STRAY, i)


def _of_unreplaced(source: SourceQuestion, people: TextPeople) -> Iterator[_Found]:
    """Yield a reason for each name of a person that would stay as it is."""
    given = tuple(given_names(people, person) for person in range(len(people.names)))
    names = UnreplacedNames(people, given, text_rules(source.language).vocabulary.first_names)
    for reason, indices in (
        (STRAY, names.strays()),
        (NICKNAME, names.nicknames()),
        (INITIALS, names.initials()),
    ):
        for at in indices:
            yield _Found(reason, at)


def _of_titles(people: TextPeople) -> Iterator[_Found]:
    """Yield a reason for each title of one gender that may be a person's, and is not before a mention."""
    rules, words = people.rules, people.words
    attached = {at for m in people.mentions for at in m.titles}
    after_mention = {m.after for m in people.mentions}
    mentioned = {i for m in people.mentions for i in range(m.first, m.after)}
    for i, word in enumerate(words):
        if i in mentioned:
            continue
        if word.text in rules.unpaired_titles:
            following = words[i + 1] if i + 1 < len(words) else None
            if i in attached or i + 1 in mentioned or following is None or not following.is_capital:
                yield _Found(TITLE, i)
        if word.text in {*rules.titles, *rules.unpaired_titles} and i not in attached:
            before = [at for at in range(max(0, i - 2), i + 1) if at in after_mention]
            if (before and words[before[0]].glue[:1] in (",", "(", " ")) or i + 1 in mentioned:
                yield _Found(TITLE, i)
            raised = any(w.small in _RAISED_TO for w in words[max(0, i - 3) : i])
            noble = word.text in rules.noble_titles | rules.unpaired_titles
            if noble and raised and i not in people.begins:
                yield _Found(TITLE, i)


def _of_suffixes(source: SourceQuestion, people: TextPeople) -> Iterator[_Found]:
    """Yield a reason for each suffix of one gender, such as Jr, in a name or after a mention."""
    suffixes = people.rules.gendered_suffixes
    for mention in people.mentions:
        if mention.after < len(people.words) and people.words[mention.after].text in suffixes:
            yield _Found(TITLE, mention.after)
    for person in source.people:
        if suffixes.intersection(word.text for word in folded_words(person.name)):
            yield _Found(TITLE, person.name)


def _of_nouns(people: TextPeople) -> Iterator[_Found]:
    taken = {i for m in people.mentions for i in (*m.titles, *range(m.first, m.after))}
    begins, words = set(people.begins), people.words
    for i, word in enumerate(words):
        raised = any(w.small in _RAISED_TO for w in words[max(0, i - 3) : i])  # was made a Knight
        raised = raised and word.glue.isspace() and not words[i - 1].is_capital
        if i in taken or not (
            people.rules.is_gendered(word.text, begins=i in begins)
            or (raised and word.small in people.rules.gendered_nouns)
            or _is_a_count(words, i)
        ):
            continue
        following = words[i + 1].small if i + 1 < len(words) else ""
        degree = word.small == "bachelor" and (following == "of" or word.possessive)
        if not degree:
            yield _Found(NOUN, i)


def _is_a_count(words: Sequence[Word], i: int) -> bool:
    """Return whether the word is a nobleman, not a number as in a count of photons."""
    if words[i].small != "count" or not any(w.small in _ARTICLES for w in words[max(0, i - 2) : i]):
        return False
    return i + 1 == len(words) or words[i + 1].small != "of"
