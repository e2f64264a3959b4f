"""The store of answers for a model on this machine that thinks: its thoughts, once per prompt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from nextset.files.cache_home import cache_home
from nextset.redaction import redacted
from nextset.scoring.asking import Asking
from nextset.scoring.model_server.answer_cache import AnswerRequest, Answers
from nextset.scoring.model_server.completion import Completion, whole_characters
from nextset.scoring.model_server.stored_answers import StoredAnswer
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_wordings import Rendered
from nextset.scoring.prompts.answer_parsing import thoughts_of

__all__ = ["ThoughtStore"]


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

    def put(self, prompt: Rendered, thoughts: str, tokens: int, choice: int) -> None:
        """Store the text that the model wrote about ``prompt`` before its answer, of so many ``tokens``.

        The answer is the most probable ``choice``. Earlier thoughts about the prompt are not replaced: in
        higher precision, a model can think again.
        """
        text = redacted(whole_characters(thoughts_of(thoughts) or thoughts.strip()))
        day = datetime.now(UTC).date().isoformat()
        answer = Completion(
            prompt.choices[choice], thoughts=text, usage=Usage(0, 0, tokens, tokens), date=day
        )
        self.answers.put(self._request(prompt), answer)

    def read(self, prompt: Rendered) -> list[StoredAnswer] | None:
        """Return the stored thoughts about ``prompt`` with the answer; None if they are not stored."""
        known = self.answers.get(self._request(prompt))
        return None if known is None else [StoredAnswer(known, prompt.choices.index(known.text), None)]

    def _request(self, prompt: Rendered) -> AnswerRequest:
        scoring, system = self.asking.scoring, self.asking.model.system_prompt
        return AnswerRequest(
            server=self.source.identity,
            model=self.source.name,
            messages=((("system", system),) if system else ()) + (("user", prompt.prompt),),
            choices=prompt.choices,
            answer_tokens=self.asking.server.answer_tokens,
            thinking=True,
            body=json.dumps({"precision": scoring.precision}),
        )
