"""docs/reference/files.md: every column and key is there, and every example is read."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import nextset
from nextset.generation.imports.pair_import import import_pairs
from nextset.generation.lint.template_lint import lint_template
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.template_files import read_template
from nextset.release.accompanying_data.annotator_demographics import read_demographics
from nextset.release.counterfactuals.group_terms import GroupTermsFile, TermSet, read_group_terms
from nextset.release.versions.withdrawal import read_withdrawals
from nextset.study.training_settings import TrainingFile, read_training
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.forms.judged_questions import JUDGED_QUESTIONS
from nextset.word_lists.fill_list import FillListFile, read_fill_list
from nextset.word_lists.lexicon import read_lexicon
from tests.docs_pages import ROOT, blocks, session_of_sessions

REFERENCE = ROOT / "docs" / "reference"
FILES = REFERENCE / "files.md"


def test_the_fill_list_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(FILES, "yaml") if "basket making" in b]
    (tmp_path / "crafts.yaml").write_text(text, encoding="utf-8")
    assert read_fill_list(tmp_path / "crafts.yaml").words == ("sewing", "knitting", "basket making")
    assert set(yaml.safe_load(text)) == set(FillListFile.model_fields)


def test_the_study_is_read(tmp_path: Path) -> None:
    (text,) = blocks(REFERENCE / "study_yaml.md", "yaml")
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    session = nextset.Study.load(tmp_path).settings.validate_.session
    assert session is not None
    assert session.budget.batch == 50


def test_the_training_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(REFERENCE / "training_yaml.md", "yaml") if "weight_decay:" in b]
    (tmp_path / "training.yaml").write_text(text, encoding="utf-8")
    assert read_training(tmp_path / "training.yaml").task == "nli"
    assert set(yaml.safe_load(text)) == set(TrainingFile.model_fields)


def test_the_template_and_overlay_are_read_and_clean(tmp_path: Path) -> None:
    page = FILES
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


def test_the_word_list_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(FILES, "yaml") if "mass_nouns:" in b]
    (tmp_path / "lexicon.yaml").write_text(text, encoding="utf-8")
    assert read_lexicon(tmp_path / "lexicon.yaml").nouns.occupations == {"surgeon": "surgeons"}
    assert nextset.lint(tmp_path).files == (tmp_path / "lexicon.yaml",)


def test_the_lexicon_of_group_terms_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(FILES, "yaml") if "before_nouns:" in b]
    (tmp_path / "terms.yaml").write_text(text, encoding="utf-8")
    assert read_group_terms("terms.yaml", tmp_path.joinpath).pair_of("tea", "coffee", "drinks")
    written = yaml.safe_load(text)
    assert set(written) == set(GroupTermsFile.model_fields)
    assert set(written["sets"][0]) == set(TermSet.model_fields)


def test_the_demographics_and_the_withdrawals_are_read(tmp_path: Path) -> None:
    page = FILES
    (demographics,) = [b for b in blocks(page, "csv") if b.startswith("annotator,")]
    (tmp_path / "annotators.csv").write_text(demographics, encoding="utf-8")
    judges = [line.split(",")[0] for line in demographics.splitlines()[1:]]
    assert read_demographics(tmp_path / "annotators.csv", judges).fields == ("age", "first_language")
    (log,) = blocks(page, "json")
    (tmp_path / "withdrawn.jsonl").write_text(log, encoding="utf-8")
    assert [w.kind for w in read_withdrawals(tmp_path / "withdrawn.jsonl")] == ["asked", "counterpart"]


def test_every_released_column_is_on_the_pages() -> None:
    from nextset.release.dataset_card.released_columns import meanings_of

    pages = [REFERENCE / "dataset_version.md", *(REFERENCE / "tables").glob("*.md")]
    page = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    for config in ("items", "questions", "statements"):
        for name in meanings_of(config):
            assert f"| `{name}` | " in page, name


def test_the_gold_file_is_read(tmp_path: Path) -> None:
    from tests.validation.plan.gold_files import gold_of

    (text,) = [b for b in blocks(FILES, "yaml") if b.startswith("hypotheses:")]
    (tmp_path / "gold.yaml").write_text(text, encoding="utf-8")
    for form in ("nli", "question", "statement"):
        (item,) = gold_of(tmp_path / "gold.yaml", form)
        assert item.verdict == "valid"


def test_the_comprehension_files_are_read(tmp_path: Path) -> None:
    from nextset.validation.annotator_pages.briefing import briefing

    session = session_of_sessions(tmp_path)
    files = [b for b in blocks(FILES, "yaml") if b.startswith("items:")]
    known = []
    for form, text in zip((JUDGED_HYPOTHESES, JUDGED_QUESTIONS), files, strict=True):
        (tmp_path / "items.yaml").write_text(text, encoding="utf-8")
        settings = session.model_copy(update={"comprehension": "items.yaml", "mistakes": 0})
        made = briefing(form, "en", settings, tmp_path.joinpath)
        known.append((len(made.comprehension), len(made.again)))
    assert known == [(2, 1), (1, 1)]


def test_the_folder_of_wording_is_read_and_shows_every_key(tmp_path: Path) -> None:
    from nextset.validation.annotator_pages.briefing import briefing
    from nextset.validation.annotator_pages.page_wording import OURS, Wording

    page = (FILES).read_text(encoding="utf-8")
    for name in Wording.model_fields:
        assert f"| `{name}` | " in page, name
    ours = (OURS / "wording" / "en.yaml").read_text(encoding="utf-8")
    (tmp_path / "fr.yaml").write_text(ours.replace("language: en", "language: fr", 1), encoding="utf-8")
    (text,) = blocks(FILES, "markdown")
    (tmp_path / "fr.md").write_text(text, encoding="utf-8")
    every = re.findall(r"`(\{\{[a-z:_.]+\}\})`", page)
    (tmp_path / "questions.fr.md").write_text(" ".join(every), encoding="utf-8")
    settings = session_of_sessions(tmp_path).model_copy(update={"wording": "."})
    assert "**valide** (1)" in briefing(JUDGED_HYPOTHESES, "fr", settings, tmp_path.joinpath).guidelines
    assert "{{" not in briefing(JUDGED_QUESTIONS, "fr", settings, tmp_path.joinpath).guidelines
    assert len(every) == 3 + 7 + 8 + 1  # of texts, sentences, questions, and the button to skip


def test_the_pairs_are_read(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(FILES, "csv") if b.startswith("premise,")]
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    study = nextset.new_study(tmp_path / "mine")
    assert import_pairs(study, tmp_path / "pairs.csv").items == 1


def test_the_questions_with_several_right_answers_are_read(tmp_path: Path) -> None:
    from nextset.extensions.ambiguity.questions.eponymous_yaml import EponymousFile
    from nextset.extensions.ambiguity.questions.study_questions import load_ambiguous_questions

    page = FILES
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


def test_the_passages_and_questions_are_read(tmp_path: Path) -> None:
    page = FILES
    (passages,) = blocks(page, "jsonl")
    (questions,) = [b for b in blocks(page, "csv") if b.startswith("question,")]
    (tmp_path / "passages.jsonl").write_text(passages, encoding="utf-8")
    (tmp_path / "questions.csv").write_text(questions, encoding="utf-8")
    retrieval = "{passages: {source: passages.jsonl}, questions: [questions.csv]}"
    (tmp_path / "study.yaml").write_text(f"format: 1\nname: found\nambiguity: {{retrieval: {retrieval}}}\n")
    assert nextset.index_passages(tmp_path).rows("passages") == 2
    assert nextset.search_passages(tmp_path).table("retrieved")["passage_id"].to_pylist() == ["mitchell"]
