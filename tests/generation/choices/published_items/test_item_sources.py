"""Published items as sources of a study: files, folders, the Hub, categories and samples."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import open_artifact
from nextset.errors import InputError
from nextset.generation.choices.choice_source import SourcePlace
from nextset.generation.choices.published_items.item_sources import published_items
from nextset.generation.stage import generate
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.study_folder import Study
from tests.nextset.published_choices.published_examples import bbq_set, cbbq_row, write_lines
from tests.release.loopback_hub import LoopbackHub, serving
from tests.release.loopback_hub_client import client_environment


def sources(folder: Path, *items: str, max_rows: int = 10**6, **settings: Any) -> list[Any]:
    place = SourcePlace(folder.joinpath, folder / "study.yaml", "en", max_rows)
    return published_items(ChoiceSettings(items=items, **settings), place)


def rows_of(listed: list[Any]) -> list[dict[str, Any]]:
    pieces = [piece for source in listed for piece in source.pieces()]
    rows: list[dict[str, Any]] = pa.concat_tables(pieces).to_pylist()
    return rows


def test_a_folder_is_read_file_by_file_and_other_tables_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_lines(tmp_path / "data" / "Pets.jsonl", bbq_set())
    write_lines(tmp_path / "data" / "Other.jsonl", [{"text": "x"}])
    (tmp_path / "data" / "README.md").write_text("Read me", encoding="utf-8")
    (one,) = sources(tmp_path, "data")
    assert (one.name, one.rows) == ("Pets.jsonl", 8)
    assert len(rows_of([one])) == 8


def test_the_folders_of_cbbq_are_read_together(tmp_path: Path) -> None:
    for condition, label in (("ambiguous", "2"), ("disambiguous", "0")):
        folder = tmp_path / "data" / "pets" / condition
        folder.mkdir(parents=True)
        row = cbbq_row(context_condition=condition, label=label)
        (folder / f"{condition}.json").write_text(json.dumps([row]), encoding="utf-8")
        lines = [",".join(row), ",".join(row.values())]
        (folder / f"{condition}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = sources(tmp_path, "data")
    # the same rows as CSV are not read a second time
    assert [source.name for source in listed] == [
        "pets/ambiguous/ambiguous.json",
        "pets/disambiguous/disambiguous.json",
    ]
    # the second file has a wording of unknown that only the first one tells
    assert [row["unknown"] for row in rows_of(listed)] == [2, 2]


def test_categories_are_chosen_by_name(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", bbq_set(category="House_pets"))
    assert len(rows_of(sources(tmp_path, "a.jsonl", categories=("house-pets",)))) == 8
    (none,) = sources(tmp_path, "a.jsonl", categories=("birds",))
    assert list(none.pieces()) == []


def test_each_of_two_files_with_the_same_name_decides_the_items(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_lines(tmp_path / name / "set.jsonl", bbq_set(category=name))
    text = "format: 1\nname: mine\nchoices: {items: [a/set.jsonl, b/set.jsonl]}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    first = generate(Study.load(tmp_path)).digest
    write_lines(tmp_path / "a" / "set.jsonl", bbq_set(category="c"))
    assert generate(Study.load(tmp_path)).digest != first


def test_a_subset_takes_whole_sets_of_each_template(tmp_path: Path) -> None:
    rows = [
        {**row, "question_index": index, "context": row["context"].replace("door", place)}
        for index in ("1", "2")
        for place in ("door", "fire", "sofa", "wall")
        for row in bbq_set()
    ]
    write_lines(tmp_path / "a.jsonl", rows)
    (one,) = sources(tmp_path, "a.jsonl", subset=2, seed=3)
    there = rows_of([one])
    assert len(there) == 2 * 2 * 8
    assert one.rows == len(rows) == 64
    assert set(Counter(row["set_id"] for row in there).values()) == {8}
    (same,) = sources(tmp_path, "a.jsonl", subset=2, seed=3, max_rows=40)
    assert there == rows_of([same])
    # with all of its lines the file would be too large, so the chosen ones are counted
    assert same.rows == len(there)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("nothing.jsonl", "no such file"),
        ("empty", "no published items"),
        ("hub:pets", "does not name a revision"),
        ("hub:org/pets", "does not name a revision"),
        ("hub:../pets@main", "does not name a revision"),
    ],
)
def test_a_wrong_entry_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=message) as caught:
        sources(tmp_path, entry)
    assert caught.value.remedy


def test_the_stage_generate_merges_and_counts_rows_with_the_same_text(tmp_path: Path) -> None:
    rows = [*bbq_set(), bbq_set()[0]]
    write_lines(tmp_path / "Pets.jsonl", rows)
    (tmp_path / "study.yaml").write_text(
        "format: 1\nname: pets\nchoices: {items: [Pets.jsonl]}\n", encoding="utf-8"
    )
    generate(Study.load(tmp_path))
    artifact = open_artifact(tmp_path / "out" / "generate")
    assert artifact.table("choices").num_rows == 8
    assert artifact.counts["Pets.jsonl choices"] == 9


HUB_SCRIPT = """
import json, sys
from pathlib import Path
from nextset.errors import NextsetError
from nextset.generation.choices.choice_source import SourcePlace
from nextset.generation.choices.published_items.item_sources import published_items
from nextset.study.choice_settings import ChoiceSettings
for entry in sys.argv[1:]:
    try:
        place = SourcePlace(Path, Path("study.yaml"), "en", 99)
        found = published_items(ChoiceSettings(items=(entry,)), place)
        rows = sum(piece.num_rows for source in found for piece in source.pieces())
        print(json.dumps([[source.name for source in found], rows, list(found[0].digests.values())]))
    except NextsetError as e:
        print(json.dumps([type(e).__name__, str(e), e.remedy]))
"""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackHub]:
    """A hub with a set of two files and a readme."""
    with serving(tmp_path_factory.mktemp("hub")) as served:
        served.store.create("org/pets", private=False)
        text = "".join(json.dumps(row) + "\n" for row in bbq_set())
        for name, content in (("data/Pets.jsonl", text), ("README.md", "Pets\n")):
            served.store.add_file("org/pets", "main", name, content.encode(), "tester", f"Add {name}")
        yield served


@pytest.mark.slow
def test_a_dataset_on_the_hub_is_read_at_its_commit(hub: LoopbackHub, tmp_path: Path) -> None:
    commit = hub.store.refs["org/pets", "heads"]["main"]
    entries = ["hub:org/pets@main", f"hub:org/pets@{commit}", "hub:org/pets@v9", "hub:org/none@main"]
    run = subprocess.run(
        [sys.executable, "-c", HUB_SCRIPT, *entries],
        env=client_environment(hub.url, tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    main, same, unknown, missing = map(json.loads, run.stdout.splitlines())
    assert main == same == [["org/pets/data/Pets.jsonl"], 8, [commit]]
    assert unknown[:2] == ["InputError", "org/pets on the Hub has no such revision"]
    assert missing[:2] == ["InputError", "there is no dataset org/none on the Hub"]
    assert "choices.items" in unknown[2]
