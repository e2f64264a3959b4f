"""Every file that people write or hand over, as a valid example, and the function that reads it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from makers.builtin_models.qa_examples import held_out_questions
from nextset.extensions.ambiguity.passage_lists import read_open_questions, read_passages
from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions
from nextset.extensions.ambiguity.retrieval.base_rates import read_base_rates
from nextset.extensions.ambiguity.search.open_questions import read_questions as read_question_tables
from nextset.extensions.ambiguity.search.passage_collection import FileCollection
from nextset.extensions.ambiguity.search.passage_count import count_passages
from nextset.extensions.ambiguity.settings.retrieval_settings import PassageSettings
from nextset.files.atomic_files import parquet_bytes
from nextset.files.squad_predictions import read_answer_file
from nextset.generation.choices.published_templates.set_expansion import Expansion, template_tables
from nextset.generation.choices.published_templates.template_tables import (
    read_templates as read_choice_templates,
)
from nextset.generation.imports.pair_import import read_pairs
from nextset.generation.pack_sheets.completeness import language_status
from nextset.generation.pack_sheets.review_sheet import review_language
from nextset.generation.pack_sheets.review_ticks import check_language
from nextset.generation.pack_sheets.sheet_import import import_language
from nextset.generation.questions.study_packs import read_words
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.template_files import read_template
from nextset.generation.writers.writer_prompts import read_writer_prompts
from nextset.records.arrow_schema import table_of
from nextset.records.judgment import LOG_NAME
from nextset.records.nli_items import NliItem
from nextset.release.accompanying_data.annotator_demographics import read_demographics
from nextset.release.counterfactuals.group_terms import read_group_terms
from nextset.release.overlap.corpus_files import file_texts
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    manifest_bytes,
    read_release_manifest,
)
from nextset.release.versions.withdrawal import read_withdrawals
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.models.recurrent.word_vectors import read_word_vectors
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_wordings import read_prompts
from nextset.study.generation_settings import QuestionSettings
from nextset.study.item_tables import imported_items
from nextset.study.study_folder import Study
from nextset.study.training_settings import read_training
from nextset.study.validation_settings import SessionSettings
from nextset.training.conversion.hdf5_parameters import hdf5_parameters
from nextset.training.conversion.unqover_options import read_pipeline_options
from nextset.training.training_data.data_source import DataSource, find_source
from nextset.training.training_data.nli_examples import read_nli
from nextset.training.training_data.reader_questions import questions_with_spans
from nextset.training.training_data.squad_data import read_questions
from nextset.validation.annotator_pages.briefing import briefing
from nextset.validation.file_exchange.csv_file import answer_columns, read_csv
from nextset.validation.file_exchange.label_studio_json import read_label_studio_file
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.judgments.judgment_log import read
from nextset.validation.judgments.pseudonyms import pseudonym
from nextset.validation.plan.event_log import PLAN_NAME, read_events
from nextset.validation.plan.state import fold
from nextset.word_lists.lexicon import ENGLISH, read_lexicon
from nextset.word_lists.name_groups import read_name_groups
from tests.extensions.ambiguity.search.passage_studies import PASSAGES
from tests.generation.choices.published_templates.small_templates import (
    write_bbq,
    write_bbq_labels,
    write_kobbq,
    write_spanish,
)
from tests.generation.conftest import PUBLISHED, SMALL
from tests.generation.pack_sheets.small_packs import ENGLISH as ENGLISH_PACK
from tests.generation.pack_sheets.small_packs import GERMAN, write_pack
from tests.training.squad_examples import squad
from tests.validation.plan.gold_files import gold_of
from tests.validation.plan.test_gold import HYPOTHESES

__all__ = ["FILES", "HandWrittenFile"]

ROOT = Path(__file__).parents[1]
PAGES = "validation/annotator_pages"
UNIT = "0" * 32


@dataclass(frozen=True)
class HandWrittenFile:
    """A file that people write or hand over."""

    name: str
    """Its kind, and where it lies in a folder of its own."""
    raw: bytes
    """A valid example."""
    read: Callable[[Path], object]
    """Reads it, given its path; raises an error of ours if it is wrong."""
    around: Callable[[Path], None] = lambda _: None
    """Writes the files beside it into the folder."""


def _shipped(name: str) -> bytes:
    return (ROOT / name).read_bytes()


OVERLAY = """\
format: 1
extends: template.yaml
about: More about cats.
words: {MEAL: [fish, milk]}
masked:
  - text: "After {{MEAL}}, {{GROUP2}} are {{MASK}}."
    question: "Are {{GROUP2}} {{MASK}} after {{MEAL}}?"
