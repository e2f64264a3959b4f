"""Questions with options: one input per row, and a probability for each option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import field_validator, model_validator

from nextset.files.yaml_model import EXACT
from nextset.files.yaml_values import WrongValue
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import MOST_OPTIONS, OPTION_SCORES, ChoiceScore
from nextset.scoring.asking import Asking
from nextset.scoring.canaries.cases import Canaries, Waived
from nextset.scoring.canaries.choice_canaries import choice_canaries
from nextset.scoring.chosen_options import answered_choices, chosen_options, option_margins
from nextset.scoring.forms.scored_form import ScoredBy, ScoredForm
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.near_ties import CLOSE
from nextset.scoring.outcome_shares import outcome_arrays, vote_rows
from nextset.scoring.prompts.answer_parsing import plain_choice
from nextset.scoring.prompts.prompt_placeholders import PromptText, filled_prompt, placeholders_of
from nextset.scoring.prompts.rendered_prompt import Rendered
from nextset.scoring.prompts.wording import Wording
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion, Numbers
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import Boundaries
from nextset.study.scoring_settings import Rotations, ScoringSettings

__all__ = ["CHOICE_SCORING", "ChoiceScoring", "ChoiceWording"]

_FLIP = 1e-9
"""The least lead of another option that is a flip, for rounding errors."""


class ChoiceWording(Wording):
    """One way to ask a question with options.

    The prompt lists the options at {options}, or does not list them; then every choice is an option's text.
    """

    needed = ("context", "question")
    listed = ("options",)
    option: Annotated[PromptText, EXACT] = "{letter}: {option}"
    """An option in the list of options, with {option} and perhaps {letter}."""
    between: Annotated[str, EXACT] = "\n"
    """The text between two options in the list."""
    choice: PromptText = "{letter}"
    """The answer that stands for an option, with {letter} or {option}."""
    letters: tuple[PromptText, ...] = tuple("ABCDEF")
    """The letters of the options, in the order of the list."""
    lower_case: bool = False
    """True: the texts of the item are written in lower case."""

    @field_validator("letters")
    @classmethod
    def _enough(cls, letters: tuple[str, ...]) -> tuple[str, ...]:
        if len({plain_choice(letter) for letter in letters} - {""}) < MOST_OPTIONS:
            raise WrongValue(
                f"there are fewer than {MOST_OPTIONS} different letters",
                "write one letter for each option: [A, B, C, D, E, F]",
            )
        return letters

    @model_validator(mode="after")
    def _choosable(self) -> ChoiceWording:
        option, choice = (_line_placeholders(key, text) for key, text in _lines_of(self))
        if "option" not in option:
            raise WrongValue("option does not contain {option}", "write it, as in {letter}: {option}")
        if not choice:
            raise WrongValue("choice is the same for every option", "write {letter} or {option}")
        if "option" not in choice and not (self._lists and "letter" in option):
            raise WrongValue(
                "the choices are letters, but the prompt does not list the letters",
                "add {options} to the prompt, and {letter} to option, or write choice: {option}",
            )
        return self

    @property
    def _lists(self) -> bool:
        """True if the prompt lists the options."""
        return "options" in placeholders_of(self.prompt)

    def rendered(self, asked: ChoiceQuestion, rotations: Rotations) -> tuple[Rendered, ...]:
        """Return one prompt for each order of the options; one prompt if it does not list them."""
        places = range(len(asked.options))
        if rotations == "one" or not self._lists:
            return (self._in_order(asked, tuple(places), None),)
        # from an order that does not depend on the item's, so that the scores do not depend on it either
        first = sorted(places, key=lambda place: (asked.options[place], place))
        return tuple(
            self._in_order(asked, (*first[turn:], *first[:turn]), turn) for turn in range(len(first))
        )

    def _in_order(self, asked: ChoiceQuestion, order: tuple[int, ...], number: int | None) -> Rendered:
        def cased(text: str) -> str:
            return text.lower() if self.lower_case else text

        options = tuple(cased(asked.options[place]) for place in order)
        letters = self.letters[: len(options)]
        lines = [{"letter": a, "option": o} for a, o in zip(letters, options, strict=True)]
        texts = {
            "context": cased(asked.context),
            "question": cased(asked.question),
            "options": self.between.join(filled_prompt(self.option, line) for line in lines),
        }
        shown = self._lists and "letter" in placeholders_of(self.option)
        return Rendered(
            filled_prompt(self.prompt, texts),
            tuple(filled_prompt(self.choice, line) for line in lines),
            order.index(asked.unknown) if asked.unknown in order else None,
            options,
            letters if shown else (),
            places=order,
            order=number,
        )


_LINE = ("letter", "option")
"""The placeholders of an option in the list, and of a choice."""


def _lines_of(wording: ChoiceWording) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("option", wording.option), ("choice", wording.choice)


def _line_placeholders(key: str, text: str) -> list[str]:
    """Return the placeholders in ``text``; raises WrongValue for an unknown one and for a stray brace."""
    named = placeholders_of(text)
    unknown = [name for name in named if name not in _LINE]
    if unknown:
        raise WrongValue(f"{key} has the unknown placeholder {{{unknown[0]}}}", "use {letter} and {option}")
    rest = filled_prompt(text, dict.fromkeys(_LINE, ""))
    if "{" in rest or "}" in rest:
        raise WrongValue(f"{key} has a brace that is not part of a placeholder", "use {letter} and {option}")
    return named


class ChoiceScoring(ScoredForm):
    """Choice items as a context, a question and options."""

    name = "choice"
    columns = ("id", "context", "question", "options", "unknown")
    numbers = CHOICE_COLUMNS
    scores = ChoiceScore
    labels = OPTION_SCORES
    section = "choice"
    wording = ChoiceWording

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the questions with their options."""
        columns = (rows[name].to_pylist() for name in self.columns[1:])
        return [
            ChoiceQuestion(
                context, question, tuple(o["text"] for o in options), -1 if unknown is None else unknown
            )
            for context, question, options, unknown in zip(*columns, strict=True)
        ]

    def label_counts(self, inputs: Sequence[ChoiceQuestion]) -> list[int]:
        """Return the number of options of each question."""
        return [len(asked.options) for asked in inputs]

    def canaries(self, source: ModelSource, asking: Asking) -> Canaries | Waived:
        """Return questions with an obvious answer; raises ModelError."""
        return choice_canaries(source, asking.model)

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `ChoiceScore` rows."""
        last = len(CHOICE_COLUMNS) - 1
        columns: dict[str, pa.Array] = {
            "item_id": rows["id"].combine_chunks(),
            **{name: pa.repeat(value, rows.num_rows) for name, value in vars(by).items()},
            **{
                name: pa.array(numbers[:, i], from_pandas=True)
                for i, name in enumerate(CHOICE_COLUMNS[:last])
            },
            "truncated": pa.array(numbers[:, last] == 1),
            **outcome_arrays(numbers, rows.num_rows, len(CHOICE_COLUMNS)),
        }
        schema = arrow_schema(ChoiceScore)
        return pa.table([columns[name] for name in schema.names], schema=schema)

    def prompt_options(self, scoring: ScoringSettings) -> Mapping[str, Any]:
        """Return the orders of the options."""
        return {"rotations": scoring.rotations}

    def joined_shares(self, prompts: Sequence[Rendered], shares: Numbers) -> Numbers:
        """Return the mean share of each option, the share of flips, and the margin of the orders.

        The wordings are averaged first: an order is a flip if an option other than the choice over all
        orders has the highest mean over its wordings. Orders in which no prompt was answered do not count.
        """
        options = len(prompts[0].choices)
        numbers: Numbers = np.full(len(CHOICE_COLUMNS) - 1, np.nan)
        numbers[:options] = shares[:, :options].mean(axis=0)
        orders = np.array([-1 if prompt.order is None else prompt.order for prompt in prompts])
        means = np.array([shares[orders == n, :options].mean(axis=0) for n in np.unique(orders[orders >= 0])])
        if len(means) > 1:
            numbers[CHOICE_COLUMNS.index("flips") :] = _flips(means, int(numbers[:options].argmax()))
        return numbers

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows whose two best options nearly tie, overall or in one order, or that are near a
        margin."""
        gaps = option_margins(scores)
        in_orders = np.asarray(pc.fill_null(scores["order_margin"], np.inf).to_numpy())
        near = np.minimum(gaps, in_orders) < CLOSE[precision]
        for threshold in boundaries.margins:
            near = near | (np.abs(gaps - threshold) < CLOSE[precision])
        return np.asarray(near & ~vote_rows(scores))

    def mistakes(self, scores: pa.Table, right: pa.ChunkedArray, missing: Missing) -> npt.NDArray[np.bool_]:
        """Return True for each row with a wrong option; ``right`` are the places of the right ones."""
        there = answered_choices(scores)
        wrong = chosen_options(scores) != np.asarray(right)
        return np.where(there, wrong, missing == "wrong")

    def answered(self, scores: pa.Table) -> npt.NDArray[np.bool_]:
        """Return True for each row with a chosen option."""
        return answered_choices(scores)

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the places of the most probable options."""
        return list(chosen_options(scores).tolist())


def _flips(means: Numbers, chosen: int) -> tuple[float, float]:
    """Return the share of flips and the least margin, from the mean shares in each order."""
    means = means[means.sum(axis=1) > 0]
    if not len(means):
        return np.nan, np.nan
    leads = np.delete(means, chosen, axis=1).max(axis=1) - means[:, chosen]
    return float((leads > _FLIP).mean()), float(np.abs(leads).min())


CHOICE_SCORING = ChoiceScoring()
"""Questions with options in scoring."""
