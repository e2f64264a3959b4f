"""The filter rule as it is written in study.yaml, and the table of the kinds of rules.

A rule is a name (``any_wrong``), a name with a value (``{c_at_least: 0.5}``), or a combination of rules
(``{all_of: [any_wrong, {margin_below: 0.2}]}``). Each kind of rule is one class of the table `RULES`, which
checks and describes the rule; nextset's own are in `nextset.filtering.rules`.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol, cast

from pydantic import (
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue
from nextset.forms import FORMS, FormName
from nextset.open_table import OpenTable
from nextset.own_code import is_own_code

__all__ = [
    "RIGHT",
    "RULES",
    "RULE_WORDS",
    "Boundaries",
    "FilterRule",
    "FilteredForm",
    "RuleKind",
    "Share",
    "check_rule",
    "rule_text",
]

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False, strict=True)]
"""A value of a rule: a number in (0, 1]."""


def _without_value(given: Any, info: ValidationInfo) -> Any:
    if given is True or given is None:
        return given
    counted = " Write {at_least_wrong: 2} for a number of models." if "wrong" in str(info.field_name) else ""
    raise WrongValue(f"{info.field_name} takes no value", f"write rule: {info.field_name}.{counted}")


RIGHT = "right"
"""The kind of answers of every form whose rows have right answers (`RuleKind.answers`)."""

_READ_FROM = {
    "labels": "NLI items",
    "choices": "choice items",
    "subjects": "questions and statements, which have two subjects",
    RIGHT: "rows with right answers, such as NLI items",
}
"""The rows of each kind of answers, as text."""

_WITHOUT_VALUE = Annotated[Literal[True] | None, BeforeValidator(_without_value)]
"""The value of a rule that is only a name."""


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

    def __or__(self, other: Boundaries) -> Boundaries:
        """Return the boundaries of both, each once and in order."""
        return Boundaries(
            self.labels or other.labels,
            tuple(sorted({*self.margins, *other.margins})),
            self.neutral or other.neutral,
            tuple(sorted({*self.c_levels, *other.c_levels})),
            self.answers or other.answers,
        )


class FilteredForm(Protocol):
    """The part of a form of candidates that the words and the checks of rules need."""

    answers: str
    """The kind of the models' answers, which rules read: labels, choices, or subjects."""
    right_answers: bool
    """True if the rows have right answers."""
    answer: str
    """The name of an answer in a sentence, such as label."""
    row: str
    """A row in a sentence, such as an item."""
    replies: str
    """The verb for a model's answer, such as answers or chooses."""


RULE_WORDS: OpenTable[FilteredForm] = OpenTable("nextset.forms.filtering", "form of candidates")
"""The words of the forms that a filter can choose from, which checks and texts of rules use.

They are the parts of `nextset.filtering.forms.filter_form.FILTERING_FORMS`, which the settings of a study
cannot import: the filter reads the settings.
"""


class RuleKind(ABC):
    """A kind of filter rule: its name, its value, its words. An object of the class is a rule with its value.

    The first sentence of a subclass's docstring says which rows the rule keeps; the reference of study.yaml
    has it. `nextset.filtering.rules.rule_base.Rule` adds the decision.
    """

    name: str
    """The rule's name in study.yaml."""
    value_type: ClassVar[Any] = _WITHOUT_VALUE
    """The type of the value, which pydantic checks; by default the rule is only a name."""
    answers: ClassVar[str] = ""
    """The kind of answers that the rule reads (`FilteredForm`): labels, choices, subjects, or `RIGHT`; empty
    for all kinds."""
    rank: ClassVar[int] = 100
    """The rule's place in lists of rules; those with the same rank follow in alphabetical order."""
    single: ClassVar[bool] = False
    """True if the rule selects a set, so that it cannot be combined with other rules."""
    votes: ClassVar[bool] = False
    """True if the rule counts wrong models, so that a cascade can stop early."""

    def __init__(self, value: Any = True) -> None:
        self.value = value

    @property
    @abstractmethod
    def boundaries(self) -> Boundaries:
        """The boundaries of the rule; scores near one of them must be exact."""

    @property
    def parts(self) -> tuple[RuleKind, ...]:
        """The rules that it combines; none for a single rule."""
        return ()

    @abstractmethod
    def clause(self, form: FilteredForm) -> str:
        """Return the condition for keeping a row, as a clause after "is kept when"."""

    def text(self, form: FilteredForm) -> str:
        """Return the rule as a sentence without its full stop."""
        return f"{form.row} is kept when {self.clause(form)}"

    def votes_needed(self, models: int) -> int | None:
        """Return how many of ``models`` must be wrong to keep a row; None if the rule counts no votes."""
        return None

    def problem(self, models: int) -> WrongValue | None:
        """Return the reason why the rule does not fit this number of filter models; None if it does."""
        return None

    def misfit(self, form: str) -> str:
        """Return the problem of candidates of ``form`` whose answers the rule does not read."""
        return f"{self.name} is for {_READ_FROM[self.answers]}, but the candidates are {FORMS[form].noun}"


RULES: OpenTable[Any] = OpenTable("nextset.rules", "filter rule")
"""The rules of nextset and of installed packages: subclasses of `RuleKind`, or functions."""


class _RuleKeys(HandWritten):
    """filter.rule as keys; a subclass has the keys of some rules."""

    @model_validator(mode="before")
    @classmethod
    def _name(cls, given: Any) -> Any:
        """Accept the name of a rule without a value."""
        if isinstance(given, dict):
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
        if is_own_code(given):
            raise WrongValue(f"{given} is a function in a file", f"write rule: {{own: {given}}}")
        if given in RULES and _value_type(given) is not _WITHOUT_VALUE:
            raise WrongValue(f"{given} needs a value", f"write rule: {{{given}: VALUE}}")
        return {given: True}

    @model_validator(mode="after")
    def _one(self) -> _RuleKeys:
        if len(self.model_fields_set) != 1 or getattr(self, next(iter(self.model_fields_set))) is None:
            raise WrongValue(
                "there must be exactly one rule", "combine several: {all_of: [RULE, RULE]}, or any_of"
            )
        return self


