"""The stage release: valid items and their counterfactuals become a dataset version."""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, open_artifact
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.release.counterfactuals.counterfactual_items import with_counterfactuals
from nextset.release.counterfactuals.swapped_texts import text_renderer
from nextset.release.dataset_card.card import Card, CardAgreement, CardExposure, CardModel, render_card
from nextset.release.dataset_card.card_counts import statistics
from nextset.release.dataset_files.dataset_folder import write_dataset_folder
from nextset.release.dataset_files.released_columns import columns_of
from nextset.study.study_folder import Study

__all__ = ["build_release", "dataset_folder", "release_recipe"]


def dataset_folder(study: Study) -> Path:
    """Return the folder of the released dataset, for people and `datasets.load_dataset`."""
    release = study.release
    return study.out / "dataset" / f"{release.name}-{release.version or '1.0.0'}"


def release_recipe(study: Study) -> Recipe:
    """Return the recipe of what `build_release` would make now.

    Raises MissingStage before `validate` has run.
    """
    inputs = {stage: open_artifact(study.out / stage).digest for stage in ("generate", "validate")}
    return Recipe("release", 1, inputs, {"counterfactuals": study.release.counterfactuals})


def build_release(study: Study, progress: Progress = SILENT) -> Artifact:
    """Add counterfactuals to the valid items (out/release) and write the dataset folder with its card.

    Raises MissingStage before `validate` has run.
    """
    with study.held("release"):
        generated = open_artifact(study.out / "generate")
        valid = open_artifact(study.out / "validate")

        @functools.cache
        def dataset() -> pa.Table:
            render = text_renderer(generated.table("templates"))
            counterfactuals = study.release.counterfactuals
            items = with_counterfactuals(
                valid.table("valid"), render if counterfactuals else lambda item: None
            )
            return items.sort_by("id")

        artifact = build(
            study.out / "release",
            release_recipe(study),
            lambda: [Part("dataset", lambda: PartResult(dataset()))],
            progress=progress("release"),
        )
        _write_folder(study, artifact.table("dataset"), generated)
        return artifact


def _write_folder(study: Study, items: pa.Table, generated: Artifact) -> None:
    release, filtered = study.release, open_artifact(study.out / "filter")
    judged = open_artifact(study.out / "validate")  # as judged, even if study.yaml has changed since
    (rule,) = filtered.table("rule").to_pylist()
    card = Card(
        name=release.name,
        version=release.version or "1.0.0",
        languages=tuple(sorted(set(items["language"].to_pylist()))) or (study.settings.language,),
        license=release.license,
        authors=release.authors,
        about=study.settings.about,
        fill_premise=study.settings.fill.premise,
        models=_models(study, filtered),
        rule=rule["words"],
        scored=rule["scored"],
        pairs=rule["pairs"],
        balance=rule["balance"],
        warnings=tuple(w for w in filtered.table("balance")["warning"].to_pylist() if w),
        judge="rule" if "rule" in judged.table("valid")["judge"].to_pylist() else "people",
        aggregate=judged.table("aggregation")["method"][0].as_py(),
        per_cent=_agreement(study, "per_cent"),
        alpha=_agreement(study, "alpha"),
        exposure=tuple(CardExposure(**row) for row in judged.table("exposure").to_pylist()),
        statistics=statistics(items),
        columns=columns_of(items),
    )
    templates = {name: generated.snapshot(name) for name in generated.snapshots}
    write_dataset_folder(dataset_folder(study), items, render_card(card), templates)


def _agreement(study: Study, name: str) -> CardAgreement:
    """Return the agreement on the verdicts of all units."""
    found = open_artifact(study.out / "validate").table("agreement").to_pylist()
    row = next(r for r in found if (r["of"], r["by"], r["name"]) == ("verdict", "all", name))
    return CardAgreement(row["value"], row["low"], row["high"], row["why_undefined"], row["note"])


def _models(study: Study, filtered: Artifact) -> tuple[CardModel, ...]:
    fillers = open_artifact(study.out / "mask_words").table("models").to_pylist()
    declared = filtered.table("models").to_pylist()
    return (
        *(CardModel(m["model"], m["revision"], "fill") for m in fillers),
        *(CardModel(m["model"], m["revision"], "filter") for m in declared if m["role"] == "filter"),
        *(CardModel(m["model"], m["revision"], "held out") for m in declared if m["role"] == "held_out"),
    )
