"""The docs: every example runs, every command and column is there, every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml
from typer.main import get_command

import nextset
from nextset.auditing.measure_table import MeasureRow
from nextset.auditing.version_change import MeasureChange
from nextset.cli.app import app
from nextset.filtering.balance import BalanceRow
from nextset.filtering.held_out_gap import AccuracyRow, BiasRow, GapRow
from nextset.filtering.survival import OverlapRow, SurvivalRow
from nextset.generation.imports.pair_import import COLUMNS, import_pairs
from nextset.generation.lint.template_lint import lint_template
from nextset.generation.mask_fills.filled_items import MaskWord
from nextset.generation.mask_fills.fluency import Fluency
from nextset.generation.template_expansion import TemplateRow
from nextset.generation.templates.overlay import apply_overlay
from nextset.generation.templates.template_files import read_template
from nextset.records.column_docs import column_table
from nextset.records.judgment import Judgment
from nextset.records.nli_items import Bindings, Fill, NliItem, NliScore, Word
from nextset.records.question_quads import (
    AttributeRow,
    MaskedStatement,
    PackRow,
    QuadScore,
    QuestionQuad,
    Span,
)
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
from nextset.study.validation_settings import SessionSettings
from nextset.validation.hypothesis_units import Unit
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.question_units import QuestionUnit
from nextset.word_lists.lexicon import read_lexicon

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
RECORDS = (
    *(NliItem, Bindings, Word, Fill, TemplateRow, QuestionQuad, MaskedStatement, Span, AttributeRow, PackRow),
    *(
        MaskWord,
        Fluency,
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
        BalanceRow,
        MeasureRow,
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


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_formats_shows_every_column(record: type) -> None:
    assert column_table(record) in (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("record", [Unit, QuestionUnit, Entry], ids=lambda r: r.__name__)
def test_validation_shows_every_column(record: type) -> None:
    assert column_table(record) in (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")


def test_formats_shows_every_column_of_pairs() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name, meaning in COLUMNS.items():
        assert f"| `{name}` | {meaning} |" in page


def test_the_study_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "formats.md", "yaml") if "filter:" in b]
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    settings = nextset.Study.load(tmp_path).settings
    written = yaml.safe_load(text)
    for name, field in type(settings).model_fields.items():
        key = field.alias or name
        assert key in written, key
        section = next((a for a in get_args(field.annotation) if a is not type(None)), field.annotation)
        inner = getattr(section, "model_fields", {})
        assert set(inner) <= set(written[key] if inner else ()), key


def test_the_template_and_overlay_of_formats_are_read_and_clean(tmp_path: Path) -> None:
    page = ROOT / "docs" / "formats.md"
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
    (text,) = [b for b in blocks(ROOT / "docs" / "formats.md", "yaml") if "mass_nouns:" in b]
    (tmp_path / "lexicon.yaml").write_text(text, encoding="utf-8")
    assert read_lexicon(tmp_path / "lexicon.yaml").nouns.occupations == {"surgeon": "surgeons"}
    assert nextset.lint(tmp_path).files == (tmp_path / "lexicon.yaml",)


def test_the_lexicon_of_group_terms_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "formats.md", "yaml") if "before_nouns:" in b]
    (tmp_path / "terms.yaml").write_text(text, encoding="utf-8")
    assert read_group_terms("terms.yaml", tmp_path.joinpath).pair_of("tea", "coffee", "drinks")
    written = yaml.safe_load(text)
    assert set(written) == set(GroupTermsFile.model_fields)
    assert set(written["sets"][0]) == set(TermSet.model_fields)


def test_the_demographics_and_the_withdrawals_of_formats_are_read(tmp_path: Path) -> None:
    page = ROOT / "docs" / "formats.md"
    (demographics,) = [b for b in blocks(page, "csv") if b.startswith("annotator,")]
    (tmp_path / "annotators.csv").write_text(demographics, encoding="utf-8")
    judges = [line.split(",")[0] for line in demographics.splitlines()[1:]]
    assert read_demographics(tmp_path / "annotators.csv", judges).fields == ("age", "first_language")
    (log,) = blocks(page, "json")
    (tmp_path / "withdrawn.jsonl").write_text(log, encoding="utf-8")
    assert [w.kind for w in read_withdrawals(tmp_path / "withdrawn.jsonl")] == ["asked", "counterpart"]


def test_every_released_column_stands_in_formats() -> None:
    from nextset.release.dataset_files.released_columns import meanings_of

    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for config in ("items", "questions", "statements"):
        for name in meanings_of(config):
            assert f"| `{name}` | " in page, name


def test_the_gold_file_of_formats_is_read(tmp_path: Path) -> None:
    from nextset.validation.plan.gold import read_gold

    (text,) = [b for b in blocks(ROOT / "docs" / "formats.md", "yaml") if b.startswith("hypotheses:")]
    (tmp_path / "gold.yaml").write_text(text, encoding="utf-8")
    for form in ("nli", "question", "statement"):
        (item,) = read_gold(tmp_path / "gold.yaml", form)
        assert item.verdict == "valid"


def test_the_comprehension_files_of_formats_are_read(tmp_path: Path) -> None:
    from nextset.validation.annotator_pages.briefing import briefing

    session = _session_of_sessions(tmp_path)
    files = [b for b in blocks(ROOT / "docs" / "formats.md", "yaml") if b.startswith("items:")]
    known = {}
    for kind, text in zip(("nli", "question"), files, strict=True):
        (tmp_path / "items.yaml").write_text(text, encoding="utf-8")
        settings = session.model_copy(update={"comprehension": "items.yaml", "mistakes": 0})
        known[kind] = briefing(kind, "en", settings, tmp_path.joinpath).comprehension  # type: ignore[arg-type]
    assert [len(items) for items in known.values()] == [2, 1]


def test_the_folder_of_wording_of_formats_is_read_and_shows_every_key(tmp_path: Path) -> None:
    from nextset.validation.annotator_pages.briefing import briefing
    from nextset.validation.annotator_pages.page_wording import OURS, Wording

    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name in Wording.model_fields:
        assert f"| `{name}` | " in page, name
    ours = (OURS / "wording" / "en.yaml").read_text(encoding="utf-8")
    (tmp_path / "fr.yaml").write_text(ours.replace("language: en", "language: fr", 1), encoding="utf-8")
    (text,) = blocks(ROOT / "docs" / "formats.md", "markdown")
    (tmp_path / "fr.md").write_text(text, encoding="utf-8")
    every = re.findall(r"`(\{\{[a-z:_.]+\}\})`", page)
    (tmp_path / "questions.fr.md").write_text(" ".join(every), encoding="utf-8")
    settings = _session_of_sessions(tmp_path).model_copy(update={"wording": "."})
    assert "**valide** (1)" in briefing("nli", "fr", settings, tmp_path.joinpath).guidelines
    assert "{{" not in briefing("question", "fr", settings, tmp_path.joinpath).guidelines
    assert len(every) == 3 + 7 + 8


def _session_of_sessions(folder: Path) -> SessionSettings:
    """The section validate.session that docs/sessions.md shows, read as that of a new study."""
    (text,) = blocks(ROOT / "docs" / "sessions.md", "yaml")
    file = nextset.new_study(folder / "with a session") / "study.yaml"
    own = re.sub(r"^validate:\n(?:  .*\n)*", "", file.read_text(encoding="utf-8"), flags=re.M)
    file.write_text(own + text, encoding="utf-8")
    session = nextset.Study.load(file.parent).settings.validate_.session
    assert session is not None
    return session


def test_the_study_of_sessions_is_read(tmp_path: Path) -> None:
    session = _session_of_sessions(tmp_path)
    assert (session.budget.batch, session.budget.person, session.overlap) == (50, 400, 3)
    assert session.consent.startswith("The Fairness Lab")


def test_every_environment_variable_stands_in_the_docs() -> None:
    """Those of validation in sessions.md; nobody has to read code to find one."""
    page = (ROOT / "docs" / "sessions.md").read_text(encoding="utf-8")
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "validation").rglob("*.py"))
    named = set(re.findall(r'"(NEXTSET_[A-Z_]+)"', code))
    assert len(named) == 4
    assert [name for name in sorted(named) if f"| `{name}` |" not in page] == []


def test_the_pairs_of_formats_are_read(tmp_path: Path) -> None:
    (text,) = [b for b in blocks(ROOT / "docs" / "formats.md", "csv") if b.startswith("premise,")]
    (tmp_path / "pairs.csv").write_text(text, encoding="utf-8")
    study = nextset.Study.load(nextset.new_study(tmp_path / "mine"))
    assert import_pairs(study, tmp_path / "pairs.csv").items == 1


def _commands() -> list[str]:
    top = get_command(app)
    found = []
    for name, command in top.commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found += [f"{name} {sub}" for sub in inner] if inner else [name]
    return found


@pytest.mark.parametrize("command", _commands())
def test_every_command_has_help_and_stands_in_the_docs(command: str) -> None:
    found = get_command(app)
    for part in command.split():
        found = found.commands[part]  # type: ignore[attr-defined]
    assert found.help
    assert f"| `nextset {command} " in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_every_function_stands_in_the_docs() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in nextset.__all__:
        assert f"nextset.{name}" in page


def test_exit_codes_of_the_docs_are_those_of_the_errors() -> None:
    from nextset import errors

    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    codes = {getattr(errors, name).exit_code for name in errors.__all__}
    assert codes <= {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.M)}


@pytest.mark.slow
def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks(ROOT / "docs" / "cli.md", "python")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/cli.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "builtin:nli-albert held_out" in printed
    assert "out/report/index.html" in printed


def test_the_example_of_filling_is_read(tmp_path: Path) -> None:
    (text,) = blocks(ROOT / "docs" / "filling.md", "yaml")
    file = nextset.new_study(tmp_path / "mine") / "study.yaml"
    own = re.sub(r"^fill:.*\n(?:  .*\n)*", "", file.read_text(encoding="utf-8"), flags=re.M)
    file.write_text(own + text, encoding="utf-8")
    fill = nextset.Study.load(tmp_path / "mine").settings.fill
    assert (fill.groups, fill.part_of_speech, fill.fluency) == ("joint", ("ADJ",), True)


def test_the_python_example_of_filling_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(ROOT / "docs" / "filling.md", "python")
    exec(compile(code, "docs/filling.md", "exec"), {})
    alone, joint, scores, fluency = capsys.readouterr().out.splitlines()
    assert alone.count("((") == joint.count("((") == 3
    calm, both = yaml.safe_load(scores)
    assert both < calm < 0
    assert float(fluency) < 0


def test_the_examples_of_models_that_write_text_are_read(tmp_path: Path) -> None:
    from nextset.scoring.generative.prompt_wordings import read_prompts

    wordings, settings = blocks(ROOT / "docs" / "generative.md", "yaml")
    (tmp_path / "prompts.yaml").write_text(wordings, encoding="utf-8")
    assert len(read_prompts(tmp_path / "prompts.yaml").question) == 2
    file = nextset.new_study(tmp_path / "mine") / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8") + settings, encoding="utf-8")
    server = nextset.Study.load(tmp_path / "mine").settings.scoring.server
    assert (server.at_once, server.max_cost) == (4, 5.0)


def test_the_examples_of_filtering_are_read_and_said(tmp_path: Path) -> None:
    from nextset.study.filter_rule_settings import rule_text

    page = ROOT / "docs" / "filtering.md"
    said = []
    for text in blocks(page, "yaml"):
        head = "format: 1\nname: a\n"
        tail = "release: {name: a, version: 0.1.0}\n"
        if "questions" in text:
            tail = 'questions: {packs: ["builtin:en"]}\n'
        (tmp_path / "study.yaml").write_text(head + text + tail, encoding="utf-8")
        settings = nextset.Study.load(tmp_path).filter
        said.append(rule_text(settings.rule, settings.form))
    assert len(said) == 4
    flat = " ".join(page.read_text(encoding="utf-8").split())
    assert f"*{said[0]}*" in flat


def test_every_rule_stands_in_the_docs() -> None:
    from nextset.study.filter_rule_settings import FilterRule

    page = (ROOT / "docs" / "filtering.md").read_text(encoding="utf-8")
    for name in FilterRule.model_fields:
        assert re.search(rf"^\| `\{{?{name}", page, re.M), name


@pytest.mark.slow
def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    import subprocess
    import sys

    text = "\n".join(blocks(ROOT / "README.md", "sh"))
    commands = re.findall(r"^nextset ([a-z]+ my-study)", text, re.M)
    assert commands == [
        "new my-study",
        "lint my-study",
        "preview my-study",
        "run my-study",
        "status my-study",
    ]
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "nextset", *command.split()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_the_project_speaks_of_itself_alone() -> None:
    """No path of somebody's machine, no address of a package index but PyTorch's own."""
    import subprocess

    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".yaml", ".svg", ".j2", "") and path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            assert not re.search(r"/(?:home|root|Users)/\w", text), name
