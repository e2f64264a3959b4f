"""The report in a browser: figures, files that a reader saves, and the explorer."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nextset.auditing.audit_page import render
from nextset.auditing.report.item_figures import model_label
from nextset.auditing.report.report_data import ReportData
from tests.auditing.report.conftest import HOSTILE
from tests.chromium import BROWSER
from tests.page_checks import faint_marks, faint_texts, tables_without_hint, unnamed_images

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [*BROWSER, pytest.mark.slow]


@pytest.fixture(scope="module")
def files(item_report: ReportData, quad_report: ReportData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    for name, data in (("items", item_report), ("quads", quad_report)):
        (folder / f"{name}.html").write_text(render(data), encoding="utf-8")
    return folder


@pytest.fixture
def said() -> list[str]:
    """What the page said on its console, its errors, and what it asked for besides itself."""
    return []


Opened = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser, files: Path, said: list[str]) -> Iterator[Opened]:
    """Open a page; at the end it has said nothing and asked for nothing."""
    pages: list[Page] = []

    def open_page(name: str, *, width: int = 1366, scheme: Any = "light", link: str = "") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        address = (files / f"{name}.html").as_uri()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request",
            lambda r: (
                None
                if r.url.partition("#")[0] == address or r.url.startswith("blob:")
                else said.append(r.url)
            ),
        )
        page.goto(address + link)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert said == []


def explored(page: Page) -> Page:
    page.get_by_role("button", name="I have read the warning").click()
    page.locator("#explorer-list [role=option]").first.wait_for()
    return page


def _filter(page: Page, label: str) -> Locator:
    return page.locator("#explorer-filters").get_by_label(label)


def saved(page: Page, name: str) -> tuple[str, bytes]:
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


@pytest.mark.parametrize("name", ["items", "quads"])
def test_the_warning_comes_before_any_text_of_an_item(opened: Opened, name: str) -> None:
    page = opened(name)
    assert page.locator("body").inner_text().index("Content warning") < 200
    assert page.locator("#explorer-gate .note").is_visible()
    assert page.locator("#explorer-body").is_hidden()
    text = "Hypothesis gender-0" if name == "items" else "Who would"
    assert text not in page.content()
    assert text in explored(page).locator("#explorer-list").inner_text()
    assert page.locator("#explorer-gate").is_hidden()


def test_a_filter_and_a_search_leave_the_items_that_match(opened: Opened) -> None:
    page = explored(opened("items"))
    count = page.locator("#explorer-count")
    assert count.inner_text() == "72 of 72 items"
    _filter(page, "Domain").select_option("race")
    assert count.inner_text() == "24 of 72 items"
    _filter(page, "Stance").select_option("pro")
    assert count.inner_text() == "12 of 72 items"
    _filter(page, "Search").fill("RACE-1:")
    assert count.inner_text() == "1 of 72 items"
    _filter(page, "Search").fill("no such text")
    assert count.inner_text() == "No item matches the filters."
    page.get_by_role("button", name="Clear filters").click()
    _filter(page, "Model").select_option("builtin:nli-electra")
    _filter(page, "Prediction").select_option("wrong")
    # it misses every second of 72 items
    assert count.inner_text() == "36 of 72 items"


def test_quads_are_filtered_by_subject_and_sign(opened: Opened) -> None:
    page = explored(opened("quads"))
    count = page.locator("#explorer-count")
    # 6 pairs of 4 and 3 pairs of 3 subjects, with 4 attributes and 2 templates
    assert count.inner_text() == "72 of 72 items"
    _filter(page, "Subject").select_option("Mary")
    # 3 pairs with Mary
    assert count.inner_text() == "24 of 72 items"
    _filter(page, "Model").select_option("owner/reader")
    shown = []
    for sign in ("C above 0", "C is 0", "C below 0"):
        if _filter(page, "Sign of C").locator(f"option[value='{sign}']").count():
            _filter(page, "Sign of C").select_option(sign)
            shown.append(int(count.inner_text().split()[0]))
    assert sum(shown) == 24


def test_a_link_opens_one_item_and_going_back_closes_it(opened: Opened) -> None:
    page = opened("items", link="#item=race-3")
    assert "opens one of the items" in page.locator("#explorer-gate").inner_text()
    item = explored(page).locator("#explorer-item")
    assert item.locator("h3").inner_text() == "Item race-3"
    assert item.locator("h4").all_inner_texts() == ["Item", "Counterpart"]
    assert page.evaluate("document.activeElement.tagName") == "H3"
    _filter(page, "Domain").select_option("gender")
    page.locator("#explorer-list [role=option]").nth(1).click()
    assert page.url.endswith("#item=gender-0-counterpart")
    assert item.locator("h3").inner_text() == "Item gender-0-counterpart"
    page.go_back()
    # it is not of the domain gender, so the filters are cleared
    item.locator("h3", has_text="Item race-3").wait_for()
    page.evaluate("location.hash = '#item=%E0%A4%A'")
    item.get_by_text("This page does not hold item").wait_for()


def test_the_list_is_used_with_the_keyboard(opened: Opened) -> None:
    page = explored(opened("items"))
    page.locator("#explorer-list").focus()
    page.keyboard.press("End")
    active = page.locator("#explorer-list").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-posinset") == "72"
    page.keyboard.press("Enter")
    # ordered by id, the counterpart after its item
    assert page.locator("#explorer-item h3").inner_text() == "Item religion-9-counterpart"


def test_an_item_has_probabilities_and_counts_of_judgments(opened: Opened) -> None:
    page = explored(opened("items", link="#item=gender-0"))
    text = page.locator("#explorer-item").inner_text()
    assert "valid 2, invalid 1" in text
    assert HOSTILE[:20] in text
    row = page.locator("#explorer-item tr", has_text="builtin:nli-electra").first.inner_text().split("\t")
    assert row == ["builtin:nli-electra", "entailment", "0.800", "0.100", "0.100"]


def test_a_quad_has_its_four_texts_with_b_and_c(opened: Opened) -> None:
    page = explored(opened("quads", link=f"#item={0:032x}"))
    item = page.locator("#explorer-item")
    assert item.locator("ol li").all_inner_texts() == [
        "Mary met Anna. (0)\nWho would be late?",
        "Anna met Mary. (0)\nWho would be late?",
        "Mary met Anna. (0)\nWho would never be late?",
        "Anna met Mary. (0)\nWho would never be late?",
    ]
    cells = [row.split("\t")[1:] for row in item.locator("table").first.locator("tbody tr").all_inner_texts()]
    scores = [[float(c.replace("−", "-")) for c in row] for row in cells]
    for subject in (0, 1):
        b = (scores[0][subject] + scores[1][subject] - scores[2][subject] - scores[3][subject]) / 2
        assert scores[4][subject] == pytest.approx(b, abs=2e-4)
    told = item.locator(".card p").first.inner_text()
    c = float(told.split(":")[0].removeprefix("C = ").replace("−", "-"))
    assert c == pytest.approx((scores[4][0] - scores[4][1]) / 2, abs=2e-4)


def test_a_quad_decided_by_position_goes_with_neither_subject(
    browser: Browser, quad_report: ReportData, tmp_path: Path
) -> None:
    """Its scores, as the page holds them, would give 1.4e-17."""
    assert quad_report.explorer is not None
    explorer = dict(quad_report.explorer)
    order = [0.1, 0.7, 0.7, 0.1, 0.2, 0.3, 0.3, 0.2]
    explorer["scores"] = [order * len(explorer["ids"])] * len(explorer["models"])
    explorer["bias"] = [[0.15, 0.15, 0.0] * len(explorer["ids"])] * len(explorer["models"])
    path = tmp_path / "page.html"
    path.write_text(render(replace(quad_report, explorer=explorer)), encoding="utf-8")
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#item={0:032x}")
    told = explored(page).locator("#explorer-item .card p").first.inner_text()
    assert told == "C = 0.0000: the attribute goes with neither subject."
    page.close()


def test_a_figure_is_saved_as_svg_and_png(opened: Opened) -> None:
    page = opened("items", scheme="dark")
    name, svg = saved(page, "Save accuracy as SVG")
    assert name == "accuracy.svg"
    assert svg.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg"')
    # the colours of light mode
    assert b'fill="#222222"' in svg
    name, png = saved(page, "Save accuracy as PNG")
    assert name == "accuracy.png"
    assert png.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(png[16:20], "big") > 1400


def test_numbers_are_saved_as_csv(opened: Opened, item_report: ReportData) -> None:
    name, raw = saved(opened("items"), "Save accuracy as CSV")
    assert name == "accuracy.csv"
    # Excel takes a file without this mark for one in another encoding
    assert raw.startswith(b"\xef\xbb\xbf")
    heads, *rows = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    plain, released = "Plain expansion (fraction)", "Released dataset (fraction)"
    assert heads[:4] == ["Model", plain, f"{plain}, low", f"{plain}, high"]
    assert heads[5:] == [released, f"{released}, low", f"{released}, high", "Released dataset, items"]
    known = [
        r for r in item_report.audit.measures if (r.items, r.by, r.measure) == ("released", "all", "accuracy")
    ]
    assert [(row[0], float(row[5])) for row in rows] == [(model_label(r), r.value) for r in known]


def test_latex_and_markdown_have_no_open_markup(opened: Opened) -> None:
    page = opened("items")
    name, raw = saved(page, "Save stages as LaTeX")
    latex = raw.decode()
    assert name == "stages.tex"
    assert "\\toprule" in latex
    assert (
        "every model right $<$script$>$alert('x')$<$/script$>$ \\char34{}quoted\\char34{} \\& right to left"
        in latex
    )
    assert "\u202e" not in latex
    name, raw = saved(page, "Save stages as Markdown")
    assert name == "stages.md"
    assert (
        "every model right \\<script\\>alert('x')\\</script\\> \"quoted\" \\& right to left" in raw.decode()
    )
    assert raw.decode().splitlines()[3] == "|---|--:|--:|---|"
    page = opened("items")
    for form in ("LaTeX", "Markdown"):
        assert (
            "Accuracy by domain, in per cent" in saved(page, f"Save accuracy-by-domain as {form}")[1].decode()
        )


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        (" +1", "' +1"),
        ("'@x", "''@x"),
        ("＝1", "'＝1"),
        ("\u2212x", "'\u2212x"),
        ("\tx", "'\tx"),
        ("'x", "'x"),
        ("a=b", "a=b"),
        ('a "b", c', '"a ""b"", c"'),
    ],
)
def test_no_cell_is_a_formula(browser: Browser, text: str, cell: str) -> None:
    script = (Path(render.__globals__["_FOLDER"]) / "table_export.js").read_text(encoding="utf-8")
    page = browser.new_page()
    assert page.evaluate(f"text => {{ {script}; return csvText(text); }}", text) == cell
    page.close()


@pytest.mark.parametrize("name", ["items", "quads"])
def test_no_text_of_a_plot_is_cut_or_overlaps(opened: Opened, name: str) -> None:
    page = opened(name, width=390)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    bad = page.locator("figure svg").evaluate_all(
        """all => all.flatMap(svg => {
            const frame = svg.getBoundingClientRect();
            const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
            const boxes = texts.map(t => t.getBoundingClientRect());
            const cut = texts.filter((t, i) => boxes[i].left < frame.left - 1
                || boxes[i].right > frame.right + 1 || boxes[i].top < frame.top - 1
                || boxes[i].bottom > frame.bottom + 1
                || Math.max(boxes[i].height, boxes[i].width) < 6);
            const over = boxes.flatMap((a, i) => boxes.slice(i + 1)
                .map((b, k) => [b, texts[i + 1 + k], texts[i]])
                .filter(([b]) => a.left + 1 < b.right && b.left + 1 < a.right
                    && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
                .map(([, t, s]) => s.textContent + ' / ' + t.textContent));
            const dots = [...svg.querySelectorAll('.mark-symbol path')].map(d => d.getBoundingClientRect());
            const covered = texts.filter((t, i) => dots.some(d => d.width && boxes[i].left + 1 < d.right
                && d.left + 1 < boxes[i].right && boxes[i].top + 3 < d.bottom
                && d.top + 3 < boxes[i].bottom));
            return [...cut.map(t => t.textContent), ...over, ...covered.map(t => 'dot ' + t.textContent)];
        })"""
    )
    assert bad == []
    hidden = "e => e.map(t => t.parentElement).filter(s => s.scrollWidth > s.clientWidth + 1).length"
    assert page.locator("#table-sensitivity").evaluate_all(hidden) == 0
    assert unnamed_images(page) == []
    assert tables_without_hint(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["items", "quads"])
def test_plots_have_enough_contrast(opened: Opened, name: str, scheme: str) -> None:
    page = opened(name, scheme=scheme)
    assert faint_texts(page) == []
    assert faint_marks(page) == []
    lefts = page.locator(".plots .result").evaluate_all("all => all.map(r => r.getBoundingClientRect().left)")
    assert len(set(lefts)) >= 2


@pytest.mark.parametrize("width", [1366, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "item"), [("items", "race-3"), ("quads", f"{0:032x}")])
def test_axe_finds_nothing_serious(opened: Opened, name: str, item: str, scheme: str, width: int) -> None:
    import axe_playwright_python

    page = explored(opened(name, width=width, scheme=scheme, link=f"#item={item}"))
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    source = Path(axe_playwright_python.__file__).parent / "axe.min.js"
    page.evaluate(source.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(r => r.violations)")
    serious = [
        (v["id"], [n["html"][:200] for n in v["nodes"]][:3])
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_a_page_without_explorer_works(browser: Browser, item_report: ReportData, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(render(replace(item_report, explorer=None)), encoding="utf-8")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    assert page.locator("#explorer").count() == 0
    assert saved(page, "Save accuracy as Markdown")[0] == "accuracy.md"
    assert errors == []
    page.close()
