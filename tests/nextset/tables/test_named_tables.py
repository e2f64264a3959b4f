"""Tables without a study: templates, items, measures of any table, plots, and datasets that are audited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import nextset
from nextset.records.nli_items import NliItem
from nextset.tables.given_tables import given_table
from nextset.tables.named_tables import NamedTables

PREDICTED = ("entailment", "neutral", "neutral")


@pytest.fixture(scope="module")
def items() -> NamedTables:
    return nextset.expand(nextset.load_templates("builtin:gender"))


@pytest.fixture(scope="module")
def predictions(items: NamedTables) -> pd.DataFrame:
    ids = items.to_pandas()["id"]
    return pd.DataFrame({"id": ids, "label": [PREDICTED[i % 3] for i in range(len(ids))]})


def test_templates_expand_to_the_items_of_a_study(items: NamedTables, tmp_path: Path) -> None:
    study = nextset.Study.from_settings(folder=tmp_path / "x", templates=["builtin:gender"])
    generated = nextset.generate(study)
    for name in ("items", "masked", "templates", "mask_lists"):
        assert items[name] == generated.table(name)
    assert len(items) == generated.rows("items") == items.to_dataset().num_rows == len(items.to_pandas())
    assert dict(items.counts) == {**generated.counts, **items.counts}
    assert nextset.expand("builtin:gender").table() == items.table()
    one = next(iter(nextset.load_templates("builtin:gender")))
    assert 0 < len(nextset.expand(one, tests=False)) < len(items)


def test_tables_are_shown(items: NamedTables) -> None:
    assert repr(items) == "<NamedTables: items 868, masked 518, templates 502, mask_lists 110>"
    assert list(items) == ["items", "masked", "templates", "mask_lists"]
    assert "items" in items
    assert "Content warning" in items._repr_html_()
    assert repr(items.head(3, ["premise"])) == "<items: 3 of 868 rows>"
    assert repr(nextset.load_templates("builtin:gender")) == (
        "LoadedTemplates(templates=<5 Template>, files=<5 bytes>)"
    )
    assert "breadwinner" in nextset.load_templates("builtin:gender")._repr_html_()
    with pytest.raises(nextset.InputError, match="no table 'item'") as error:
        items["item"]
    assert error.value.remedy == "use one of items, masked, templates, mask_lists"
    with pytest.raises(nextset.InputError, match="no column 'text'"):
        items.head(columns=["text"])


def test_measures_of_every_kind_of_table_are_the_same(
    items: NamedTables, predictions: pd.DataFrame, tmp_path: Path
) -> None:
    from datasets import Dataset

    predictions.to_csv(tmp_path / "p.csv", index=False)
    pq.write_table(items.table(), tmp_path / "items.parquet")
    expected = nextset.measure(items, predictions).table()
    for these, those in [
        (items.to_pandas(), Dataset.from_pandas(predictions)),
        (items.to_dataset(), tmp_path / "p.csv"),
        (tmp_path / "items.parquet", pa.Table.from_pandas(predictions)),
        (items.table(), predictions.astype({"label": "category"})),
    ]:
        assert nextset.measure(these, those).table() == expected


def test_a_function_has_the_same_bootstrap_as_accuracy(items: NamedTables, predictions: pd.DataFrame) -> None:
    def right(rows: Mapping[str, Any], answers: Mapping[str, Any]) -> float:
        """The share of right answers."""
        return float(np.mean(rows["label"] == answers["label"]))

    own = nextset.measure(items, predictions, right, by="stereotype").to_pandas()
    accuracy = nextset.measure(items, predictions, "accuracy", by="stereotype").to_pandas()
    assert own["measure"].unique().tolist() == ["right"]
    columns = ["part", "value", "n", "clusters"]
    assert own[columns].equals(accuracy[columns])
    np.testing.assert_allclose(own[["low", "high"]], accuracy[["low", "high"]], atol=0.02)
    both = nextset.measure(items, predictions, ["accuracy", right]).to_pandas()
    assert both["measure"].tolist() == ["accuracy", "right"]


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_a_plot_is_saved(items: NamedTables, predictions: pd.DataFrame, tmp_path: Path, kind: str) -> None:
    measured = nextset.measure(items, predictions, "accuracy", by="stereotype")
    nextset.plot(measured).save(tmp_path / f"accuracy.{kind}")
    raw = (tmp_path / f"accuracy.{kind}").read_bytes()
    assert len(raw) > 2_000
    assert b"man is to breadwinner" in raw or kind == "png"


def test_wrong_arguments_are_errors_with_a_remedy(items: NamedTables, predictions: pd.DataFrame) -> None:
    wrong: Any = 3
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: nextset.load_templates(), "named by texts or paths"),
        (lambda: nextset.load_templates(wrong), "here: 3"),
        (lambda: nextset.load_templates("builtin:nothing"), "no templates 'builtin:nothing'"),
        (lambda: nextset.expand(wrong), "not templates"),
        (lambda: nextset.measure(items, wrong), "predictions: an object of the type int is not a table"),
        (lambda: nextset.measure("items.txt", predictions), "items: this is not a file with rows"),
        (lambda: nextset.measure(items, predictions, "accurracy"), "no installed package has a measure"),
        (lambda: nextset.plot(items), "no column 'model'"),
        (lambda: nextset.audit_dataset(items), "no model is named"),
        (lambda: nextset.audit_dataset(predictions, "builtin:nli-electra"), "none of the forms"),
    ]
    for call, message in calls:
        with pytest.raises(nextset.InputError, match=message) as error:
            call()
        assert error.value.remedy


@pytest.mark.slow
def test_a_table_is_audited_like_a_version(
    items: NamedTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = items.to_pandas().head(60)
    audited = nextset.audit_dataset(frame, models="builtin:nli-electra")
    assert audited.folder.parent.name.startswith("audit-table-")
    assert audited.rows("measures") > 10
    assert nextset.audit_dataset(frame, models="builtin:nli-electra").built == "reused"
    minimal = frame[["premise", "hypothesis", "label"]].drop_duplicates()
    assert nextset.audit_dataset(minimal, models="builtin:nli-electra", out="own").rows("measures") > 3


def test_names_of_class_labels_are_read(items: NamedTables) -> None:
    from datasets import ClassLabel

    names = ["entailment", "neutral", "contradiction"]
    typed = items.to_dataset().cast_column("label", ClassLabel(names=names))
    assert given_table(typed, "items")["label"].to_pylist() == items["items"]["label"].to_pylist()
    assert set(given_table(typed, "items").column_names) == {
        f.name for f in NliItem.__dataclass_fields__.values()
    }
