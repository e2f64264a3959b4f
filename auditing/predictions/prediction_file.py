"""A prediction file as quads with scores."""

from __future__ import annotations

from pathlib import Path

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.predictions.prediction_columns import PredictionColumns, WrongEntry
from nextset.auditing.predictions.prediction_entries import prediction_entries
from nextset.auditing.predictions.subject_orders import Predictions, paired_orders
from nextset.errors import InputError
from nextset.forms import QUESTION, STATEMENT

__all__ = ["ENDINGS", "is_prediction_file", "prediction_name", "read_predictions"]

ENDINGS = (".output.json", ".output.json.gz")
"""The endings of the names of prediction files."""
_NOT_ASKED = "NA"
"""The context that the published script for masked language models writes."""


def is_prediction_file(path: Path) -> bool:
    """Return whether ``path`` has the name of a prediction file."""
    return path.name.endswith(ENDINGS)


def prediction_name(path: Path) -> str:
    """Return the name of a prediction file without its ending, which names its model."""
    return next((path.name.removesuffix(e) for e in ENDINGS if path.name.endswith(e)), path.stem)


def read_predictions(file: Path, progress: Progress = SILENT) -> Predictions:
    """Return the quads and scores of a file that UnQover's ``predict.py`` wrote.

    An entry has a key of eight fields and the answers ans0 and ans1 of both subjects to the questions q0 and
    q1; a score is √(start · end), and both orders of the subjects make one quad. Masked statements have the
    context "NA". The file is read entry by entry. Raises InputError with the key and a remedy.
    """
    tick, read, statements = progress("predictions"), PredictionColumns(), 0
    try:
        for key, entry in prediction_entries(file, tick):
            read.add(key, entry)
            statements += entry.get("context") == _NOT_ASKED
        if not len(read):
            raise WrongEntry("the file has no predictions")
        if 0 < statements < len(read):
            raise WrongEntry(
                f"{statements:,} of {len(read):,} entries have the context {_NOT_ASKED!r} of masked "
                "statements, but the others have a context of questions"
            )
        form = STATEMENT.name if statements == len(read) else QUESTION.name
        return paired_orders(read, form)
    except WrongEntry as e:
        raise InputError(
            str(e),
            file=file,
            remedy="name a file as UnQover's predict.py writes it; docs/how_to/audit.md shows one",
        ) from None
