"""Dataset versions of choice items, released by the real stages from rows that a test gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.generation.choices.port.ported_parts import ported_parts
from nextset.generation.choices.port.ported_templates import Port
from nextset.generation.template_expansion import TemplateRow
from nextset.records.arrow_schema import table_of
from nextset.release.dataset_files.stage import dataset_folder, write_dataset_version
from nextset.release.report_stage import report_release
from nextset.release.stage import build_release
from nextset.study.study_folder import Study

__all__ = ["choice_study", "release_choices", "with_value"]

_STUDY = """\
format: 1
name: phones
about: "{about}"
choices: {{packs: ["builtin:en"]}}
release:
  name: phones
  version: {version}
  license: cc-by-4.0
  authors: ["Ada Example"]
  formats: [csv, jsonl, bbq]
{more}
"""


def choice_study(
    folder: Path,
    items: pa.Table,
    *,
    version: str = "1.0.0",
    about: str = "About phones.",
    more: str = "",
    port: Port | None = None,
) -> Study:
    """Write a study without a filter whose stage generate has made ``items``; ``more`` goes into release.

    The decisions of ``port`` are applied to them.
    """
    folder.mkdir(parents=True)
    text = _STUDY.format(version=version, about=about, more=more)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    parts = [
        Part("templates", lambda: PartResult(table_of([], TemplateRow))),
        Part("choices", lambda: PartResult(items)),
    ]
    parts = parts if port is None else ported_parts(parts, port)
    build(folder / "out" / "generate", Recipe("generate", 1, {}, {}), lambda: parts)
    return Study.load(folder)


def release_choices(folder: Path, items: pa.Table, **study: Any) -> Path:
    """Return the folder of the dataset version of ``items`` (`choice_study`)."""
    made = choice_study(folder, items, **study)
    build_release(made)
    report_release(made)
    write_dataset_version(made)
    return dataset_folder(made)


def with_value(items: pa.Table, column: str, place: int, value: Any) -> pa.Table:
    """Return ``items`` with another ``value`` in one row; the ids stay."""
    rows = items.to_pylist()
    rows[place][column] = value
    return pa.Table.from_pylist(rows, schema=items.schema)
