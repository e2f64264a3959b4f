"""Lint rules for study.yaml: mistakes that would run, and be wrong in a release."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator

from nextset.bootstrap_intervals import FEW
from nextset.errors import InputError, StudyError
from nextset.files.yaml_reader import read_yaml
from nextset.forms import FORMS
from nextset.generation.lint.template_lint import lint_yaml
from nextset.generation.preview import few_templates
from nextset.generation.stage import load_sources
from nextset.generation.templates.placeholders import GROUPS
from nextset.generation.templates.template import Template
from nextset.lint_rules import Finding, LintRule, lint_rules
from nextset.pipeline.stage_list import stages_of
from nextset.release.dataset_card.license_ids import is_license_id, license_ids
from nextset.study.study_folder import Study
from nextset.validation.annotator_pages.unwritten_text import unwritten_texts

__all__ = [
    "FEW_TEMPLATES",
    "LICENCE",
    "REPEATED_TEXTS",
    "UNUSED_SECTION",
    "UNWRITTEN_TEXT",
    "lint_study_file",
]


def lint_study_file(study: Study) -> list[Finding]:
    """Return the findings in study.yaml, by line."""
    findings = lint_yaml(study.file)
    findings += (finding for rule in lint_rules("study").values() for finding in rule.findings(study))
    return sorted(findings, key=lambda f: (f.line or 0, f.rule))


def _licence(study: Study) -> Iterator[Finding]:
    """Yield a finding if release.license is missing, or if neither SPDX nor the Hub lists it."""
    release = study.settings.release
    if release is None or is_license_id(release.license):
        return
    if not release.license:
        message = "there is no release.license: a version without a licence cannot be published"
        yield Finding(study.file, _line(study, "release"), "licence", message)
        return
    near = difflib.get_close_matches("-".join(release.license.lower().split()), license_ids(), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "; write an identifier such as cc-by-4.0, or other"
    message = f"{release.license!r} is not the identifier of a licence at SPDX or on the Hub{hint}"
    yield Finding(study.file, _line(study, "release", "license"), "licence", message)


def _unwritten(study: Study) -> Iterator[Finding]:
    """Yield a finding for each text for annotators with an open placeholder: no session opens with it."""
    session = study.settings.validate_.session
    for text in unwritten_texts(session) if session else ():
        message = f"{text.problem}; no session opens before it is written"
        yield Finding(study.file, _line(study, *text.key), "unwritten-text", message)


def _few_templates(study: Study) -> Iterator[Finding]:
    """Yield a finding if people are to judge a study with too few templates for intervals of its results."""
    if study.settings.validate_.judge != "people":
        return
    try:
        sources = load_sources(study)
    except InputError:
        return  # the lint of these files says what is wrong
    if few := few_templates(study, *sources):
        yield Finding(study.file, _line(study, "templates"), "few-templates", few)


def _repeated_texts(study: Study) -> Iterator[Finding]:
    """Yield a finding for each template with a premise and statement that an earlier template has too."""
    first: dict[tuple[str, str], Template] = {}
    for template in load_sources(study)[0].templates:
        for premise, statement in itertools.product(template.premises, template.statements):
            texts = f"{premise.text}\n{statement.text}"
            for name, group in zip(GROUPS, template.groups, strict=True):
                texts = texts.replace(f"{{{{{name}}}}}", group)
            other = first.setdefault((template.language, texts), template)
            if other is not template:
                message = f"{other.file.name} has this statement and its premise too: their rows count twice"
                yield Finding(statement.file, statement.line, "repeated-texts", message)
                break


def _unused(study: Study) -> Iterator[Finding]:
    """Yield a finding for each section whose rows no stage of the study uses."""
    settings = study.settings
    chosen = settings.filter
    if "fill" in settings.model_fields_set and "fill" not in {stage.name for stage in stages_of(study)}:
        why = "because interventions are added to items without masks; remove fill"
        if chosen is not None:
            names = ", ".join(chosen.candidates)
            why = f"because filter.candidates are {names}; remove fill, or add filled to the candidates"
        message = f"no mask is filled, {why}"
        yield Finding(study.file, _line(study, "fill"), "unused-section", message)
    if chosen is None or any(not section.makes for section in settings.sections.values()):
        return
    used = FORMS[chosen.form].section
    for section in dict.fromkeys(form.section for form in FORMS if form.section):
        if section != used and getattr(settings, section, None):
            message = (
                f"the rows of {section} are made, but neither filtered, audited nor released, because "
                f"filter.candidates are {', '.join(chosen.candidates)}; move {section} to a separate study"
            )
            yield Finding(study.file, _line(study, section), "unused-section", message)


def _line(study: Study, *key: str | int) -> int | None:
    """Return the line of a key of study.yaml."""
    return read_yaml(study.file, StudyError).line(key)


LICENCE: LintRule[Study] = LintRule(
    "licence",
    _licence,
    "a `release.license` that is neither an identifier of [SPDX](https://spdx.org/licenses/) nor of "
    "the [Hub](https://huggingface.co/docs/hub/repositories-licenses)",
)

FEW_TEMPLATES: LintRule[Study] = LintRule(
    "few-templates",
    _few_templates,
    f"fewer than {FEW} templates whose items people will judge: results will have no interval, and models "
    "cannot be compared",
)

REPEATED_TEXTS: LintRule[Study] = LintRule(
    "repeated-texts",
    _repeated_texts,
    "a premise and a statement, with their groups, that two templates of a study share",
)

UNUSED_SECTION: LintRule[Study] = LintRule(
    "unused-section",
    _unused,
    "a section `fill`, `templates` or `questions` whose rows the study does not use, such as `fill` with "
    "`filter.candidates: [plain]`",
)

UNWRITTEN_TEXT: LintRule[Study] = LintRule(
    "unwritten-text",
    _unwritten,
    "a placeholder for your own words in `consent`, `support` or `warning` of "
    "`validate.session`: an ellipsis, a single *X*, *TODO*, brackets and similar. `validate "
    "open` and `validate export` refuse it",
)
