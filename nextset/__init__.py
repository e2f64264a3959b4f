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
    from nextset.cli.validator import predict_validity
    from nextset.study import Study
    from release.stage import build_release
    from scoring.cache.care import list_cache, prune_cache, verify_cache
    from scoring.checks.checking import check_models
    from scoring.stage import score
    from validation.exchange import export_csv, export_potato, export_tasks, import_judgments
    from validation.report.stage import write_validation_report
    from validation.server.accounts import make_account
    from validation.server.client import LabelStudio
    from validation.server.connection import find_connection
    from validation.server.serving import serving
    from validation.session.adjudication import adjudicate
    from validation.session.closing import close_session
    from validation.session.membership import join_session, leave_session
    from validation.session.opening import open_session
    from validation.session.pulling import pull_session
    from validation.session.status import session_status
    from validation.stage import apply_judgments

__all__ = [
    "LabelStudio",
    "Study",
    "adjudicate",
    "apply_judgments",
    "audit",
    "build_release",
    "check_models",
    "close_session",
    "export_csv",
    "export_potato",
    "export_tasks",
    "fill",
    "filter_candidates",
    "find_connection",
    "generate",
    "import_judgments",
    "import_pairs",
    "join_session",
    "leave_session",
    "lint",
    "list_cache",
    "make_account",
    "new_study",
    "open_session",
    "predict_validity",
    "preview",
    "prune_cache",
    "pull_session",
    "report_filter",
    "run",
    "score",
    "serving",
    "session_status",
    "status",
    "verify_cache",
    "write_report",
    "write_validation_report",
]

_HOMES = {
    "LabelStudio": "validation.server.client",
    "Study": "nextset.study",
    "adjudicate": "validation.session.adjudication",
    "apply_judgments": "validation.stage",
    "audit": "auditing.stage",
    "build_release": "release.stage",
    "check_models": "scoring.checks.checking",
    "close_session": "validation.session.closing",
    "export_csv": "validation.exchange",
    "export_potato": "validation.exchange",
    "export_tasks": "validation.exchange",
    "fill": "generation.fill_stage",
    "filter_candidates": "filtering.stage",
    "find_connection": "validation.server.connection",
    "generate": "generation.stage",
    "import_judgments": "validation.exchange",
    "import_pairs": "generation.importing",
    "join_session": "validation.session.membership",
    "leave_session": "validation.session.membership",
    "lint": "nextset.cli.lint",
    "list_cache": "scoring.cache.care",
    "make_account": "validation.server.accounts",
    "new_study": "nextset.cli.new",
    "open_session": "validation.session.opening",
    "predict_validity": "nextset.cli.validator",
    "preview": "generation.preview",
    "prune_cache": "scoring.cache.care",
    "pull_session": "validation.session.pulling",
    "report_filter": "filtering.report_stage",
    "run": "nextset.cli.run",
    "score": "scoring.stage",
    "serving": "validation.server.serving",
    "session_status": "validation.session.status",
    "status": "nextset.cli.status",
    "verify_cache": "scoring.cache.care",
    "write_report": "auditing.report_stage",
    "write_validation_report": "validation.report.stage",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'nextset' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
