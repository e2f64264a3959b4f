"""Own rules: functions in a file beside a study, or of a package, that return the rows to keep."""

from __future__ import annotations

import dataclasses
import hashlib
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np

from nextset.array_types import Bools, has_masked, is_reordered
from nextset.errors import InputError, StudyError
from nextset.files.yaml_values import written_as
from nextset.filtering.model_answers import Answers
from nextset.filtering.rules.rule_base import Decision, Rule
from nextset.own_code import OWN_CODE, OwnCode, guarded, line_in, own_snapshots, raised, shown, wrong_result
from nextset.records.filter_tables import OwnRuleRow
from nextset.study.filter_rule_settings import RULES, Boundaries, FilteredForm, FilterRule

__all__ = ["FunctionRule", "OwnRule", "RuleFunction", "own_rule_files", "own_rules"]

_ALL = Boundaries(labels=True, c_levels=(0.0,), answers=True)
"""The boundaries of own functions: ties between labels and between subjects."""
EXPECTED = "an array of True and False, one for each row, or (that array, a text with the reason)"


class RuleFunction(Protocol):
    """A filter rule as a function of the answers of all filter models to all rows.

    For NLI items, the answers are a `nextset.filtering.item_answers.ItemAnswers`: ``models``, the names;
    ``probabilities``, shape (models, items, labels), in [0, 1], with the labels entailment, neutral,
    contradiction; ``right``, the position of each item's right label, shape (items,); ``labels``, each
    model's most probable label, and ``wrong``, True if it is wrong, both of shape (models, items). For
    questions and statements, they are a `nextset.filtering.quad_answers.QuadAnswers`: ``models``; ``c``, the
    score C, in [-1, 1], and ``differs``, True if the answer depends on the order of the subjects, both of
    shape (models, rows). For choice items, they are `nextset.filtering.choice_answers.ChoiceAnswers`, with
    ``models``, ``right``, ``wrong`` and ``probabilities`` (of the options in their places) as for NLI items;
    ``chosen``, each model's option, ``biased`` and ``flips``, all of shape (models, items); and
    ``ambiguous``, shape (items,). The arrays cannot be changed.

    All have ``answered``, False where a model did not answer, of shape (models, rows). There, a label is 4,
    an option −1, probabilities sum to less than 1, ``c``, ``differs`` and ``flips`` mean nothing, and
    ``wrong`` follows ``missing``, the study's filter.missing. With drop, the function does not get these
    rows.

    The function returns True for each row that is kept, shape (rows,); or a tuple of this array and a text,
    the reason for rejecting the other rows.
    """

    def __call__(self, answers: Any, /) -> Any:
        """Return the rows to keep, or a tuple of them and the reason for rejecting the others."""


class FunctionRule(Rule):
    """A rule that calls a function."""

    def __init__(self, name: str, function: RuleFunction, words: str, file: Path | None = None) -> None:
        super().__init__()
        self.name = name
        self.function = function
        self.words = words
        self.file = file

    @property
    def boundaries(self) -> Boundaries:
        return _ALL

    @property
    def reads_probabilities(self) -> bool:
        return True

    def clause(self, form: FilteredForm) -> str:
        return self.words

    def decide(self, answers: Answers) -> Decision:
        """Return the decision of the function; raises InputError if it fails or returns anything else."""
        with guarded(
            lambda e: InputError(
                f"{self.name} raised {raised(e)}",
                file=self.file,
                line=line_in(e, self.file),
                remedy=f"correct the function; it must return {EXPECTED}",
            )
        ):
            returned = self.function(_locked(answers))
        keep, reason = returned if isinstance(returned, tuple) and len(returned) == 2 else (returned, None)
        if reason is None:
            reason = f"the rule {self.name} does not keep it"
        if not isinstance(reason, str) or not reason.strip():
            raise self._wrong(f"the reason is not a text (here: {shown(reason)})")
        if any(unicodedata.category(character) in ("Cc", "Cs") for character in reason):
            raise self._wrong(f"the reason {reason!a:.60} has a character that cannot be printed")
        return Decision.of(self._kept(keep, answers.asked.shape[1]), reason)

    def _kept(self, returned: Any, rows: int) -> Bools:
        if returned is None:
            raise self._wrong("returned nothing")
        if has_masked(returned):
            raise self._wrong("returned masked values")
        with guarded(
            lambda e: self._wrong(f"returned a {type(returned).__name__} that is not an array: {raised(e)}")
        ):
            reordered, keep = is_reordered(returned), np.asarray(returned)
        if reordered:
            raise self._wrong(f"returned a {type(returned).__name__} whose index is not 0, 1, …")
        if keep.ndim == 0 and not isinstance(returned, np.ndarray):
            raise self._wrong(f"returned a {type(returned).__name__}, not an array")
        if keep.shape != (rows,):
            raise self._wrong(f"returned an array of shape {keep.shape}, but the shape is ({rows},)")
        if keep.dtype == np.bool_:
            return keep
        values = keep.tolist()
        other = [row for row, value in enumerate(values) if not isinstance(value, bool)]
        if not other:
            return keep.astype(np.bool_)

        def is_nan(value: object) -> bool:
            return isinstance(value, float) and value != value

        row = next((row for row in other if is_nan(values[row])), other[0])
        raise self._wrong(f"row {row} (counted from 0) is {shown(values[row])}, not True or False")

    def _wrong(self, problem: str) -> InputError:
        return wrong_result(self.name, problem, EXPECTED, self.file)


