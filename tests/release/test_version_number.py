"""The number of the next version."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import StudyError
from nextset.release.version_folder.dotted_version import parse_version
from nextset.release.versions.diff_records import (
    ColumnChange,
    ConfigDiff,
    IdList,
    IdPairs,
    MetadataChange,
    SchemaChange,
    TableChange,
    VersionDiff,
)
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import check_version, next_version
from nextset.release.versions.withdrawal import WithdrawnRow
from tests.release.version_folders import item, items_table, scores_table, write_version


def ids(n: int) -> IdList:
    return IdList(np.array([bytes([i + 1]) * 16 for i in range(n)], "S16"))


NO_ROWS = ConfigDiff(
    config="items", before=9, after=9, added=ids(0), removed=ids(0), relabelled=IdPairs(ids(0), ids(0)),
    moved=0, labels=(), reworded=IdPairs(ids(0), ids(0)), verdict_changes=ids(0), verdicts=(), columns=(),
    parts=(), not_compared=0, examples=(),
)  # fmt: skip
SAME = VersionDiff(
    name="a-set", old="1.2.3", new="1.2.3", configs=(NO_ROWS,), withdrawn=(), schema=(), tables=(),
    metadata=(),
)  # fmt: skip


def rows(**changes: Any) -> VersionDiff:
    return replace(SAME, configs=(replace(NO_ROWS, **changes),))


def schema(config: str, column: str | None, before: str | None, after: str | None) -> VersionDiff:
    return replace(SAME, schema=(SchemaChange(config=config, column=column, before=before, after=after),))


WITHDRAWN = WithdrawnRow(id="0" * 32, reason="r", version="2.0.0", kind="asked")
LEVELS = {
    "nothing": (SAME, "1.2.3"),
    "another label": (rows(relabelled=IdPairs(ids(1), ids(1))), "2.0.0"),
    "added": (rows(added=ids(2)), "1.3.0"),
    "removed": (rows(removed=ids(2)), "1.3.0"),
    "reworded": (rows(added=ids(1), removed=ids(1), reworded=IdPairs(ids(1), ids(1))), "1.3.0"),
    "verdict": (rows(verdict_changes=ids(1)), "1.3.0"),
    "pairs": (rows(columns=(ColumnChange(column="counterpart_id", rows=1),)), "1.3.0"),
    "another column": (rows(columns=(ColumnChange(column="premise_source", rows=1),)), "1.2.4"),
    "column added": (schema("items", "x", None, "string"), "2.0.0"),
    "column of scores removed": (schema("scores", "x", "string", None), "2.0.0"),
    "type": (schema("items", "x", "int32", "string"), "2.0.0"),
    "main config added": (schema("questions", None, None, "config"), "2.0.0"),
    "judgments removed": (schema("judgments", None, "config", None), "2.0.0"),
    "judgments added": (schema("judgments", None, None, "config"), "1.3.0"),
    "first withdrawal": (replace(schema("withdrawn", None, None, "config"), withdrawn=(WITHDRAWN,)), "1.2.4"),
    "no duplicates any more": (schema("duplicates", None, "config", None), "1.2.4"),
    "scores": (replace(SAME, tables=(TableChange(config="scores", before=1, after=2),)), "1.2.4"),
    "licence": (replace(SAME, metadata=(MetadataChange(field="license", before="a", after="b"),)), "1.2.4"),
}  # fmt: skip


@pytest.mark.parametrize("change", LEVELS)
def test_the_level_of_a_change(change: str) -> None:
    diff, version = LEVELS[change]
    assert next_version("1.2.3", diff).version == version
    assert diff.empty == (change == "nothing")


def test_the_reasons_are_those_of_the_level() -> None:
    diff = replace(rows(added=ids(2), relabelled=IdPairs(ids(1), ids(1))), tables=LEVELS["scores"][0].tables)
    found = next_version("0.9.9", diff)
    assert (found.version, found.level) == ("1.0.0", "major")
    assert found.because == ("items: 1 with a different label or stance",)


CHANGES = st.sampled_from(sorted(LEVELS))
NUMBER = st.tuples(*[st.integers(0, 30)] * 3)


@given(CHANGES, CHANGES, NUMBER)
def test_more_changes_never_give_a_lower_version(one: str, two: str, number: tuple[int, ...]) -> None:
    previous = ".".join(map(str, number))
    a, b = LEVELS[one][0], LEVELS[two][0]
    both = replace(a, configs=a.configs + b.configs, schema=a.schema + b.schema, tables=a.tables + b.tables,
                   metadata=a.metadata + b.metadata, withdrawn=a.withdrawn + b.withdrawn)  # fmt: skip
    found = [parse_version(next_version(previous, diff).version) for diff in (a, b, both)]
    assert found[2] == max(found[0], found[1])
    assert found[2] >= number
    assert (found[2] == number) == both.empty


def test_the_computed_version_is_built_if_none_is_declared() -> None:
    computed = next_version("1.0.0", rows(added=ids(1)))
    assert check_version("", "1.0.0", computed, "") == "1.1.0"
    assert check_version("1.1.0", "1.0.0", computed, "") == "1.1.0"


def test_another_version_needs_a_reason() -> None:
    computed = next_version("1.0.0", rows(relabelled=IdPairs(ids(3), ids(3))))
    with pytest.raises(StudyError) as e:
        check_version("1.2.0", "1.0.0", computed, " ")
    assert str(e.value) == (
        "release.version is 1.2.0, but the changes since 1.0.0 make it 2.0.0: "
        "items: 3 with a different label or stance"
    )
    assert e.value.remedy == "remove release.version, or write release.version_reason"
    assert check_version("1.2.0", "1.0.0", computed, "the labels were typing mistakes") == "1.2.0"


@pytest.mark.parametrize("declared", ["1.0.0", "0.9.0"])
def test_a_version_that_does_not_follow_is_refused_with_any_reason(declared: str) -> None:
    with pytest.raises(StudyError, match="does not follow the previous version"):
        check_version(declared, "1.0.0", next_version("1.0.0", rows(added=ids(1))), "I want it")


def test_the_table_of_the_docs_has_the_configs_that_describe_a_version(root: Path) -> None:
    text = (root / "docs" / "how_to" / "later_versions.md").read_text(encoding="utf-8")
    (row,) = (line for line in text.splitlines() if line.endswith("| patch |"))
    for config in ("withdrawn", "duplicates", "pairs"):
        for before, after in ((None, "config"), ("config", None)):
            change = SchemaChange(config=config, column=None, before=before, after=after)
            assert next_version("1.0.0", replace(SAME, schema=(change,))).level == "patch"
        assert f"`{config}`" in row


def test_nothing_changed_is_the_same_version() -> None:
    computed = next_version("1.0.0", SAME)
    assert (computed.version, computed.because) == ("1.0.0", ("nothing changed",))
    assert check_version("1.0.0", "1.0.0", computed, "") == "1.0.0"


@pytest.mark.parametrize("wrong", ["1.0", "v1.0.0", "1.0.0\n", "١.0.0", "1.0.99999999999", ""])
def test_what_is_not_a_version(wrong: str) -> None:
    with pytest.raises(StudyError, match="is not a version"):
        next_version(wrong, SAME)


def test_a_takedown_is_minor(tmp_path: Path) -> None:
    """The first withdrawal adds the config withdrawn, which does not make it major."""
    keep, gone = item("One that stays."), item("Two that goes.")
    a = write_version(tmp_path / "a", {"items": items_table([keep, gone])})
    row = WithdrawnRow(id=gone["id"], reason="asked", version="1.1.0", kind="asked")
    b = write_version(tmp_path / "b", {"items": items_table([keep])}, "1.1.0", withdrawn=[row])
    computed = next_version("1.0.0", version_diff(a, b))
    assert (computed.version, computed.because) == ("1.1.0", ("items: 1 removed",))


@pytest.mark.parametrize("domains", [("gender",), ("gender", "race")])
def test_a_config_of_a_domain_that_disappears_is_major(tmp_path: Path, domains: tuple[str, ...]) -> None:
    """load_dataset(folder, "gender") worked before; a domain named judgments is items-judgments."""
    table = items_table([item("One.")])
    scores = scores_table({})
    plain = write_version(tmp_path / "a", {"items": table, "scores": scores})
    placed = {f"items/{name}": items_table([item(f"In {name}.")]) for name in (*domains, "scores")}
    parts = write_version(tmp_path / "b", {**placed, "scores": scores})
    removed, added = next_version("1.0.0", version_diff(parts, plain)), version_diff(plain, parts)
    names = [*domains, "items-scores"]
    assert (removed.level, removed.because) == (
        "major",
        tuple(f"the config {n} was removed" for n in sorted(names)),
    )
    assert [(s.config, s.before, s.after) for s in added.schema] == [
        (n, None, "config") for n in sorted(names)
    ]
    assert next_version("1.0.0", added).level == "minor"
    assert version_diff(parts, parts).empty


def test_a_judgment_that_the_item_is_invalid_is_minor(tmp_path: Path) -> None:
    """An item pro by design was judged anti; now it is invalid, and no stance was judged."""
    judged = item("One.", stance_judged="anti")
    a = write_version(tmp_path / "a", {"items": items_table([judged])})
    invalid = judged | {"verdict": "invalid", "stance_judged": None}
    b = write_version(tmp_path / "b", {"items": items_table([invalid])}, "1.1.0")
    for old, new in ((a, b), (b, a)):
        computed = next_version("1.0.0", version_diff(old, new))
        assert (computed.version, computed.because) == ("1.1.0", ("items: 1 with a different verdict",))
    # another stance under the same verdict, or another one judged under another verdict, is major
    others: list[dict[str, Any]] = [{"stance_judged": None}, {"stance_judged": "pro", "verdict": "invalid"}]
    for i, other in enumerate(others):
        c = write_version(tmp_path / f"c{i}", {"items": items_table([judged | other])}, "2.0.0")
        assert next_version("1.0.0", version_diff(a, c)).version == "2.0.0"


def test_numbers_of_the_card_are_no_change_of_their_own(tmp_path: Path) -> None:
    cards = [
        f"---\nnum_examples: {n}\n---\n\n# A set 1.{n}.0\n\n- items: {n}\n\n| race | {n} |\n" for n in (1, 2)
    ]
    rows = [item("One."), item("Two.")]
    a = write_version(tmp_path / "a", {"items": items_table(rows[:1])}, card=cards[0])
    b = write_version(tmp_path / "b", {"items": items_table(rows)}, "1.1.0", card=cards[1])
    assert version_diff(a, b).metadata == ()
    c = write_version(tmp_path / "c", {"items": items_table(rows)}, "1.1.0", card=cards[1] + "\nMore.\n")
    assert [m.field for m in version_diff(a, c).metadata] == ["README.md"]
    # without another change they are listed: the version is not the same
    d = write_version(tmp_path / "d", {"items": items_table(rows[:1])}, card=cards[1])
    assert [m.field for m in version_diff(a, d).metadata] == ["README.md"]
