"""The docs: every example runs, every command and column is there, every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

import nextset
from nextset.cli.app import app
from nextset.records.column_docs import column_table
from nextset.study.generation_settings import WriterSettings
from nextset.validation.hypothesis_units import Unit
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.question_units import QuestionUnit
from tests.docs_pages import ROOT, blocks, session_of_sessions

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
STUDIES = sorted((ROOT / "studies").glob("**/study.yaml"))
"""Shipped studies, whose comments name commands."""


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("record", [Unit, QuestionUnit, Entry], ids=lambda r: r.__name__)
def test_units_and_judgments_have_every_column(record: type) -> None:
    assert column_table(record) in (ROOT / "docs" / "reference" / "judgments.md").read_text(encoding="utf-8")


def test_the_study_of_sessions_is_read(tmp_path: Path) -> None:
    session = session_of_sessions(tmp_path)
    assert (session.budget.batch, session.budget.person, session.overlap) == (50, 400, 3)
    assert session.consent.startswith("The Fairness Lab")


def test_the_study_of_judgment_files_is_read(tmp_path: Path) -> None:
    study, release = blocks(ROOT / "docs" / "how_to" / "judgment_files.md", "yaml")
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    session = nextset.Study.load(tmp_path).settings.validate_.session
    assert session is not None
    assert session.overlap == 2
    waived = {**yaml.safe_load(study), **yaml.safe_load(release)}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(waived), encoding="utf-8")
    settings = nextset.Study.load(tmp_path).settings.release
    assert settings is not None
    assert settings.waivers.incomplete.startswith("annotators found")


def test_every_environment_variable_stands_in_the_docs() -> None:
    """Those of validation in gateway.md; nobody has to read code to find one."""
    page = (ROOT / "docs" / "how_to" / "gateway.md").read_text(encoding="utf-8")
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "validation").rglob("*.py"))
    named = set(re.findall(r'"(NEXTSET_[A-Z_]+)"', code))
    assert len(named) == 5
    assert [name for name in sorted(named) if f"| `{name}` |" not in page] == []


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
    assert f"| `nextset {command} " in (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


_OTHERS = (
    r"(?:ray|lm_eval|inspect|transformers|vllm|llama-server|torchrun|accelerate|python|pip|git"
    r"|scripts/(?:docs|lock|test))\b"
)
"""Programs whose commands the docs show as well."""


def _options(command: object) -> set[str]:
    own = {option for param in command.params for option in param.opts}  # type: ignore[attr-defined]
    inner = getattr(command, "commands", {}).values()
    return own.union(*map(_options, inner), {"-h", "--help"})


_OTHERS_OPTIONS = ROOT / "docs" / "reference" / "earlier_systems.md"
"""The page that names the options of other projects; tests/test_earlier_systems.py checks ours in it."""


@pytest.mark.parametrize(
    "page",
    [page for page in [*PAGES, *STUDIES] if page != _OTHERS_OPTIONS],
    ids=lambda p: p.relative_to(ROOT).as_posix(),
)
def test_every_option_and_command_of_the_docs_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page in STUDIES:  # what is in backticks is of nextset
        text = "\n".join(re.findall(r"`[^`\n]+`", text))
    text = re.sub(rf"^{_OTHERS}.*|`{_OTHERS}[^`]*`", "", text, flags=re.M)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert sorted(named - _options(get_command(app))) == []
    code = "\n".join([*blocks(page, "sh"), *blocks(page, "console"), *re.findall(r"`([^`\n]+)`", text)])
    for line in re.findall(r"^(?:\$ )?nextset (?!.*\[OPTIONS\])([^#\n]+)", code, re.M):
        command, words = get_command(app), line.split()
        while words and hasattr(command, "commands") and not words[0].startswith("-"):
            assert words[0] in {*command.commands, "COMMAND"}, line
            command = command.commands.get(words.pop(0), command)
        given = {word.split("=")[0] for word in words if word.startswith("-")}
        assert given <= _options(command), line


def test_every_function_stands_in_the_docs() -> None:
    pages = [ROOT / "docs" / "reference" / "cli.md", ROOT / "docs" / "how_to" / "python.md"]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in nextset.__all__:
        assert f"nextset.{name}" in text


def test_exit_codes_of_the_docs_are_those_of_the_errors() -> None:
    from nextset import errors

    page = (ROOT / "docs" / "reference" / "exit_codes.md").read_text(encoding="utf-8")
    codes = {kind.exit_code for kind in vars(errors).values() if hasattr(kind, "exit_code")}
    assert codes <= {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.M)}


@pytest.mark.slow
def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = blocks(ROOT / "docs" / "how_to" / "python.md", "python")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/how_to/python.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "builtin:nli-albert held_out" in printed
    assert "out/report/index.html" in printed


def test_the_examples_of_filling_are_read(tmp_path: Path) -> None:
    from nextset.generation.writers.writer_prompts import read_writer_prompts

    file = nextset.new_study(tmp_path / "mine").file.parent / "study.yaml"
    own = re.sub(r"^fill:.*\n(?:  .*\n)*", "", file.read_text(encoding="utf-8"), flags=re.M)
    read = []
    how_to = ROOT / "docs" / "how_to"
    *settings, prompts = [*blocks(how_to / "filling.md", "yaml"), *blocks(how_to / "writers.md", "yaml")]
    for text in settings:
        file.write_text(own + text, encoding="utf-8")
        read.append(nextset.Study.load(tmp_path / "mine").settings.fill)
    first, fluent, marked, written = read
    assert (first.groups, first.mask, first.fluency) == ("joint", "adj", True)
    assert (fluent.keep, fluent.top_k) == ("best 8 of 20 by fluency", 20)
    assert fluent.fluency_settings is not None
    assert fluent.fluency_settings.at_least == -1.0
    assert (marked.marks, marked.meaning) == (True, "builtin:nli-roberta")
    assert (written.model, written.writer) == ("openai:NAME", WriterSettings())
    (tmp_path / "prompts.yaml").write_text(prompts, encoding="utf-8")
    assert list(read_writer_prompts(tmp_path / "prompts.yaml").texts) == ["one_word"]


def test_the_python_example_of_filling_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(ROOT / "docs" / "how_to" / "filling.md", "python")
    exec(compile(code, "docs/how_to/filling.md", "exec"), {})
    alone, joint, scores, fluency = capsys.readouterr().out.splitlines()
    assert alone.count("((") == joint.count("((") == 3
    calm, both = yaml.safe_load(scores)
    assert both < calm < 0
    assert float(fluency) < 0


def test_the_examples_of_models_that_write_text_are_read(tmp_path: Path) -> None:
    from nextset.scoring.prompt_wordings import read_prompts

    how_to = ROOT / "docs" / "how_to"
    *local, wordings = blocks(how_to / "local_generative.md", "yaml")
    (tmp_path / "prompts.yaml").write_text(wordings, encoding="utf-8")
    assert len(read_prompts(tmp_path / "prompts.yaml").wordings("question")) == 2
    file = nextset.new_study(tmp_path / "mine").file.parent / "study.yaml"
    own = file.read_text(encoding="utf-8")
    read = []
    for settings in (*blocks(how_to / "servers.md", "yaml"), *blocks(how_to / "costs.md", "yaml"), *local):
        written = yaml.safe_load(settings)
        audit = (
            "" if "audit" in written else yaml.safe_dump({"audit": {"models": [*written.get("models", ())]}})
        )
        file.write_text(own + settings + (audit if "models" in written else ""), encoding="utf-8")
        read.append(nextset.Study.load(tmp_path / "mine").settings)
    two, how, batch, costs, chat, vllm = read
    assert two.models["openai:small-model"].server.address == "LAB_SERVER"
    assert how.models["openai:large-model"].server.over(how.scoring.server).at_once == 16
    assert batch.scoring.server.batch
    assert costs.scoring.server.max_cost == 5.0
    assert chat.models["./models/chat"].thinking
    assert vllm.scoring.engine == "vllm"


def test_the_examples_of_filtering_are_read_and_said(tmp_path: Path) -> None:
    from nextset.study.filter_rule_settings import rule_text

    page = ROOT / "docs" / "how_to" / "filtering.md"
    said = []
    for text in blocks(page, "yaml"):
        head = "format: 1\nname: a\n"
        tail = "release: {name: a, version: 0.1.0}\n"
        if "questions" in text:
            tail = 'questions: {packs: ["builtin:en"]}\n'
        if "choices" in text:
            tail = 'choices: {packs: ["builtin:en"]}\n'
        (tmp_path / "study.yaml").write_text(head + text + tail, encoding="utf-8")
        settings = nextset.Study.load(tmp_path).filter
        said.append(rule_text(settings.rule, settings.form))
    assert len(said) == 5
    flat = " ".join(page.read_text(encoding="utf-8").split())
    assert f"*{said[0]}*" in flat


def test_every_rule_stands_in_the_docs() -> None:
    from nextset.study.filter_rule_settings import FilterRule

    page = (ROOT / "docs" / "how_to" / "filtering.md").read_text(encoding="utf-8")
    for name in FilterRule.keys_in_file():
        assert re.search(rf"^\| `\{{?{name}", page, re.M), name


@pytest.mark.slow
def test_the_commands_of_the_readme_run(tmp_path: Path, programs: Path) -> None:
    import subprocess

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
            [programs / "nextset", *command.split()],
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


def test_the_examples_of_the_probe_are_those_of_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    from typer.testing import CliRunner

    page = ROOT / "docs" / "how_to" / "probe.md"
    shown = blocks(page, "console")
    assert len(shown) == 4
    for block in shown:
        command, _, output = block.partition("\n")
        done = CliRunner().invoke(app, shlex.split(command.removeprefix("$ nextset ")))
        assert (done.exit_code, done.stdout) == (0, output)
    (code,) = blocks(page, "python")
    exec(compile(code, "docs/how_to/probe.md", "exec"), {})
    label, finding, free, words = capsys.readouterr().out.splitlines()
    assert label.startswith("neutral 0.9998")
    assert f"  {finding}\n" in shown[1]
    assert free == "Thomas"
    assert words == "['coach', 'postman', 'fisherman']"
