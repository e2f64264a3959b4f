"""The requests, tokens, cost and time of models behind servers, estimated before anything is sent."""

from __future__ import annotations

import functools
import math
import os
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError, NextsetError
from nextset.forms import ANSWER
from nextset.records.short_repr import short_repr
from nextset.study.server_secrets import variables_of
from nextset.study.study_folder import Study, of_study

if TYPE_CHECKING:
    from nextset.forms import FormName
    from nextset.generation.preview import Preview
    from nextset.generation.section_preview import TimedModel
    from nextset.scoring.asked_model import Model
    from nextset.scoring.prompts.rendered_prompt import Rendered
    from nextset.study.scoring_settings import ServerSettings

__all__ = ["ServerEstimate", "estimate_servers"]

SECONDS_PER_REQUEST = 2.0
"""The assumed time of a request for a short answer, in seconds; thinking takes longer."""
_SAMPLE = 200
"""The most prompts whose tokens are counted; the others have their mean."""
_OF_CANDIDATES = ("filter", "held out and audit, at most", "rows that the release adds")
"""The roles whose inputs are the filter's candidates, or like them."""
_EXACT = 100_000
"""The most inputs whose prompts are compared with the stored answers."""


@short_repr
@dataclass(frozen=True)
class ServerEstimate:
    """The estimate for a model behind a server in a role."""

    model: str
    """The model, as the study names it."""
    role: str
    """canaries; fill; filter; or held out and audit."""
    host: str
    """The host that the texts are sent to; empty if the address is not set."""
    leaves: bool
    """True if the texts leave this machine, or if the host is not known."""
    prompts: int
    """The number of prompts, each in every wording; an upper bound unless ``exact``."""
    exact: bool
    """True if equal prompts were counted once and compared with the stored answers."""
    stored: int
    """The number of prompts whose answers are stored."""
    requests: int
    """The number of requests: prompts without stored answers × samples, without reminders."""
    requests_at_most: int
    """The most requests: each with the two reminders that follow answers without a choice."""
    read: int
    """The tokens of their prompts."""
    counted: bool
    """True if the tokens are counted with the model's tokenizer, False if they are estimated from bytes."""
    written: int
    """The tokens of their answers: as this model's stored answers, or else those of a bare choice."""
    measured: bool
    """True if ``written`` rests on stored answers."""
    written_at_most: int
    """The most tokens of the answers to ``requests_at_most``."""
    cost: float | None
    """The estimated cost; null if a price is missing."""
    cost_at_most: float | None
    """The cost of ``requests_at_most`` if each answer has the most tokens."""
    seconds: float
    """The time at the study's requests_per_minute and at_once, with two seconds per request."""
    at_once: int = 1
    """The most requests in progress at the same time."""
    per_minute: int | None = None
    """The requests per minute, if they are what limits the speed."""
    unset: tuple[str, ...] = ()
    """The environment variables that study.yaml names for this model and that are not set."""


@dataclass(frozen=True)
class _Prompts:
    """The prompts of a model in a role, as far as they are known."""

    number: int
    sample: Sequence[Rendered]
    exact: bool


@of_study
def estimate_servers(study: Study, preview: Preview) -> tuple[ServerEstimate, ...]:
    """Return an estimate for each model behind a server, by role; nothing is sent or downloaded.

    Raises InputErrors for settings or wordings that are wrong.
    """
    from nextset.generation.preview import preview as study_preview

    settings = study.settings
    if not (preview.examples or preview.questions or any(preview.section_examples.values())):
        preview = study_preview(study, 1)
    estimates: list[ServerEstimate] = []
    if preview.prompts and _is_served(settings.fill.model):
        estimates.append(_fill_estimate(study, preview))
    if settings.filter is not None:
        form = settings.filter.form
        later = (*settings.filter.held_out, *settings.audit.models)
        roles = (("filter", settings.filter.models), ("held out and audit, at most", later))
        for role, names in roles:
            each = preview.scorings[role] // len(names) if names else 0
            for name in filter(_is_served, names):
                examples = functools.partial(_inputs, study, form, preview, role)
                estimates += _estimates(study, name, role.removesuffix(", at most"), form, each, examples)
                if role == "filter" and preview.added:
                    estimates.append(_added_estimate(study, name, form, preview))
    estimates += [
        estimate
        for timed in preview.section_models
        if _is_served(timed.model) and (timed.form is not None or timed.inputs)
        for estimate in _section_estimates(study, timed, preview)
    ]
    return tuple(estimates)


