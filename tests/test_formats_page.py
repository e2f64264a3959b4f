"""docs/reference/formats.md: every column and key is there, and every example is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

import nextset
from nextset.auditing.audit_records import (
    AuditDesign,
    AuditedModel,
    ComparisonRow,
    MeasureRow,
    PreferenceRow,
    SensitivityRow,
    WordingRow,
)
from nextset.auditing.interventions.intervention_records import (
    InterventionChange,
    InterventionFinding,
    InterventionSeries,
    TriggerTransfer,
    TuningChange,
)
from nextset.auditing.occlusion.occlusion_records import OcclusionRow, TemplateOcclusionRow
from nextset.auditing.retrieval.retrieval_records import (
    Amplification,
    BaseRate,
    BaseRateTest,
    FoundPassage,
    GroupShare,
    GroupSource,
    OpenAnswer,
    RetrievalFinding,
)
from nextset.auditing.selectional.selectional_records import (
    AdjustedOdds,
    AnsweringModel,
    CopySwap,
    GroupDifference,
    GroupRecall,
    GroupTest,
    OrderRecall,
    PersonFound,
    SelectionalFinding,
)
from nextset.auditing.version_change import MeasureChange
from nextset.filtering.balance import BalanceRow
from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.controls import ControlRow
from nextset.filtering.held_out_gap import AccuracyRow, BiasRow, GapRow
from nextset.filtering.mark_counts import MarkRow
from nextset.filtering.rule_comparison import HeldOutDropRow, RuleRow
from nextset.filtering.survival import OverlapRow, SurvivalRow
from nextset.generation.imports.pair_import import COLUMNS, import_pairs
from nextset.generation.lint.template_lint import lint_template
from nextset.generation.mask_fills.fill_marks import FillMeaning, FillProbability
from nextset.generation.mask_fills.filled_items import MaskWord
from nextset.generation.mask_fills.fluency import Fluency
from nextset.generation.template_expansion import MaskListRow, TemplateRow
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.template_files import read_template
from nextset.generation.triggers.trigger_records import FoundTrigger, TemplateSplit, TriggerStep
from nextset.generation.writers.proposed_hypotheses import ProposedHypothesis
from nextset.generation.writers.writer_prompts import WriterPrompt
from nextset.records.ambiguous_questions import (
    AmbiguousQuestion,
    Mention,
    PersonAttribute,
    QuestionFinding,
    RefusedQuestion,
    RightAnswer,
)
from nextset.records.clear_questions import ClearQuestions
from nextset.records.column_docs import column_table
from nextset.records.intervention import Intervention
from nextset.records.judgment import Judgment
from nextset.records.nli_items import Bindings, Fill, MaskedItem, NliItem, NliScore, Word, Writer
from nextset.records.passages import OpenQuestion, Passage, RetrievedPassage
from nextset.records.question_quads import (
    AttributeRow,
    MaskedStatement,
    PackRow,
    QuadScore,
    QuestionQuad,
    Span,
)
from nextset.records.reader_answers import ReaderAnswer
from nextset.release.accompanying_data.annotator_demographics import AnnotatorRow, read_demographics
from nextset.release.accompanying_data.published_figures import (
    PublishedAccuracy,
    PublishedAgreement,
    PublishedBias,
    PublishedExposure,
    PublishedGap,
    PublishedRule,
    PublishedSurvival,
)
from nextset.release.accompanying_data.released_judgments import ReleasedJudgment
from nextset.release.counterfactuals.group_terms import GroupTermsFile, TermSet, read_group_terms
from nextset.release.counterfactuals.pair_records import PairFinding
from nextset.release.dataset_files.release_manifest import (
    PublishedFile,
    ReleaseManifest,
    ReleaseModel,
    Waiver,
)
from nextset.release.overlap.overlap_records import ContaminationRow, DuplicateRow
from nextset.release.versions.withdrawal import Withdrawal, WithdrawnRow, read_withdrawals
from nextset.scoring.cascade_order import CascadeSampleRow
from nextset.scoring.fast_mode_flips import FlipRow
from nextset.scoring.retrieval.passage_vectors import PassageVector
from nextset.scoring.retrieval.posting_lists import PostingList
from nextset.study.training_settings import TrainingFile, read_training
from nextset.training.fine_tuning.training_records import (
    TrainingCount,
    TrainingData,
    TrainingFigure,
    TrainingLoss,
    TrainingRun,
)
from nextset.training.interventions.tuning_records import HeldOutPart, TuningLoss
from nextset.word_lists.fill_list import FillListFile, read_fill_list
from nextset.word_lists.lexicon import read_lexicon
from tests.docs_pages import ROOT, blocks, session_of_sessions

RECORDS = (
    *(AmbiguousQuestion, RightAnswer, Mention, PersonAttribute, RefusedQuestion, QuestionFinding),
    *(Passage, PostingList, PassageVector, OpenQuestion, RetrievedPassage),
    *(
        Amplification,
        BaseRate,
        BaseRateTest,
        FoundPassage,
        GroupShare,
        GroupSource,
        OpenAnswer,
        RetrievalFinding,
    ),
    *(
        ReaderAnswer,
        AdjustedOdds,
        AnsweringModel,
        CopySwap,
        GroupDifference,
        GroupRecall,
        GroupTest,
        OrderRecall,
        PersonFound,
        SelectionalFinding,
    ),
    *(
        NliItem,
        Bindings,
        Word,
        Fill,
        Writer,
        TemplateRow,
        MaskListRow,
        QuestionQuad,
        MaskedStatement,
        Span,
        AttributeRow,
        PackRow,
    ),
    *(
        MaskWord,
        ProposedHypothesis,
        WriterPrompt,
        Fluency,
        FillProbability,
        FillMeaning,
        NliScore,
        QuadScore,
        FlipRow,
        CascadeSampleRow,
        Judgment,
        SurvivalRow,
        OverlapRow,
        AccuracyRow,
        BiasRow,
        GapRow,
        ControlRow,
        ConclusionRow,
        RuleRow,
        HeldOutDropRow,
        BalanceRow,
        MarkRow,
    ),
    *(
        MeasureRow,
        PreferenceRow,
        ComparisonRow,
        SensitivityRow,
        WordingRow,
        AuditedModel,
        AuditDesign,
    ),
    *(
        Intervention,
        InterventionSeries,
        InterventionChange,
        InterventionFinding,
        TriggerTransfer,
        TuningChange,
        HeldOutPart,
        TuningLoss,
        ClearQuestions,
        OcclusionRow,
        TemplateOcclusionRow,
        FoundTrigger,
        TemplateSplit,
        TriggerStep,
        TrainingLoss,
        TrainingFigure,
        TrainingData,
        TrainingCount,
        TrainingRun,
    ),
    *(
        ReleasedJudgment,
        AnnotatorRow,
        PublishedRule,
        PublishedSurvival,
        PublishedAccuracy,
        PublishedBias,
        PublishedGap,
        PublishedExposure,
        PublishedAgreement,
        DuplicateRow,
        ContaminationRow,
        PairFinding,
        WithdrawnRow,
        Withdrawal,
        MeasureChange,
        ReleaseManifest,
        PublishedFile,
        ReleaseModel,
        Waiver,
    ),
)


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_formats_shows_every_column(record: type) -> None:
    assert column_table(record) in (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def test_formats_shows_what_a_masked_item_has_beside_the_columns_of_an_item() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    rows = column_table(MaskedItem).split("\n")[2:]
    assert rows
    assert all(row in page for row in rows)


def test_the_fill_list_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if "basket making" in b]
    (tmp_path / "crafts.yaml").write_text(text, encoding="utf-8")
    assert read_fill_list(tmp_path / "crafts.yaml").words == ("sewing", "knitting", "basket making")
    assert set(yaml.safe_load(text)) == set(FillListFile.model_fields)


def test_formats_shows_every_column_of_pairs() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    for name, meaning in COLUMNS.items():
        assert f"| `{name}` | {meaning} |" in page


def test_the_study_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if "filter:" in b]
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    settings = nextset.Study.load(tmp_path).settings
    written = yaml.safe_load(text)
    for name, field in type(settings).model_fields.items():
        key = field.alias or name
        assert key in written, key
        section = next((a for a in get_args(field.annotation) if a is not type(None)), field.annotation)
        inner = getattr(section, "model_fields", {})
        assert set(inner) <= set(written[key] if inner else ()), key


def test_the_training_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if "weight_decay:" in b]
    (tmp_path / "training.yaml").write_text(text, encoding="utf-8")
    assert read_training(tmp_path / "training.yaml").task == "nli"
    assert set(yaml.safe_load(text)) == set(TrainingFile.model_fields)


def test_the_template_and_overlay_of_formats_are_read_and_clean(tmp_path: Path) -> None:
    page = ROOT / "docs" / "reference" / "formats.md"
    (template,) = [b for b in blocks(page, "yaml") if "premises:" in b]
    (overlay,) = [b for b in blocks(page, "yaml") if "extends:" in b]
    file = tmp_path / "handedness" / "left_handed_is_to_clumsy.yaml"
    file.parent.mkdir()
    file.write_text(template, encoding="utf-8")
    (tmp_path / "overlay.yaml").write_text(overlay, encoding="utf-8")
    read = read_template(file)
    assert lint_template(read) == []
    (extended,) = apply_overlay(tmp_path / "overlay.yaml", [read])
    assert lint_template(extended) == []


def test_the_word_list_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if "mass_nouns:" in b]
    (tmp_path / "lexicon.yaml").write_text(text, encoding="utf-8")
    assert read_lexicon(tmp_path / "lexicon.yaml").nouns.occupations == {"surgeon": "surgeons"}
    assert nextset.lint(tmp_path).files == (tmp_path / "lexicon.yaml",)


def test_the_lexicon_of_group_terms_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if "before_nouns:" in b]
    (tmp_path / "terms.yaml").write_text(text, encoding="utf-8")
    assert read_group_terms("terms.yaml", tmp_path.joinpath).pair_of("tea", "coffee", "drinks")
    written = yaml.safe_load(text)
    assert set(written) == set(GroupTermsFile.model_fields)
    assert set(written["sets"][0]) == set(TermSet.model_fields)


def test_the_demographics_and_the_withdrawals_of_formats_are_read(tmp_path: Path) -> None:
    page = ROOT / "docs" / "reference" / "formats.md"
    (demographics,) = [b for b in blocks(page, "csv") if b.startswith("annotator,")]
    (tmp_path / "annotators.csv").write_text(demographics, encoding="utf-8")
    judges = [line.split(",")[0] for line in demographics.splitlines()[1:]]
    assert read_demographics(tmp_path / "annotators.csv", judges).fields == ("age", "first_language")
    (log,) = blocks(page, "json")
    (tmp_path / "withdrawn.jsonl").write_text(log, encoding="utf-8")
    assert [w.kind for w in read_withdrawals(tmp_path / "withdrawn.jsonl")] == ["asked", "counterpart"]


def test_every_released_column_stands_in_formats() -> None:
    from nextset.release.dataset_files.released_columns import meanings_of

    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    for config in ("items", "questions", "statements"):
        for name in meanings_of(config):
            assert f"| `{name}` | " in page, name


def test_the_gold_file_of_formats_is_read(tmp_path: Path) -> None:
    from nextset.validation.plan.gold import read_gold

    (text,) = [
        b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if b.startswith("hypotheses:")
    ]
    (tmp_path / "gold.yaml").write_text(text, encoding="utf-8")
    for form in ("nli", "question", "statement"):
        (item,) = read_gold(tmp_path / "gold.yaml", form)
        assert item.verdict == "valid"


def test_the_comprehension_files_of_formats_are_read(tmp_path: Path) -> None:
    from nextset.validation.annotator_pages.briefing import briefing

    session = session_of_sessions(tmp_path)
    files = [b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "yaml") if b.startswith("items:")]
    known = {}
    for kind, text in zip(("nli", "question"), files, strict=True):
        (tmp_path / "items.yaml").write_text(text, encoding="utf-8")
        settings = session.model_copy(update={"comprehension": "items.yaml", "mistakes": 0})
        made = briefing(kind, "en", settings, tmp_path.joinpath)  # type: ignore[arg-type]
        known[kind] = (len(made.comprehension), len(made.again))
    assert known == {"nli": (2, 1), "question": (1, 1)}


def test_the_folder_of_wording_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    from nextset.validation.annotator_pages.briefing import briefing
    from nextset.validation.annotator_pages.page_wording import OURS, Wording

    page = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    for name in Wording.model_fields:
        assert f"| `{name}` | " in page, name
    ours = (OURS / "wording" / "en.yaml").read_text(encoding="utf-8")
    (tmp_path / "fr.yaml").write_text(ours.replace("language: en", "language: fr", 1), encoding="utf-8")
    (text,) = blocks(ROOT / "docs" / "reference" / "formats.md", "markdown")
    (tmp_path / "fr.md").write_text(text, encoding="utf-8")
    every = re.findall(r"`(\{\{[a-z:_.]+\}\})`", page)
    (tmp_path / "questions.fr.md").write_text(" ".join(every), encoding="utf-8")
    settings = session_of_sessions(tmp_path).model_copy(update={"wording": "."})
    assert "**valide** (1)" in briefing("nli", "fr", settings, tmp_path.joinpath).guidelines
    assert "{{" not in briefing("question", "fr", settings, tmp_path.joinpath).guidelines
    assert len(every) == 3 + 7 + 8


def test_the_pairs_of_formats_are_read(tmp_path: Path) -> None:
    (text,) = [
        b for b in blocks(ROOT / "docs" / "reference" / "formats.md", "csv") if b.startswith("premise,")
    ]
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    study = nextset.Study.load(nextset.new_study(tmp_path / "mine"))
    assert import_pairs(study, tmp_path / "pairs.csv").items == 1


def test_the_questions_with_several_right_answers_of_formats_are_read(tmp_path: Path) -> None:
    from nextset.generation.ambiguity.eponymous_yaml import EponymousFile
    from nextset.generation.ambiguity.study_questions import load_ambiguous_questions

    page = ROOT / "docs" / "reference" / "formats.md"
    (table,) = [b for b in blocks(page, "csv") if b.startswith("item,")]
    (text,) = [b for b in blocks(page, "yaml") if "biot_savart:" in b]
    (tmp_path / "laws.csv").write_text(table, encoding="utf-8")
    (tmp_path / "laws.yaml").write_text(text, encoding="utf-8")
    names = ("laws.csv", "laws.yaml")
    read = load_ambiguous_questions(names, "gender", "en", tmp_path.joinpath, tmp_path / "study.yaml")
    assert [[person.name for person in question.people] for question in read.questions] == [
        ["Jean-Baptiste Biot", "Félix Savart"]
    ] * 2
    assert set(yaml.safe_load(text)) == set(EponymousFile.model_fields)
    assert nextset.lint(tmp_path / "laws.yaml").findings == ()


def test_the_passages_and_questions_of_formats_are_read(tmp_path: Path) -> None:
    page = ROOT / "docs" / "reference" / "formats.md"
    (passages,) = blocks(page, "jsonl")
    (questions,) = [b for b in blocks(page, "csv") if b.startswith("question,")]
    (tmp_path / "passages.jsonl").write_text(passages, encoding="utf-8")
    (tmp_path / "questions.csv").write_text(questions, encoding="utf-8")
    retrieval = "{passages: {source: passages.jsonl}, questions: [questions.csv]}"
    (tmp_path / "study.yaml").write_text(f"format: 1\nname: found\nambiguity: {{retrieval: {retrieval}}}\n")
    assert nextset.index_passages(tmp_path).rows("passages") == 2
    assert nextset.search_passages(tmp_path).table("retrieved")["passage_id"].to_pylist() == ["mitchell"]
