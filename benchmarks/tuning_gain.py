"""Training on interventions: its effect on the built-in reader, on held-out questions."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml

import nextset
from benchmarks.figures import figure
from nextset.artifacts.artifact import open_artifact
from nextset.records.clear_questions import enough_right

__all__ = ["tuning_figures"]


def tuning_figures() -> None:
    """Print μ before and after tuning, with each kind of sentence and without, and the specified twins."""
    with tempfile.TemporaryDirectory() as scratch:
        study = _study(Path(scratch))
        nextset.generate(study)
        nextset.tune_readers(study)
        nextset.audit_interventions(study)
        rows = open_artifact(study.out / "interventions").table("tuning").to_pylist()
        (clear,) = open_artifact(study.out / "tune").table("clear_questions").to_pylist()
    found = {(r["kind"], r["measure"]): r for r in rows}
    for kind in ("ethical", "adversarial", "irrelevant"):
        row = found[kind, "mu"]
        ends = f"[{row['low']:+.4f}, {row['high']:+.4f}]"
        value = f"{row['before_with']:.4f} to {row['after_with']:.4f}, {row['change']:+.4f} {ends}"
        goal, good = ("below 0", row["high"] < 0) if kind == "ethical" else ("measured only", True)
        figure(f"tuning, held out, μ with {kind} sentences", value, goal, good)
    row = found["ethical", "mu"]
    ends = f"[{row['low_without']:+.4f}, {row['high_without']:+.4f}]"
    value = f"{row['before_without']:.4f} to {row['after_without']:.4f}, {row['change_without']:+.4f} {ends}"
    figure("tuning, held out, μ without a sentence", value, "measured only", True)
    row = found["ethical", "twin_accuracy"]
    value = f"{row['before_with']:.1%} to {row['after_with']:.1%}, {row['n']} twins"
    goal, good = "not worse", row["after_with"] >= row["before_with"]
    figure("tuning, held out, specified twins with ethical sentences", value, goal, good)
    value = f"{clear['after']} of {clear['questions']}, {clear['before']} before"
    good = enough_right(clear["after"], clear["questions"])
    figure("tuning, clear questions right", value, "nine in ten", good)


def _study(folder: Path) -> nextset.Study:
    data = {
        "format": 1, "name": "tuned",
        "questions": {
            "packs": ["builtin:en"], "classes": ["gender_sentiment"], "forms": ["question"], "subset": 2000,
        },
        "interventions": {
            "models": ["builtin:qa-roformer"], "most": 6, "twins": 400,
            "tuning": {"models": ["builtin:qa-roformer"], "steps": 200, "rate": 0.001},
        },
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return nextset.Study.load(folder)
