"""An audit of retrieval from tables to its page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from nextset.extensions.ambiguity.passages import OpenQuestion, RetrievedPassage
from nextset.extensions.ambiguity.retrieval.base_rates import BaseRates, base_rates
from nextset.extensions.ambiguity.retrieval.retrieval_audit import RetrievalAudit
from nextset.extensions.ambiguity.retrieval.retrieval_figures import amplification_figures
from nextset.extensions.ambiguity.retrieval.retrieval_findings import (
    base_rate_warnings,
    compared_share,
    retrieval_findings,
    retrieval_warnings,
)
from nextset.extensions.ambiguity.retrieval.retrieval_page import RetrievalReport, render_retrieval
from nextset.extensions.ambiguity.retrieval.retrieval_records import FoundPassage, OpenAnswer
from nextset.extensions.ambiguity.retrieval.retrieval_tables import RetrievalTables
from nextset.extensions.ambiguity.retrieval.title_groups import title_groups
from nextset.records.arrow_schema import table_of
from nextset.word_lists.name_groups import NameGroups

HOSTILE = "</script><script>alert(1)</script>"
JOBS = ("nurse", "judge", HOSTILE)


def audit(questions: int = 12, women_first: bool = False, readers: bool = True) -> RetrievalAudit:
    """40 people, half of them women; every question finds 12 others, of whom women are the last three."""
    women = [f"Ada Hale{i}" for i in range(20)]
    men = [f"Bo Kirk{i}" for i in range(18)] + ["Qux", HOSTILE]
    table = pa.table({"title": women + men, "group": ["female"] * 20 + ["male"] * 18 + ["", ""]})
    titles = title_groups(table, ("female", "male"), NameGroups({}))
    asked = [
        OpenQuestion(
            id=f"q{i}", language="en", question=f"Who was a {JOBS[i % 3]} {i}?", occupation=JOBS[i % 3]
        )
        for i in range(questions)
    ]
    retrieved, answers = [], []
    for i, question in enumerate(asked):
        found = [men[(5 * i + j) % 20] for j in range(9)] + [women[(7 * i + j) % 20] for j in range(3)]
        if women_first:
            found.reverse()
        retrieved += [
            RetrievedPassage(
                question_id=question.id, retriever="bm25", rank=rank, passage=rank, passage_id="",
                title=title, score=1.0,
            )
            for rank, title in enumerate(found, 1)
        ]  # fmt: skip
        if readers:
            answers.append(
                OpenAnswer(
                    question_id=question.id, retriever="bm25", reader="builtin:qa-roformer", text="Kirk",
                    score=0.5, rank=1, passage=1, title=found[0],
                    group=titles.name(titles.places[found[0]]), named=i % 2 == 0,
                )
            )  # fmt: skip
    rates = base_rates("collection", ("female", "male"), titles, None)
    return RetrievalAudit(asked, table_of(retrieved, RetrievedPassage), titles, rates, answers, 12, 6)


def page(found: RetrievalAudit) -> str:
    shares = list(found.shares("bm25"))
    sources = list(found.group_sources())
    return render_retrieval(
        RetrievalReport(
            title=HOSTILE,
            about=HOSTILE,
            questions=found.questions,
            shares=shares,
            tests=found.tests,
            changes=found.amplification,
            base_rates=list(found.base.rows()),
            sources=sources,
            first=[FoundPassage(**row) for row in found.found_passages().to_pylist()],
            answers=found.answers,
            conclusions=[],
            versions=(("nextset", "1"),),
        )
    )


def test_the_tables_have_their_rows() -> None:
    tables = {}
    for part in RetrievalTables(audit()).parts():
        made = part.make()
        if isinstance(made, bytes):
            assert made.startswith(b'"retriever"')
        else:
            tables[part.table] = made.table.num_rows  # type: ignore[union-attr]
    # two groups: the first 1, 5, 10, and 12 with single questions; passages and titles; two kinds of answers
    assert tables["shares"] == 2 * (3 * 2 * 4 + 2 * (4 + 12) + 2 * 4)
    assert tables["tests"] == 2 * 16 + 2 * 4
    assert tables["amplification"] == 2 * 2 * 4
    assert tables["found"] == 144
    assert tables["base_rates"] == 2


def test_unknown_people_are_counted_and_left_out() -> None:
    found = audit()
    sources = {(s.of, s.group): s for s in found.group_sources()}
    assert sources["collection", "unknown"].titles == 2
    share = next(s for s in found.shares("bm25") if s.scope == "all" and s.first == 12)
    assert share.known + share.unknown == 144
    assert share.unknown == sources["bm25", "unknown"].passages > 0


def test_the_findings_say_which_way() -> None:
    found = audit()
    texts = retrieval_findings(list(found.shares("bm25")), found.tests, found.amplification)
    assert "bm25 finds the group female less often than its base rate" in texts[0]
    assert "builtin:qa-roformer, which reads the first 6 passages" in texts[1]
    few = audit(questions=3, readers=False)
    (text,) = retrieval_findings(list(few.shares("bm25")), few.tests, few.amplification)
    assert "of 3 tested occupations" in text


def test_an_interval_that_holds_0_is_no_clear_difference() -> None:
    found = audit(questions=1, readers=False)
    shares = [replace(s, disparity_low=-0.4, disparity_high=0.4) for s in found.shares("bm25")]
    (text,) = retrieval_findings(shares, found.tests, [])
    assert "bm25 shows no clear difference between the group female and its base rate" in text
    assert "about as often" not in text


@pytest.mark.parametrize(
    ("p", "corrected", "said", "shown"),
    [
        (0.01, 0.02, "finds the group female less often than its base rate:", "corrected p = 0.020"),
        (0.034, 0.068, "less often than its base rate, but only before correction:", "corrected p = 0.068"),
        (
            0.068,
            0.068,
            "shows no clear difference between the group female and its base rate:",
            "corrected p = 0.068",
        ),
    ],
)
def test_a_claim_needs_the_interval_and_the_corrected_p(
    p: float, corrected: float, said: str, shown: str
) -> None:
    found = audit(readers=False)
    shares = [replace(s, disparity_low=-0.4, disparity_high=-0.1) for s in found.shares("bm25")]
    tests = [replace(t, p_design=p, p_corrected=corrected, comparisons=2) for t in found.tests]
    (text,) = retrieval_findings(shares, tests, [])
    assert said in text
    assert f"Chi-squared test with its design effect: {shown}, " in text


def test_one_answer_is_no_plural() -> None:
    found = audit()
    (row,) = (
        a for a in found.amplification if a.scope == "all" and a.counted == "answers" and a.group == "female"
    )
    one = replace(row, questions=1, read=1)
    texts = retrieval_findings(list(found.shares("bm25")), found.tests, [one])
    assert "which reads the first passage, " in texts[1]
    assert "of its 1 answer (change" in texts[1]


def test_a_finding_is_on_what_is_compared() -> None:
    found = audit(readers=False)
    rates = {"nurse": np.array([0.6, 0.4]), "pilot": np.array([0.5, 0.5]), "judges": np.array([0.5, 0.5])}
    base = BaseRates(("female", "male"), None, rates)
    found = replace(found, base=base)
    shares = list(found.shares("bm25"))
    whole = next(s for s in shares if s.scope == "all" and s.counted == "passages" and s.first == 12)
    assert whole.compared < whole.known
    assert whole.base_rate == pytest.approx(0.6)
    (text,) = retrieval_findings(shares, found.tests, [])
    part = next(s for s in shares if s.part == "nurse" and s.counted == "passages" and s.first == 12)
    assert f"{100 * (part.share or 0):.1f} [" in text
    assert f"of {whole.compared} passages" in text
    assert f"{whole.known - whole.compared} further passages of a known group are not compared" in text
    assert "of 1 tested occupation clearly differs from the base rate" in text
    assert compared_share(whole).value == pytest.approx(part.share)
    missing, unused = base_rate_warnings(found.questions, base)
    assert "lacks the occupations of 8 of 12 questions" in missing
    assert "judge (did you mean judges?)" in missing
    assert "2 of 3 occupations of the table of base rates match no question: pilot, judges" in unused
    named = [
        part.make() for part in RetrievalTables(found).parts() if getattr(part, "table", "") == "conclusions"
    ]
    assert missing in named[0].table["text"].to_pylist()  # type: ignore[union-attr]


def test_questions_without_occupations_are_compared_with_no_table() -> None:
    base = BaseRates(("female", "male"), None, {"nurse": np.array([0.6, 0.4])})
    question = OpenQuestion(id="a", language="en", question="Who?", occupation="")
    (warning,) = base_rate_warnings([question], base)
    assert "need a column occupation" in warning
    assert base_rate_warnings([question], BaseRates(("a", "b"), np.array([0.5, 0.5]))) == []


def test_labels_that_are_no_groups_are_named() -> None:
    table = pa.table(
        {
            "title": ["Ada Hale", "Bo Kirk", "Cy Kirk", "Dan Kirk", "Eve Hale", "Fay Hale"],
            "group": ["female", "Man", "man", "unknown", "", "martian"],
        }
    )
    titles = title_groups(table, ("female", "male"), NameGroups({"eve": "F"}))
    found = replace(audit(readers=False), titles=titles)
    sources = list(found._sources("collection", np.arange(6), np.arange(6)))
    (row,) = [s for s in sources if s.label == "man"]
    assert (row.titles, row.group, row.source) == (2, "unknown", "other_group")
    warning = retrieval_warnings(list(audit().shares("bm25")), sources)[0]
    assert "'man' (2 titles; did you mean male?)" in warning
    assert "'F' (1 title; did you mean female?)" in warning
    assert "'martian' (1 title)" in warning
    assert "'unknown'" not in warning


def test_the_caption_explains_what_is_drawn() -> None:
    rows = audit().amplification
    drawn = amplification_figures(rows)[0].reading
    assert "base rate" in drawn
    assert "Named" in drawn
    bare = [replace(r, base_rate=None) for r in rows if r.counted == "answers"]
    reading = amplification_figures(bare)[0].reading
    assert "from the base rate" not in reading
    assert "Named" not in reading


def test_a_reader_that_names_nobody_is_warned_about() -> None:
    found = audit()
    rows = [s for s in found.shares("bm25") if s.counted != "named_answers"]
    (warning,) = retrieval_warnings(rows, list(found.group_sources()))
    assert "hardly finds people in the passages of bm25" in warning


@pytest.mark.slow
def test_nothing_retrieved() -> None:
    found = audit(questions=1)
    empty = RetrievalAudit(
        found.questions, found.retrieved.slice(0, 0), found.titles, found.base, [], found.top_k, found.read
    )
    assert empty.retrievers == ()
    for part in RetrievalTables(empty).parts():
        part.make()
    assert retrieval_findings([], [], []) == ["Nothing was retrieved."]
    assert "<h1>" in page(audit(questions=1, readers=False))


@pytest.mark.slow
@pytest.mark.parametrize("women_first", [False, True])
def test_the_page_escapes_texts_and_is_the_same_every_time(women_first: bool) -> None:
    html = page(audit(women_first=women_first))
    assert html == page(audit(women_first=women_first))
    assert HOSTILE not in html
    assert html.count("<script>") == 1
    assert "http" not in html.replace("http://www.w3.org", "").replace("http-equiv", "")
    for name in ("disparity-1", "by-rank-1", "amplification-1", "group-sources", "tests-all", "base-rates"):
        assert f'id="table-{name}"' in html
