"""The requests to a model of a study: its settings become the fields that decide an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nextset.records.content_ids import content_id
from nextset.scoring.model_server.answer_cache import AnswerRequest
from nextset.scoring.models.sources import SERVER, ModelSource
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, ServerSettings

__all__ = ["ModelRequests", "deciding_options", "writing_options"]


@dataclass(frozen=True)
class ModelRequests:
    """A model behind a server, with the settings of requests to it."""

    source: ModelSource
    """The server's address and the model's name."""
    server: ServerSettings
    """The settings of requests, in which those of the model have replaced those of all models."""
    model: ModelSettings
    """The settings of the model."""
    traces: bool = True
    """True if thoughts are stored."""

    @classmethod
    def of(cls, source: ModelSource, scoring: ScoringSettings, model: ModelSettings) -> ModelRequests:
        """Return the requests to the model in ``source`` with the settings of a study."""
        return cls(source, model.server.over(scoring.server), model, scoring.traces)

    def request(
        self,
        messages: Sequence[tuple[str, str]],
        choices: Sequence[str] = (),
        *,
        temperature: float | None = None,
        seed: int | None = None,
    ) -> AnswerRequest:
        """Return the request for an answer to ``messages``, after the system prompt.

        ``temperature`` and ``seed`` replace those of the settings.
        """
        server, system = self.server, self.model.system_prompt
        return AnswerRequest(
            server=self.source.digest,
            model=self.source.name.removeprefix(SERVER),
            messages=((("system", system),) if system else ()) + tuple(messages),
            choices=tuple(choices),
            answer_tokens=server.answer_tokens,
            temperature=server.temperature if temperature is None else temperature,
            seed=server.seed if seed is None else seed,
            api=server.api,
            reasoning_effort=server.reasoning_effort,
            thinking=self.model.thinking,
            logprobs=server.logprobs and bool(choices),
            body=_body(server),
            headers=_headers(server),
        )


def deciding_options(server: ServerSettings, model: ModelSettings) -> dict[str, Any]:
    """Return the settings that decide a model's answers, for keys of stored scores, as JSON.

    A setting that earlier versions did not have is left out if it has its default, so that their scores are
    found.
    """
    return {
        "answer_tokens": server.answer_tokens,
        **({"api": server.api} if server.api != "chat" else {}),
        **{name: value for name in _LATER if (value := getattr(server, name)) != _DEFAULTS[name]},
        **({"body": json.loads(_body(server))} if server.body else {}),
        **({"headers": _headers(server)} if server.headers else {}),
        **({"system_prompt": content_id("text", model.system_prompt)} if model.system_prompt else {}),
        **({"thinking": model.thinking} if model.thinking is not None else {}),
    }


def writing_options(server: ServerSettings, model: ModelSettings) -> dict[str, Any]:
    """Return the settings that decide a text that a model writes; each text has its own temperature and seed,
    and is written once."""
    unused = {"temperature", "seed", "samples", "logprobs"}
    options = deciding_options(server, model)
    return {name: value for name, value in options.items() if name not in unused}


_LATER = ("temperature", "seed", "reasoning_effort", "samples", "logprobs")
_DEFAULTS = {name: ServerSettings.model_fields[name].default for name in _LATER}


def _body(server: ServerSettings) -> str:
    return json.dumps(server.body, sort_keys=True) if server.body else ""


def _headers(server: ServerSettings) -> str:
    """Return the digest of the headers as they are written: with the names of variables, not their values."""
    return content_id("headers", json.dumps(server.headers, sort_keys=True)) if server.headers else ""