def _added_estimate(study: Study, name: str, form: FormName, preview: Preview) -> ServerEstimate:
    """Return the estimate for the rows that a release adds, about which the audit asks a filter's model."""
    role = "rows that the release adds"
    examples = functools.partial(_inputs, study, form, preview, role)
    return _estimates(study, name, role, form, preview.added, examples)[-1]


def _section_estimates(study: Study, timed: TimedModel, preview: Preview) -> list[ServerEstimate]:
    """Return the estimates for a model that the section of an extension asks."""
    from nextset.cli.time_estimate import example_inputs

    role = timed.role.removesuffix(", at most")
    if timed.form is None:
        return [_unknown(study, timed.model, role, timed.inputs)]
    try:
        form = timed.form()
    except ModelError:
        return [_unknown(study, timed.model, role, timed.inputs)]
    rows = timed.rows
    if form == ANSWER.name:
        return [_answers_estimate(study, timed.model, role, timed.inputs, list(rows()) if rows else [])]

    def examples() -> tuple[list[Any], bool]:
        return list(rows() if rows is not None else example_inputs(study, preview, form)), False

    return _estimates(study, timed.model, role, form, timed.inputs, examples)


def _answers_estimate(
    study: Study, name: str, role: str, inputs: int, questions: Sequence[Any]
) -> ServerEstimate:
    """Return the estimate for a model that writes its answers to ``inputs`` questions, without reminders."""
    from nextset.scoring.model_server.token_estimate import estimated_tokens
    from nextset.scoring.prompt_wordings import own_prompts
    from nextset.scoring.study_models import prompts_of
    from nextset.scoring.written_answers import ANSWER_TOKENS

    prompts = (prompts_of(study) or own_prompts()).written(ANSWER.name, questions)
    each = _mean([estimated_tokens(prompt) for prompt in prompts])
    return _written_estimate(study, name, role, inputs, each, inputs * ANSWER_TOKENS)


def _fill_estimate(study: Study, preview: Preview) -> ServerEstimate:
    """Return the estimate for the model of fill: a request per prompt, with texts as long as the examples."""
    from nextset.generation.writers.stage import tokens_per_proposal
    from nextset.generation.writers.writer_prompts import writer_prompts_file
    from nextset.scoring.model_server.token_estimate import estimated_tokens

    settings, name = study.settings, study.settings.fill.model
    writer = settings.fill.writer
    wording = writer_prompts_file(writer.prompt, study.path, study.file).read_text(encoding="utf-8")
    texts = [f"{example.premise} {example.hypothesis}" for example in preview.examples] or [""]
    each = estimated_tokens(wording) + _mean([estimated_tokens(text) for text in texts])
    written = preview.prompts * tokens_per_proposal(writer.propose) * writer.proposals
    return _written_estimate(study, name, "fill", preview.prompts, each, written)


def _written_estimate(
    study: Study, name: str, role: str, prompts: int, tokens: float, written: int
) -> ServerEstimate:
    """Return the estimate for texts that a model writes: one request of ``tokens`` tokens per prompt."""
    from nextset.cli.most_requests import most_requests
    from nextset.study.server_prices import token_price

    server = study.model_settings(name).server.over(study.settings.scoring.server)
    most = most_requests(prompts, tokens, 0, server, asks=1)
    read, written = prompts * tokens, min(most.written, written)
    return replace(
        _unknown(study, name, role, prompts),
        requests_at_most=most.requests,
        read=math.ceil(read),
        written=written,
        written_at_most=most.written,
        cost=token_price(server, read, 0, written, 0),
        cost_at_most=most.cost,
        seconds=_seconds(prompts, server),
        at_once=server.at_once,
        per_minute=_limiting_rate(server),
    )