def _value_type(name: str) -> Any:
    """Return the type of the value of the rule ``name``; a function takes no value."""
    return getattr(RULES[name], "value_type", _WITHOUT_VALUE)


def _about(name: str) -> str:
    """Return the sentence about the rule ``name`` for the reference of study.yaml."""
    return (inspect.getdoc(RULES[name]) or "").split("\n\n")[0].replace("\n", " ")


@functools.cache
def _keys_of(names: tuple[str, ...]) -> type[_RuleKeys]:
    """Return the model of filter.rule with the keys ``names``."""
    fields: dict[str, Any] = {n: (_value_type(n) | None, Field(None, description=_about(n))) for n in names}
    return create_model("FilterRule", __base__=_RuleKeys, **fields)


class FilterRule(HandWritten):
    """filter.rule: the candidates that are kept. Exactly one of these keys, or only its name."""

    name: str
    """The rule's name in `RULES`."""
    value: Any = True
    """The rule's number, rules or settings; True for a name without a value."""

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, given: Any, handler: ModelWrapValidatorHandler[FilterRule]) -> FilterRule:
        """Read the rule as it is written; only the named rules are loaded."""
        if isinstance(given, FilterRule):
            return given
        names = given if isinstance(given, dict) else [given] if isinstance(given, str) else []
        keys = _keys_of(tuple(name for name in names if name in RULES)).model_validate(given)
        name = next(iter(keys.model_fields_set))
        return handler({"name": name, "value": getattr(keys, name)})

    @model_serializer
    def written(self) -> str | dict[str, Any]:
        """Return the rule as written in study.yaml."""
        if self.value is True:
            return self.name
        if isinstance(self.value, tuple):
            return {self.name: [rule.written() for rule in self.value]}
        if isinstance(self.value, HandWritten):
            return {self.name: self.value.model_dump()}
        return {self.name: self.value}

    @classmethod
    def keys_in_file(cls) -> dict[str, FieldInfo]:
        """Return the keys of filter.rule: all rules, by rank and name."""
        ranked = sorted(RULES.names, key=lambda name: (getattr(RULES[name], "rank", RuleKind.rank), name))
        return dict(_keys_of(tuple(ranked)).model_fields)

    @property
    def kind(self) -> RuleKind:
        """The rule as an object of its class."""
        kind = RULES[self.name]
        made = kind(self.value) if isinstance(kind, type) else RULES["own"].of_package(self.name, kind)
        return cast("RuleKind", made)

    @property
    def parts(self) -> tuple[FilterRule, ...]:
        """The rules that it combines; none for a single rule."""
        return self.value if isinstance(self.value, tuple) else ()

    def subrules(self, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], FilterRule]]:
        """Yield this rule and all rules in it, each with the keys that lead to it."""
        yield at, self
        for i, part in enumerate(self.parts):
            yield from part.subrules((*at, self.name, i))


def check_rule(rule: FilterRule, form: FormName, models: int, *, cascade: bool) -> FilterRule:
    """Return ``rule`` if it can be applied to rows of this form with this number of models.

    Raises ValidationError at the part that cannot be applied.
    """
    for at, part in rule.subrules():
        problem = _problem(part.kind, form, models, nested=bool(at))
        if problem is not None:
            raise _refused(problem, (*at, part.name) if part.value is not True else at, part)
    if cascade and rule.kind.votes_needed(models) is None:
        votes = ", ".join(name for name, kind in _kinds() if kind.votes)
        needed = "a cascade needs a rule that counts wrong models"
        raise _refused(WrongValue(needed, f"write one of {votes}, or cascade: false"), (), rule)
    return rule


def _kinds() -> list[tuple[str, type[RuleKind]]]:
    """Return the names and classes of rules, by rank and name."""
    kinds = [(name, RULES[name]) for name in FilterRule.keys_in_file()]
    return [(name, kind) for name, kind in kinds if isinstance(kind, type)]


def _problem(rule: RuleKind, form: FormName, models: int, *, nested: bool) -> WrongValue | None:
    fitting = _read_by(RULE_WORDS[form])
    if rule.answers not in fitting:
        names = (name for name, kind in _kinds() if kind.answers in fitting - {""})
        return WrongValue(rule.misfit(form), f"write one of {', '.join(names)}")
    problem = rule.problem(models)
    if problem is not None:
        return problem
    if rule.single and nested:
        text = f"{rule.name} selects a set, not single items: it cannot be combined with other rules"
        return WrongValue(text, f"remove the other rules, or {rule.name}")
    return None


def _read_by(form: FilteredForm) -> set[str]:
    """Return the kinds of answers of rules that can be applied to rows of ``form``."""
    return {"", form.answers, *([RIGHT] if form.right_answers else [])}


def _refused(problem: WrongValue, at: tuple[str | int, ...], rule: FilterRule) -> ValidationError:
    error = PydanticCustomError("filter_rule", "{error}", {"error": problem})
    shown = rule.value if isinstance(rule.value, int | float) and rule.value is not True else rule.written()
    details = InitErrorDetails(type=error, loc=at, input=shown)
    return ValidationError.from_exception_data("FilterRule", [details])


def rule_text(rule: FilterRule, form: FormName) -> str:
    """Return ``rule`` as a sentence without its full stop."""
    return rule.kind.text(RULE_WORDS[form])
