"""The report as text: what is in it, that nothing is unescaped, that it asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from nextset.auditing.audit_page import render
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.measures.measure import MEASURES, titled
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot, side_colour
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, estimate_text
from nextset.auditing.report.report_data import ReportData
from nextset.auditing.report.result_tables import measure_tables
from nextset.auditing.report.stage_figures import agreement_figure
from nextset.html.content_warning import CONTENT_WARNING
from nextset.html.svg import ANTI, CELL_INK, DARK, ERROR, HOLLOW, PRO
from nextset.pipeline.server_costs import ServerCost, ServerCosts
from tests.auditing.report.conftest import HOSTILE, measure_row
from tests.auditing.report.embedded_items import embedded

VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """The tags of a page, checked to be closed in order, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def html(item_report: ReportData) -> str:
    return render(item_report)


@pytest.fixture(scope="module")
def quad_html(quad_report: ReportData) -> str:
    return render(quad_report)


@pytest.fixture(scope="module", params=["items", "quads"])
def either(request: pytest.FixtureRequest, html: str, quad_html: str) -> str:
    return html if request.param == "items" else quad_html


def test_the_same_data_give_the_same_bytes(item_report: ReportData, html: str) -> None:
    assert render(item_report) == html


def test_every_tag_is_closed_and_there_is_one_heading(either: str) -> None:
    page = Page(either)
    assert page.open == []
    assert len(page.all("h1")) == 1
    assert len(page.all("caption")) == len(page.all("table")) >= 5
    assert all(th.get("scope") in ("col", "row") for th in page.all("th"))
    names = [attrs["id"] for _, attrs in page.tags if attrs.get("id")]
    assert len(names) == len(set(names))


def test_it_asks_for_nothing(either: str) -> None:
    page = Page(either)
    for tag in ("link", "img", "iframe", "object", "form", "base"):
        assert page.all(tag) == []
    assert not re.search(r"url\(|@import|src=|href=(?!\"#)|style=\"|\son[a-z]+=", either)
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", either))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_the_policy_allows_this_style_and_this_script_alone(either: str) -> None:
    (policy,) = [m["content"] for m in Page(either).all("meta") if m.get("http-equiv")]
    hashes = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (
            ("style", re.findall(r"<style>(.*?)</style>", either, re.DOTALL)[0]),
            ("script", re.findall(r"<script>(.*?)</script>", either, re.DOTALL)[0]),
        )
    }
    assert unescape(policy or "") == (
        f"default-src 'none'; script-src 'sha256-{hashes['script']}'; img-src blob:; "
        f"style-src 'sha256-{hashes['style']}'; base-uri 'none'; form-action 'none'"
    )


def test_a_list_of_contents_links_to_every_section(either: str) -> None:
    page = Page(either)
    sections = [attrs["id"] for attrs in page.all("h2") if "id" in attrs]
    assert [attrs["href"] for attrs in page.all("a")] == [f"#{name}" for name in sections]
    assert either.index("<nav") < either.index("<main>")
    assert len(sections) >= 4


def test_each_plot_is_one_image_whose_colours_are_known_in_dark_mode(either: str) -> None:
    plots = re.findall(r"<svg.*?</svg>", either, re.DOTALL)
    assert len(plots) >= 6
    for plot in plots:
        assert re.findall(r" (?:role|aria-[a-z]+)=", plot) == [" role=", " aria-label="]
        if "γ by subject and attribute" in plot:
            # the cells of a heat map, with their numbers, are the same in dark mode
            assert CELL_INK in plot
            continue
        assert set(re.findall(r'(?:fill|stroke)="(#[0-9A-Fa-f]+)"', plot)) <= {*DARK, HOLLOW}


def test_every_figure_says_how_to_read_it_and_has_its_numbers(either: str) -> None:
    figures = re.findall(r"<figure>.*?</figure>", either, re.DOTALL)
    assert all("How to read it." in figure for figure in figures)
    names = re.findall(r'data-save="([^"]*)"', either)
    found = re.search(r'id="report-tables">(.*?)</script>', either, re.DOTALL)
    assert found
    assert sorted(table["name"] for table in json.loads(found[1])) == sorted(names)
    assert len(names) == len(set(names)) > len(figures)
    assert all(f'id="table-{name}"' in either for name in names)


def test_hostile_text_is_text(item_report: ReportData, html: str) -> None:
    scripts = [attrs.get("type") for attrs in Page(html).all("script")]
    assert scripts == ["text/plain", "application/json", None]
    assert "alert('x')</script>" not in html
    assert item_report.about in unescape(html)


def test_every_text_from_data_keeps_its_direction_to_itself(either: str) -> None:
    shown = re.sub(
        r"<script.*?</script>|<svg.*?</svg>|(aria-label|title)=\"[^\"]*\"", "", either, flags=re.DOTALL
    )
    assert "\u202e" in either
    for found in re.finditer("\u202e", shown):
        before = shown[: found.start()]
        assert before.rfind("<bdi>") > before.rfind("</bdi>")


