"""nextset's own questions with several right answers: YAML files of laws and effects with several names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.extensions.ambiguity.person_mentions import MentionRules, mention_rules
from nextset.extensions.ambiguity.questions.person_names import name_key, name_parts
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.files.yaml_values import written_as
from nextset.generation.questions.pack_text_check import Place
from nextset.study.field_types import Language
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["read_eponymous"]

Key = Annotated[str, written_as(r"[a-z0-9][a-z0-9_-]{0,63}", "biot_savart")]
Text = Annotated[str, Field(min_length=1)]
Note = Annotated[Prose, Field(min_length=1)]


class _Person(HandWritten):
    name: Text
    gender: Text
    family: str = ""
    aliases: tuple[Text, ...] = ()
    attributes: dict[Key, Text] = Field(default_factory=dict)


class _Item(HandWritten):
    item: Text
    question: Text
    context: Text
    people: tuple[_Person, ...] = Field(min_length=1)
    source: Note


class EponymousFile(HandWritten):
    """The content of eponymous/NAME.yaml."""

    format: Literal[1]
    language: Language
    about: Prose = ""
    items: dict[Key, _Item] = Field(min_length=1)


def read_eponymous(file: Path, origin: str, attribute: str) -> tuple[SourceQuestion, ...]:
    """Return the questions of ``file``.

    Raises WordListError with the line for a text that is not well-formed, for a name that is repeated or does
    not contain its family name, and if no person has ``attribute``.
    """
    written, located = read_model(file, EponymousFile, WordListError)
    rules = mention_rules(written.language) or MentionRules()
    questions: list[SourceQuestion] = []
    known: dict[str, None] = {}
    for key, item in written.items.items():
        place = Place(file, located, ("items", key))
        for name in ("item", "question", "context"):
            place.inside(name).text(getattr(item, name))
        people: dict[str, SourcePerson] = {}
        for person in item.people:
            here = place.inside("people")
            if name_key(person.name) in people:
                raise here.error(f"the name {person.name!r} is repeated", "write each person once")
            if name_parts(here.text(person.name), person.family, rules) is None:
                raise here.error(
                    f"{person.name!r} does not begin or end with its family name {person.family!r}",
                    "write the family name as it is in the name",
                )
            attributes = {"gender": person.gender, **person.attributes}
            known.update(dict.fromkeys(attributes))
            people[name_key(person.name)] = SourcePerson(
                person.name, attributes, person.family, person.aliases
            )
        questions.append(
            SourceQuestion(
                written.language,
                item.item,
                item.question,
                item.context,
                origin,
                key,
                tuple(people.values()),
                file,
                place.line,
            )
        )
    if attribute not in known:
        raise WordListError(
            f"no person has the attribute {attribute!r}, which ambiguity.selectional compares",
            file=file,
            remedy=f"write ambiguity.selectional.group: {next(iter(known), UNKNOWN)}",
        )
    return tuple(questions)
