"""The project's own judgments (studies/hard_and_valid/judgments), imported to a copy of their study."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import nextset
from benchmarks.figures import figure
from nextset.study.study_folder import Study
from nextset.validation.file_exchange.judgment_import import import_judgments

__all__ = ["judged_recipe"]

WIDER = {
    "keep: best 8 of 20 by fluency": "top_k: 20\n  fluency: true",
    "rule: majority_wrong": "rule: {any_of: [any_wrong, {margin_below: 1.0}]}",
}
"""Edits that keep every candidate, since weaker settings than the recipe's were judged too."""
COLUMNS = ("reason", "comment")
"""Columns of `nextset validate import` that the judgments lack."""


def judged_recipe(recipe: Path, scratch: Path, judgments: Path | None = None) -> Study:
    """Run a wider copy of ``recipe`` in ``scratch`` up to its filter, and import its ``judgments``.

    The default is the newest file in the recipe's folder. Prints the number of judgments of the copy's units.
    """
    file = judgments or max((recipe / "judgments").glob("*.csv"), default=None)
    if file is None or not file.is_file():
        sys.exit(
            f"there is no file of judgments at {file or recipe / 'judgments'}; name one with --judgments"
        )
    text = (recipe / "study.yaml").read_text(encoding="utf-8")
    for ours, wider in WIDER.items():
        assert ours in text, f"{recipe}: there is no line {ours!r} any more"
        text = text.replace(ours, wider)
    (scratch / "study.yaml").write_text(text, encoding="utf-8")
    study = Study.load(scratch)
    nextset.generate(study)
    nextset.fill(study)
    nextset.score(study)
    nextset.filter_candidates(study)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = [{**dict.fromkeys(COLUMNS, ""), **row} for row in csv.DictReader(lines)]
    table = scratch / "judgments.csv"
    with table.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]) if rows else COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    os.environ["NEXTSET_PSEUDONYM_KEY"] = "of judgments that are nobody's"
    found = import_judgments(study, table)
    figure(f"judgments in {file.name}", found.answers, "measured only", True)
    figure("  of these, counted for units that the recipe makes", found.counting, "measured only", True)
    return study