def test_the_warning_is_at_the_top_and_above_the_items(either: str) -> None:
    places = [m.start() for m in re.finditer(re.escape(CONTENT_WARNING[:40]), either)]
    assert len(places) == 2
    assert places[0] < either.index("The finding")
    assert places[1] < either.index("show the items")


def test_items_are_not_readable_before_the_warning(html: str, item_report: ReportData) -> None:
    assert "Hypothesis gender" not in html
    assert embedded(html) == item_report.explorer


def test_without_explorer_there_is_no_such_section(item_report: ReportData) -> None:
    html = render(replace(item_report, explorer=None))
    assert 'id="explorer' not in html


def test_who_judged_is_said(item_report: ReportData, html: str) -> None:
    assert "No one has judged these hypotheses (judge: rule)." in Page(html).text
    assert "No one has judged" not in Page(render(replace(item_report, judge="people"))).text


def test_built_in_models_are_said_to_be_for_trying(html: str) -> None:
    assert "small models for trying the tool, never for conclusions" in Page(html).text


def test_a_cut_selection_is_said(item_report: ReportData) -> None:
    assert item_report.explorer is not None
    cut = dict(item_report.explorer) | {"total": 20_000}
    text = Page(render(replace(item_report, explorer=cut))).text
    assert "This page holds the first 72 of 20,000 items by id" in text


def test_figures_in_the_tables(html: str) -> None:
    text = Page(html).text
    # the row of accuracy of the held-out model: plain 0.9 − 2/20, released 0.6 − 2/20, each ± 0.05
    assert "builtin:nli-albert (held out) 80.0 [75.0, 85.0] 60 50.0 [45.0, 55.0] 72" in text
    # 3 × 20 of 3 × 40 candidates
    assert "kept by the rule all 50.0 120" in text
    assert "needs contradiction, and owner/two-labels has two labels." in text
    assert "1,000 draws with replacement of templates within stereotypes (seed 0)" in text


def test_questions_have_their_own_figures(quad_html: str) -> None:
    titles = re.findall(r'aria-label="([^".]*)\.', quad_html)
    assert {"μ by model (questions)", "Errors next to μ (questions)"} <= set(titles)
    assert "Ranks of subjects: gender (questions)" in titles
    assert sum(title.startswith("γ by subject and attribute") for title in titles) >= 1
    assert HOSTILE[:10] not in quad_html


def _tables(html: str) -> list[dict[str, Any]]:
    found = re.search(r'id="report-tables">(.*?)</script>', html, re.DOTALL)
    assert found
    tables: list[dict[str, Any]] = json.loads(found[1])
    return tables


def test_every_table_with_values_names_their_unit(either: str) -> None:
    with_values = 0
    for table in _tables(either):
        if not {"per_cent", "fraction", "mixed"} & {c["unit"] for c in table["columns"]}:
            continue
        with_values += 1
        caption = re.search(rf'<table id="table-{table["name"]}">\s*<caption>(.*?)</caption>', either)
        assert caption
        assert "per cent" in caption[1] or "as fractions of 1" in caption[1], caption[1]
        for column in table["columns"]:
            shared = column["unit"] in ("per_cent", "fraction", "mixed")
            assert column["name"].endswith(" (fraction)") == shared
    assert with_values >= 5


def test_a_table_of_items_and_quads_says_which_has_which_unit() -> None:
    rows = (("a", Estimate(0.5, unit="per_cent")), ("b", Estimate(0.5, unit="fraction")))
    table = NumberTable("t", "Comparisons", (Column("Model"), Column("Value", "mixed")), rows)
    assert table.heading == "Comparisons; items in per cent, quads as fractions of 1"
    assert NumberTable("t", "Counts", (Column("Model"),), (("a",),)).heading == "Counts"


def test_controls_are_counted_apart_from_the_items_that_measure_bias(item_report: ReportData) -> None:
    rows = [
        measure_row(n=38),
        measure_row(measure="accuracy_controls", n=2),
        measure_row(measure="test_accuracy_gap", n=40),
    ]
    (table,) = measure_tables(AuditTables(measures=rows), "nli")
    assert [c.name for c in table.columns] == [
        "Model", "Accuracy", "Controls", "Test accuracy gap", "Items", "Control items",
    ]  # fmt: skip
    assert table.rows[0][-2:] == (38, 2)
    page = Page(render(replace(item_report, audit=AuditTables(measures=rows)))).text
    assert "38 items of the released dataset" in page


def test_an_axis_in_per_cent_begins_at_0(html: str) -> None:
    plot = next(
        p for p in re.findall(r"<svg.*?</svg>", html, re.DOTALL) if 'aria-label="Accuracy by model' in p
    )
    # accuracies from 40 to 95
    assert re.findall(r"<text[^>]*>(\d+)</text>", plot) == ["0", "100"]
    assert "n = 60 to 72 items. Lines: 95 % intervals." in plot.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("low", "value", "high", "ends"),
    [(-0.02, 0.1, 0.359, ["−40", "0", "40"]), (None, 0.0213, None, ["−2.5", "0", "2.5"])],
)
def test_an_axis_ends_at_round_values_and_only_drawn_intervals_are_named(
    low: float | None, value: float, high: float | None, ends: list[str]
) -> None:
    group = PlotGroup("", (PlotRow("a", Estimate(value, low, high), n=3),))
    plot = interval_plot([group], "per_cent", "t", [], "items")
    assert re.findall(r"<text[^>]*>(−?[\d.]+)</text>", plot)[-len(ends) :] == ends
    assert "n = 3 items." in plot
    assert ("intervals." in plot) == (low is not None)


