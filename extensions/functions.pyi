"""The public functions of nextset's own extensions, for type checkers; entry points register them."""

from nextset.extensions.ambiguity.questions.stage import make_ambiguous_questions as make_ambiguous_questions
from nextset.extensions.ambiguity.retrieval.report_stage import report_retrieval as report_retrieval
from nextset.extensions.ambiguity.retrieval.stage import audit_retrieval as audit_retrieval
from nextset.extensions.ambiguity.search.search_stage import search_passages as search_passages
from nextset.extensions.ambiguity.search.stage import index_passages as index_passages
from nextset.extensions.ambiguity.selectional.report_stage import report_selectional as report_selectional
from nextset.extensions.ambiguity.selectional.stage import audit_selectional as audit_selectional
from nextset.extensions.interventions.audit.report_stage import report_interventions as report_interventions
from nextset.extensions.interventions.audit.stage import audit_interventions as audit_interventions
from nextset.extensions.interventions.triggers.stage import seek_triggers as seek_triggers
from nextset.extensions.interventions.tuning.stage import tune_readers as tune_readers
