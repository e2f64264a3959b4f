"""The difference between two dataset versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ArtifactError
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Bindings, Fill, Word
from nextset.release.version_folder.release_manifest import PublishedFile, ReleaseModel
from nextset.release.versions.diff_records import ConfigDiff, as_json
from nextset.release.versions.diff_text import diff_text
from nextset.release.versions.rewordings import edits
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_tables import column_hashes
from nextset.release.versions.withdrawal import WithdrawnRow
from tests.release.version_folders import item, items_table, write_version

Row = dict[str, Any]


def changed(tmp_path: Path, old: list[Row], new: list[Row]) -> ConfigDiff:
    a = write_version(tmp_path / "a", {"items": items_table(old)})
    b = write_version(tmp_path / "b", {"items": items_table(new)}, "1.1.0")
    (found,) = version_diff(a, b).configs
    return found


def quads(**texts: str) -> pa.Table:
    row = {
        "id": content_id(*texts.values()),
        "language": "en", "subject_class": "gender", "template_id": "0", "attribute": "was late",
        "subject1": "Ann", "subject2": "Bob", "context_12": "Ann met Bob.", "context_21": "Bob met Ann.",
        "question": "Who was late?", "question_negated": "Who was not late?", "verdict": "valid",
    }  # fmt: skip
    return pa.Table.from_pylist([row | texts])


def test_a_version_does_not_differ_from_itself(tmp_path: Path) -> None:
    a = write_version(tmp_path / "a", {"items": items_table([item("Left-handed people are clumsy.")])})
    diff = version_diff(a, a)
    assert diff.empty
    assert diff_text(diff) == "a-set: 1.0.0 → 1.0.0\nnothing changed"


def test_the_number_of_the_version_alone_makes_no_difference(tmp_path: Path) -> None:
    """The card names the version; the same rows in more files are the same rows."""
    rows = [item("One."), item("Two."), item("Three.")]
    a = write_version(tmp_path / "a", {"items": items_table(rows)}, "1.0.0")
    parts = [items_table(rows[2:]), items_table(rows[:2])]
    assert version_diff(a, write_version(tmp_path / "b", {"items": parts}, "1.0.1")).empty


def test_added_and_removed(tmp_path: Path) -> None:
    stays, goes, comes = item("Stays as it is."), item("Goes away now."), item("A new and other one.")
    found = changed(tmp_path, [stays, goes], [stays, comes])
    assert (list(found.added), list(found.removed)) == ([comes["id"]], [goes["id"]])
    assert (len(found.reworded), found.totals["added"], found.totals["removed"]) == (0, 1, 1)
    (example,) = dict(found.examples)["added"]
    assert dict(example.texts_after)["hypothesis"] == "A new and other one."


def test_another_label_of_the_same_id(tmp_path: Path) -> None:
    before = item("They met.", "test", label="entailment", stance_judged=None)
    after = before | {"label": "contradiction"}
    found = changed(tmp_path, [before], [after])
    assert list(found.relabelled.new) == list(found.relabelled.old) == [before["id"]]
    assert [asdict(t) for t in found.labels] == [
        {"column": "label", "before": "entailment", "after": "contradiction", "rows": 1}
    ]
    assert (len(found.added), len(found.removed), found.moved) == (0, 0, 0)


def test_another_stance_as_judged(tmp_path: Path) -> None:
    found = changed(tmp_path, [item("A.")], [item("A.", stance_judged="anti")])
    assert [(t.column, t.before, t.after, t.rows) for t in found.labels] == [("stance", "pro", "anti", 1)]
    assert found.columns == ()


def test_a_stance_judged_as_designed_is_the_same_stance(tmp_path: Path) -> None:
    """Nobody judged it before; the stance was the one designed, pro, and still is."""
    found = changed(tmp_path, [item("A.", stance_judged=None)], [item("A.")])
    assert len(found.relabelled) == 0
    assert [(c.column, c.rows) for c in found.columns] == [("stance_judged", 1)]


def test_the_same_texts_with_another_stance_are_relabelled(tmp_path: Path) -> None:
    """The id is another one, since the stance by design is part of it."""
    before, after = item("The same text.", "pro"), item("The same text.", "anti")
    found = changed(tmp_path, [before], [after])
    assert (list(found.relabelled.old), list(found.relabelled.new)) == ([before["id"]], [after["id"]])
    assert (found.moved, len(found.reworded), found.totals["added"]) == (1, 0, 0)


def test_supersedes_names_the_row_that_was_reworded(tmp_path: Path) -> None:
    old = item("Some text.")
    new = item("Something entirely different is said here now.", supersedes=old["id"])
    found = changed(tmp_path, [old], [new])
    assert (list(found.reworded.old), list(found.reworded.new)) == ([old["id"]], [new["id"]])


def test_a_small_edit_is_a_rewording(tmp_path: Path) -> None:
    """12 tokens with the full stop: at most 3 may differ. One differs, then four."""
    old = item("People who write with their left hand are bad at cutting.")
    near = item("People who write with their left hand are poor at cutting.")
    far = item("Persons that write with a left hand are poor at cutting.")
    assert len(changed(tmp_path / "1", [old], [near]).reworded) == 1
    assert len(changed(tmp_path / "2", [old], [far]).reworded) == 0


def test_a_rewording_has_one_partner_and_it_is_the_nearest(tmp_path: Path) -> None:
    old = [item("one two three four five six seven eight"), item("one two three four five six seven nine")]
    new = [item("one two three four five six seven nine ten")]
    found = changed(tmp_path, old, new)
    # one word is inserted into the second, while the first also needs a replacement
    assert (list(found.reworded.old), list(found.reworded.new)) == ([old[1]["id"]], [new[0]["id"]])


def test_a_premise_can_be_reworded(tmp_path: Path) -> None:
    old = item("They are clumsy.", premise="A man met a women in the old town.")
    new = item("They are clumsy.", premise="A man met a woman in the old town.")
    assert len(changed(tmp_path, [old], [new]).reworded) == 1


def test_another_group_word_or_fill_is_another_item(tmp_path: Path) -> None:
    words = (Word("JOB", "baker"),)
    one = item("Bakers are kind.", bindings=asdict(Bindings("men", "women", words, (Fill("kind", 1, 0.5),))))
    other_fill = asdict(Bindings("men", "women", words, (Fill("calm", 2, 0.2),)))
    same_fill = asdict(Bindings("men", "women", words, (Fill("kind", 3, 0.1),)))
    assert len(changed(tmp_path / "1", [one], [item("Bakers are calm.", bindings=other_fill)]).reworded) == 0
    assert len(changed(tmp_path / "2", [one], [item("Bakers were kind.", bindings=same_fill)]).reworded) == 1
    assert len(changed(tmp_path / "3", [one], [item("Bakers were kind.", "anti")]).reworded) == 0


def test_verdicts_and_other_columns(tmp_path: Path) -> None:
    rows = [item("One."), item("Two.")]
    found = changed(tmp_path, rows, [rows[0] | {"verdict": "invalid"}, rows[1] | {"domain": "race"}])
    assert [(t.before, t.after, t.rows) for t in found.verdicts] == [("valid", "invalid", 1)]
    assert list(found.verdict_changes) == [rows[0]["id"]]
    assert [(c.column, c.rows) for c in found.columns] == [("domain", 1)]
    parts = {(p.by, p.part): (p.before, p.after, p.added, p.removed) for p in found.parts}
    assert parts["domain", "gender"] == (2, 1, 0, 0)
    assert parts["domain", "race"] == (0, 1, 0, 0)


def test_withdrawn_ids_have_their_reason(tmp_path: Path) -> None:
    stays, goes = item("Stays."), item("Goes.")
    first = WithdrawnRow(id="0" * 32, reason="early", version="1.0.0", kind="asked")
    second = WithdrawnRow(id=goes["id"], reason="an objection", version="1.1.0", kind="asked")
    a = write_version(tmp_path / "a", {"items": items_table([stays, goes])}, withdrawn=[first])
    b = write_version(tmp_path / "b", {"items": items_table([stays])}, "1.1.0", withdrawn=[first, second])
    assert version_diff(a, b).withdrawn == (second,)


def test_columns_and_metadata(tmp_path: Path) -> None:
    table = items_table([item("One.")])
    scores = pa.table({"x": [1]})
    a = write_version(tmp_path / "a", {"items": table, "scores": scores}, card="# 1.0.0\nA line.\n")
    b = write_version(
        tmp_path / "b",
        {"items": table.drop_columns(["judge"]).append_column("n_judgments", pa.array([3], pa.int32()))},
        "1.1.0", license="mit", card="# 1.1.0\nAnother line.\nA third.\n",
    )  # fmt: skip
    diff = version_diff(a, b)
    assert [(s.config, s.column, s.before, s.after) for s in diff.schema] == [
        ("items", "n_judgments", None, "int32"),
        ("items", "judge", "string", None),
        ("scores", None, "config", None),
    ]
    assert [(t.config, t.before, t.after) for t in diff.tables] == [("scores", 1, 0)]
    assert [(m.field, m.before, m.after) for m in diff.metadata] == [
        ("license", "cc-by-4.0", "mit"),
        ("README.md", "lines removed: 1", "lines added: 2"),
    ]


def test_models_are_compared_by_their_names(tmp_path: Path) -> None:
    def model(name: str, role: str, revision: str = "0a", version: str | None = None) -> ReleaseModel:
        return ReleaseModel(name=name, role=role, revision=revision, pinned=True, version=version)

    def said(old: list[ReleaseModel], new: list[ReleaseModel]) -> str:
        folders = [
            write_version(
                tmp_path / str(len(list(tmp_path.iterdir()))), {"items": table}, models=tuple(models)
            )
            for models in (old, new)
        ]
        return diff_text(version_diff(folders[0], folders[1])).splitlines()[-1]

    table = items_table([item("One.")])
    stays, filler = model("org/nli", "filter"), model("org/mlm", "fill", version="base 1.0.0")
    assert said([stays, model("org/old", "filter")], [stays, filler, model("org/old", "held out")]) == (
        "models: added org/mlm (fill of base 1.0.0), org/old (held out); removed org/old (filter)"
    )
    assert said([stays], [model("org/nli", "filter", "0b")]) == "models: changed org/nli (filter)"
    assert said([stays], []) == "models: removed org/nli (filter)"
    assert said([stays, filler], [filler, stays]) == "models: in a different order"


def typed(table: pa.Table, column: str, names: list[str]) -> pa.Table:
    codes = pa.array([None if v is None else names.index(v) for v in table[column].to_pylist()], pa.int64())
    at = table.schema.get_field_index(column)
    features = {"features": {column: {"names": names, "_type": "ClassLabel"}}}
    table = table.set_column(at, column, codes)
    return table.replace_schema_metadata({"huggingface": json.dumps({"info": features})})


def test_typed_labels_are_read_by_name(tmp_path: Path) -> None:
    """The same labels under other numbers: no label changed, only the column's type."""
    table = items_table([item("One."), item("They met.", "test", label="entailment")])
    one = typed(table, "label", ["entailment", "neutral", "contradiction"])
    two = typed(table, "label", ["contradiction", "neutral", "entailment"])
    a = write_version(tmp_path / "a", {"items": one})
    diff = version_diff(a, write_version(tmp_path / "b", {"items": two}))
    assert len(diff.configs[0].relabelled) == 0
    assert [(s.column, s.before) for s in diff.schema] == [
        ("label", "ClassLabel(entailment, neutral, contradiction)")
    ]
    plain = version_diff(a, write_version(tmp_path / "c", {"items": table}))
    assert (len(plain.configs[0].relabelled), len(plain.schema)) == (0, 1)


