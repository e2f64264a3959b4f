"""`nextset models`: check models before a long run, evaluate them, convert checkpoints of earlier systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nextset.cli.options import Debug, Json, Labels, WaiveCanaries, model_settings, options_of_models
from nextset.cli.output import errors, print_result
from nextset.cli.progress_bar import bars
from nextset.cli.train import figure_lines
from nextset.counted import counted

if TYPE_CHECKING:
    from nextset.scoring.checks.model_check import CheckedModel, Preflight
    from nextset.training.conversion.checkpoint_conversion import ConvertedCheckpoint
    from nextset.training.evaluation.model_evaluation import Evaluation

__all__ = ["checked_text", "converted_text", "evaluated_text", "models_app"]

models_app = typer.Typer(no_args_is_help=True, help="Check, evaluate and convert models.")


@models_app.callback()
def _models() -> None:
    pass


@models_app.command(epilog="Example: nextset models check builtin:nli-electra ./models/mine")
def check(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="builtin:NAME, a folder, or a Hub id.")
    ],
    form: Annotated[
        str | None,
        typer.Option(
            metavar="<nli|qa|question|statement>",
            help="The form to ask about. Default: the one that the model's kind is for.",
        ),
    ] = None,
    labels: Labels = "",
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Load models, ask their canaries, and describe them. Exits with 6 if one cannot be used."""
    settings = model_settings(labels)
    from nextset.study.model_key import models_alone

    with errors(debug), models_alone(labels="--labels"):
        from nextset.forms import FORMS
        from nextset.scoring.checks.model_check import check_models

        if form is not None and form not in FORMS:
            names_of_forms = ", ".join(map(repr, FORMS.names))
            raise typer.BadParameter(f"{form!r} is not one of {names_of_forms}.", param_hint="--form")
        checked = check_models(names, form, settings)
        print_result(checked_text(checked), as_json, [asdict(c) for c in checked])
    if any(c.found is None for c in checked):
        raise typer.Exit(6)


@models_app.command(
    epilog="Example: nextset models evaluate predictions.json --data dev-v2.0.json",
)
def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="builtin:NAME, a folder, a Hub id, or a file of predictions {id: text}."
        ),
    ],
    data: Annotated[
        list[str],
        typer.Option(
            metavar="FILE",
            help="Right answers: SQuAD's JSON, a table, or ORG/NAME:SPLIT on the Hub. Can be repeated.",
        ),
    ],
    no_answer: Annotated[
        bool, typer.Option("--no-answer", help="The reader may say that a context has no answer.")
    ] = False,
    no_answer_scores: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For predictions: a file of scores {id: number}, for the figures at the best threshold.",
        ),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the reader's answers as {id: text}.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="COLUMN",
            help="Also show figures by a column of your table, or by title for SQuAD's articles.",
        ),
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=YOURS",
            help="Take column NAME from your column YOURS. Can be repeated.",
        ),
    ] = None,
    labels: Annotated[
        str,
        typer.Option(
            metavar="LABELS",
            help="The meaning of the labels 0, 1, … in your table: entailment,neutral,contradiction; or of "
            "each label by name: e=entailment,n=neutral.",
        ),
    ] = "",
    model_labels: Labels = "",
    waive_canaries: WaiveCanaries = "",
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare a model, or published predictions, with right answers: EM, F1, AvNA; accuracy; or loss."""
    columns = dict(text.partition("=")[::2] for text in column or [])
    if not all(columns) or not all(columns.values()):
        raise typer.BadParameter("write NAME=YOURS", param_hint="--column")
    meanings = _meanings(labels)
    settings = model_settings(model_labels, waive_canaries, "--model-labels")
    with errors(debug), options_of_models("--model-labels"), bars(quiet=as_json) as progress:
        from nextset.training.evaluation.model_evaluation import evaluate_model

        evaluation = evaluate_model(
            {model: settings},
            data,
            no_answer=no_answer,
            columns=columns,
            labels=meanings,
            no_answer_scores=no_answer_scores,
            answers=answers,
            by=by,
            progress=progress,
        )
        must_answer = not no_answer and not Path(model).is_file()
        print_result(evaluated_text(evaluation, by, must_answer=must_answer), as_json, asdict(evaluation))


def evaluated_text(found: Evaluation, by: str, *, must_answer: bool) -> str:
    """Return the figures of a model, one per line; ``must_answer`` if it had to answer every question."""
    lines = [found.name, *(f"  {counted(n, what)}" for what, n in found.counts.items())]
    lines += [f"  canaries: {found.canaries}"] if found.canaries else []
    lines += [*figure_lines(dict(found.figures)), *_part_lines(by, found.parts)]
    lines += [f"warning: {found.warning}"] if found.warning else []
    none = found.figures.get("no_answer_questions", 0)
    if none and must_answer:
        lines.append(
            f"note: {counted(int(none), 'questions')} without an answer, and the reader had to give one; "
            "--no-answer lets it give none"
        )
    return "\n".join(lines)


def _meanings(labels: str) -> list[str] | dict[str, str]:
    """Return the meanings that --labels gives to the numbers 0, 1, …, or to each label."""
    given = [label.strip() for label in labels.split(",")] if labels.strip() else []
    if not all(given):
        raise typer.BadParameter("write a label between two commas", param_hint="--labels")
    if not any("=" in label for label in given):
        return given
    halves = [label.rpartition("=")[::2] for label in given]
    pairs = [(theirs.strip(), ours.strip()) for theirs, ours in halves]
    if not all(theirs and ours for theirs, ours in pairs) or len(dict(pairs)) < len(pairs):
        raise typer.BadParameter("write e=entailment,n=neutral, each label once", param_hint="--labels")
    return dict(pairs)


_SHOWN_PARTS = 40
"""The most parts of the data that the terminal shows; --json has all of them."""
_PART_FIGURES = ("questions", "pairs", "missing", "em", "f1", "avna", "accuracy")


def _part_lines(by: str, parts: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return one line per part, the largest first."""
    from nextset.training.metrics.figure_text import figure_text

    lines = [f"by {by}"] if parts else []
    for part, figures in list(parts.items())[:_SHOWN_PARTS]:
        texts = [f"{n} {figure_text(n, figures[n])}" for n in _PART_FIGURES if n in figures]
        lines.append(f"  {part[:60]}: {', '.join(texts)}")
    left = len(parts) - _SHOWN_PARTS
    return [*lines, f"  … and {left:,} more, which --json prints"] if left > 0 else lines


