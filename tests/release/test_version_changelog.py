"""CHANGELOG.md of the dataset."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from nextset.release.versions.changelog import changelog, first_section, section
from nextset.release.versions.version_diff import version_diff
from nextset.release.versions.version_number import next_version
from nextset.release.versions.withdrawal import WithdrawnRow
from tests.release.version_folders import item, items_table, write_version

REASON = "An annotator objected: <b>see</b> [this](http://x)\n## 9.9.9\n* more"


def test_a_version_with_a_withdrawal(tmp_path: Path) -> None:
    a = write_version(
        tmp_path / "a",
        {"items": items_table([item(text) for text in ("One.", "Two.", "Three here.", "Four.")])},
    )
    gone, other = item("Two.")["id"], item("Four.")["id"]
    withdrawn = [
        WithdrawnRow(id=gone, reason=REASON, version="1.1.0", kind="asked"),
        WithdrawnRow(id=other, reason="No source.", version="1.1.0", kind="counterpart"),
    ]
    rows = [item("One.", label="entailment"), item("Three here.")]
    b = write_version(
        tmp_path / "b", {"items": items_table(rows)}, "1.1.0", withdrawn=withdrawn, license="mit"
    )
    diff = version_diff(a, b)
    computed = next_version("1.0.0", diff)
    first = changelog("", "1.0.0", first_section([("items", 4)]))
    text = changelog(first, "1.1.0", section(diff, computed, "1.1.0", "only a typing mistake"))
    assert (
        text
        == f"""# Changelog

## 1.1.0

Since 1.0.0: items: 1 with a different label or stance.

By these changes, the version would be 2.0.0. It is 1.1.0 for this reason: only a typing mistake

- items: 4 → 2 rows
  - 2 removed
  - 1 with a different label or stance
  - label: neutral → entailment (1)
- config withdrawn: added
- license changed

Withdrawn (2):

- {gone}: An annotator objected: \\<b\\>see\\</b\\> \\[this\\](http://x) \\#\\# 9.9.9 \\* more
- {other}: No source. (with its pair or set)

## 1.0.0

The first version.

- items: 4 rows
"""
    )
    html = MarkdownIt().render(text)
    assert "<b>" not in html
    assert "<a " not in html
    assert html.count("<h2>") == 2
    assert changelog(text, "1.1.0", section(diff, computed, "1.1.0", "only a typing mistake")) == text


TEXT = st.text(st.sampled_from("ab #\n-1."), max_size=30)
VERSION = st.sampled_from(["1.0.0", "1.1.0", "2.0.0"])


@given(st.lists(st.tuples(VERSION, TEXT.map(lambda t: t.replace("#", ""))), max_size=5), TEXT)
def test_repeating_a_version_changes_nothing(versions: list[tuple[str, str]], earlier: str) -> None:
    text = earlier
    for version, body in versions:
        once = changelog(text, version, body)
        assert changelog(once, version, body) == once
        assert once.startswith(f"# Changelog\n\n## {version}\n")
        assert once.count(f"\n## {version}\n") == 1
        text = once
    assert all(text.count(f"\n## {v}\n") == 1 for v, _ in versions)
