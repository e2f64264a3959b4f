"""The search for triggers: the gain on held-out templates, and candidates per second next to plain loops."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import torch
import yaml

import nextset
from benchmarks.figures import figure
from nextset.artifacts.artifact import open_artifact
from nextset.extensions.interventions.settings.study_settings import intervention_settings_of
from nextset.extensions.interventions.triggers.gradient_search import GradientSearch
from nextset.extensions.interventions.triggers.stage import _found, _searches, triggers_recipe

__all__ = ["trigger_figures"]

CLASS, QUADS, STEPS = "gender_sentiment", 600, 60
TRIED = 32
"""The number of candidates that are timed."""


def trigger_figures() -> None:
    """Print the change of μ on held-out templates, and candidates per second against two plain loops."""
    with tempfile.TemporaryDirectory() as scratch:
        study = _study(Path(scratch))
        nextset.generate(study)
        nextset.seek_triggers(study)
        nextset.audit_interventions(study)
        changes = open_artifact(study.out / "interventions").to_pandas("changes")
        own = changes[
            (changes["kind"] == "trigger") & (changes["selection"] == "all") & (changes["name"] != "")
        ]
        for measure in ("mu", "mean_c", "twin_accuracy"):
            (row,) = own[own["measure"] == measure].to_dict("records")
            ends = f"[{row['low']:+.4f}, {row['high']:+.4f}]"
            value = f"{row['change']:+.4f} {ends} of {row['value_without']:.4f}"
            goal, good = "interval below 0", row["high"] < 0
            if measure == "twin_accuracy":
                goal, good = "interval not below 0", row["high"] >= 0
            figure(f"a trigger on held-out templates, change of {measure}", value, goal, good)
        _speed(study)


def _study(folder: Path) -> nextset.Study:
    data = {
        "format": 1, "name": "sought",
        "questions": {"packs": ["builtin:en"], "classes": [CLASS], "forms": ["question"], "subset": QUADS},
        "interventions": {
            "models": ["builtin:qa-roformer"], "most": 1, "twins": 100,
            "triggers": {"models": ["builtin:qa-roformer"], "steps": STEPS, "batch": 32},
        },
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return nextset.Study.load(folder)


def _speed(study: nextset.Study) -> None:
    torch.set_num_threads(1)
    search = _search(study)
    batch = search.sample
    trigger = search._first(0)
    tokens = [i for i, there in enumerate(search.vocabulary.allowed[0].tolist()) if there][:TRIED]
    triggers = [(t, *trigger[1:]) for t in tokens]
    seconds = []
    for tried in (
        lambda: batch.losses(triggers),
        lambda: [batch.losses([t])[0] for t in triggers[:16]],
        lambda: _one_text_at_a_time(search, triggers[0]),
    ):
        tried()
        each = []
        for _ in range(3):
            begun = time.process_time()  # one thread; other programs do not count
            tried()
            each.append(time.process_time() - begun)
        seconds.append(min(each))
    rates = TRIED / seconds[0], 16 / seconds[1], 1 / seconds[2]
    for name, other, goal in (
        ("one candidate and one text at a time", rates[2], 5),
        ("one batch per candidate", rates[1], 0),
    ):
        said = f"{rates[0]:.1f} per second of one core, {rates[0] / other:.1f} ×"
        wanted = f"at least {goal} ×" if goal else "measured only"
        figure(f"candidates, against a loop with {name}", said, wanted, rates[0] >= goal * other)


def _search(study: nextset.Study) -> GradientSearch:
    settings = intervention_settings_of(study)
    assert settings is not None
    assert settings.triggers is not None
    (first,) = _searches(study, triggers_recipe(study).key)
    return _found(study, first, settings, settings.triggers, lambda: None)[1]


def _one_text_at_a_time(search: GradientSearch, trigger: tuple[int, ...]) -> None:
    """Ask the model about each text of the sample by itself, tokenised anew each time."""
    rows = search.sample.rows
    text = search.vocabulary.text(trigger)
    model = search.model
    for table in (rows.compared, rows.known):
        encoded = model.encoded(type(rows)(search.place.added(table, text), table.slice(0, 0)))
        for one in encoded.inputs:
            inputs = {
                "input_ids": torch.tensor([one.ids]),
                "attention_mask": torch.ones((1, len(one.ids)), dtype=torch.int64),
            }
            if "token_type_ids" in model.loaded.tokenizer.model_input_names:
                inputs["token_type_ids"] = torch.tensor([one.types])
            with torch.inference_mode():
                model.readings(inputs, torch.tensor([one.asked]))
