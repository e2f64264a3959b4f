"""The sections scoring and models of study.yaml: settings of scoring, and of single models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from nextset.files.yaml_model import EXACT, HandWritten, Prose
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.server_secrets import ADDRESS, HEADERS, KEY, check_body

__all__ = [
    "CanaryPair",
    "CardQuestion",
    "ModelServerSettings",
    "ModelSettings",
    "RequestSettings",
    "Rotations",
    "ScoringSettings",
    "ServerSettings",
    "StatementSettings",
]

Rotations = Literal["all", "one"]
"""The orders in which a prompt lists the options of a question."""

FIELDS_OF_REQUESTS = {
    "best_of", "echo", "logprobs", "max_completion_tokens", "max_tokens", "messages", "model", "n", "prompt",
    "reasoning_effort", "response_format", "seed", "stop", "stream", "stream_options", "temperature",
    "top_logprobs",
}  # fmt: skip
"""The fields of a request that server.body cannot have: nextset sets them or relies on their default."""

_OF_MODELS = (
    "label",
    "labels",
    "too_long",
    "canaries",
    "canaries_waived",
    "system_prompt",
    "thinking",
    "adapter",
)
"""Settings of a model that are not settings of its server."""


class StatementSettings(HandWritten):
    """scoring.statements: the words that score a subject at the mask."""

    by: Literal["name", "pronoun", "both"] = "name"
    """name: the subject's name. pronoun: the pronoun of its cluster. both: the name and the pronoun."""
    combine: Literal["max", "sum"] = "max"
    """The probability if both count: the larger one, or the sum of the two."""
    pronouns: dict[str, str] = Field(default_factory=lambda: {"female": "she", "male": "he"})
    """The pronoun of each cluster of subjects."""


class RequestSettings(HandWritten):
    """Settings of requests to a server: scoring.server for all models, models.NAME.server for one."""

    model_config = ConfigDict(hide_input_in_errors=True)
    may_hold_secrets: ClassVar[bool] = True
    """Errors show no value and no unknown name that may be a key, wherever it was pasted."""
    misplaced: ClassVar[Mapping[str, str]] = dict.fromkeys(_OF_MODELS, "models.NAME, next to server")

    api: Literal["chat", "completions"] = "chat"
    """chat: prompts are messages in the model's chat template. completions: a base model continues the
    prompt."""
    answer_tokens: int = Field(default=4096, ge=1, strict=True)
    """The most tokens of an answer and the thoughts before it; a cut-off answer does not count. By default
    256 tokens first, and 4096 once the model thinks."""
    temperature: float = Field(default=0.0, ge=0, le=2, strict=True)
    """The temperature of the sampling; 0 takes the likeliest token each time."""
    seed: int = Field(default=0, ge=0, strict=True)
    """The seed of the sampling; a server may ignore it."""
    reasoning_effort: Annotated[str, written_as(r"([a-z]{1,16})?", "low")] = ""
    """How much a model thinks, in the server's words, such as low, medium or high."""
    samples: int = Field(default=1, ge=1, le=100, strict=True)
    """The number of answers to each prompt; more give finer shares, and need a temperature above 0."""
    logprobs: bool = False
    """Ask for the log probabilities of the answer's tokens, which become probabilities of the choices; a
    prompt without them counts as a vote."""
    batch: bool = False
    """Send all prompts as files to the server's batch API, which is slower and usually costs half."""
    at_once: int = Field(default=4, ge=1, le=512, strict=True)
    """The most requests in progress at the same time."""
    requests_per_minute: int | None = Field(default=None, ge=1, strict=True)
    """The most requests to a model in any minute."""
    price_per_million_input_tokens: float | None = Field(default=None, ge=0, strict=True)
    """The server's price; max_cost needs it for each model behind a server."""
    price_per_million_cached_input_tokens: float | None = Field(default=None, ge=0, strict=True)
    """The price of input tokens that the server has in its own cache; default: that of other input."""
    price_per_million_output_tokens: float | None = Field(default=None, ge=0, strict=True)
    """The server's price; max_cost needs it for each model behind a server."""
    price_per_million_thinking_tokens: float | None = Field(default=None, ge=0, strict=True)
    """The price of tokens of thinking; default: that of other output."""
    headers: Annotated[dict[str, str], HEADERS] = Field(default_factory=dict, repr=False)
    """Further headers of each request. A secret belongs into an environment variable: write $NAME. Those of
    scoring.server are not sent to a server that a model names itself."""
    body: Annotated[dict[str, Any], EXACT] = Field(default_factory=dict)
    """Further fields of each request, as the server documents them, such as top_p. A secret is written as
    $NAME, as in headers."""
    unreadable_at_most: float = Field(default=0.2, ge=0, le=1, strict=True)
    """The highest share of unreadable answers of a model, once it answered 50 prompts; the run stops above,
    because then the wording is at fault."""

    @field_validator("body")
    @classmethod
    def _further_fields(cls, body: dict[str, Any]) -> dict[str, Any]:
        for key in sorted(body.keys() & FIELDS_OF_REQUESTS):
            raise WrongValue(f"nextset sets the field {key} itself", f"remove {key}, or use its setting")
        try:
            json.dumps(body, allow_nan=False)
        except (TypeError, ValueError):
            raise WrongValue(
                "a field has a value that JSON does not have", "write texts, numbers, lists, true or false"
            ) from None
        check_body(body)
        return body