def test_questions_and_statements(tmp_path: Path) -> None:
    statements = quads(statement="{{MASK}} was late.", statement_negated="{{MASK}} was not late.")
    a = write_version(tmp_path / "a", {"questions": quads(), "statements": statements})
    new = quads(question="Who came late?")
    b = write_version(tmp_path / "b", {"questions": new, "statements": statements}, "1.1.0")
    questions, unchanged = version_diff(a, b).configs
    assert list(questions.reworded.new) == new["id"].to_pylist()
    assert [(p.by, p.part) for p in questions.parts] == [
        ("attribute", "was late"),
        ("subject_class", "gender"),
    ]
    assert (len(unchanged.added), len(unchanged.removed)) == (0, 0)


def test_a_config_that_only_one_version_has(tmp_path: Path) -> None:
    a = write_version(tmp_path / "a", {"questions": quads()})
    b = write_version(tmp_path / "b", {"items": items_table([item("One.")])})
    items, questions = version_diff(a, b).configs
    assert (items.before, items.after, questions.before, questions.after) == (0, 1, 1, 0)


def _cut(folder: Path) -> None:
    (path,) = (folder / "data" / "items").iterdir()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _missing(folder: Path) -> None:
    (path,) = (folder / "data" / "items").iterdir()
    path.unlink()


