"""The reader of the templates of choices in a language pack, which checks everything before it expands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from nextset.errors import examples
from nextset.files.yaml_values import WrongValue
from nextset.generation.questions.pack_choices.choice_forms import with_forms
from nextset.generation.questions.pack_choices.choice_groups import NamedGroups, named_groups
from nextset.generation.questions.pack_choices.choice_pieces import (
    ChoicePiece,
    parsed_text,
    with_gender,
    words_in,
)
from nextset.generation.questions.pack_choices.choice_schema import ChoiceTemplate, NeutralTemplate
from nextset.generation.questions.pack_choices.choice_template import (
    AskedPeople,
    ChoiceTexts,
    PackChoices,
    ResolvedChoice,
)
from nextset.generation.questions.pack_choices.option_check import check_options
from nextset.generation.questions.pack_choices.text_checks import check_texts
from nextset.generation.questions.pack_choices.written_choices import (
    WrittenChoices,
    wordings_of_unknown,
    written_choices,
)
from nextset.generation.questions.pack_schema import PackFile
from nextset.generation.questions.pack_text_check import Place
from nextset.generation.questions.question_set import Subject
from nextset.generation.slots import Features, Run, SlotError, genders

__all__ = ["read_choices"]

_DOCS = "see docs/how_to/choice_templates.md for slots, words and masks"


def read_choices(
    folder: Path, head: PackFile, read_list: Callable[[Path], Sequence[Subject]]
) -> PackChoices | None:
    """Read the templates of choices of the pack in ``folder``, without its sound rules; None without any.

    ``head`` is pack.yaml, and ``read_list`` reads a list of subjects. Raises WordListError.
    """
    files, unknown = written_choices(folder, read_list)
    if unknown is None:
        return None
    wordings = wordings_of_unknown(unknown)
    templates = tuple(t for one in files for t in _templates(one, head, wordings))
    read = dict.fromkeys(path for one in files for path in (one.file, *one.lists))
    return PackChoices(
        language=head.language,
        join=head.join,
        templates=templates,
        unknown=wordings,
        rules=(),
        rule_names=(),
        files=(*read, unknown),
    )


def _templates(one: WrittenChoices, head: PackFile, unknown: Sequence[str]) -> Iterator[ResolvedChoice]:
    every: Sequence[tuple[str, Mapping[str, ChoiceTemplate | NeutralTemplate]]] = (
        ("templates", one.written.templates),
        ("controls", one.written.controls),
    )
    for key, written in every:
        for name, template in written.items():
            place = one.place.inside(key, name)
            for resolved in _resolved(name, template, one, place, head):
                check_options(resolved, head.language, unknown, place)
                yield resolved


def _resolved(
    name: str,
    template: ChoiceTemplate | NeutralTemplate,
    one: WrittenChoices,
    place: Place,
    head: PackFile,
) -> Iterator[ResolvedChoice]:
    """Yield ``template`` once per gender that it is written for."""
    texts, of_genders = _texts(template, one, place, frozenset(head.defaults))
    check_texts(texts, template, place)
    lists = _lists(template, texts, place)
    people = (*one.subjects, *one.names)
    groups = named_groups(template, people, one.written.groups.crossed, place)
    for gender in of_genders:
        agreed = ChoiceTexts(*(with_gender(text, gender) for text in texts.all))
        asked = AskedPeople(
            with_forms(one.subjects, agreed, gender, head, place, names=False),
            with_forms(one.names, agreed, gender, head, place, names=True),
        )
        yield ResolvedChoice(
            id=f"{name}.{gender}" if gender else name,
            name=name,
            file=place.file,
            line=place.line,
            category=one.written.category,
            subcategory=place.inside("subcategory").text(template.subcategory),
            stereotype=_prose(template, "stereotype", place),
            source=_prose(template, "source", place) or None,
            target=groups.target,
            targets=groups.targets,
            against=groups.against,
            along=groups.along,
            gender=gender,
            texts=agreed,
            people=_compared(asked, groups, place),
            words=lists,
            listed=tuple(template.words),
        )


def _prose(template: ChoiceTemplate | NeutralTemplate, key: str, place: Place) -> str:
    text: str = getattr(template, key, "")
    return place.inside(key).text(" ".join(text.split()))


def _texts(
    template: ChoiceTemplate | NeutralTemplate, one: WrittenChoices, place: Place, defaults: Features
) -> tuple[ChoiceTexts, tuple[str, ...]]:
    """Return the texts of ``template``, and the genders that it is written for."""
    neutral = isinstance(template, NeutralTemplate)
    questions = ("question", "opposite") if neutral else ("negative", "non_negative")
    keys = ("ambiguous", "disambiguating", *questions)
    parsed = [_parsed(getattr(template, key), place.inside(key), defaults) for key in keys]
    own = template.options is not None
    option = template.options or one.written.options or "[subj1]"
    parsed.append(_parsed(option, (place if own else one.place).inside("options"), defaults))
    texts = ChoiceTexts(*parsed)
    try:
        return texts, genders(tuple(p for p in text if isinstance(p, Run)) for text in texts.all)
    except SlotError as e:
        raise place.error(str(e), _DOCS) from None


def _parsed(text: str, place: Place, defaults: Features) -> tuple[ChoicePiece, ...]:
    try:
        return parsed_text(place.text(text), defaults)
    except SlotError as e:
        raise place.error(str(e), _DOCS) from None
    except WrongValue as e:
        raise place.error(str(e), e.remedy) from None


def _lists(
    template: ChoiceTemplate | NeutralTemplate, texts: ChoiceTexts, place: Place
) -> dict[str, tuple[str, ...]]:
    """Return the lists of words that the texts use, by name, sorted; raises WordListError."""
    here = place.inside("words")
    for name, words in template.words.items():
        for word in words:
            inside = here.inside(name)
            if any(c in inside.text(word) for c in "[]{}"):
                raise inside.error(f"the word {word!r} contains a bracket", "write words without slots")
        if len(set(words)) < len(words):
            raise here.inside(name).error(f"a word of {name} is listed twice", "remove one of the two")
    used = {name for text in texts.all for name in words_in(text)}
    for name in sorted(used - set(template.words)):
        known = examples(template.words, 12) if template.words else "none is listed"
        raise place.error(
            f"{{{{{name}}}}} is not a list of the template ({known})", f"add words: {{{name}: [WORD, WORD]}}"
        )
    return {name: template.words[name] for name in sorted(used)}


def _compared(people: AskedPeople, groups: NamedGroups, place: Place) -> AskedPeople:
    """Return ``people``; raises WordListError if no two of them can be compared."""
    for listed in (people.subjects, people.names):
        clusters = {s.cluster for s in listed}
        if len(clusters) > 1 and (not groups.targets or any(s.name in groups.targets for s in listed)):
            return people
    raise place.error(
        "no two people of different groups fit the template", "check the lists, their genders and target"
    )
