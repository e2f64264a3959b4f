"""The public names of `import nextset`, each once: type checkers and `nextset/__init__.py` read them here.

The functions of extensions are registered as entry points of the group nextset.functions; for type checkers,
those of nextset's own extensions are below.
"""

from nextset.auditing.probe.answer_probe import probe_answer as probe_answer
from nextset.auditing.probe.pair_probe import probe_pair as probe_pair
from nextset.auditing.probe.quad_probe import probe_quad as probe_quad
from nextset.auditing.probe.word_probe import probe_words as probe_words
from nextset.auditing.report_stage import write_report as write_report
from nextset.auditing.stage import audit as audit
from nextset.cli.audit_dataset import audit_dataset as audit_dataset
from nextset.cli.lint import lint as lint
from nextset.cli.new import new_study as new_study
from nextset.cli.release_diff import compare_versions as compare_versions
from nextset.cli.release_export import export_release as export_release
from nextset.cli.release_withdraw import withdraw_items as withdraw_items
from nextset.cli.time_estimate import estimate_time as estimate_time
from nextset.cli.validate_predict import predict_validity as predict_validity
from nextset.errors import ArtifactError as ArtifactError
from nextset.errors import DamagedShard as DamagedShard
from nextset.errors import DependencyMissing as DependencyMissing
from nextset.errors import ImportedDataError as ImportedDataError
from nextset.errors import InputError as InputError
from nextset.errors import JudgmentError as JudgmentError
from nextset.errors import MissingStage as MissingStage
from nextset.errors import ModelError as ModelError
from nextset.errors import NewerFormat as NewerFormat
from nextset.errors import NextsetError as NextsetError
from nextset.errors import ServerError as ServerError
from nextset.errors import StudyError as StudyError
from nextset.errors import StudyHeld as StudyHeld
from nextset.errors import TemplateError as TemplateError
from nextset.errors import WaitingForPeople as WaitingForPeople
from nextset.errors import WordListError as WordListError
from nextset.extensions.functions import *  # noqa: F403
from nextset.filtering.comparison_stage import compare_rules as compare_rules
from nextset.filtering.report_stage import report_filter as report_filter
from nextset.filtering.stage import filter_candidates as filter_candidates
from nextset.generation.choices.port.stage import port as port
from nextset.generation.imports.pair_import import import_pairs as import_pairs
from nextset.generation.mask_fills.stage import fill as fill
from nextset.generation.pack_sheets.completeness import language_status as language_status
from nextset.generation.pack_sheets.new_pack import new_language as new_language
from nextset.generation.pack_sheets.review_sheet import review_language as review_language
from nextset.generation.pack_sheets.review_ticks import check_language as check_language
from nextset.generation.pack_sheets.sheet_import import import_language as import_language
from nextset.generation.preview import preview as preview
from nextset.generation.stage import generate as generate
from nextset.pipeline.run import run as run
from nextset.pipeline.status import status as status
from nextset.release.dataset_files.stage import write_dataset_version as write_dataset_version
from nextset.release.hub.push import push_version as push_version
from nextset.release.hub.verification import verify_version as verify_version
from nextset.release.loaded_version import load_version as load_version
from nextset.release.report_stage import report_release as report_release
from nextset.release.stage import build_release as build_release
from nextset.scoring.cache.contents import list_cache as list_cache
from nextset.scoring.cache.contents import prune_cache as prune_cache
from nextset.scoring.cache.repair import verify_cache as verify_cache
from nextset.scoring.checks.model_check import check_models as check_models
from nextset.study.study_folder import Study as Study
from nextset.tables.item_expansion import expand as expand
from nextset.tables.item_expansion import load_templates as load_templates
from nextset.tables.measure_plot import plot as plot
from nextset.tables.model_scores import score as score
from nextset.tables.table_measures import measure as measure
from nextset.tables.table_selection import filter as filter
from nextset.training.conversion.checkpoint_conversion import convert_checkpoint as convert_checkpoint
from nextset.training.evaluation.model_evaluation import evaluate_model as evaluate_model
from nextset.training.fine_tuning.model_training import train_model as train_model
from nextset.validation.file_exchange.judgment_import import import_judgments as import_judgments
from nextset.validation.file_exchange.task_export import export_csv as export_csv
from nextset.validation.file_exchange.task_export import export_potato as export_potato
from nextset.validation.file_exchange.task_export import export_tasks as export_tasks
from nextset.validation.label_studio.accounts import make_account as make_account
from nextset.validation.label_studio.address_and_token import find_connection as find_connection
from nextset.validation.label_studio.api import LabelStudio as LabelStudio
from nextset.validation.label_studio.local_server import serving as serving
from nextset.validation.merge.merge_copies import merge_judgments as merge_judgments
from nextset.validation.report.stage import write_validation_report as write_validation_report
from nextset.validation.session.adjudicate import adjudicate as adjudicate
from nextset.validation.session.close import close_session as close_session
from nextset.validation.session.join_and_leave import join_session as join_session
from nextset.validation.session.join_and_leave import leave_session as leave_session
from nextset.validation.session.open import open_session as open_session
from nextset.validation.session.pull import pull_session as pull_session
from nextset.validation.session.session_plan import plan_session as plan_session
from nextset.validation.session.session_status import session_status as session_status
from nextset.validation.stage import apply_judgments as apply_judgments

__all__: list[str]
__version__: str