def _rewrite(folder: Path, table: pa.Table) -> None:
    (path,) = (folder / "data" / "items").iterdir()
    pq.write_table(table, path)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "cannot be read": _cut,
    "it is missing": _missing,
    "is repeated": lambda f: _rewrite(f, items_table([item("One."), item("One.")])),
    "the id 'not an id' in items is not 32": lambda f: _rewrite(f, items_table([item("A.", id="not an id")])),
    "the id null in items": lambda f: _rewrite(
        f, items_table([item("A.")]).drop_columns(["id"]).append_column("id", pa.array([None], pa.string()))
    ),
    "contains the number 7, but the file names only 1": lambda f: _rewrite(
        f,
        typed(items_table([item("A.")]), "label", ["neutral"]).set_column(
            8, "label", pa.array([7], pa.int64())
        ),
    ),
}


@pytest.mark.parametrize("message", DAMAGE)
def test_a_damaged_version_is_an_error(tmp_path: Path, message: str) -> None:
    a = write_version(tmp_path / "a", {"items": items_table([item("One.")])})
    b = write_version(tmp_path / "b", {"items": items_table([item("One.")])})
    DAMAGE[message](b)
    with pytest.raises(ArtifactError, match=message):
        version_diff(a, b)


def test_a_manifest_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside.parquet"
    pq.write_table(items_table([item("One.")]), outside)
    for path in ("../outside.parquet", str(outside), "data/../../outside.parquet"):
        listed = PublishedFile(path=path, bytes=1, sha256="0" * 64, rows=1, config="items", split="test")
        folder = write_version(
            tmp_path / f"v{len(path)}", {"items": items_table([item("One.")])}, files=(listed,)
        )
        with pytest.raises(ArtifactError, match="not a path inside the version"):
            version_diff(folder, folder)