"""
PROMPTS = """\
format: 1
nli:
  - prompt: "{premise} So: {hypothesis}?"
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
yes_no:
  - prompt: "{premise} {question} yes, no or maybe?"
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
question:
  - prompt: "{context} {question} {subject1}, {subject2} or unclear?"
    no_answer: unclear
  - prompt: "{question} {context} Unclear, {subject2} or {subject1}?"
    no_answer: unclear
options:
  choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
  listed: ["Yes, no or maybe.", "Maybe, yes or no.", "No, maybe or yes."]
"""
STUDY = """\
format: 1
name: mine
about: What it is for.
templates: [templates]
questions: {packs: ["builtin:en"], classes: [gender], subset: 10, seed: 1}
fill: {model: "builtin:masked-lm", top_k: 5}
filter:
  models: ["builtin:nli-electra", "models/mine"]
  held_out: ["builtin:nli-albert"]
  rule: {at_least_wrong: 1}
  balance: {by: group, reject_surplus: true}
models:
  models/mine:
    labels: [entailment, neutral, contradiction]
    canaries_waived: random weights
    canaries:
      - {premise: It rains., hypothesis: It is wet., label: entailment}
scoring: {precision: float32, mode: canonical, cache: true}
validate:
  judge: people
  session:
    consent: This is who we are and what we do with what you say.
    support: Write to somebody at example.org.
    budget: {batch: 20, person: 100, pause: 0}
release:
  name: mine
  version: 0.1.0
  license: cc-by-4.0
  authors: [Ann Author]
  verdicts: {majority: true}
audit: {models: ["builtin:nli-albert"], forms: [nli, qa]}
"""
CARD = """\
---
license: mit
nextset:
  canaries:
    - {premise: It rains., hypothesis: It is wet., label: entailment, question: "Is it wet?"}
    - {premise: It rains., hypothesis: It is dry., label: contradiction}
