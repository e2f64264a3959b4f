"""nextset: build benchmark datasets that stay hard, have people validate them, release them, audit with them.

What the command line does, as functions (each imported when it is first used)::

    import nextset

    study = nextset.Study.load("studies/first_look")
    summary = nextset.run(study)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditing.report_stage import write_report
    from auditing.stage import audit
    from filtering.report_stage import report_filter
    from filtering.stage import filter_candidates
    from generation.fill_stage import fill
    from generation.importing import import_pairs
    from generation.preview import preview
    from generation.stage import generate
    from nextset.cli.lint import lint
    from nextset.cli.new import new_study
    from nextset.cli.run import run
    from nextset.cli.status import status
    from nextset.study import Study
    from release.stage import build_release
    from scoring.cache.care import list_cache, prune_cache, verify_cache
    from scoring.checks.checking import check_models
    from scoring.stage import score
    from validation.exchange import export_tasks, import_judgments
    from validation.stage import apply_judgments

__all__ = [
    "Study",
    "apply_judgments",
    "audit",
    "build_release",
    "check_models",
    "export_tasks",
    "fill",
    "filter_candidates",
    "generate",
    "import_judgments",
    "import_pairs",
    "lint",
    "list_cache",
    "new_study",
    "preview",
    "prune_cache",
    "report_filter",
    "run",
    "score",
    "status",
    "verify_cache",
    "write_report",
]

_HOMES = {
    "Study": "nextset.study",
    "apply_judgments": "validation.stage",
    "audit": "auditing.stage",
    "build_release": "release.stage",
    "check_models": "scoring.checks.checking",
    "export_tasks": "validation.exchange",
    "fill": "generation.fill_stage",
    "filter_candidates": "filtering.stage",
    "generate": "generation.stage",
    "import_judgments": "validation.exchange",
    "import_pairs": "generation.importing",
    "lint": "nextset.cli.lint",
    "list_cache": "scoring.cache.care",
    "new_study": "nextset.cli.new",
    "preview": "generation.preview",
    "prune_cache": "scoring.cache.care",
    "report_filter": "filtering.report_stage",
    "run": "nextset.cli.run",
    "score": "scoring.stage",
    "status": "nextset.cli.status",
    "verify_cache": "scoring.cache.care",
    "write_report": "auditing.report_stage",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'nextset' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
