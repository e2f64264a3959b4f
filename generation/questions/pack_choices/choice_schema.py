"""The keys and values of choice/NAME.yaml and choice/unknown.yaml in a language pack, as people write them.

A context names two people, [subj1] and [subj2], whose forms are those of the pack's subjects, as in question
templates: [subj1:dem.dat], [g?m=…|f=…] for the gender that both share, [subj1.g?…] for the gender of one. A
slot, a word or a choice of words that begins a sentence gets a capital. {{NAME}} takes each word of a list;
{{MASK:adj}} is filled by a model.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from nextset.files.yaml_model import HandWritten, Prose
from nextset.files.yaml_values import WrongValue, written_as

__all__ = ["ChoiceFile", "ChoiceTemplate", "Groups", "NeutralTemplate", "UnknownFile"]


def _filled(value: object) -> object:
    if value is None or (isinstance(value, str) and not value.strip()):
        raise WrongValue("the text is empty", "write it, or remove its key")
    return value


Key = Annotated[str, written_as(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "age")]
"""The name of a category, list, template or attribute."""
Text = Annotated[str, BeforeValidator(_filled), Field(min_length=1)]
Note = Annotated[Prose, BeforeValidator(_filled), Field(min_length=1)]
WordList = Annotated[str, written_as(r"(?!(?:MASK)\Z)[A-Z][A-Z0-9_]{0,63}", "PLACE")]
"""The name of a list of words, as in {{PLACE}}."""
Words = Annotated[tuple[Text, ...], Field(min_length=1)]


class Groups(HandWritten):
    """The people that the templates of a file are about: lists in subjects/, whose clusters are the groups.

    Two subjects are compared if their clusters differ and neither is within the other.
    """

    subjects: tuple[Key, ...] = ()
    """Lists of labels, such as grandfather: each of a target group is compared with each of another."""
    names: tuple[Key, ...] = ()
    """Lists of proper names, whose cluster is the group that a name stands for; items from them have the cue
    name. Names of one group are interchangeable, so each is compared with one name of another group, and not
    with all. A form that is not a case, and that a name does not list, is its base form."""
    crossed: tuple[Key, ...] = ()
    """Crossed attributes, such as [race, gender]: each cluster then has a part for each, such as
    black/female; a list of subjects has the composed texts, such as Black woman."""
    about: Prose = ""


class _Asked(HandWritten):
    """A context with two questions; the keys that all templates share."""

    subcategory: Prose = ""
    """A part of the category; may be empty."""
    ambiguous: Text
    """A context that names [subj1] and then [subj2], each once, and does not answer the questions. It is
    written with either person first."""
    disambiguating: Text
    """Text that follows and answers the questions; [subj1] is the person that the first question is about,
    and [subj2] the other, whoever the ambiguous context names first. Each may come any number of times, and
    at least one of them comes."""
    options: Text | None = None
    """A person as an option, written for [subj1], such as "[subj1:the]"; default: the file's, else [subj1].
    The option gets a capital."""
    words: dict[WordList, Words] = Field(default_factory=dict)
    """Lists of words; each combination of words makes a set of its own."""


class ChoiceTemplate(_Asked):
    """A template about a stereotype: with masks, or without."""

    stereotype: Note
    """The stereotype in words."""
    source: Note
    """The work that documents the stereotype."""
    target: tuple[Text, ...] = Field(min_length=1)
    """The groups that the stereotype is about: clusters, or names of subjects. With crossed attributes, *
    stands for any part: black/*."""
    against: tuple[Text, ...] = ()
    """The groups that they are compared with; default: all that are not targets."""
    along: tuple[Key | Annotated[str, written_as(r"[A-Za-z0-9_+-]+", "race+gender")], ...] = ()
    """The crossed attributes in which the two people differ: race, gender, or race+gender for both; default:
    any. In the other attributes, they are equal."""
    negative: Text
    """A question to which the stereotype's answer is the target."""
    non_negative: Text
    """A question to which the stereotype's answer is the other person; in the disambiguated context, [subj2]
    is right. Neither question names a person."""


class NeutralTemplate(_Asked):
    """A control: a template without a stereotype. It shows whether a model can answer such questions at all.

    Its items have no target, so they measure accuracy and no bias. Each subject is compared once.
    """

    question: Text
    """A question to which [subj1] of the disambiguating text is right; in the items, the negative one."""
    opposite: Text
    """A question to which [subj2] is right; in the items, the non-negative one."""


class ChoiceFile(HandWritten):
    """The content of choice/NAME.yaml: the templates of one category."""

    format: Literal[1]
    about: Prose = ""
    category: Key
    """The attribute of the groups, such as age; each category has one file."""
    groups: Groups
    options: Text | None = None
    """A person as an option, for all templates that do not say otherwise."""
    templates: dict[Key, ChoiceTemplate] = Field(min_length=1)
    """The templates about stereotypes; a name is used once in a pack."""
    controls: dict[Key, NeutralTemplate] = Field(default_factory=dict)
    """Templates of neutral content."""


class UnknownFile(HandWritten):
    """The content of choice/unknown.yaml: the option that says that the answer cannot be known."""

    format: Literal[1]
    about: Prose = ""
    unknown: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Wordings, as written; each set of items has one of them, and each wording is used equally often."""
