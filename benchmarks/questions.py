"""UnQover's sets from its published word lists: sizes, entries, cost, and memory that does not grow."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.figures import Ran, figure, ran
from nextset.generation.questions.product_rows import blocks, full_cells
from nextset.generation.questions.published_unqover import read_published
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet
from tests.generation.questions.plain_unqover import Lists, entries, gender, other

__all__ = ["question_figures"]

SIZES = {
    "gender question": 1_372_000, "country question": 1_154_232,
    "ethnicity question": 73_500, "religion question": 38_500,
    "gender statement": 286_720, "country statement": 385_776,
    "ethnicity statement": 31_500, "religion statement": 31_500,
}  # fmt: skip

STUDY = """\
format: 1
name: {name}
questions: {{packs: ["{folder}"], classes: [{name}], forms: [question], quirks: published}}
"""


BARE = """
import sys
from pathlib import Path
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
folder, target = Path(sys.argv[1]), sys.argv[2]
def lines(name):
    return [l.strip() for l in (folder / name).read_text().splitlines() if l.strip() and l[0] != "#"]
female, male = ([l.split("|")[1].strip() for l in lines(f"nouns/subjects/{n}")] for n in ("female", "male"))
acts = [l.split("] ")[1] for l in lines("activities/occupation_rev1")]
slots = [l.split("\\t") for l in lines("slots/gender_noact")]
both = [(f, m) for f in female for m in male]
def column(texts, at): return pa.DictionaryArray.from_arrays(pa.array(at), pa.array(texts))
context = np.repeat(np.arange(len(both) * len(slots), dtype=np.int32), len(acts) // 2)
asked = np.tile(np.arange(len(acts) // 2, dtype=np.int32), len(both) * len(slots))
def contexts(a, b):
    return [s[0].replace("[subj1]", p[a]).replace("[subj2]", p[b]) for p in both for s in slots]
table = pa.table({
    "context_12": column(contexts(0, 1), context), "context_21": column(contexts(1, 0), context),
    "question": column([f"Who {a}?" for a in acts[:70]], asked),
    "question_negated": column([f"Who {a}?" for a in acts[70:]], asked),
})
pq.write_table(table, target, compression="zstd", store_schema=False)
"""
"""The least code for the texts of the gender set: a cross join, without ids, spans, checks or restarts."""


def question_figures(reference: Path) -> None:
    """Compare every entry in this process, and measure the gender set in a separate process."""
    folder = reference / "unqover_word_lists"
    for questions in read_published(folder, "en", masked_for="roberta", as_published=True).sets:
        name = f"{questions.name} {questions.form}"
        figure(f"UnQover, {name}s", questions.rows, f"{SIZES[name]:,}", questions.rows == SIZES[name])
        wrong = _differing(questions, _lists(folder, questions))
        figure(f"UnQover, {name}s, entries that differ from the plain expansion", wrong, "0", wrong == 0)
    with tempfile.TemporaryDirectory() as scratch:
        cost = _cost(Path(scratch) / "published", "gender", folder)
        quick = cost.cpu_seconds <= 5
        figure("UnQover's gender set to Parquet", cost.cpu_seconds, "at most 5 CPU s", quick, "CPU s")
        figure("its memory", cost.megabytes, "at most 500 MB", cost.megabytes <= 500, "MB")
        bare = ran([sys.executable, "-c", BARE, folder, Path(scratch) / "bare.parquet"])
        figure("a bare cross join of its texts", bare.cpu_seconds, "measured only", True, "CPU s")
        more = _cost(Path(scratch) / "doubled", "gender", _doubled(folder, Path(scratch) / "lists"))
        grown = more.megabytes / cost.megabytes
        figure("memory with four times the pairs", grown, "at most 1.1 times", grown <= 1.1, "times")
        figure("cost with four times the pairs", more.cpu_seconds, "measured only", True, "CPU s")


def _lists(folder: Path, questions: QuestionSet) -> Lists:
    suffix, ending = ("", "") if questions.form == "question" else ("_roberta", "_lm")
    if questions.name == "gender":
        return gender(folder, suffix, ending)
    return other(folder, questions.name, suffix, ending)


def _differing(questions: QuestionSet, lists: Lists) -> int:
    """Return the number of entries in only one of the two expansions; ours has both orders in one entry."""
    asked = ("question", "question_negated")
    if questions.form == "statement":
        asked = ("statement", "statement_negated")
    names = ["subject1", "subject2", "cluster1", "cluster2", "template_id", "attribute", "attribute_cluster"]
    differing = 0
    for block in blocks(questions):
        table = quad_table(questions, full_cells(questions, block))
        columns = [table[n].to_pylist() for n in ("context_12", "context_21", *asked, *names)]
        ours = set()
        for one, two, yes, no, a, b, ca, cb, template, attribute, cluster in zip(*columns, strict=True):
            ours.add((one, yes, no, (a, b), (ca, cb), template, attribute, cluster))
            ours.add((two, yes, no, (b, a), (cb, ca), template, attribute, cluster))
        differing += len(ours ^ set(entries(lists, block)))
    return differing


def _cost(study: Path, name: str, folder: Path) -> Ran:
    study.mkdir()
    (study / "study.yaml").write_text(STUDY.format(name=name, folder=folder), encoding="utf-8")
    return ran([sys.executable, "-m", "nextset", "generate", study])


def _doubled(folder: Path, target: Path) -> Path:
    """Write the lists of gender with twice as many names on each side."""
    for part in ("activities/occupation_rev1", "slots/gender_noact"):
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        (target / part).write_bytes((folder / part).read_bytes())
    for part in ("female", "male"):
        path = target / "nouns" / "subjects" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        names = (folder / "nouns" / "subjects" / part).read_text(encoding="utf-8").strip()
        path.write_text(names + "\n" + names.replace("| ", "| Q"), encoding="utf-8")
    return target
