"""The artifact out/fill_claims: what words that no anchor decides make of their sentences."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.artifacts.progress_callback import Progress
from nextset.generation.mask_fills.anchor_similarity import AnchorVectors, Calibration, calibrated
from nextset.generation.mask_fills.mask_demands import MaskDemands, MaskPlace
from nextset.generation.mask_fills.mask_prompts import prompts_of
from nextset.generation.mask_words import prompt_id
from nextset.generation.templates.anchors import Anchors, Claim
from nextset.records.arrow_schema import table_of
from nextset.scoring.study_models import located
from nextset.study.mask_constraint import parse_constraint
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = ["FillClaim", "claims_of_words", "claims_recipe", "place_words", "placed", "takes_other_words"]

ASKED = "words that no anchor decides"


@dataclass(frozen=True)
class FillClaim:
    """The claim of a word that no anchor of its mask decides, by the fill model's embeddings.

    Words that the model cannot read are beside, and have no row.
    """

    language: str
    """BCP 47 tag."""
    stereotype: str
    """The stereotype, whose file may define the lists of anchors."""
    mask: str
    """The constraint of the mask, as written."""
    word: str
    """The word."""
    like: float
    """Mean cosine with the nearest anchors of the claim; -1 without anchors."""
    unlike: float
    """The same with the anchors of the opposite claim."""
    claim: str
    """with, against or beside."""


def takes_other_words(study: Study, masked: pa.Table, demands: MaskDemands) -> bool:
    """Return whether a mask has anchors and takes words beside them, which are then to be placed."""
    written = pc.unique(pc.list_flatten(masked["mask_constraints"])).to_pylist()
    return any(c.like and not c.only for c in map(parse_constraint, {w or demands.default for w in written}))


def claims_recipe(study: Study, inputs: Mapping[str, str]) -> Recipe:
    """Return the recipe of out/fill_claims, from the digests of the words and of all lists about words."""
    settings = study.settings.fill
    return Recipe(
        "fill_claims",
        1,
        inputs,
        {"groups": settings.groups, "premise": settings.premise, "mask": settings.mask},
        {study.model_label(settings.model): located(study, settings.model).identity},
    )


def place_words(
    study: Study,
    recipe: Recipe,
    masked: pa.Table,
    words: pa.Table,
    demands: MaskDemands,
    filler: Callable[[], MaskFiller],
    progress: Progress,
) -> Artifact:
    """Place the ``words`` (MaskWords) of ``masked`` that no anchor decides, and write out/fill_claims.

    Tables: claims (FillClaim) and calibration (one Calibration).
    """

    @functools.cache
    def result() -> tuple[Calibration, list[FillClaim]]:
        return claims_of_words(study, masked, words, demands, filler())

    def claims() -> PartResult:
        _, rows = result()
        counts = Counter(f"{ASKED}, placed {r.claim} the claim" for r in rows)
        return PartResult(table_of(rows, FillClaim), dict(counts))

    def calibration() -> PartResult:
        return PartResult(table_of([result()[0]], Calibration))

    return build(
        study.out / "fill_claims",
        recipe,
        lambda: [Part("claims", claims), Part("calibration", calibration)],
        progress=progress("fill"),
    )


def claims_of_words(
    study: Study, masked: pa.Table, words: pa.Table, demands: MaskDemands, filler: MaskFiller
) -> tuple[Calibration, list[FillClaim]]:
    """Return the calibration of ``filler``, and the claims of the words of `place_words`.

    There are none if the calibration has no threshold: then all words are beside.
    """
    from nextset.scoring.masks.input_embeddings import word_vectors

    def vectors(of_words: Iterable[str]) -> dict[str, Rows]:
        listed = sorted(set(of_words))
        return {w: v for w, v in zip(listed, word_vectors(filler, listed), strict=True) if v.any()}

    anchors = _anchors(masked, demands)
    known = vectors(word for a in anchors.values() for word in (*a.like, *a.unlike))
    sides = {
        place: AnchorVectors(_rows(known, a.like), _rows(known, a.unlike)) for place, a in anchors.items()
    }
    calibration = calibrated(list({a: sides[place] for place, a in anchors.items()}.values()))
    if calibration.threshold is None:
        return calibration, []
    undecided = _undecided(study, masked, words, demands, anchors)
    known |= vectors(word for others in undecided.values() for word in others)
    claims = []
    for place, others in sorted(undecided.items()):
        read = sorted(word for word in others if word in known)
        similar = sides[place].similarities(_rows(known, read))
        placed_words = zip(read, similar.tolist(), calibration.claims(sides[place], similar), strict=True)
        claims += [
            FillClaim(*place, word, like, unlike, claim) for word, (like, unlike), claim in placed_words
        ]
    return calibration, claims


def placed(claims: pa.Table) -> dict[MaskPlace, dict[str, Claim]]:
    """Return the claim of each word at each mask, from a table of FillClaims."""
    by_place: dict[MaskPlace, dict[str, Claim]] = defaultdict(dict)
    for row in claims.to_pylist():
        by_place[row["language"], row["stereotype"], row["mask"]][row["word"]] = row["claim"]
    return dict(by_place)


Rows = npt.NDArray[np.float32]


def _anchors(masked: pa.Table, demands: MaskDemands) -> dict[MaskPlace, Anchors]:
    """Return the anchors of each mask that takes other words too."""
    anchors: dict[MaskPlace, Anchors] = {}
    for row in masked.to_pylist():
        masks = zip(demands.places(row), demands.constraints(row), demands.anchors(row), strict=True)
        anchors |= {place: a for place, constraint, a in masks if a is not None and not constraint.only}
    return anchors


def _undecided(
    study: Study,
    masked: pa.Table,
    words: pa.Table,
    demands: MaskDemands,
    anchors: Mapping[MaskPlace, Anchors],
) -> Mapping[MaskPlace, set[str]]:
    """Return the model's words for each mask with ``anchors`` that these leave open."""
    settings = study.settings.fill
    by_prompt: dict[tuple[str, int], set[str]] = defaultdict(set)
    for row in words.select(["prompt_id", "mask", "word"]).to_pylist():
        by_prompt[row["prompt_id"], row["mask"]].add(row["word"])
    prompts = prompts_of(masked, demands, joint=settings.groups == "joint", premise=settings.premise)
    proposed: dict[MaskPlace, set[str]] = defaultdict(set)
    for row, prompt in zip(masked.to_pylist(), prompts, strict=True):
        for mask, place in enumerate(demands.places(row), 1):
            if place in anchors:
                proposed[place] |= by_prompt[prompt_id(prompt), mask]
    return {
        place: {word for word in of_place if anchors[place].claim(word) is None}
        for place, of_place in proposed.items()
    }


def _rows(vectors: Mapping[str, Rows], words: Sequence[str]) -> Rows:
    known = [vectors[word] for word in words if word in vectors]
    width = len(next(iter(vectors.values()), ()))
    return np.stack(known) if known else np.zeros((0, width), np.float32)
