"""The syntax of a study's filter rule, its description as text, and the models and scores that it needs.

A rule is a name (``any_wrong``), a name with a number (``{c_at_least: 0.5}``), or a combination of rules
(``{all_of: [any_wrong, {margin_below: 0.2}]}``). `nextset.filtering.rules` applies them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    model_serializer,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from nextset.counted import counted
from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue

__all__ = [
    "AfliteSettings",
    "Boundaries",
    "FilterRule",
    "Form",
    "boundaries",
    "check_rule",
    "rule_text",
    "votes_needed",
]

Form = Literal["nli", "question", "statement"]
"""The form of the candidates: NLI items, question quads or masked statements."""

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]


def _without_value(given: Any, info: ValidationInfo) -> Any:
    if given is True or given is None:
        return given
    counted = " Write {at_least_wrong: 2} for a number of models." if "wrong" in str(info.field_name) else ""
    raise WrongValue(f"{info.field_name} takes no value", f"write rule: {info.field_name}.{counted}")


Named = Annotated[Literal[True] | None, BeforeValidator(_without_value)]


class AfliteSettings(HandWritten):
    """aflite: reject items that linear probes on frozen features predict too well (Le Bras et al. 2020)."""

    target: int = Field(ge=2, strict=True)
    """n: the number of items to keep, including test items that take part."""
    partitions: int = Field(default=64, ge=1, strict=True)
    """m: the number of random partitions, each with a probe, per round."""
    train: int = Field(ge=1, strict=True)
    """t: the number of items that each probe is trained on; less than the target."""
    slice: int = Field(ge=1, strict=True)
    """k: the most items that are rejected per round."""
    threshold: float = Field(default=0.75, ge=0, le=1, strict=True)
    """τ: an item is rejected only if at least this share of the probes predicts its label correctly."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the partitions."""

    @model_validator(mode="after")
    def _fits(self) -> AfliteSettings:
        if self.train >= self.target:
            least = f"train must be less than the target of {self.target}; it is {self.train}"
            raise WrongValue(least, f"write train: {self.target // 2}")
        if self.slice > self.target:
            most = f"slice must not be more than the target of {self.target}; it is {self.slice}"
            raise WrongValue(most, f"write slice: {self.target}")
        return self


class FilterRule(HandWritten):
    """filter.rule: the candidates that are kept. Exactly one of these keys, or only its name."""

    any_wrong: Named = None
    """At least one model is wrong."""
    majority_wrong: Named = None
    """More than half of the models are wrong."""
    all_wrong: Named = None
    """Every model is wrong."""
    at_least_wrong: int | None = Field(default=None, ge=1, strict=True)
    """At least this many models are wrong."""
    same_wrong: int | None = Field(default=None, ge=2, strict=True)
    """At least this many models give the same wrong label."""
    margin_below: Share | None = None
    """The probabilities of the two most probable labels of at least one model differ by less than this."""
    disagreement: Named = None
    """The models do not all give the same label."""
    lowest_neutral: Share | None = None
    """The models' mean probability of neutral is in the lowest share of this size."""
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
    """AFLite, which selects a set and cannot be combined with other rules."""

    @model_validator(mode="before")
    @classmethod
    def _name(cls, given: Any) -> Any:
        """Accept the name of a rule without a value."""
        if isinstance(given, dict | FilterRule):
            return given
        if isinstance(given, list):
            raise WrongValue(
                "a list does not say whether one or all of its rules must hold",
                "write {all_of: [RULE, RULE]}, or any_of, around the rules",
            )
        if not isinstance(given, str):
            raise WrongValue(
                "it is not a rule",
                "write the name of a rule, such as majority_wrong; docs/how_to/filtering.md lists them",
            )
        if given in _WITH_VALUE:
            raise WrongValue(f"{given} needs a value", f"write rule: {{{given}: VALUE}}")
        return {given: True}

    @model_validator(mode="after")
    def _one(self) -> FilterRule:
        if len(self.model_fields_set) != 1 or self.value is None:
            raise WrongValue(
                "there must be exactly one rule", "combine several: {all_of: [RULE, RULE]}, or any_of"
            )
        return self

    @model_serializer
    def written(self) -> str | dict[str, Any]:
        """Return the rule as written in study.yaml."""
        if self.value is True:
            return self.name
        if isinstance(self.value, tuple):
            return {self.name: [rule.written() for rule in self.value]}
        if isinstance(self.value, AfliteSettings):
            return {self.name: self.value.model_dump()}
        return {self.name: self.value}

    @property
    def name(self) -> str:
        """The rule's name."""
        return next(iter(self.model_fields_set))

    @property
    def value(self) -> Any:
        """The rule's number, rules or settings; True for a name without a value."""
        return getattr(self, self.name)

    @property
    def parts(self) -> tuple[FilterRule, ...]:
        """The rules that it combines; none for a single rule."""
        return self.value if isinstance(self.value, tuple) else ()

    def subrules(self, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], FilterRule]]:
        """Yield this rule and all rules in it, each with the keys that lead to it."""
        yield at, self
        for i, part in enumerate(self.parts):
            yield from part.subrules((*at, self.name, i))


