"""Lint of the templates of choices that a language pack has, and that a study names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nextset.generation.lint.linted_files import FoundInFiles
from nextset.generation.lint.pack_rules.acceptances import sorted_out
from nextset.generation.lint.template_lint import lint_yaml
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from nextset.generation.questions.study_packs import pack_folder
from nextset.lint_rules import Finding, lint_rules
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.study_folder import Study

__all__ = ["CHOICE_FILES", "lint_choices"]


def lint_choices(choices: PackChoices) -> list[Finding]:
    """Return the findings of all rules in ``choices``, accepted or not, by file and line."""
    findings = {f for rule in lint_rules("choice").values() for f in rule.findings(choices)}
    return sorted(findings, key=lambda f: (str(f.file), f.line or 0, f.rule, f.message))


class _ChoiceFiles:
    """The templates of choices in the packs of a study; those of a pack are linted with the pack."""

    def is_of_kind(self, file: Path) -> bool:
        """Return False: a file of templates is a part of its pack."""
        return False

    def files_of_language(self, folder: Path) -> list[Path]:
        """Return no files."""
        return []

    def lint_file(self, file: Path) -> Iterator[Finding]:
        """Yield nothing."""
        yield from ()

    def lint_study(self, study: Study) -> FoundInFiles:
        """Lint the templates of the packs and categories that ``study`` names; raises InputErrors."""
        settings = study.settings.section("choices", ChoiceSettings)
        if settings is None:
            return FoundInFiles()
        files: list[Path] = []
        findings: list[Finding] = []
        for entry in settings.packs:
            pack = read_pack(pack_folder(entry, study.path, study.file, "choices"))
            if pack.choices is None:
                continue
            wanted = settings.categories
            chosen = [t for t in pack.choices.templates if not wanted or t.category in wanted]
            of_pack = lint_choices(replace(pack.choices, templates=tuple(chosen)))
            own = dict.fromkeys(t.file for t in chosen)
            files += own
            findings += sorted_out(of_pack, pack.accepted).open
            findings += (finding for file in own for finding in lint_yaml(file))
        return FoundInFiles(tuple(files), tuple(findings))


CHOICE_FILES = _ChoiceFiles()
"""The kind of files."""