class ServerSettings(RequestSettings):
    """scoring.server: settings of requests to all models on a server (`openai:MODEL`), and the limits of a
    run."""

    misplaced: ClassVar[Mapping[str, str]] = {
        **RequestSettings.misplaced, **dict.fromkeys(("address", "key"), "models.NAME.server"),
    }  # fmt: skip

    max_requests: int | None = Field(default=None, ge=1, strict=True)
    """The most requests of a run, including repeated ones; the run stops before more."""
    max_cost: float | None = Field(default=None, gt=0, strict=True)
    """The highest cost of a run, in the currency of the prices; the run stops before."""


class ModelServerSettings(RequestSettings):
    """models.NAME.server: the server of one model, and settings that replace those of scoring.server."""

    misplaced: ClassVar[Mapping[str, str]] = {
        **RequestSettings.misplaced, **dict.fromkeys(("max_requests", "max_cost"), "scoring.server"),
    }  # fmt: skip

    address: Annotated[str, ADDRESS] = Field(default="", repr=False)
    """The server's address, or the name of the environment variable that has it; default: OPENAI_BASE_URL."""
    key: Annotated[str, KEY] = Field(default="", repr=False)
    """The name of the environment variable that has the server's key; default: OPENAI_API_KEY for the server
    in OPENAI_BASE_URL, and no key for others."""

    def over(self, common: ServerSettings) -> ServerSettings:
        """Return the settings of requests to this model: its own, or else those of scoring.server.

        Headers in ``common`` are for the server in OPENAI_BASE_URL, and may have its key.
        """
        own = {
            name: getattr(self, name) for name in self.model_fields_set & RequestSettings.model_fields.keys()
        }
        if self.address and "headers" not in own:
            own["headers"] = {}
        return common.model_copy(update=own)

    def check(self, name: str, common: ServerSettings) -> None:
        """Raise WrongValue if the settings of the model ``name`` do not fit together."""
        server = self.over(common)
        if server.samples > 1 and server.temperature == 0:
            here = "samples" in self.model_fields_set
            place = f"models.{name}.server.samples" if here else "scoring.server.samples"
            raise WrongValue(
                f"{place}: {server.samples} answers at temperature 0 are the same answer",
                "write a temperature above 0, such as 1.0, next to samples",
            )
        prices = (server.price_per_million_input_tokens, server.price_per_million_output_tokens)
        if server.max_cost is not None and None in prices:
            raise WrongValue(
                "scoring.server.max_cost: it needs price_per_million_input_tokens and "
                f"price_per_million_output_tokens of {name}",
                f"write both under scoring.server or models.{name}.server, or remove max_cost",
            )


