"""The store of answers for a model on this machine that thinks: its thoughts, once per prompt."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from nextset.files.cache_home import cache_home
from nextset.redaction import redacted
from nextset.scoring.asking import Asking
from nextset.scoring.generative.thinker import Thoughts
from nextset.scoring.model_server.answer_cache import LOCAL, AnswerRequest, Answers
from nextset.scoring.model_server.completion import CUT_OFF, Completion, whole_characters
from nextset.scoring.model_server.stored_answers import StoredAnswer
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompts.answer_parsing import thoughts_of
from nextset.scoring.prompts.rendered_prompt import Rendered

__all__ = ["ThoughtStore"]


EXACT = "float32"
"""The precision in which inputs are scored again near a decision, and one by one."""


@dataclass(frozen=True)
class ThoughtStore:
    """The stored thoughts of one model, in the file with the answers of servers.

    The digest of the model's files takes the place of a server's address.
    """

    source: ModelSource
    asking: Asking
    answers: Answers

    @classmethod
    def of(cls, source: ModelSource, asking: Asking) -> ThoughtStore | None:
        """Return the store; None if the model does not think, or if the study stores no thoughts."""
        scoring = asking.scoring
        if not (asking.model.thinking and scoring.traces and scoring.cache):
            return None
        return cls(source, asking, Answers(cache_home() / "answers.sqlite"))

    def put(self, prompt: Rendered, thoughts: Thoughts, choice: int, precision: str, device: str) -> None:
        """Store what the model wrote about ``prompt`` in a ``precision`` on a ``device``, such as cpu.

        The answer is the most probable ``choice``. Earlier thoughts are not replaced.
        """
        text = redacted(whole_characters(thoughts.text))
        answer = Completion(
            prompt.choices[choice],
            CUT_OFF if thoughts.cut_off else "",
            text,
            Usage(0, 0, thoughts.tokens, thoughts.tokens if text else 0),
            # a text with a secret hidden is not what the model reads before its answer
            fingerprint=device if text == thoughts.text else "",
            date=datetime.now(UTC).date().isoformat(),
        )
        self.answers.put(self._request(prompt, precision), answer)

    def known(self, prompt: Rendered, precision: str, device: str) -> Thoughts | None:
        """Return exactly what the model would write about ``prompt`` again; None if that is not stored."""
        completion = self.answers.get(self._request(prompt, precision))
        if completion is None or completion.usage is None or completion.fingerprint != device:
            return None
        return Thoughts(completion.thoughts, completion.usage.written, completion.ending == CUT_OFF)

    def read(self, prompt: Rendered) -> list[StoredAnswer] | None:
        """Return the thoughts about ``prompt``, without their tags, with the answer; None if there are none.

        They are those in the study's precision, else those in float32.
        """
        for precision in dict.fromkeys((self.asking.scoring.precision, EXACT)):
            completion = self.answers.get(self._request(prompt, precision))
            if completion is not None:
                shown = replace(completion, thoughts=thoughts_of(completion.thoughts))
                return [StoredAnswer(shown, prompt.choices.index(completion.text), None)]
        return None

    def _request(self, prompt: Rendered, precision: str) -> AnswerRequest:
        system = self.asking.model.system_prompt
        return AnswerRequest(
            server=self.source.identity,
            model=self.source.name,
            messages=((("system", system),) if system else ()) + (("user", prompt.prompt),),
            choices=prompt.choices,
            answer_tokens=self.asking.server.answer_tokens,
            api=LOCAL,
            thinking=True,
            body=json.dumps({"precision": precision}),
        )