def test_a_colour_needs_the_interval_and_the_corrected_p() -> None:
    assert side_colour(Estimate(0.1, 0.05, 0.2), 0.04) == PRO
    assert side_colour(Estimate(-0.1, -0.2, -0.05), 0.04) == ANTI
    for estimate, p in ((Estimate(0.1, 0.05, 0.2), 0.06), (Estimate(0.1, -0.05, 0.2), 0.04)):
        assert side_colour(estimate, p) == side_colour(Estimate(0.1), 0.04) == ERROR


@pytest.mark.parametrize("form", ["nli", "question"])
def test_every_measure_of_a_table_has_a_definition(item_report: ReportData, form: str) -> None:
    names = [name for name in MEASURES.own_names if form in MEASURES[name].forms]
    rows = [measure_row(form=form, measure=name) for name in names]
    html = render(replace(item_report, audit=AuditTables(measures=rows)))
    definitions = (
        html[html.index('id="measures"') :]
        .lower()
        .replace("mispredicted items in pairs", "pairs, mispredicted items")
    )
    for name in names:
        title = MEASURES[name].shown_title.lower()
        assert title in definitions or f"<code>{name}</code>" in definitions, title


def test_the_finding_is_under_the_title(either: str) -> None:
    answer = re.search(r'</h1>\s*<p class="answer"><bdi>(.*?)</bdi></p>', either)
    assert answer
    assert re.search(r"\[[^]]*\d, *\d|\[[^]]*\d,\N{NO-BREAK SPACE}\d", unescape(answer[1]))


def test_the_lean_is_that_of_the_aggregate(html: str) -> None:
    text = Page(html).text
    assert "do not overlap" not in text
    assert "it does if the interval of the aggregate does not contain 0" in text


def test_an_end_below_zero_keeps_its_sign() -> None:
    """0.006 [−0.0003, 0.028] must not read as if 0 were an end: 0 lies inside."""
    assert estimate_text(Estimate(0.006, -0.00033, 0.028), "fraction") == "0.006 [−0.000, 0.028]"
    assert estimate_text(Estimate(0.0, 0.0, 0.0), "fraction") == "0.000 [0.000, 0.000]"


def test_answers_with_the_stereotype_and_pairs_towards_it_have_different_names(html: str) -> None:
    pairs = {"counterfactual_pro", "counterfactual_anti", "counterfactual_error"}
    titles = {name: MEASURES[name].shown_title for name in (*pairs, "pro", "anti")}
    assert all(("pairs" in title.lower()) == (name in pairs) for name, title in titles.items())
    assert titled("pro") == "with the stereotype (pro)"
    assert titled("counterfactual_pro") == "pairs towards the stereotype (counterfactual_pro)"
    assert titled("test_accuracy_gap") == "test_accuracy_gap"
    assert all(f"<code>{name}</code>" in html for name in titles)
    assert not re.search(
        r">\s*(Pro|Anti|pro|anti)\b(?! *</code>)", re.sub(r"<script.*?</script>", "", html, flags=re.S)
    )


def test_agreement_is_in_per_cent_in_its_own_column_and_not_on_the_axis_of_alpha(
    item_report: ReportData,
) -> None:
    figure = agreement_figure(item_report.agreement)
    assert figure is not None
    assert [(c.name, c.unit) for c in figure.table.columns[2:]] == [
        ("Judgments that agree, %", "per_cent"),
        ("Krippendorff's α", "ratio"),
        ("Fleiss' κ", "ratio"),
        ("Units", "count"),
    ]
    first = figure.table.rows[0]
    cells = [
        estimate_text(cell, column.unit)
        for cell, column in zip(first, figure.table.columns, strict=True)
        if isinstance(cell, Estimate)
    ]
    assert cells == ["95.8 [85.8, 99.8]", "0.61 [0.51, 0.65]", "−0.05 [−0.15, −0.01]"]
    assert "fractions of 1" not in figure.table.heading
    assert "95.8" not in figure.svg
    (alone,) = [r for r in item_report.agreement if (r.coefficient, r.by) == ("per_cent", "all")]
    only = agreement_figure([alone])  # every vote is the same: α is undefined
    assert only is not None
    assert "95.8 [85.8, 99.8]" in only.svg


def test_models_behind_servers_have_their_cost_and_the_change_of_a_model(item_report: ReportData) -> None:
    row = ServerCost("openai:m", "score", 1200, 90_000, 0, 2400, 0, 0, 0.1234, 0, 0.0)
    warning = "openai:m answered as m-1 until 2026-05-01, and as m-2 since 2026-06-01"
    html = render(replace(item_report, server_costs=ServerCosts((row,), (warning,))))
    assert "Models behind servers" in html
    assert warning in html
    assert "0.1234" in html
    assert "Models behind servers" not in render(item_report)
