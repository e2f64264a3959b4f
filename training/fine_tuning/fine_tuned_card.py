"""The model card of a model that `nextset train` made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from nextset.counted import counted
from nextset.markdown_text import plain_markdown
from nextset.printable_text import printable_line
from nextset.scoring.answers.no_answer_training import TRAINED_SENTENCE
from nextset.study.scoring_settings import CanaryPair, CardQuestion
from nextset.study.training_settings import TrainingFile
from nextset.training.fine_tuning.training_records import (
    TrainingCount,
    TrainingData,
    TrainingFigure,
    TrainingRun,
)
from nextset.training.metrics.figure_text import figure_text
from nextset.training.training_data.faulty_answers import faulty_answers_note

__all__ = ["fine_tuned_card"]

_TASKS = {
    "nli": ("text-classification", "A classifier of pairs of premise and hypothesis"),
    "qa": ("question-answering", "An extractive reader, which answers a question with a span of a text"),
    "masked_lm": ("fill-mask", "A masked language model"),
}
"""By task: the Hub's name of the task, and the model in plain language."""


def fine_tuned_card(
    name: str,
    settings: TrainingFile,
    run: TrainingRun,
    data: Sequence[TrainingData],
    counts: Sequence[TrainingCount],
    figures: Sequence[TrainingFigure],
    canaries: Sequence[CanaryPair | CardQuestion],
    repository: str | None,
) -> str:
    """Return the README.md of the model ``name``: its data, recipe, figures, versions and ``canaries``.

    ``repository`` is the base model's repository on the Hub, if it has one. The card contains no paths. Texts
    from the settings are shown verbatim, without markup.
    """
    what = _TASKS[settings.task][1]
    about = f"\n{plain_markdown(settings.about)}\n" if settings.about else ""
    licence = settings.licence or "not given, so the licences of the base model and of the data apply"
    recipe = {**settings.recipe, "longest": run.longest, "precision": run.precision}
    shown = ", ".join(
        f"{key} {_value(value)}"
        for key, value in recipe.items()
        if key != "task" and value not in (None, (), {}, [])
    )
    no_answer = _no_answer(name) if run.no_answer else ""
    return f"""---
{_front(settings, run, canaries, repository)}---

# {plain_markdown(name)}

{what}, trained by nextset. Its answers to texts unlike its training data have not been measured.
{about}
| | |
|---|---|
| base model | `{_code(run.base)}` |
| architecture | {run.architecture}, {run.parameters:,} parameters, float32 |
| recipe | {plain_markdown(shown)} |
| steps | {run.steps:,} of {run.planned_steps:,}; the model has the weights after step {run.best_step:,} |
| computed on | {plain_markdown(run.device)}, {run.processes} process{"" if run.processes == 1 else "es"} |
| versions | {run.versions} |
| licence | {plain_markdown(licence)} |
{no_answer}
## Data

{_data(data, counts)}

## Figures

{_figures(figures)}
"""


def _front(
    settings: TrainingFile,
    run: TrainingRun,
    canaries: Sequence[CanaryPair | CardQuestion],
    repository: str | None,
) -> str:
    """Return the front matter, as YAML."""
    front: dict[str, Any] = {
        "license": printable_line(" ".join(settings.licence.split())) or "other",
        "library_name": "transformers",
        "pipeline_tag": _TASKS[settings.task][0],
    }
    if repository is not None:
        front["base_model"] = repository
    cases = [case.model_dump(mode="json", exclude_defaults=True) for case in canaries]
    ours = {**({"no_answer": True} if run.no_answer else {}), **({"canaries": cases} if cases else {})}
    if ours:
        front["nextset"] = ours
    return yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=200)


def _no_answer(name: str) -> str:
    return f"""
{TRAINED_SENTENCE} To allow this answer in a study:

```yaml
models:
  ./{name}: {{no_answer: true}}
```
"""


def _data(data: Sequence[TrainingData], counts: Sequence[TrainingCount]) -> str:
    rows = ["| split | source | digest |", "|---|---|---|"]
    rows += [f"| {one.split} | {plain_markdown(one.source)} | `{one.digest}` |" for one in data]
    trained_on = {one.digest for one in data if one.split == "train"}
    if any(one.digest in trained_on for one in data if one.split == "validation"):
        rows += ["", "Validation data are also training data, so the figures say nothing about other texts."]
    lines = [f"- {one.split}: {counted(one.count, one.what)}{_ids(one.first_ids)}" for one in counts]
    note = faulty_answers_note({one.what: one.count for one in counts if one.split == "train"})
    return "\n".join([*rows, "", *lines, *(["", note] if note else [])])


def _ids(first: str) -> str:
    return f": {plain_markdown(first)}" if first else ""


def _figures(figures: Sequence[TrainingFigure]) -> str:
    after = [one for one in figures if one.when == "after"]
    if not after:
        return "No figures were measured, because no validation data were given."
    rows = ["| figure on the validation data | value |", "|---|--:|"]
    return "\n".join([*rows, *(f"| {one.figure} | {figure_text(one.figure, one.value)} |" for one in after)])


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _code(text: str) -> str:
    """Return ``text`` without the characters that cannot be between backticks in a table."""
    return "".join(c for c in " ".join(text.split()) if c not in "`|")