_WITH_VALUE = (
    *("at_least_wrong", "same_wrong", "margin_below", "lowest_neutral", "c_at_least"),
    *("all_of", "any_of", "aflite"),
)
_LABELS = (
    "any_wrong",
    "majority_wrong",
    "all_wrong",
    "at_least_wrong",
    "same_wrong",
    "margin_below",
    "disagreement",
    "lowest_neutral",
    "aflite",
)
"""Rules about labels, for NLI items."""
_SUBJECTS = ("c_at_least", "sign_consistent", "answer_differs")
"""Rules that compare two subjects, for questions and statements."""
_VOTES = ("any_wrong", "majority_wrong", "all_wrong", "at_least_wrong")
"""Rules that count wrong models."""
_LEAST = {"at_least_wrong": 1, "same_wrong": 2}
"""The least numbers of models that rules can name."""


def check_rule(rule: FilterRule, form: Form, models: int, *, cascade: bool) -> FilterRule:
    """Return ``rule`` if it can be applied to rows of this form with this number of models.

    Raises ValidationError at the part that cannot be applied.
    """
    for at, part in rule.subrules():
        problem = _problem(part, form, models, nested=bool(at))
        if problem is not None:
            raise _refused(problem, (*at, part.name) if part.value is not True else at, part)
    if cascade and votes_needed(rule, models) is None:
        needed = "a cascade needs a rule that counts wrong models"
        raise _refused(WrongValue(needed, f"write one of {', '.join(_VOTES)}, or cascade: false"), (), rule)
    return rule


def _problem(rule: FilterRule, form: Form, models: int, *, nested: bool) -> WrongValue | None:
    if rule.name in _LABELS and form != "nli":
        problem = f"{rule.name} is for NLI items, but the candidates are {form}s"
        return WrongValue(problem, f"write one of {', '.join(_SUBJECTS)}")
    if rule.name in _SUBJECTS and form == "nli":
        problem = f"{rule.name} is for questions and statements, which have two subjects"
        return WrongValue(problem, f"write one of {', '.join(_LABELS)}")
    if rule.name in ("at_least_wrong", "same_wrong") and rule.value > models:
        same = " with the same wrong label" if rule.name == "same_wrong" else ""
        problem = (
            f"{rule.value} models{same} are more than the {counted(models, 'filter models', 'filter model')}"
        )
        fewer = f"write {models} or less, or " if models >= _LEAST[rule.name] else ""
        return WrongValue(problem, f"{fewer}add filter models")
    if rule.name == "disagreement" and models < 2:
        return WrongValue("disagreement needs at least two filter models", "write any_wrong, or add a model")
    if rule.name == "aflite" and nested:
        problem = "aflite selects a set, not single items: it cannot be combined with other rules"
        return WrongValue(problem, "remove the other rules, or aflite")
    return None


def _refused(problem: WrongValue, at: tuple[str | int, ...], rule: FilterRule) -> ValidationError:
    error = PydanticCustomError("filter_rule", "{error}", {"error": problem})
    shown = rule.value if isinstance(rule.value, int | float) and rule.value is not True else rule.written()
    details = InitErrorDetails(type=error, loc=at, input=shown)
    return ValidationError.from_exception_data("FilterRule", [details])


def votes_needed(rule: FilterRule, models: int) -> int | None:
    """Return how many of ``models`` must be wrong to keep an item; None if the rule does not count votes."""
    counts = {
        "any_wrong": 1,
        "majority_wrong": models // 2 + 1,
        "all_wrong": models,
        "at_least_wrong": rule.at_least_wrong,
    }
    return counts.get(rule.name)


@dataclass(frozen=True)
class Boundaries:
    """The points at which a small change of a score would change the rule's decision."""

    labels: bool = False
    """True if a tie between two labels matters."""
    margins: tuple[float, ...] = ()
    """The margins between a model's two most probable labels that matter."""
    neutral: bool = False
    """True if the rounding of the probability of neutral to hundredths matters."""
    c_levels: tuple[float, ...] = ()
    """The values of |C| that matter; 0 if the sign of C counts."""
    answers: bool = False
    """True if a tie between two subjects as the answer to a question matters."""


def boundaries(rule: FilterRule) -> Boundaries:
    """Return the boundaries of ``rule``; scores near one of them must be exact."""
    rules = [part for _, part in rule.subrules()]
    named = {part.name for part in rules}
    return Boundaries(
        labels=bool(named & set(_LABELS)),
        margins=tuple(sorted({p.margin_below for p in rules if p.margin_below is not None})),
        neutral="lowest_neutral" in named,
        c_levels=tuple(
            sorted(
                {p.c_at_least for p in rules if p.c_at_least is not None}
                | ({0.0} if "sign_consistent" in named else set())
            )
        ),
        answers="answer_differs" in named,
    )


_THING: dict[Form, str] = {"nli": "an item", "question": "a question", "statement": "a statement"}


def rule_text(rule: FilterRule, form: Form = "nli") -> str:
    """Return ``rule`` as a sentence without its full stop."""
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
        "same_wrong": f"at least {rule.value} of the models give it the same wrong label",
        "margin_below": "the two most probable labels of at least one model are less than "
        f"{rule.value:g} apart",
        "lowest_neutral": "the models' mean probability of neutral is among the lowest "
        f"{100 * rule.value:g} % of the candidates",
        "disagreement": "the models do not all give it the same label",
        "c_at_least": f"at least one model prefers a subject with |C| of {rule.value:g} or more",
        "sign_consistent": "every model prefers the same subject (C has the same sign)",
        "answer_differs": "at least one model answers differently when the subjects change places"
        if form == "question"
        else "at least one model chooses differently when the subjects change places",
    }[rule.name]
