"""The comparison of two versions with the measures of models: as text, as JSON and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.cli.release_diff import (
    VersionComparison,
    compare_versions,
    comparison_json,
    comparison_page,
    comparison_text,
)
from nextset.html.content_warning import CONTENT_WARNING
from nextset.release.versions.diff_page import passages
from nextset.release.versions.withdrawal import WithdrawnRow
from tests.chromium import BROWSER
from tests.release.version_folders import item, items_table, scores_table, write_version

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<script>alert('x')</script> & \u202e right to left </details>"
LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> VersionComparison:
    folder = tmp_path_factory.mktemp("versions")
    old = [item(f"Left-handed people are clumsy at task number {i}.") for i in range(60)]
    old += [
        item("Left-handed people always smudge their writing."),
        item(f"{HOSTILE} This one is about handwriting in ink, and goes away soon."),
    ]
    new = [row | {"verdict": "invalid"} if i < 2 else row for i, row in enumerate(old[:60])]
    new[5] = new[5] | {"stance_judged": "anti"}
    new += [item("Left-handed people often smudge their own writing.")]
    new += [item(f"Task {i} is hard for them. {HOSTILE}", domain="race") for i in range(70)]
    gone = WithdrawnRow(id=old[-1]["id"], reason=f"An objection. {HOSTILE}", version="1.1.0", kind="asked")
    versions: list[Path] = []
    news: dict[str, Any] = {"license": "mit", "authors": (HOSTILE,)}
    none: dict[str, Any] = {}
    for name, rows, more in (("1.0.0", old, none), ("1.1.0", new, news)):
        answers = {row["id"]: LABELS[i % 3] for i, row in enumerate(rows)}
        tables = {"items": items_table(rows), "scores": scores_table(answers, "builtin:nli-electra")}
        withdrawn = [gone] if more else []
        versions.append(write_version(folder / name, tables, name, withdrawn=withdrawn, **more))
    return compare_versions(versions[0], versions[1])


def test_a_config_without_rows_has_no_measures(tmp_path: Path) -> None:
    tables = {"items": items_table([item("One.")]), "scores": scores_table({})}
    a, b = (write_version(tmp_path / name, tables) for name in "ab")
    assert compare_versions(a, b).measures == ()


def test_the_page_escapes_warns_and_counts(compared: VersionComparison) -> None:
    html = comparison_page(compared)
    assert CONTENT_WARNING in html
    assert "<script" not in html
    assert html == comparison_page(compared)
    assert "people <del>always</del><ins>often</ins> smudge their <ins>own </ins>writing" in html
    # 70 rows were only added, and 40 are shown
    assert "Only added: 70" in html
    assert "30 more rows" in html


def test_the_text_and_the_json(compared: VersionComparison) -> None:
    text = comparison_text(compared)
    assert "items: 62 → 131, 71 added, 2 removed" in text
    assert "these changes make the version 2.0.0 (major)" in text
    assert "measures of builtin:nli-electra:" in text
    assert "\u202e" not in text
    data = json.loads(json.dumps(comparison_json(compared)))
    (items,) = data["configs"]
    assert (len(items["added"]), len(items["removed"]), len(items["reworded"]["new"])) == (71, 2, 1)
    assert data["computed"]["version"] == "2.0.0"
    accuracy = data["measures"][0]
    assert (accuracy["measure"], accuracy["n_before"], accuracy["n_after"]) == ("accuracy", 62, 129)
    assert (accuracy["low"], accuracy["note"]) == (
        None,
        "new version: excluded: 2 items that were not judged valid; "
        "no interval: at least 5 templates are needed in both versions",
    )  # fmt: skip
    assert "1,000 bootstrap draws of templates" in data["note"]


def test_versions_without_scores_have_no_measures(tmp_path: Path) -> None:
    a = write_version(tmp_path / "a", {"items": items_table([item("One.")])})
    compared = compare_versions(a, a)
    assert (compared.measures, compared.note) == (
        (),
        "No measures: version 1.0.0 has no scores of NLI models.",
    )
    assert "Nothing changed." in comparison_page(compared)


WORDS = st.lists(st.sampled_from(["a", "b", " ", ".", "é"]), max_size=12).map("".join)


@given(WORDS, WORDS)
def test_passages_make_up_both_texts(before: str, after: str) -> None:
    found = passages(before, after)
    assert "".join(p.text for p in found if p.kind != "added") == before
    assert "".join(p.text for p in found if p.kind != "removed") == after
    assert all(p.text for p in found)


@pytest.mark.slow
@BROWSER[0]
@BROWSER[1]
@BROWSER[2]
@pytest.mark.parametrize("width", [375, 1200])
def test_the_page_in_a_browser(
    compared: VersionComparison, browser: Browser, tmp_path: Path, width: int
) -> None:
    file = tmp_path / "diff.html"
    file.write_text(comparison_page(compared), encoding="utf-8")
    said: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if request.url != file.as_uri() else None)
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("script").count() == 0
    assert HOSTILE in page.locator(".row").filter(has_text="goes away soon").first.inner_text()
    assert page.locator("del").first.evaluate("e => getComputedStyle(e).textDecorationLine") == "line-through"
    page.close()
    assert said == []
