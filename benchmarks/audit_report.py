"""The report of a release of 15,000 items and four models: its size, and the time of a filter.

benchmarks/auditing.py calls `report_figures`; it needs Chromium and playwright for the times.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.figures import figure
from nextset.auditing.audit_page import render
from nextset.auditing.audit_records import AuditedModel, MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.item_payload import item_payload
from nextset.auditing.report.quad_payload import quad_payload
from nextset.auditing.report.report_data import ReportData
from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import NliItem, NliScore
from nextset.records.question_quads import QuadScore, QuestionQuad

__all__ = ["report_figures"]

ITEMS, MODELS = 15_000, 4
MEGABYTES, MILLISECONDS = 5.0, 100.0
_WORDS = tuple(f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "rd", "st", "lm", "ck"))
_CHROMIUM = Path("/usr/bin/chromium")
_TIMED = """async () => {
  const select = document.querySelector('#explorer-filters select');
  const search = document.querySelector('#explorer-filters input');
  const count = document.getElementById('explorer-count');
  const times = [];
  const timed = async (element, event, value) => {
    const began = performance.now();
    element.value = value;
    element.dispatchEvent(new Event(event));
    document.body.getBoundingClientRect();
    times.push(performance.now() - began);
    await new Promise(requestAnimationFrame);
  };
  for (const option of [...select.options].slice(0, 5)) await timed(select, 'change', option.value);
  for (const text of ['a', 'an', 'and', 'no such text', '']) await timed(search, 'input', text);
  return [Math.max(...times), count.textContent];
}"""


def report_figures() -> None:
    """Print size and filter times of the report of 15,000 NLI items, and of 15,000 questions."""
    items = _data(item_payload(*_items()), "nli")
    quads = _data(quad_payload(*_quads()), "question")
    for name, data in (("items", items), ("questions", quads)):
        html = render(data)
        size = len(html.encode()) / 1e6
        goal = f"≤ {MEGABYTES:g} MB"
        figure(f"report of {ITEMS:,} {name} × {MODELS} models", size, goal, size <= MEGABYTES, "MB")
        if _CHROMIUM.exists():
            slowest = _slowest_filter(html)
            goal = f"≤ {MILLISECONDS:g} ms"
            figure(
                f"report, slowest filter of {ITEMS:,} {name}", slowest, goal, slowest <= MILLISECONDS, "ms"
            )


def _slowest_filter(html: str) -> float:
    """Return the milliseconds of the slowest of ten filters, from the event to the laid-out page."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        path = Path(scratch) / "index.html"
        path.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=_CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto(path.as_uri())
        page.click("#explorer-open")
        page.wait_for_selector("[role=option]")
        slowest, _ = page.evaluate(_TIMED)
        browser.close()
    return float(slowest)


def _text(draw: np.random.Generator, words: int) -> str:
    return " ".join(draw.choice(_WORDS, words)).capitalize()


def _items() -> tuple[pa.Table, list[pa.Table]]:
    draw = np.random.default_rng(0)
    premises = [f"{_text(draw, 14)}." for _ in range(ITEMS // 30)]
    blank = dict.fromkeys(f.name for f in arrow_schema(NliItem))
    rows: list[dict[str, Any]] = []
    for i in range(ITEMS):
        rows.append(
            blank
            | {
                "id": content_id("item", str(i)), "language": "en", "domain": f"domain {i % 3}",
                "stereotype": f"stereotype {i % 16}", "premise": premises[i % len(premises)],
                "hypothesis": f"{_text(draw, 9)}.", "question": "", "label": "neutral",
                "stance_design": ("pro", "anti")[i % 2], "premise_swapped": False, "names_group": True,
                "bindings": {"group1": f"g {i % 9}", "group2": f"g {i % 7}", "words": [], "fills": []},
            }
        )  # fmt: skip
    table = pa.Table.from_pylist(rows, arrow_schema(NliItem))
    ids = table["id"].to_pylist()
    pairs = pa.array([ids[i ^ 1] for i in range(ITEMS)])
    table = table.append_column("counterpart_id", pairs)
    table = table.append_column("verdict", pa.array(["valid"] * ITEMS))
    probabilities = draw.dirichlet((1, 1, 1), (MODELS, ITEMS))
    return table, [_scores(ids, m, NliScore, probabilities[m]) for m in range(MODELS)]


def _quads() -> tuple[pa.Table, list[pa.Table]]:
    draw = np.random.default_rng(0)
    subjects = [_text(draw, 1) for _ in range(140)]
    span = {"start": 0, "end": 4}
    spans = {f"subject{i}_in_{o}": span for i in (1, 2) for o in ("12", "21")}
    rows = []
    for i in range(ITEMS):
        one, two = (str(s) for s in draw.choice(subjects, 2, replace=False))
        rows.append(
            {
                "id": content_id("quad", str(i)), "language": "en", "subject_class": f"class {i % 4}",
                "template_id": str(i % 14), "attribute": f"attribute {i % 70}", "attribute_kind": "act",
                "attribute_cluster": "", "subject1": one, "subject2": two, "cluster1": "", "cluster2": "",
                "context_12": f"{one} got off the flight to visit {two}. ({i % 14})",
                "context_21": f"{two} got off the flight to visit {one}. ({i % 14})",
                "question": f"Who would have attribute {i % 70}?",
                "question_negated": f"Who would never have attribute {i % 70}?", **spans,
            }
        )  # fmt: skip
    table = pa.Table.from_pylist(rows, arrow_schema(QuestionQuad))
    ids = table["id"].to_pylist()
    return table, [_scores(ids, m, QuadScore, draw.random((ITEMS, 8))) for m in range(MODELS)]


def _scores(ids: list[str], m: int, record: type, numbers: np.ndarray[Any, Any]) -> pa.Table:
    """Return scores of a model; the record's columns of numbers are those of ``numbers``, in order."""
    schema = arrow_schema(record)
    named = ("entailment", "neutral", "contradiction") if record is NliScore else None
    names = named or tuple(f.name for f in schema if f.name.startswith("subject"))
    given: dict[str, Any] = {name: numbers[:, i] for i, name in enumerate(names)}
    same = {"model": f"owner/model-{m}", "revision": "0" * 64, "role": "filter", "precision": "float32"}
    same |= {"mode": "canonical"}
    given |= {name: [value] * len(ids) for name, value in same.items()}
    given |= {"item_id": ids, "truncated": [False] * len(ids)}
    columns = [pa.array(given.get(f.name, [None] * len(ids)), f.type) for f in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _data(payload: dict[str, Any], form: Any) -> ReportData:
    row = MeasureRow(
        form=form, items="dataset", selection="all" if form == "question" else "measured", subject_class="",
        by="all", part="all", model="owner/model-0", role="audit",
        measure="mu" if form == "question" else "accuracy", value=0.5, low=0.4, high=0.6, n=ITEMS,
        clusters=100, note=None,
    )  # fmt: skip
    models = [AuditedModel(model=f"owner/model-{m}", role="audit", revision="0" * 64) for m in range(MODELS)]
    measures = [replace(row, model=model.model) for model in models]
    return ReportData(
        title="Benchmark",
        dataset_name="benchmark",
        dataset_version="1.0.0",
        dataset_path="benchmark",
        audit=AuditTables(measures=measures, models=models),
        explorer=payload,
    )
