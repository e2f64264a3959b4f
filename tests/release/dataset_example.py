"""A small dataset version on disk, with manifest and card, for tests."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.html.content_warning import CONTENT_WARNING
from nextset.records.class_labels import typed_table
from nextset.release.dataset_card.card_configs import card_configs
from nextset.release.dataset_card.card_facts import Card
from nextset.release.version_folder.release_manifest import PublishedFile, ReleaseManifest, ReleaseModel
from tests.release.card_example import CANARY, full_card, item_rows, quad_card, quad_rows

__all__ = ["judgment_rows", "manifest_of", "write_items", "write_quads", "write_tables"]


def judgment_rows() -> pa.Table:
    """Return two judgments: one valid with a stance, one invalid without."""
    return pa.table(
        {
            "unit_id": ["u0", "u0"],
            "verdict": ["valid", "invalid"],
            "stance_judged": pa.array(["pro", None], pa.string()),
            "judge": ["p1", "p2"],
        }
    )


def write_tables(
    folder: Path, tables: Mapping[tuple[str, str, str], pa.Table], pieces: int = 2
) -> tuple[PublishedFile, ...]:
    """Write tables by config, folder within it (may be empty) and split, each in ``pieces`` typed files."""
    files = []
    for (config, part, split), table in tables.items():
        size = -(-table.num_rows // pieces)
        for i in range(pieces):
            path = "/".join(
                p for p in ("data", config, part, f"{split}-{i:05d}-of-{pieces:05d}.parquet") if p
            )
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            piece = typed_table(table.slice(i * size, size))
            pq.write_table(piece, folder / path)
            raw = (folder / path).read_bytes()
            files.append(
                PublishedFile(
                    path=path,
                    bytes=len(raw),
                    sha256=hashlib.sha256(raw).hexdigest(),
                    rows=piece.num_rows,
                    config=config,
                    split=split,
                )
            )
    return tuple(sorted(files, key=lambda f: f.path))


def manifest_of(card: Card, files: tuple[PublishedFile, ...]) -> ReleaseManifest:
    """Return a manifest with the facts of ``card``."""
    return ReleaseManifest(
        name=card.name,
        version=card.version,
        previous=card.previous,
        kind=",".join(card.kinds),
        license=card.license,
        authors=card.authors,
        languages=card.languages,
        canary=CANARY,
        content_warning=CONTENT_WARNING,
        judge=card.judge,
        verdicts={"unanimous": True},
        models=tuple(
            ReleaseModel(name=m.name, revision=m.revision, role=m.role, pinned=True) for m in card.models
        ),
        waivers=card.waivers,
        columns={},
        study={},
        nextset="0",
        private=False,
        gated=False,
        files=files,
    )


def write_items(folder: Path) -> tuple[Card, ReleaseManifest]:
    """Write items of two domains with a split controls, and judgments; return card and manifest."""
    rows = item_rows(9)
    controls = rows.filter(pa.compute.equal(rows["stance_design"], "test"))
    tables = {
        ("items", "handedness", "test"): rows.slice(0, 8),
        ("items", "height", "test"): item_rows(4, "height"),
        ("items", "handedness", "controls"): pa.concat_tables([controls, controls]),
        ("judgments", "", "test"): judgment_rows(),
    }
    files = write_tables(folder, tables)
    card = dataclasses.replace(full_card(), configs=card_configs(folder, files, ["items"], by_domain=True))
    return card, manifest_of(card, files)


def write_quads(folder: Path) -> tuple[Card, ReleaseManifest]:
    """Write questions and statements; return card and manifest."""
    from nextset.records.question_quads import MaskedStatement

    tables = {
        ("questions", "", "test"): quad_rows(n=4),
        ("statements", "", "test"): quad_rows(MaskedStatement, 2),
    }
    files = write_tables(folder, tables, pieces=1)
    card = dataclasses.replace(quad_card(), configs=card_configs(folder, files, ["questions", "statements"]))
    return card, manifest_of(card, files)
