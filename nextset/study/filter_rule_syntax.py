"""The rules that a study's filter can have: how they are written, what they say in words, what they need.

A rule is a name (``any_wrong``), a name with a number (``{c_at_least: 0.5}``), or rules put together
(``{all_of: [any_wrong, {margin_below: 0.2}]}``). `nextset.filtering.rules` applies them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_serializer, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from nextset.files.yaml_checks import HandWritten

__all__ = [
    "AfliteSettings",
    "Boundaries",
    "FilterRule",
    "Form",
    "boundaries",
    "checked",
    "votes_needed",
    "words",
]

Form = Literal["nli", "question", "statement"]
"""What is filtered: NLI items, question quads, masked statements."""

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
Named = Literal[True] | None


class AfliteSettings(HandWritten):
    """aflite: what linear probes on frozen features predict too well is left out (Le Bras et al. 2020)."""

    target: int = Field(ge=2, strict=True)
    """n: items that stay, the test items that take part among them."""
    partitions: int = Field(default=64, ge=1, strict=True)
    """m: random partitions, and probes, in each round."""
    train: int = Field(ge=1, strict=True)
    """t: items that each probe is trained on; fewer than the target."""
    slice: int = Field(ge=1, strict=True)
    """k: the most items left out in a round."""
    threshold: float = Field(default=0.75, ge=0, le=1)
    """τ: an item is left out only when so large a share of the probes, or larger, has its label right."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the partitions."""

    @model_validator(mode="after")
    def _fits(self) -> AfliteSettings:
        if self.train >= self.target:
            raise ValueError(f"train must be less than the target of {self.target}; it is {self.train}")
        if self.slice > self.target:
            raise ValueError(f"slice must not be more than the target of {self.target}; it is {self.slice}")
        return self


class FilterRule(HandWritten):
    """filter.rule: which candidates are kept. Exactly one of these keys, or the name of one alone."""

    any_wrong: Named = None
    """At least one model is wrong."""
    majority_wrong: Named = None
    """More than half of the models are wrong."""
    all_wrong: Named = None
    """Every model is wrong."""
    at_least_wrong: int | None = Field(default=None, ge=1, strict=True)
    """So many models are wrong, or more."""
    margin_below: Share | None = None
    """The two most probable labels of at least one model are closer than this."""
    disagreement: Named = None
    """The models do not all give the same label."""
    c_at_least: Share | None = None
    """|C| of at least one model is this or more (UnQover, equation 6)."""
    sign_consistent: Named = None
    """C has the same sign for every model."""
    answer_differs: Named = None
    """At least one model answers differently when the subjects change places."""
    all_of: Annotated[tuple[FilterRule, ...], Field(min_length=2)] | None = None
    """Each of these rules."""
    any_of: Annotated[tuple[FilterRule, ...], Field(min_length=2)] | None = None
    """At least one of these rules."""
    aflite: AfliteSettings | None = None
    """AFLite; it chooses a set and stands alone."""

    @model_validator(mode="before")
    @classmethod
    def _name(cls, given: Any) -> Any:
        """A rule's name alone is a rule."""
        if not isinstance(given, str):
            return given
        if given in _WITH_VALUE:
            raise ValueError(f"{given} needs more: write {{{given}: …}}")
        return {given: True}

    @model_validator(mode="after")
    def _one(self) -> FilterRule:
        if len(self.model_fields_set) != 1 or self.value is None:
            raise ValueError("one rule, please; put several together with all_of or any_of")
        return self

    @model_serializer
    def written(self) -> str | dict[str, Any]:
        """The rule as study.yaml has it."""
        if self.value is True:
            return self.name
        if isinstance(self.value, tuple):
            return {self.name: [rule.written() for rule in self.value]}
        if isinstance(self.value, AfliteSettings):
            return {self.name: self.value.model_dump()}
        return {self.name: self.value}

    @property
    def name(self) -> str:
        """Which rule it is."""
        return next(iter(self.model_fields_set))

    @property
    def value(self) -> Any:
        """The rule's number, rules or settings; True for a name alone."""
        return getattr(self, self.name)

    @property
    def parts(self) -> tuple[FilterRule, ...]:
        """The rules that it puts together; none for a plain one."""
        return self.value if isinstance(self.value, tuple) else ()

    def walk(self, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], FilterRule]]:
        """This rule and all in it, each with the keys that lead to it."""
        yield at, self
        for i, part in enumerate(self.parts):
            yield from part.walk((*at, self.name, i))


_WITH_VALUE = ("at_least_wrong", "margin_below", "c_at_least", "all_of", "any_of", "aflite")
_LABELS = (
    "any_wrong",
    "majority_wrong",
    "all_wrong",
    "at_least_wrong",
    "margin_below",
    "disagreement",
    "aflite",
)
"""Rules that go by labels: for NLI items."""
_SUBJECTS = ("c_at_least", "sign_consistent", "answer_differs")
"""Rules that compare two subjects: for questions and statements."""


