"""Why a text's people cannot be renamed without a risk that some words about them stay as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.generation.ambiguity.folded_words import folded_words
from nextset.generation.ambiguity.name_mentions import NameMention
from nextset.generation.ambiguity.source_questions import SourceQuestion
from nextset.generation.ambiguity.text_people import TextPeople
from nextset.word_lists.person_mentions import GENDERS, Gender

__all__ = ["genders_in_text", "given_names", "needs_insertion", "renaming_obstacle"]

UNNAMED = "the context does not name a person"
NAMESAKE = "a given name that is not in the person's name"
INITIALS = "only initials of a given name"
NOBLE = "a title that cannot be before a given name"
ARTICLE = "an article before a name"
STRAY = "a given name that may be another person's"
SEVERAL = "a pronoun that may refer to several people"
NOBODY = "a pronoun of a person who is not certain"
UNCLEAR = "her, which may be an object or a possessive"
TITLE = "a title of one gender that may be the person's"
NOUN = "a noun of one gender"
MISMATCH = "a pronoun or title of another gender than the person's"
ASKED = "a given name in the question"

_ARTICLES = ("a", "an")


def renaming_obstacle(source: SourceQuestion, people: TextPeople, groups: Sequence[str]) -> str | None:
    """Return why the people of ``source`` cannot be renamed, None if they can.

    ``groups`` are the people's, by which titles and pronouns are checked if they are genders.
    """
    return next(_obstacles(source, people, groups), None)


def _obstacles(source: SourceQuestion, people: TextPeople, groups: Sequence[str]) -> Iterator[str]:
    for person in range(len(source.people)):
        yield from _of_names(people, person)
    yield from _of_strays(people)
    for reference in people.references:
        if reference.person is None:
            yield SEVERAL if reference.several else NOBODY
        elif reference.form is None:
            yield UNCLEAR
    yield from _of_titles(people)
    yield from _of_nouns(people)
    for person, group in enumerate(groups):
        found = genders_in_text(people, person)
        if len(found) > 1 or (group in GENDERS and found - {group}):
            yield MISMATCH
    asked = {word.text for text in (source.question, source.item) for word in folded_words(text)}
    asked -= _family_names(people)
    if any(asked.intersection(given_names(people, person)) for person in range(len(source.people))):
        yield ASKED


def given_names(people: TextPeople, person: int) -> tuple[str, ...]:
    """Return the given names of more than one letter that the name or the context gives the person."""
    parts = people.names[person]
    of_name = [word.text for word in parts.given] if parts is not None else []
    of_text = [part.name for mention in people.of(person) for part in mention.given]
    return tuple(dict.fromkeys(name for name in (*of_name, *of_text) if len(name) > 1))


def _family_names(people: TextPeople) -> set[str]:
    return {word for parts in people.names if parts is not None for word in parts.family}


def needs_insertion(people: TextPeople, person: int) -> bool:
    """Return whether the context mentions the person by the family name alone."""
    return all(mention.kind == "family" for mention in people.of(person))


def genders_in_text(people: TextPeople, person: int) -> set[Gender]:
    """Return the genders that the person's titles and pronouns have."""
    titles = people.rules.titles or {}
    parts = people.names[person]
    found = {titles[word.text][0] for word in (parts.titles if parts else ()) if word.text in titles}
    for mention in people.of(person):
        found |= {titles[text][0] for at in mention.titles if (text := people.words[at].text) in titles}
    for reference in people.references:
        if reference.person == person:
            found.update(reference.genders)
    return found


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


def _of_strays(people: TextPeople) -> Iterator[str]:
    """Yield a reason for each given name of a person outside mentions, unless it begins another name."""
    names = {name for person in range(len(people.names)) for name in given_names(people, person)}
    mentioned = {i for m in people.mentions for i in range(m.first, m.after)}
    words, families = people.words, _family_names(people)
    small = {name.casefold() for name in names}
    for i, word in enumerate(words):
        if i in mentioned or word.text in families:
            continue
        if word.small in small and word.text.isupper():  # a name in capitals
            yield STRAY
        if word.text not in names:
            continue
        following = words[i + 1] if i + 1 < len(words) and i + 1 not in mentioned else None
        begins_name = following is not None and following.is_capital and following.glue in (" ", "\u00a0")
        if not begins_name or word.possessive:
            yield STRAY


def _of_titles(people: TextPeople) -> Iterator[str]:
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
                yield TITLE
        if word.text in {*(rules.titles or {}), *rules.unpaired_titles} and i not in attached:
            before = [at for at in range(max(0, i - 2), i + 1) if at in after_mention]
            if (before and words[before[0]].glue[:1] in (",", "(", " ")) or i + 1 in mentioned:
                yield TITLE


def _of_nouns(people: TextPeople) -> Iterator[str]:
    mentioned = {i for m in people.mentions for i in range(m.first, m.after)}
    begins = set(people.begins)
    nouns = people.rules.gendered_nouns
    for i, word in enumerate(people.words):
        if i not in mentioned and (word.text in nouns or (i in begins and word.small in nouns)):
            yield NOUN