def test_texts_that_a_terminal_would_read_are_escaped(tmp_path: Path) -> None:
    a = write_version(tmp_path / "a", {"items": items_table([item("One.")])})
    hostile = item("\x1b[2J \u202e two\nlines of it")
    text = diff_text(version_diff(a, write_version(tmp_path / "b", {"items": items_table([hostile])})))
    assert r"\x1b[2J \u202e two\nlines" in text


WORDS = st.lists(st.sampled_from("ab"), max_size=6).map(" ".join)


@given(WORDS, WORDS)
def test_edits_are_levenshteins(a: str, b: str) -> None:
    """A restatement by recursion, without a limit and with one."""

    def distance(x: tuple[str, ...], y: tuple[str, ...]) -> int:
        if not x or not y:
            return len(x) + len(y)
        if x[0] == y[0]:
            return distance(x[1:], y[1:])
        return 1 + min(distance(x[1:], y), distance(x, y[1:]), distance(x[1:], y[1:]))

    right = distance(tuple(a.split()), tuple(b.split()))
    assert edits(a, b, 12) == right
    assert edits(a, b, 2) == (right if right <= 2 else None)


@given(
    st.lists(st.none() | st.lists(st.none() | st.integers(0, 3), max_size=3), max_size=8), st.integers(0, 8)
)
def test_equal_lists_have_equal_hashes_and_others_do_not(values: list[Any], start: int) -> None:
    array = pa.array(values, pa.list_(pa.int32()))
    hashes = column_hashes(array).tolist()
    assert column_hashes(array.slice(start)).tolist() == hashes[start:]
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            assert (hashes[i] == hashes[j]) == (a == b)


ROWS = st.lists(
    st.tuples(
        st.sampled_from([f"{w} people {v} well." for w in ("Old", "Tall", "Calm") for v in ("sing", "cook")]),
        st.sampled_from(["pro", "anti"]),
        st.sampled_from(["valid", "invalid"]),
        st.sampled_from(["neutral", "entailment"]),
    ),
    unique_by=lambda r: r[:2],
    min_size=1,
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=10)
@given(ROWS, ROWS)
def test_counts_add_up_and_the_reverse_swaps(
    tmp_path_factory: pytest.TempPathFactory, a: list[Any], b: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("versions")
    tables = [items_table([item(h, s, verdict=v, label=x) for h, s, v, x in rows]) for rows in (a, b)]
    old, new = (write_version(folder / str(i), {"items": table}) for i, table in enumerate(tables))
    forth = version_diff(old, new)
    (there,), (back,) = forth.configs, version_diff(new, old).configs
    assert version_diff(old, old).empty
    assert there.before + len(there.added) - len(there.removed) == there.after == len(b)
    assert (there.added, there.removed) == (back.removed, back.added)
    assert len(there.relabelled) == len(back.relabelled)
    assert len(there.verdict_changes) == len(back.verdict_changes)
    for by in ("domain", "stereotype"):
        assert sum(p.added for p in there.parts if p.by == by) == len(there.added)
    assert set(there.reworded.new) <= set(there.added)
    assert set(there.reworded.old) <= set(there.removed)
    assert len(set(there.reworded.new)) == len(there.reworded) == len(set(there.reworded.old))
    assert all(n >= 0 for n in there.totals.values())
    texts = [{(h, s): (v, x) for h, s, v, x in rows} for rows in (a, b)]
    both = texts[0].keys() & texts[1].keys()
    assert len(there.verdict_changes) == sum(texts[0][k][0] != texts[1][k][0] for k in both)
    assert len(there.relabelled) - there.moved == sum(texts[0][k][1] != texts[1][k][1] for k in both)
    json.dumps(as_json(forth))


def test_json_lists_every_id(tmp_path: Path) -> None:
    rows = [item(f"Number {i} of many.") for i in range(150)]
    found = changed(tmp_path, rows[:1], rows)
    diff = version_diff(tmp_path / "a", tmp_path / "b")
    (items,) = as_json(diff)["configs"]
    assert sorted(items["added"]) == sorted(r["id"] for r in rows[1:])
    assert len(dict(found.examples)["added"]) == 100