class ScoringSettings(HandWritten):
    """scoring: settings for all models that are asked."""

    model_config = ConfigDict(hide_input_in_errors=True)
    earlier_names: ClassVar[Mapping[str, str]] = {"masks": "statements"}
    misplaced: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(ServerSettings.model_fields, "scoring.server"),
        **dict.fromkeys(("address", "key"), "models.NAME.server"),
    }

    engine: Literal["local", "ray", "vllm"] = "local"
    """local: on this machine. ray: on a Ray cluster, with the same results. vllm: causal language models are
    asked by vLLM, with nearly the same numbers."""
    mode: Literal["canonical", "fast"] = "canonical"
    """canonical: any input near a decision is scored again, by itself, in float32. fast: a sample shows how
    many labels that would change."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """The precision of the models' computations."""
    cache: bool = True
    """Store scores on this machine, for all studies."""
    spans: Literal["exact", "widened"] = "exact"
    """The answers that count as a subject. exact: only its name. widened: also with article and head noun,
    as published."""
    statements: StatementSettings = StatementSettings()
    prompts: str = ""
    """A file of wordings for generative models, or builtin:NAME, such as builtin:bbq-race; default: nextset's
    own, in English."""
    rotations: Rotations = "all"
    """The orders of the options of a question. all: a model that writes is asked once with each option in
    each place. one: only in the item's own order, as in most published evaluations."""
    server: ServerSettings = ServerSettings()
    traces: bool = True
    """Store the thinking that models show before their answers."""

    @field_validator("prompts")
    @classmethod
    def _path_or_none(cls, path: str) -> str:
        if path and (not path.strip() or "\0" in path):
            raise WrongValue(f"{path!r} is not a path", "write a path, such as prompts.yaml")
        return path


class CanaryPair(HandWritten):
    """A pair with an obvious label."""

    premise: str = Field(min_length=1)
    """The premise."""
    hypothesis: str = Field(min_length=1)
    """The hypothesis."""
    label: Literal["entailment", "neutral", "contradiction"]
    """The obvious label."""
    question: str = ""
    """The hypothesis as a yes/no question; pairs labelled neutral are not asked in this form."""


class CardQuestion(HandWritten):
    """A question with an obvious answer."""

    context: str = Field(min_length=1, max_length=2000)
    """The text that is asked about."""
    question: str = Field(min_length=1, max_length=2000)
    """The question about it."""
    answer: str = Field(min_length=1)
    """The answer, which the context contains exactly once."""
    other: str = Field(min_length=1)
    """A wrong answer, which the context also contains exactly once."""

    @model_validator(mode="after")
    def _apart(self) -> CardQuestion:
        if any(self.context.count(text) != 1 for text in (self.answer, self.other)):
            raise ValueError("the context must contain answer and other, each exactly once")
        return self


class ModelSettings(HandWritten):
    """models.NAME: settings of a single model, by its name in the other sections."""

    model_config = ConfigDict(hide_input_in_errors=True)
    misplaced: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(ModelServerSettings.model_fields, "server"),
        **dict.fromkeys(("max_requests", "max_cost"), "scoring.server"),
    }

    label: Annotated[str, written_as(r"([A-Za-z0-9][A-Za-z0-9 ._+-]{0,95})?", "my-model 1.0")] = ""
    """The published name of a model in a folder or on a server; default: the folder's name."""
    labels: tuple[Literal["entailment", "neutral", "contradiction", "not_entailment"], ...] = ()
    """The meanings of the model's outputs, in order, if its config does not name them."""
    too_long: Literal["refuse", "truncate"] = "refuse"
    """Refuse a text that is too long for the model, or truncate it."""
    no_answer: bool = False
    """Let an extractive reader give no answer, if it was trained for that (SQuAD 2)."""
    canaries: tuple[CanaryPair, ...] = ()
    """Pairs with an obvious label in the model's own language or field, instead of nextset's canaries."""
    canaries_waived: Prose = ""
    """The reason to ask no canaries."""
    remote_code: bool = False
    """Run the code in the model's folder, which you have read."""
    system_prompt: Prose = ""
    """The system message before each prompt, for models that write."""
    thinking: bool | None = None
    """Let a model that writes think before its answer, or not; default: the server's default, and no thinking
    for a model on this machine."""
    adapter: str = ""
    """A folder or Hub id with a LoRA adapter, which is merged into the model when it is loaded."""
    server: ModelServerSettings = ModelServerSettings()
