"""nextset: generate hard benchmark datasets, have annotators validate them, release them, audit models.

The commands of the command line are functions here, each imported on first use::

    import nextset

    study = nextset.Study.load("studies/first_look")
    summary = nextset.run(study)

Functions that take a study also take its folder, as in ``nextset.run("studies/first_look")``. Expected errors
are subclasses of `NextsetError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str

    from nextset.auditing.probe.answer_probe import probe_answer
    from nextset.auditing.probe.pair_probe import probe_pair
    from nextset.auditing.probe.quad_probe import probe_quad
    from nextset.auditing.probe.word_probe import probe_words
    from nextset.auditing.report_stage import write_report
    from nextset.auditing.stage import audit
    from nextset.cli.audit_dataset import audit_dataset
    from nextset.cli.lint import lint
    from nextset.cli.new import new_study
    from nextset.cli.release_diff import compare_versions
    from nextset.cli.release_export import export_release
    from nextset.cli.release_withdraw import withdraw_items
    from nextset.cli.run import run
    from nextset.cli.status import status
    from nextset.cli.time_estimate import estimate_time
    from nextset.cli.validate_predict import predict_validity
    from nextset.errors import (
        ArtifactError,
        DamagedShard,
        DependencyMissing,
        ImportedDataError,
        InputError,
        JudgmentError,
        MissingStage,
        ModelError,
        NextsetError,
        ServerError,
        StudyError,
        StudyHeld,
        TemplateError,
        WaitingForPeople,
        WordListError,
    )
    from nextset.extensions.ambiguity.questions.stage import make_ambiguous_questions
    from nextset.extensions.ambiguity.retrieval.report_stage import report_retrieval
    from nextset.extensions.ambiguity.retrieval.stage import audit_retrieval
    from nextset.extensions.ambiguity.search.search_stage import search_passages
    from nextset.extensions.ambiguity.search.stage import index_passages
    from nextset.extensions.ambiguity.selectional.report_stage import report_selectional
    from nextset.extensions.ambiguity.selectional.stage import audit_selectional
    from nextset.extensions.interventions.audit.report_stage import report_interventions
    from nextset.extensions.interventions.audit.stage import audit_interventions
    from nextset.extensions.interventions.triggers.stage import seek_triggers
    from nextset.extensions.interventions.tuning.stage import tune_readers
    from nextset.filtering.comparison_stage import compare_rules
    from nextset.filtering.report_stage import report_filter
    from nextset.filtering.stage import filter_candidates
    from nextset.generation.imports.pair_import import import_pairs
    from nextset.generation.mask_fills.stage import fill
    from nextset.generation.pack_sheets.completeness import language_status
    from nextset.generation.pack_sheets.new_pack import new_language
    from nextset.generation.pack_sheets.review_sheet import review_language
    from nextset.generation.pack_sheets.review_ticks import check_language
    from nextset.generation.pack_sheets.sheet_import import import_language
    from nextset.generation.preview import preview
    from nextset.generation.stage import generate
    from nextset.release.dataset_files.stage import write_dataset_version
    from nextset.release.hub.push import push_version
    from nextset.release.hub.verification import verify_version
    from nextset.release.loaded_version import load_version
    from nextset.release.report_stage import report_release
    from nextset.release.stage import build_release
    from nextset.scoring.cache.contents import list_cache, prune_cache
    from nextset.scoring.cache.repair import verify_cache
    from nextset.scoring.checks.model_check import check_models
    from nextset.scoring.stage import score
    from nextset.study.study_folder import Study
    from nextset.tables.item_expansion import expand, load_templates
    from nextset.tables.measure_plot import plot
    from nextset.tables.table_measures import measure
    from nextset.training.conversion.checkpoint_conversion import convert_checkpoint
    from nextset.training.evaluation.model_evaluation import evaluate_model
    from nextset.training.fine_tuning.model_training import train_model
    from nextset.validation.file_exchange.judgment_import import import_judgments
    from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks
    from nextset.validation.label_studio.accounts import make_account
    from nextset.validation.label_studio.address_and_token import find_connection
    from nextset.validation.label_studio.api import LabelStudio
    from nextset.validation.label_studio.local_server import serving
    from nextset.validation.merge.merge_copies import merge_judgments
    from nextset.validation.report.stage import write_validation_report
    from nextset.validation.session.adjudicate import adjudicate
    from nextset.validation.session.close import close_session
    from nextset.validation.session.join_and_leave import join_session, leave_session
    from nextset.validation.session.open import open_session
    from nextset.validation.session.pull import pull_session
    from nextset.validation.session.session_plan import plan_session
    from nextset.validation.session.session_status import session_status
    from nextset.validation.stage import apply_judgments

__all__ = [
    "ArtifactError",
    "DamagedShard",
    "DependencyMissing",
    "ImportedDataError",
    "InputError",
    "JudgmentError",
    "LabelStudio",
    "MissingStage",
    "ModelError",
    "NextsetError",
    "ServerError",
    "Study",
    "StudyError",
    "StudyHeld",
    "TemplateError",
    "WaitingForPeople",
    "WordListError",
    "adjudicate",
    "apply_judgments",
    "audit",
    "audit_dataset",
    "audit_interventions",
    "audit_retrieval",
    "audit_selectional",
    "build_release",
    "check_language",
    "check_models",
    "close_session",
    "compare_rules",
    "compare_versions",
    "convert_checkpoint",
    "estimate_time",
    "evaluate_model",
    "expand",
    "export_csv",
    "export_potato",
    "export_release",
    "export_tasks",
    "fill",
    "filter_candidates",
    "find_connection",
    "generate",
    "import_judgments",
    "import_language",
    "import_pairs",
    "index_passages",
    "join_session",
    "language_status",
    "leave_session",
    "lint",
    "list_cache",
    "load_templates",
    "load_version",
    "make_account",
    "make_ambiguous_questions",
    "measure",
    "merge_judgments",
    "new_language",
    "new_study",
    "open_session",
    "plan_session",
    "plot",
    "predict_validity",
    "preview",
    "probe_answer",
    "probe_pair",
    "probe_quad",
    "probe_words",
    "prune_cache",
    "pull_session",
    "push_version",
    "report_filter",
    "report_interventions",
    "report_release",
    "report_retrieval",
    "report_selectional",
    "review_language",
    "run",
    "score",
    "search_passages",
    "seek_triggers",
    "serving",
    "session_status",
    "status",
    "train_model",
    "tune_readers",
    "verify_cache",
    "verify_version",
    "withdraw_items",
    "write_dataset_version",
    "write_report",
    "write_validation_report",
]

_HOMES = {
    "ArtifactError": "nextset.errors",
    "DamagedShard": "nextset.errors",
    "DependencyMissing": "nextset.errors",
    "ImportedDataError": "nextset.errors",
    "InputError": "nextset.errors",
    "JudgmentError": "nextset.errors",
    "LabelStudio": "nextset.validation.label_studio.api",
    "MissingStage": "nextset.errors",
    "ModelError": "nextset.errors",
    "NextsetError": "nextset.errors",
    "ServerError": "nextset.errors",
    "Study": "nextset.study.study_folder",
    "StudyError": "nextset.errors",
    "StudyHeld": "nextset.errors",
    "TemplateError": "nextset.errors",
    "WaitingForPeople": "nextset.errors",
    "WordListError": "nextset.errors",
    "adjudicate": "nextset.validation.session.adjudicate",
    "apply_judgments": "nextset.validation.stage",
    "audit": "nextset.auditing.stage",
    "audit_dataset": "nextset.cli.audit_dataset",
    "audit_interventions": "nextset.extensions.interventions.audit.stage",
    "audit_retrieval": "nextset.extensions.ambiguity.retrieval.stage",
    "audit_selectional": "nextset.extensions.ambiguity.selectional.stage",
    "build_release": "nextset.release.stage",
    "check_language": "nextset.generation.pack_sheets.review_ticks",
    "check_models": "nextset.scoring.checks.model_check",
    "close_session": "nextset.validation.session.close",
    "compare_rules": "nextset.filtering.comparison_stage",
    "compare_versions": "nextset.cli.release_diff",
    "convert_checkpoint": "nextset.training.conversion.checkpoint_conversion",
    "estimate_time": "nextset.cli.time_estimate",
    "evaluate_model": "nextset.training.evaluation.model_evaluation",
    "export_csv": "nextset.validation.file_exchange.task_export",
    "export_potato": "nextset.validation.file_exchange.task_export",
    "export_release": "nextset.cli.release_export",
    "export_tasks": "nextset.validation.file_exchange.task_export",
    "fill": "nextset.generation.mask_fills.stage",
    "filter_candidates": "nextset.filtering.stage",
    "find_connection": "nextset.validation.label_studio.address_and_token",
    "generate": "nextset.generation.stage",
    "import_judgments": "nextset.validation.file_exchange.judgment_import",
    "import_language": "nextset.generation.pack_sheets.sheet_import",
    "import_pairs": "nextset.generation.imports.pair_import",
    "index_passages": "nextset.extensions.ambiguity.search.stage",
    "join_session": "nextset.validation.session.join_and_leave",
    "language_status": "nextset.generation.pack_sheets.completeness",
    "leave_session": "nextset.validation.session.join_and_leave",
    "lint": "nextset.cli.lint",
    "list_cache": "nextset.scoring.cache.contents",
    "make_account": "nextset.validation.label_studio.accounts",
    "make_ambiguous_questions": "nextset.extensions.ambiguity.questions.stage",
    "merge_judgments": "nextset.validation.merge.merge_copies",
    "new_language": "nextset.generation.pack_sheets.new_pack",
    "new_study": "nextset.cli.new",
    "open_session": "nextset.validation.session.open",
    "plan_session": "nextset.validation.session.session_plan",
    "predict_validity": "nextset.cli.validate_predict",
    "preview": "nextset.generation.preview",
    "probe_answer": "nextset.auditing.probe.answer_probe",
    "probe_pair": "nextset.auditing.probe.pair_probe",
    "probe_quad": "nextset.auditing.probe.quad_probe",
    "probe_words": "nextset.auditing.probe.word_probe",
    "prune_cache": "nextset.scoring.cache.contents",
    "pull_session": "nextset.validation.session.pull",
    "push_version": "nextset.release.hub.push",
    "report_filter": "nextset.filtering.report_stage",
    "report_interventions": "nextset.extensions.interventions.audit.report_stage",
    "report_release": "nextset.release.report_stage",
    "report_retrieval": "nextset.extensions.ambiguity.retrieval.report_stage",
    "report_selectional": "nextset.extensions.ambiguity.selectional.report_stage",
    "review_language": "nextset.generation.pack_sheets.review_sheet",
    "run": "nextset.cli.run",
    "score": "nextset.scoring.stage",
    "search_passages": "nextset.extensions.ambiguity.search.search_stage",
    "seek_triggers": "nextset.extensions.interventions.triggers.stage",
    "serving": "nextset.validation.label_studio.local_server",
    "session_status": "nextset.validation.session.session_status",
    "status": "nextset.cli.status",
    "train_model": "nextset.training.fine_tuning.model_training",
    "tune_readers": "nextset.extensions.interventions.tuning.stage",
    "verify_cache": "nextset.scoring.cache.repair",
    "verify_version": "nextset.release.hub.verification",
    "withdraw_items": "nextset.cli.release_withdraw",
    "write_dataset_version": "nextset.release.dataset_files.stage",
    "write_report": "nextset.auditing.report_stage",
    "write_validation_report": "nextset.validation.report.stage",
    "expand": "nextset.tables.item_expansion",
    "load_templates": "nextset.tables.item_expansion",
    "plot": "nextset.tables.measure_plot",
    "measure": "nextset.tables.table_measures",
    "load_version": "nextset.release.loaded_version",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("nextset")
    if name not in _HOMES:
        raise AttributeError(f"module 'nextset' has no attribute {name!r}")
    from nextset.readable_signature import show_readable_signature

    value = getattr(importlib.import_module(_HOMES[name]), name)
    show_readable_signature(value)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
