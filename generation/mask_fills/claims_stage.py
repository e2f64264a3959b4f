"""The artifact out/fill_claims: what words that no anchor decides make of their sentences."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
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
from nextset.scoring.models.sources import locate
from nextset.study.mask_constraint import parse_constraint
from nextset.study.study_folder import Study

if TYPE_CHECKING:
    from nextset.scoring.masks.filler import MaskFiller

__all__ = [
    "ClaimCalibration", "FillClaim", "claims_of_words", "claims_recipe", "place_words", "placed",
    "takes_other_words",
]  # fmt: skip

ASKED = "words that no anchor decides"


@dataclass(frozen=True)
class FillClaim:
    """The claim of a word that no anchor of its mask decides, by the fill model's embeddings."""

    language: str
    """BCP 47 tag."""
    stereotype: str
    """The stereotype, whose file may define the lists of anchors."""
    mask: str
    """The constraint of the mask, as written."""
    word: str
    """The word."""
    like: float | None
    """Mean cosine with the nearest anchors of the claim; null if the model cannot read the word or them."""
    unlike: float | None
    """The same with the anchors of the opposite claim."""
    claim: str
    """with, against or beside."""


@dataclass(frozen=True)
class ClaimCalibration:
    """How well the fill model's embeddings tell anchors of a claim from those of its opposite."""

    anchors: int
    """The number of anchors that were placed by the other anchors of their masks."""
    threshold: float | None
    """A word is placed if its similarities differ by more; null if the model cannot tell the sides apart."""
    beyond: int
    """The number of anchors beyond the threshold, of which nearly all fall on their own side."""


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
        {study.model_label(settings.model): locate(settings.model, study.folder).identity},
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

    Tables: claims (FillClaim) and calibration (one ClaimCalibration).
    """

    @functools.cache
    def result() -> tuple[Calibration, list[FillClaim]]:
        return claims_of_words(study, masked, words, demands, filler())

    def claims() -> PartResult:
        _, rows = result()
        counts = Counter(f"{ASKED}, placed {r.claim} the claim" for r in rows)
        return PartResult(table_of(rows, FillClaim), dict(counts))

    def how_calibrated() -> PartResult:
        c, _ = result()
        return PartResult(table_of([ClaimCalibration(c.anchors, c.threshold, c.beyond)], ClaimCalibration))

    return build(
        study.out / "fill_claims",
        recipe,
        lambda: [Part("claims", claims), Part("calibration", how_calibrated)],
        progress=progress("fill"),
    )


def claims_of_words(
    study: Study, masked: pa.Table, words: pa.Table, demands: MaskDemands, filler: MaskFiller
) -> tuple[Calibration, list[FillClaim]]:
    """Return the calibration of ``filler``, and the claims of the words of `place_words`."""
    undecided = _undecided(study, masked, words, demands)
    vectors = _vectors(filler, undecided)
    sides = {
        place: AnchorVectors(_rows(vectors, a.like), _rows(vectors, a.unlike))
        for place, (a, _) in undecided.items()
    }
    distinct = {a: sides[place] for place, (a, _) in undecided.items()}
    calibration = calibrated(list(distinct.values()))
    return calibration, [
        FillClaim(*place, word, *similar, claim)
        for place, (_, others) in undecided.items()
        for word, similar, claim in _claims(calibration, sides[place], vectors, sorted(others))
    ]


def placed(claims: pa.Table) -> dict[MaskPlace, dict[str, Claim]]:
    """Return the claim of each word at each mask, from a table of FillClaims."""
    by_place: dict[MaskPlace, dict[str, Claim]] = defaultdict(dict)
    for row in claims.to_pylist():
        by_place[row["language"], row["stereotype"], row["mask"]][row["word"]] = row["claim"]
    return dict(by_place)


Undecided = Mapping[MaskPlace, tuple[Anchors, set[str]]]
Rows = npt.NDArray[np.float32]
Vectors = Mapping[str, Rows]


def _undecided(study: Study, masked: pa.Table, words: pa.Table, demands: MaskDemands) -> Undecided:
    """Return the anchors of each mask that takes other words, with the model's words they leave open."""
    settings = study.settings.fill
    by_prompt: dict[tuple[str, int], set[str]] = defaultdict(set)
    for row in words.select(["prompt_id", "mask", "word"]).to_pylist():
        by_prompt[row["prompt_id"], row["mask"]].add(row["word"])
    prompts = prompts_of(masked, demands, joint=settings.groups == "joint", premise=settings.premise)
    undecided: dict[MaskPlace, tuple[Anchors, set[str]]] = {}
    for row, prompt in zip(masked.to_pylist(), prompts, strict=True):
        masks = zip(demands.places(row), demands.constraints(row), demands.anchors(row), strict=True)
        for mask, (place, constraint, anchors) in enumerate(masks, 1):
            if anchors is not None and not constraint.only:
                _, others = undecided.setdefault(place, (anchors, set()))
                proposed = by_prompt[prompt_id(prompt), mask] - others
                others.update(word for word in proposed if anchors.claim(word) is None)
    return dict(sorted(undecided.items()))


def _vectors(filler: MaskFiller, undecided: Undecided) -> Vectors:
    from nextset.scoring.masks.word_vectors import word_vectors

    words = sorted({w for a, others in undecided.values() for w in (*a.like, *a.unlike, *others)})
    return {w: v for w, v in zip(words, word_vectors(filler, words), strict=True) if v.any()}


def _rows(vectors: Vectors, words: tuple[str, ...]) -> Rows:
    known = [vectors[word] for word in words if word in vectors]
    width = len(next(iter(vectors.values()), ()))
    return np.stack(known) if known else np.zeros((0, width), np.float32)


def _claims(
    calibration: Calibration, sides: AnchorVectors, vectors: Vectors, words: list[str]
) -> Iterator[tuple[str, tuple[float | None, float | None], Claim]]:
    """Yield each word with its similarities to both sides and its claim."""
    read = [word for word in words if word in vectors]
    similar = (
        sides.similarities(np.stack([vectors[word] for word in read]))
        if read
        else np.zeros((0, 2), np.float32)
    )
    claims = calibration.claims(sides, similar)
    known = {word: (both, claim) for word, both, claim in zip(read, similar, claims, strict=True)}
    sizes = (len(sides.like), len(sides.unlike))
    for word in words:
        if word in known:
            both, claim = known[word]
            like, unlike = (float(s) if size else None for s, size in zip(both, sizes, strict=True))
            yield word, (like, unlike), claim
        else:
            yield word, (None, None), "beside"