def _host(study: Study, name: str) -> str:
    """Return the host of the model's server; empty if its address is missing."""
    from nextset.scoring.study_models import located_model

    try:
        return urllib.parse.urlsplit(located_model(study, name).address).hostname or ""
    except ModelError:
        return ""


def _seconds(requests: int, server: ServerSettings) -> float:
    rate = _limiting_rate(server)
    return requests * 60 / rate if rate else requests * SECONDS_PER_REQUEST / server.at_once


def _limiting_rate(server: ServerSettings) -> int | None:
    """Return requests_per_minute if it is slower than at_once requests of two seconds; else None."""
    rate = server.requests_per_minute
    return rate if rate is not None and rate < 60 * server.at_once / SECONDS_PER_REQUEST else None


def _unset(study: Study, name: str) -> tuple[str, ...]:
    """Return the variables that the settings of the model name and the environment lacks."""
    from nextset.scoring.models.server_address import BASE_URL

    own = study.model_settings(name).server
    headers = own.over(study.settings.scoring.server).headers.values()
    named = [own.address or BASE_URL, own.key, *(v for text in headers for _, v in variables_of(text))]
    variables = dict.fromkeys(v for v in named if v and not v.startswith("http"))
    return tuple(v for v in variables if not os.environ.get(v, "").strip())


def _is_served(name: str) -> bool:
    return name.startswith("openai:")


def _estimates(
    study: Study,
    name: str,
    role: str,
    form: FormName,
    inputs: int,
    examples: Callable[[], tuple[list[Any], bool]],
) -> list[ServerEstimate]:
    """Return the estimate for a model that chooses, after that for its canaries.

    ``examples`` returns some of the inputs, and True if they are all of them.
    """
    from nextset.scoring.prompt_wordings import render_prompts
    from nextset.scoring.study_models import model_of

    try:
        model = model_of(study, name, form)
    except ModelError:
        return [_unknown(study, name, role, inputs)]
    rows, exact = examples()
    rendered = render_prompts(model.asking, rows)
    prompts = list(dict.fromkeys(prompt for of_input in rendered for prompt in of_input))
    number = len(prompts) if exact else round(inputs * _mean(list(map(len, rendered))))
    estimates = [_estimate(study, model, role, _Prompts(number, prompts, exact))]
    canaries = _canary_prompts(model)
    if canaries:
        estimates.insert(0, _estimate(study, model, "canaries", _Prompts(len(canaries), canaries, True)))
    return estimates


def _unknown(study: Study, name: str, role: str, inputs: int) -> ServerEstimate:
    """Return the estimate for a model of which nothing but the number of inputs is known."""
    from nextset.scoring.model_server.asked_prompt import ASKS

    host = _host(study, name)
    return ServerEstimate(
        model=name,
        role=role,
        host=host,
        leaves=not _is_this_machine(host),
        prompts=inputs,
        exact=False,
        stored=0,
        requests=inputs,
        requests_at_most=inputs * ASKS,
        read=0,
        counted=False,
        written=0,
        measured=False,
        written_at_most=0,
        cost=None,
        cost_at_most=None,
        seconds=math.nan,
        unset=_unset(study, name),
    )


def _inputs(study: Study, form: FormName, preview: Preview, role: str) -> tuple[list[Any], bool]:
    """Return the inputs of the filter's candidates and True, or a few examples and False."""
    from nextset.cli.time_estimate import example_inputs
    from nextset.scoring.forms.scored_form import SCORED_FORMS
    from nextset.scoring.study_models import rows_to_score

    scored = SCORED_FORMS[form]
    if role in _OF_CANDIDATES and _is_made(study):
        inputs: dict[Any, None] = {}
        for part in rows_to_score(study).chunks():
            inputs |= dict.fromkeys(scored.inputs(part.read(scored.columns)))
            if role != "filter" or len(inputs) > _EXACT:
                return list(inputs)[:_SAMPLE], False
        return list(inputs), True
    return list(example_inputs(study, preview, form)), False