@models_app.command(
    epilog="Example: nextset models convert newsqa.hdf5 --transformer roberta-base --out models/newsqa"
)
def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="An HDF5 checkpoint that UnQover's training saved, such as NAME.hdf5."
        ),
    ],
    transformer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The model it was trained from, for configuration and tokenizer: a Hub id or a folder.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to create for the model.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Convert a checkpoint of UnQover's training into a model that studies can name."""
    with errors(debug):
        from nextset.training.conversion.checkpoint_conversion import convert_checkpoint

        converted = convert_checkpoint(file, transformer, out)
        data = {**asdict(converted), "folder": str(converted.folder)}
        print_result(converted_text(converted), as_json, data)


def converted_text(converted: ConvertedCheckpoint) -> str:
    """Return a description of the converted model, one fact per line."""
    lines = [
        ("is a", f"{converted.architecture} of {converted.parameters:,} parameters"),
        ("weights", f"float32; {' and '.join(converted.types)} in the checkpoint"),
    ]
    if converted.unused:
        lines.append(
            ("not used", f"{counted(len(converted.unused), 'parameters')} of the pooler, which readers lack")
        )
    if trained_from := converted.options.get("transformer_type"):
        lines.append(("options", f"trained from {trained_from}"))
    facts = "\n".join(f"  {head:<10} {text}" for head, text in lines)
    return f"{converted.folder}\n{facts}\ncheck it: nextset models check {converted.folder}"


def checked_text(checked: Sequence[CheckedModel]) -> str:
    """Return one paragraph per model."""
    return "\n\n".join(
        _problem(c)
        if c.found is None
        else "\n".join([c.name, *(f"  {head:<10} {text}" for head, text in _lines(c.found))])
        for c in checked
    )


def _problem(checked: CheckedModel) -> str:
    if not checked.other_uses:
        return f"{checked.name}\n  cannot be used: {checked.problem}\n  try: {checked.remedy}"
    return (
        f"{checked.name}\n  can be used as {checked.other_uses}\n"
        f"  cannot filter or be audited: {checked.problem}\n  try: {checked.remedy}"
    )


def _server_lines(found: Preflight) -> list[tuple[str, str]]:
    tokens = f"{found.read:,} tokens read, {found.written:,} written"
    stored = f"; {found.answers - found.sent:,} answers were stored" if found.answers > found.sent else ""
    thinks = f"shown: {found.thinking:,} tokens" if found.thinking else "not shown, or not counted"
    return [
        ("server", f"at the address of {found.place}"),
        ("sent", f"{counted(found.sent, 'requests')}, {tokens}{stored}"),
        ("version", ", ".join(found.versions) or "not named"),
        ("thinking", thinks),
    ]


def _lines(found: Preflight) -> list[tuple[str, str]]:
    from nextset.scoring.forms.scored_form import SCORED_FORMS

    lines = [("kind", f"{found.kind}, asked about {SCORED_FORMS[found.form].inputs_noun}")]
    if found.architecture is not None:
        lines += [
            ("is a", f"{found.architecture} of {found.parameters:,} parameters"),
            ("weights", f"{found.weights}; computes in {found.precision} on {found.device}"),
            ("digest", found.digest),
            ("reads", f"at most {found.max_length:,} tokens"),
        ]
    if found.place is not None:
        lines += _server_lines(found)
    if found.labels is not None:
        lines.append(("labels", ", ".join(found.labels)))
    if found.two_way:
        lines.append(("note", "two labels: accuracy is computed, but no measure that needs contradiction"))
    if found.mask_token is not None:
        lines.append(("mask", found.mask_token))
    lines.append(("canaries", found.canaries))
    if found.too_long:
        fate = "cut" if found.truncates else "refused"
        shown = "; ".join(f"{t.beginning!r} ({t.tokens} tokens)" for t in found.too_long[:5])
        texts = counted(len(found.too_long), f"texts, which are {fate}", f"text, which is {fate}")
        lines.append(("too long", f"{texts}: {shown}"))
    return lines
