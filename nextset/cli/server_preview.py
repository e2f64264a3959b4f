"""The requests, tokens, cost and time of models behind servers, estimated before anything is sent."""

from __future__ import annotations

import math
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError, NextsetError
from nextset.records.short_repr import short_repr
from nextset.study.study_folder import Study, of_study

if TYPE_CHECKING:
    from nextset.forms import FormName
    from nextset.generation.preview import Preview
    from nextset.scoring.asked_model import Model
    from nextset.scoring.prompt_wordings import Rendered
    from nextset.study.scoring_settings import ServerSettings

__all__ = ["ServerEstimate", "estimate_servers"]

SECONDS_PER_REQUEST = 2.0
"""The assumed time of a request for a short answer, in seconds; thinking takes longer."""
_SAMPLE = 200
"""The most prompts whose tokens are counted; the others have their mean."""
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
    """The number of requests: prompts without stored answers × samples. Reminders are not counted."""
    read: int
    """The tokens of their prompts."""
    counted: bool
    """True if the tokens are counted with the model's tokenizer, False if they are estimated from bytes."""
    written: int
    """The tokens of their answers: as this model's stored answers, or else those of a bare choice."""
    measured: bool
    """True if ``written`` rests on stored answers."""
    written_at_most: int
    """The most tokens of their answers."""
    cost: float | None
    """The estimated cost; null if a price is missing."""
    cost_at_most: float | None
    """The cost if each answer has the most tokens."""
    seconds: float
    """The time at the study's requests_per_minute and at_once, with two seconds per request."""


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
                estimates += _estimates(study, name, role.removesuffix(", at most"), form, each, preview)
    for timed in preview.section_models:
        if _is_served(timed.model) and timed.form is not None:
            estimates += _estimates(study, timed.model, timed.role, timed.form(), timed.inputs, preview)
    return tuple(estimates)


def _fill_estimate(study: Study, preview: Preview) -> ServerEstimate:
    """Return the estimate for the model of fill: a request per prompt, with texts as long as the examples."""
    from nextset.generation.writers.stage import tokens_per_proposal
    from nextset.generation.writers.writer_prompts import writer_prompts_file
    from nextset.scoring.model_server.token_estimate import estimated_tokens
    from nextset.study.server_prices import token_price

    settings, name = study.settings, study.settings.fill.model
    writer = settings.fill.writer
    wording = writer_prompts_file(writer.prompt, study.path, study.file).read_text(encoding="utf-8")
    texts = [f"{example.premise} {example.hypothesis}" for example in preview.examples] or [""]
    server = study.model_settings(name).server.over(settings.scoring.server)
    each = estimated_tokens(wording) + _mean([estimated_tokens(text) for text in texts])
    read, most = preview.prompts * each, preview.prompts * server.answer_tokens
    written = min(most, preview.prompts * tokens_per_proposal(writer.propose) * writer.proposals)
    host = _host(study, name)
    return ServerEstimate(
        model=name,
        role="fill",
        host=host,
        leaves=not _is_this_machine(host),
        prompts=preview.prompts,
        exact=False,
        stored=0,
        requests=preview.prompts,
        read=math.ceil(read),
        counted=False,
        written=written,
        measured=False,
        written_at_most=most,
        cost=token_price(server, read, 0, written, 0),
        cost_at_most=token_price(server, read, 0, most, 0),
        seconds=_seconds(preview.prompts, server),
    )


def _host(study: Study, name: str) -> str:
    """Return the host of the model's server; empty if its address is missing."""
    from nextset.scoring.study_models import located_model

    try:
        return urllib.parse.urlsplit(located_model(study, name).address).hostname or ""
    except ModelError:
        return ""


def _seconds(requests: int, server: ServerSettings) -> float:
    by_rate = requests * 60 / server.requests_per_minute if server.requests_per_minute else 0.0
    return max(by_rate, requests * SECONDS_PER_REQUEST / server.at_once)


def _is_served(name: str) -> bool:
    return name.startswith("openai:")


def _estimates(
    study: Study, name: str, role: str, form: FormName, inputs: int, preview: Preview
) -> list[ServerEstimate]:
    from nextset.scoring.prompt_wordings import render_prompts
    from nextset.scoring.study_models import model_of

    try:
        model = model_of(study, name, form)
    except ModelError as e:
        return [_unknown(name, role, inputs, str(e))]
    rows, exact = _inputs(study, form, preview, role)
    rendered = render_prompts(model.asking, rows)
    prompts = list(dict.fromkeys(prompt for wordings in rendered for prompt in wordings))
    wordings = len(rendered[0]) if rendered else 0
    number = len(prompts) if exact else inputs * wordings
    estimates = [_estimate(study, model, role, _Prompts(number, prompts, exact))]
    canaries = _canary_prompts(model)
    if canaries:
        estimates.insert(0, _estimate(study, model, "canaries", _Prompts(len(canaries), canaries, True)))
    return estimates


def _unknown(name: str, role: str, inputs: int, why: str) -> ServerEstimate:
    return ServerEstimate(
        name, role, "", True, inputs, False, 0, inputs, 0, False, 0, False, 0, None, None, math.nan
    )


def _inputs(study: Study, form: FormName, preview: Preview, role: str) -> tuple[list[Any], bool]:
    """Return the inputs of the filter's candidates and True, or a few examples and False."""
    from nextset.cli.time_estimate import example_inputs
    from nextset.scoring.forms.scored_form import SCORED_FORMS
    from nextset.scoring.study_models import rows_to_score

    scored = SCORED_FORMS[form]
    if study.settings.filter is not None and _is_made(study):
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
    from nextset.scoring.model_server.token_estimate import answer_text, estimated_tokens, token_counter
    from nextset.study.server_prices import token_price

    server, name = model.asking.server, model.source.name
    stored = _stored(model, asked.sample) if asked.exact else set()
    new = [prompt for prompt in asked.sample if prompt not in stored]
    requests = (asked.number - len(stored)) * _requests_per_prompt(model, asked.sample)
    counter = token_counter(name, study.folder)
    tokens: Callable[[str], float] = counter or estimated_tokens
    sample = new[:: max(1, len(new) // _SAMPLE)][:_SAMPLE]
    read = requests * _mean([tokens(prompt.prompt) for prompt in sample])
    usual = _usual_written(name)
    written = requests * (usual or _mean([tokens(answer_text(prompt.choices)) for prompt in sample]))
    most = requests * server.answer_tokens
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
        read=math.ceil(read),
        counted=counter is not None,
        written=math.ceil(written),
        measured=usual is not None,
        written_at_most=most,
        cost=token_price(server, read, 0, written, 0),
        cost_at_most=token_price(server, read, 0, most, 0),
        seconds=_seconds(requests, server),
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