def _is_made(study: Study) -> bool:
    """Return True if the candidates are there and up to date."""
    from nextset.pipeline.stage_list import stages_of
    from nextset.pipeline.status import stale_before

    try:
        names = [stage.name for stage in stages_of(study)]
        if "score" not in names or stale_before(study, "score") is not None:
            return False
        before = names[: names.index("score")]
        return all((study.out / name / "manifest.json").is_file() for name in before if name != "score_pilot")
    except NextsetError:
        return False


def _canary_prompts(model: Model) -> list[Rendered]:
    from nextset.scoring.canaries.cases import Waived
    from nextset.scoring.checks.canaries import canaries_of
    from nextset.scoring.prompt_wordings import render_prompts

    canaries = canaries_of(model.source, model.asking)
    if isinstance(canaries, Waived):
        return []
    rendered = render_prompts(model.asking, canaries.inputs)
    return list(dict.fromkeys(prompt for wordings in rendered for prompt in wordings))


def _estimate(study: Study, model: Model, role: str, asked: _Prompts) -> ServerEstimate:
    from nextset.cli.most_requests import most_requests
    from nextset.scoring.model_server.token_estimate import answer_text, estimated_tokens, token_counter
    from nextset.scoring.prompts.answer_parsing import REMINDER
    from nextset.study.server_prices import token_price

    server, name = model.asking.server, model.source.name
    stored = _stored(model, asked.sample) if asked.exact else set()
    new = [prompt for prompt in asked.sample if prompt not in stored]
    requests = (asked.number - len(stored)) * _requests_per_prompt(model, asked.sample)
    counter = token_counter(name, study.folder)
    tokens: Callable[[str], float] = counter or estimated_tokens
    sample = new[:: max(1, len(new) // _SAMPLE)][:_SAMPLE]
    each = _mean([tokens(prompt.prompt) for prompt in sample])
    reminder = _mean([tokens(REMINDER.format(choices=", ".join(prompt.choices))) for prompt in sample])
    most = most_requests(requests, each, reminder, server)
    read = requests * each
    usual = _usual_written(name)
    written = requests * (usual or _mean([tokens(answer_text(prompt.choices)) for prompt in sample]))
    place = urllib.parse.urlsplit(model.source.address)
    host = place.hostname or ""
    return ServerEstimate(
        model=name,
        role=role,
        host=host,
        leaves=not _is_this_machine(host),
        prompts=asked.number,
        exact=asked.exact,
        stored=len(stored),
        requests=requests,
        requests_at_most=most.requests,
        read=math.ceil(read),
        counted=counter is not None,
        written=math.ceil(written),
        measured=usual is not None,
        written_at_most=most.written,
        cost=token_price(server, read, 0, written, 0),
        cost_at_most=most.cost,
        seconds=_seconds(requests, server),
        at_once=server.at_once,
        per_minute=_limiting_rate(server),
        unset=_unset(study, name),
    )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _stored(model: Model, prompts: Sequence[Rendered]) -> set[Rendered]:
    """Return those of ``prompts`` that have a stored answer."""
    from nextset.scoring.model_server.answer_cache_contents import known_keys
    from nextset.scoring.model_server.server_scorer import ServerScorer

    if not model.asking.scoring.cache:
        return set()
    scorer = ServerScorer.load(model.source, model.asking)
    first = {
        prompt: [{request.key for request in same} for same in scorer.first_requests(prompt)]
        for prompt in prompts
    }
    known = known_keys([key for answers in first.values() for keys in answers for key in keys])
    return {prompt for prompt, answers in first.items() if all(keys & known for keys in answers)}


def _requests_per_prompt(model: Model, prompts: Sequence[Rendered]) -> int:
    from nextset.scoring.model_server.server_scorer import ServerScorer

    scorer = ServerScorer.load(model.source, model.asking)
    return max((len(scorer.first_requests(prompt)) for prompt in prompts[:_SAMPLE]), default=1)


def _usual_written(name: str) -> float | None:
    """Return the mean tokens of the stored answers of the model ``name``; None if none are counted."""
    from nextset.scoring.model_server.answer_cache_contents import list_answers

    for entry in list_answers():
        if entry.model == name and entry.answers > entry.uncounted:
            return entry.written / (entry.answers - entry.uncounted)
    return None


def _is_this_machine(host: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