def checked(rule: FilterRule, form: Form, models: int, *, cascade: bool) -> FilterRule:
    """``rule``, when it can be applied to rows of this form with so many models.

    Raises ValidationError at the part that cannot.
    """
    for at, part in rule.walk():
        problem = _problem(part, form, models, nested=bool(at))
        if problem:
            raise _refused(problem, (*at, part.name) if part.value is not True else at, part)
    if cascade and votes_needed(rule, models) is None:
        raise _refused("a cascade needs a rule that counts wrong models, such as any_wrong", (), rule)
    return rule


def _problem(rule: FilterRule, form: Form, models: int, *, nested: bool) -> str:
    if rule.name in _LABELS and form != "nli":
        return f"{rule.name} is for NLI items; for {form}s there are {', '.join(_SUBJECTS)}"
    if rule.name in _SUBJECTS and form == "nli":
        return f"{rule.name} is for questions and statements, which have two subjects"
    if rule.name == "at_least_wrong" and rule.value > models:
        return f"{rule.value} wrong models are more than the {models} that filter"
    if rule.name == "disagreement" and models < 2:
        return "disagreement needs two models that filter, or more"
    if rule.name == "aflite" and nested:
        return "aflite chooses a set, not single items: it stands alone"
    return ""


def _refused(problem: str, at: tuple[str | int, ...], rule: FilterRule) -> ValidationError:
    error = PydanticCustomError("filter_rule", "{problem}", {"problem": problem})
    shown = rule.value if isinstance(rule.value, int | float) and rule.value is not True else rule.written()
    details = InitErrorDetails(type=error, loc=at, input=shown)
    return ValidationError.from_exception_data("FilterRule", [details])


def votes_needed(rule: FilterRule, models: int) -> int | None:
    """The wrong models, of so many, that it takes to keep an item; None for a rule that counts no votes."""
    counts = {
        "any_wrong": 1,
        "majority_wrong": models // 2 + 1,
        "all_wrong": models,
        "at_least_wrong": rule.at_least_wrong,
    }
    return counts.get(rule.name)


@dataclass(frozen=True)
class Boundaries:
    """Where a little more or less in a score would change what the rule decides."""

    labels: bool = False
    """Where two labels tie."""
    margins: tuple[float, ...] = ()
    """Where the margin between a model's two most probable labels is one of these."""
    c_levels: tuple[float, ...] = ()
    """Where |C| is one of these; 0 where the sign of C counts."""
    answers: bool = False
    """Where two subjects tie as the answer to a question."""


def boundaries(rule: FilterRule) -> Boundaries:
    """The boundaries of ``rule``: scores near one of them are to be exact."""
    rules = [part for _, part in rule.walk()]
    named = {part.name for part in rules}
    return Boundaries(
        labels=bool(named & set(_LABELS)),
        margins=tuple(sorted({p.margin_below for p in rules if p.margin_below is not None})),
        c_levels=tuple(
            sorted(
                {p.c_at_least for p in rules if p.c_at_least is not None}
                | ({0.0} if "sign_consistent" in named else set())
            )
        ),
        answers="answer_differs" in named,
    )


_THING: dict[Form, str] = {"nli": "an item", "question": "a question", "statement": "a statement"}


def words(rule: FilterRule, form: Form = "nli") -> str:
    """What ``rule`` says, as a sentence without its full stop."""
    if rule.aflite is not None:
        a = rule.aflite
        return (
            "an item is left out when linear probes on a model's frozen features predict its label too well "
            f"(AFLite, Le Bras et al. 2020: target {a.target}, {a.partitions} partitions, training size "
            f"{a.train}, slice {a.slice}, threshold {a.threshold:g}, seed {a.seed})"
        )
    return f"{_THING[form]} is kept when {_clause(rule, form)}"


def _clause(rule: FilterRule, form: Form) -> str:
    if rule.parts:
        inner = [f"({_clause(p, form)})" if p.parts else _clause(p, form) for p in rule.parts]
        return (" and " if rule.name == "all_of" else " or ").join(inner)
    return {
        "any_wrong": "at least one of the models gets it wrong",
        "majority_wrong": "more than half of the models get it wrong",
        "all_wrong": "every model gets it wrong",
        "at_least_wrong": f"at least {rule.value} of the models get it wrong",
        "margin_below": "the two most probable labels of at least one model are less than "
        f"{rule.value:g} apart",
        "disagreement": "the models do not all give it the same label",
        "c_at_least": f"at least one model prefers a subject with |C| of {rule.value:g} or more",
        "sign_consistent": "every model prefers the same subject (C has the same sign)",
        "answer_differs": "at least one model answers differently when the subjects change places"
        if form == "question"
        else "at least one model chooses differently when the subjects change places",
    }[rule.name]