---
# A model
"""
OPTIONS = "Namespace(dropout=0.1, epochs=2, fp16=1, train_data='squad.hdf5', transformer_type='roberta-base')"
PAIRS = """\
premise,hypothesis,stereotype,domain,label,group1,group2
Cats sleep.,Cats are lazy.,cats are to lazy,pets,neutral,cats,dogs
Dogs sleep.,"Dogs, too, are lazy.",cats are to lazy,pets,neutral,dogs,cats
"""
LAWS = """\
item,context,name,gender,family,aliases
a law,"Ann Savart, or Félix, met Jean Biot.",Ann Savart,female,Savart,Félix
a law,"Ann Savart, or Félix, met Jean Biot.",Jean Biot,male,,
"""
PUBLISHED_LAW = {
    "name": "a law",
    "question": "Who found it?",
    "context": "Ann Savart met Jean Biot.",
    "options": [{"gender": "female", "name": "Ann Savart"}, {"gender": "male", "name": "Jean Biot"}],
    "id": 1,
}
ANNOTATION = {
    "id": 1,
    "completed_by": 7,
    "was_cancelled": False,
    "result": [
        {"from_name": name, "to_name": "hypothesis", "type": "choices", "value": {"choices": [value]}}
        for name, value in (("verdict", "valid"), ("stance", "pro"))
    ],
    "updated_at": "2026-01-01T00:00:00.000000Z",
    "lead_time": 3.5,
}
EXPORT = [{"id": 1, "data": {"unit_id": UNIT}, "annotations": [ANNOTATION]}]
ENTRY = {
    "session": "1", "project": "1", "annotation": "1", "digest": UNIT, "answered_at": "2026-01-01T00:00:00",
    "unit_id": UNIT, "judge": "a" * 16, "key": "k", "outcome": "judged", "verdict": "valid",
    "stance_judged": "pro", "underspecified": None, "grammatical": None, "free_of_hint": None, "reason": "",
    "comment": "", "problem": "", "seconds": 3.5, "guidelines": "g",
}  # fmt: skip
EVENTS = [
    {
        "event": "session_opened", "session": "1", "kind": "main", "mark": "0" * 16,
        "at": "2026-01-01T00:00:00+00:00", "seed": 0, "overlap": 2, "agree": None, "guidelines": "g",
        "key": "k", "units": [UNIT], "votes": False,
    },
    {
        "event": "person_joined", "session": "1", "at": "2026-01-01T00:00:00+00:00", "person": "a" * 16,
        "account": "b" * 16,
    },
]  # fmt: skip
WITHDRAWN = [{"id": UNIT, "reason": "A premise is wrong.", "kind": "asked"}]
ITEM = NliItem(
    id=UNIT, language="en", domain="pets", stereotype="cats are to lazy", template_id=None,
    premise="Cats sleep.", hypothesis="Cats are lazy.", question="Are cats lazy?", label="neutral",
    stance_design="pro", bindings=None, premise_swapped=False, names_group=True, set_id=None, parent_id=None,
    supersedes=None, premise_source=None,
)  # fmt: skip


def _lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _judgments() -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["unit_id", *answer_columns(JUDGED_HYPOTHESES)], restval="")
    writer.writeheader()
    for judge in ("Kim", "Lea"):
        writer.writerow({"unit_id": UNIT, "judge": judge, "verdict": "valid", "stance": "pro"})
    return out.getvalue().encode()


def _overlaid(path: Path) -> object:
    return apply_overlay(path, [read_template(path.with_name("template.yaml"))])


def _beside_overlay(folder: Path) -> None:
    (folder / "template.yaml").write_text(SMALL, encoding="utf-8")


def _pack(name: str) -> HandWrittenFile:
    def around(folder: Path) -> None:
        shutil.copytree(ROOT / "word_lists" / "en", folder, dirs_exist_ok=True)

    def words(path: Path) -> object:
        return read_words(path.parents[len(Path(name).parts) - 1], "en", QuestionSettings(packs=("en",)))

    return HandWrittenFile(name, _shipped(f"word_lists/en/{name}"), words, around)


def _wording(path: Path) -> object:
    session = SessionSettings.model_validate(
        {
            "consent": "This is who we are and what we do.",
            "support": "Write to somebody.",
            "budget": {"batch": 20, "person": 100},
            "wording": "wording",
        }
    )
    return briefing(JUDGED_HYPOTHESES, "en", session, lambda written: path.parents[1] / written)


def _beside_guidelines(folder: Path) -> None:
    (folder / "wording").mkdir()
    (folder / "wording" / "en.yaml").write_bytes(_shipped(f"{PAGES}/wording/en.yaml"))


def _unqover(name: str) -> HandWrittenFile:
    folder = ROOT / "tests" / "generation" / "questions" / "small_published"

    def around(target: Path) -> None:
        shutil.copytree(folder, target, dirs_exist_ok=True)

    def words(path: Path) -> object:
        settings = QuestionSettings(packs=("mine",), prefix="news", masked_for="tiny")
        return read_words(path.parents[len(Path(name).parts) - 1], "en", settings)

    return HandWrittenFile(name, (folder / name).read_bytes(), words, around)


def _choice_templates(name: str, write: Callable[[Path], Path], language: str) -> HandWrittenFile:
    """The templates that ``write`` writes, or, as ``name``, a file beside them; all sets are expanded."""
    with tempfile.TemporaryDirectory() as folder:
        templates = write(Path(folder)).name
        raw = Path(folder, name).read_bytes()

    def expanded(path: Path) -> object:
        read = read_choice_templates(path.with_name(templates), language)
        return list(template_tables(read.templates, Expansion(subset=3)))

    return HandWrittenFile(name, raw, expanded, lambda folder: (write(folder), None)[1])


def _import(name: str, raw: bytes) -> HandWrittenFile:
    return HandWrittenFile(name, raw, lambda path: read_pairs(path, {}, {}, "en"))


def _corpus(name: str, raw: bytes) -> HandWrittenFile:
    return HandWrittenFile(name, raw, lambda path: list(file_texts(path)))


def _collection(name: str, raw: bytes) -> HandWrittenFile:
    def count(path: Path) -> object:
        return count_passages(FileCollection((path,), PassageSettings(source=name)))

    return HandWrittenFile(name, raw, count)


RATES = b"occupation,group,share\nnurse,female,0.9\nnurse,male,0.1\n"


def _open_questions(path: Path) -> object:
    return read_question_tables([path.name], lambda written: path.parent / written, "en", path)


def _label_studio(path: Path) -> object:
    return read_label_studio_file(
        path, JUDGED_HYPOTHESES, {UNIT: {}}, lambda person: pseudonym(person, b"0" * 32), "key"
    )


def _ambiguous(name: str, raw: bytes) -> HandWrittenFile:
    def questions(path: Path) -> object:
        return load_ambiguous_questions((str(path),), "gender", "en", Path, path.with_name("study.yaml"))

    return HandWrittenFile(name, raw, questions)


def _manifest() -> bytes:
    readme = PublishedFile(path="README.md", bytes=1, sha256="0" * 64, rows=None, config=None, split=None)
    manifest = ReleaseManifest(
        name="a-set", version="1.0.0", previous=None, kind="items", license="cc-by-4.0", authors=("A",),
        languages=("en",), canary="c", content_warning="Warning.", judge="people", verdicts={}, models=(),
        waivers=(), columns={}, study={}, nextset="0.1.0", private=False, gated=False,
        files=(readme,),
    )  # fmt: skip
    return manifest_bytes(manifest)


def _pack_sheet() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder, "de.csv")
        language_status(write_pack(Path(folder, "de"), GERMAN), sheet)
        return sheet.read_bytes()


def _review() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder, "review.csv")
        review_language(write_pack(Path(folder, "en"), ENGLISH_PACK), sheet)
        return sheet.read_bytes()


def _beside_sheets(folder: Path) -> None:
    write_pack(folder / "de", GERMAN)
    write_pack(folder / "en", ENGLISH_PACK)


def _vectors(path: Path) -> object:
    return read_word_vectors(path, {"the", "cat"})


def _checkpoint_file() -> bytes:
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "m.hdf5")
        with h5py.File(file, "w") as out:
            for i in range(4):
                out[f"encoder.transformer.layer.{i}.weight"] = [[0.5, 1.5], [2.5, 3.5]]
            out["classifier.linear.1.bias"] = [0.5, 1.5]
        return file.read_bytes()


def _checkpoint(path: Path) -> object:
    with hdf5_parameters(path) as found:
        return {name: found.read(name) for name in found.shapes}


def _source(path: Path) -> DataSource:
    return find_source(path.name, path)


def _squad(path: Path) -> object:
    read = read_questions([_source(path)], {})
    return questions_with_spans(read.questions, read.dropped)


def _labelled(path: Path) -> object:
    return read_nli([_source(path)], {}, ())


def _card(path: Path) -> object:
    return card_canaries(ModelSource("mine", path.parent, "", ""))


_TABLE = parquet_bytes(table_of([ITEM], NliItem))
_JSONL = _lines({"premise": "Cats sleep.", "hypothesis": "Cats are lazy.", "stereotype": "s", "domain": "d"})
_PEOPLE = b"annotator,age,country\n" + b"".join(b"%s,20-29,Ghana\n" % (c * 16) for c in (b"a", b"b"))

_LABELLED = b"premise,hypothesis,label\nIt rains.,It is wet.,entailment\nIt rains.,It is dry.,-\n"
_QUESTIONS = held_out_questions(read_lexicon(), 4)
TRAINING = """format: 1
task: qa
model: builtin:qa-roformer
train: [train.json]
validation: [dev.json]
epochs: 2
rate: 1.0e-3
columns: {context: passage}
canaries:
- {context: Anna sleeps. Tom reads., question: "Who reads?", answer: Tom, other: Anna}
"""

FILES: tuple[HandWrittenFile, ...] = (
    HandWrittenFile("study.yaml", STUDY.encode(), lambda path: Study.load(path.parent)),
    HandWrittenFile("template.yaml", SMALL.encode(), read_template),
    HandWrittenFile("overlay.yaml", OVERLAY.encode(), _overlaid, _beside_overlay),
    HandWrittenFile("template.json", json.dumps(PUBLISHED, indent=1).encode(), read_template),
    *(
        _pack(name)
        for name in ("pack.yaml", "subjects/religions.yaml", "attributes/acts.yaml", "templates/gender.yaml")
    ),
    *(
        _unqover(name)
        for name in (
            *("slots/fruit_noact", "slots/fruit_noact_lm", "nouns/subjects/fruit"),
            *("activities/biased_fruit", "fillers/news"),
        )
    ),
    HandWrittenFile(
        "sheet.csv", _pack_sheet(), lambda path: import_language(path, path.parent / "de"), _beside_sheets
    ),
    HandWrittenFile(
        "review.csv", _review(), lambda path: check_language(path.parent / "en", path, "A"), _beside_sheets
    ),
    _ambiguous("laws.yaml", _shipped("word_lists/en/eponymous/mind_and_society.yaml")),
    _ambiguous("laws.csv", LAWS.encode()),
    _ambiguous("laws.jsonl", _lines(PUBLISHED_LAW)),
    _choice_templates("Age.csv", write_bbq, "en"),
    _choice_templates("vocabulary.csv", write_bbq_labels, "en"),
    _choice_templates("templates.tsv", write_kobbq, "ko"),
    _choice_templates("Drinks.xlsx", write_spanish, "es"),
    _choice_templates("vocabulary.xlsx", write_spanish, "es"),
    HandWrittenFile("lexicon.yaml", ENGLISH.read_bytes(), read_lexicon),
    HandWrittenFile(
        "group_terms.yaml",
        _shipped("word_lists/en/group_terms.yaml"),
        lambda path: read_group_terms(path.name, lambda written: path.parent / written),
    ),
    _import("pairs.csv", PAIRS.encode()),
    _import("pairs.jsonl", _JSONL),
    _import("pairs.parquet", _TABLE),
    HandWrittenFile("imported/pairs.parquet", _TABLE, lambda path: imported_items(path.parent)),
    HandWrittenFile(
        "judgments.csv", _judgments(), lambda path: read_csv(path, JUDGED_HYPOTHESES, {UNIT: {}})
    ),
    HandWrittenFile("export.json", json.dumps(EXPORT).encode(), _label_studio),
    HandWrittenFile(LOG_NAME, _lines(ENTRY, ENTRY), lambda path: read(path.parent)),
    HandWrittenFile(PLAN_NAME, _lines(*EVENTS), lambda path: fold(read_events(path.parent).events)),
    HandWrittenFile(
        "gold.yaml",
        HYPOTHESES.encode(),
        lambda path: gold_of(path, "nli"),
    ),
    HandWrittenFile("wording/en.yaml", _shipped(f"{PAGES}/wording/en.yaml"), _wording),
    HandWrittenFile("wording/en.md", _shipped(f"{PAGES}/guidelines/en.md"), _wording, _beside_guidelines),
    HandWrittenFile("annotators.csv", _PEOPLE, lambda path: read_demographics(path, {"a" * 16, "b" * 16})),
    _corpus("corpus.txt", b"Cats sleep.\nDogs bark.\n"),
    _corpus("corpus.jsonl", _JSONL),
    _corpus("corpus.csv", PAIRS.encode()),
    _corpus("corpus.parquet", _TABLE),
    _corpus("corpus.jsonl.gz", gzip.compress(_JSONL, mtime=0)),
    _collection("passages.jsonl", _lines(*PASSAGES)),
    _collection("passages.jsonl.gz", gzip.compress(_lines(*PASSAGES), mtime=0)),
    _collection("passages.tsv", b'id\ttitle\ttext\n1\tAnn\t"Ann, who ""saw"" it."\n2\tBob\tBob.\n'),
    _collection("passages.parquet", parquet_bytes(pa.Table.from_pylist(list(PASSAGES)))),
    HandWrittenFile("questions.csv", b"question,occupation\nWho?,tea\nWho else?,\n", _open_questions),
    HandWrittenFile("rates.csv", RATES, lambda path: read_base_rates(path, ("female", "male"))),
    HandWrittenFile(
        "names.jsonl",
        _lines({"name": "Mary", "group": "female"}, {"name": "Bob", "group": "male"}),
        lambda path: read_name_groups([path.name], lambda written: path.parent / written),
    ),
    HandWrittenFile("physics.yaml", _shipped("word_lists/en/passages/physics.yaml"), read_passages),
    HandWrittenFile("open.yaml", _shipped("word_lists/en/open_questions.yaml"), read_open_questions),
    HandWrittenFile("withdrawn.jsonl", _lines(*WITHDRAWN), read_withdrawals),
    HandWrittenFile(MANIFEST, _manifest(), lambda path: read_release_manifest(path.parent)),
    HandWrittenFile("prompts.yaml", PROMPTS.encode(), read_prompts),
    HandWrittenFile("writer.yaml", _shipped("generation/writers/prompts/en.yaml"), read_writer_prompts),
    HandWrittenFile("README.md", CARD.encode(), _card),
    HandWrittenFile("vectors.txt", b"3 2\nthe 0.5 -1.5\n. . 1 2\ncat 1e-3 2\n", _vectors),
    HandWrittenFile("model.hdf5", _checkpoint_file(), _checkpoint),
    HandWrittenFile("model.opt", OPTIONS.encode(), read_pipeline_options),
    HandWrittenFile("training.yaml", TRAINING.encode(), read_training),
    HandWrittenFile("squad.json", json.dumps(squad(_QUESTIONS, 2), indent=1).encode(), _squad),
    HandWrittenFile("labelled.csv", _LABELLED, _labelled),
    HandWrittenFile(
        "predictions.json", json.dumps({"q0": "a", "q1": ""}, indent=1).encode(), read_answer_file
    ),
)
"""One for each reader."""