class OwnRule(Rule):
    """Your own function, FILE.py:NAME beside study.yaml, which needs --trust-code."""

    name = "own"
    value_type = Annotated[str, written_as(OWN_CODE, "rules.py:my_rule")]
    rank = 15

    @property
    def boundaries(self) -> Boundaries:
        return _ALL

    def clause(self, form: FilteredForm) -> str:
        return self._words

    @property
    def _words(self) -> str:
        return f"the study's own function {self.value} keeps it"

    def decide(self, answers: Answers) -> Decision:
        raise StudyError(
            f"the function {self.value} has not been read from its file",
            remedy="give the function itself as the rule, or use the rule in a study",
        )

    def trusted(self, own_code: Callable[[str], OwnCode]) -> Rule:
        code = own_code(self.value)
        if not callable(code.function):
            raise code.wrong(f"is a {type(code.function).__name__}, not a function", EXPECTED)
        return FunctionRule(code.name, code.function, self._words, code.file)

    @staticmethod
    def of_package(name: str, function: RuleFunction) -> FunctionRule:
        """Return the rule of a ``function`` that a package registers as ``name``."""
        return FunctionRule(name, function, f"the function {name} of {RULES.package(name)} keeps it")


def own_rules(written: FilterRule, read: Callable[[str], bytes]) -> list[OwnRuleRow]:
    """Return the code in ``written`` that is not nextset's: each file and package once.

    ``read`` returns the content of the file of FILE.py:NAME.
    """
    rows = [_source(part, read) for _, part in written.subrules()]
    return list(dict.fromkeys(row for row in rows if row is not None))


def own_rule_files(written: FilterRule, read: Callable[[str], bytes]) -> dict[str, bytes]:
    """Return the content of each file of own rules in ``written``, by the name of its snapshot, own/FILE."""
    references = dict.fromkeys(part.value for _, part in written.subrules() if part.name == OwnRule.name)
    files = {reference.rpartition(":")[0]: read(reference) for reference in references}
    return own_snapshots(files)


def _source(rule: FilterRule, read: Callable[[str], bytes]) -> OwnRuleRow | None:
    if rule.name == OwnRule.name:
        content = read(rule.value)
        return OwnRuleRow(rule.value, hashlib.sha256(content).hexdigest(), "")
    package = RULES.package(rule.name)
    return None if package.split(" ")[0] == "nextset" else OwnRuleRow(rule.name, "", package)


def _locked(answers: Answers) -> Answers:
    """Return the answers with arrays that cannot be changed, because other code reads them too."""
    arrays: dict[str, Any] = {}
    for field in dataclasses.fields(answers):
        value = getattr(answers, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = value.view()
            arrays[field.name].flags.writeable = False
    return dataclasses.replace(answers, **arrays)
