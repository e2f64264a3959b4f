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
    from nextset.auditing.report_stage import write_report
    from nextset.auditing.stage import audit
    from nextset.cli.lint import lint
    from nextset.cli.new import new_study
    from nextset.cli.run import run
    from nextset.cli.status import status
    from nextset.cli.validator import predict_validity
    from nextset.filtering.report_stage import report_filter
    from nextset.filtering.stage import filter_candidates
    from nextset.generation.fill_stage import fill
    from nextset.generation.importing import import_pairs
    from nextset.generation.preview import preview
    from nextset.generation.stage import generate
    from nextset.release.stage import build_release
    from nextset.scoring.cache.care import list_cache, prune_cache, verify_cache
    from nextset.scoring.checks.checking import check_models
    from nextset.scoring.stage import score
    from nextset.study import Study
    from nextset.validation.exchange import export_csv, export_potato, export_tasks, import_judgments
    from nextset.validation.report.stage import write_validation_report
    from nextset.validation.server.accounts import make_account
    from nextset.validation.server.client import LabelStudio
    from nextset.validation.server.connection import find_connection
    from nextset.validation.server.serving import serving
    from nextset.validation.session.adjudication import adjudicate
    from nextset.validation.session.closing import close_session
    from nextset.validation.session.membership import join_session, leave_session
    from nextset.validation.session.opening import open_session
    from nextset.validation.session.pulling import pull_session
    from nextset.validation.session.status import session_status
    from nextset.validation.stage import apply_judgments

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
    "LabelStudio": "nextset.validation.server.client",
    "Study": "nextset.study",
    "adjudicate": "nextset.validation.session.adjudication",
    "apply_judgments": "nextset.validation.stage",
    "audit": "nextset.auditing.stage",
    "build_release": "nextset.release.stage",
    "check_models": "nextset.scoring.checks.checking",
    "close_session": "nextset.validation.session.closing",
    "export_csv": "nextset.validation.exchange",
    "export_potato": "nextset.validation.exchange",
    "export_tasks": "nextset.validation.exchange",
    "fill": "nextset.generation.fill_stage",
    "filter_candidates": "nextset.filtering.stage",
    "find_connection": "nextset.validation.server.connection",
    "generate": "nextset.generation.stage",
    "import_judgments": "nextset.validation.exchange",
    "import_pairs": "nextset.generation.importing",
    "join_session": "nextset.validation.session.membership",
    "leave_session": "nextset.validation.session.membership",
    "lint": "nextset.cli.lint",
    "list_cache": "nextset.scoring.cache.care",
    "make_account": "nextset.validation.server.accounts",
    "new_study": "nextset.cli.new",
    "open_session": "nextset.validation.session.opening",
    "predict_validity": "nextset.cli.validator",
    "preview": "nextset.generation.preview",
    "prune_cache": "nextset.scoring.cache.care",
    "pull_session": "nextset.validation.session.pulling",
    "report_filter": "nextset.filtering.report_stage",
    "run": "nextset.cli.run",
    "score": "nextset.scoring.stage",
    "serving": "nextset.validation.server.serving",
    "session_status": "nextset.validation.session.status",
    "status": "nextset.cli.status",
    "verify_cache": "nextset.scoring.cache.care",
    "write_report": "nextset.auditing.report_stage",
    "write_validation_report": "nextset.validation.report.stage",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'nextset' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
