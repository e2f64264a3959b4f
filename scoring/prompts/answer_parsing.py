"""A server's answers as text: the schema that limits them, and the choice that an answer gives."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

__all__ = [
    "AROUND",
    "FRAME",
    "REMINDER",
    "SIGNS",
    "UNSPACED",
    "answer_schema",
    "behind_thoughts",
    "choice_of",
    "continues_word",
    "folded_case",
    "mentioned_choices",
    "plain_choice",
    "thoughts_end",
    "thoughts_of",
    "unwrapped_answer",
    "visible_text",
    "without_latex",
    "without_thoughts",
]

REMINDER = "Answer with one of these and nothing else: {choices}."
"""The message to a model that did not answer with one of the choices."""

_NAMES = "think|thinking|thought|thoughts|reasoning|seed:think"
_WRAPPERS = "answer|final_answer|output|response|b|strong|i|em|p|code"
"""Tags that models write around an answer."""
_OPENS = re.compile(
    rf"<\s*(?:{_NAMES})\b[^<>]*>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|start_thinking\|>"
    r"|<\|channel\|>(?:analysis|commentary)|<unused94>",
    re.IGNORECASE,
)
"""The beginning of a model's thoughts; some chat templates write it at the end of the prompt instead."""
_TOKENS = (
    r"\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|end_thinking\|>|<\|start_response\|>"
    r"|<\|channel\|>final<\|message\|>|<unused95>"
)
_THOUGHTS_END = re.compile(rf"</\s*(?:{_NAMES})\s*>|{_TOKENS}", re.IGNORECASE)
"""The end of a model's thoughts."""
_CLOSES = re.compile(rf"</(?!(?:{_WRAPPERS}|s)\s*>)[\w:.-]+\s*>|{_TOKENS}", re.IGNORECASE)
"""The end of a model's thoughts, or of any other text in tags that are not written around an answer."""
_ENDINGS = (
    "</s>", "<eos>", "<end_of_turn>", "<|im_end|>", "<|eot_id|>", "<|end|>", "<|return|>", "<|endoftext|>",
    "<|end_of_text|>", "<|end_response|>",
)  # fmt: skip
"""Tokens that end an answer; some servers leave them in its text."""
_ENDINGS_BACKWARDS = re.compile(
    rf"\n?(?:(?:{'|'.join(re.escape(ending[::-1]) for ending in _ENDINGS)})\s*+)+", re.IGNORECASE
)
"""These tokens at the end of a text. The text is reversed, because a match from its beginning takes quadratic
time."""
_WRAPPED = re.compile(rf"<({_WRAPPERS})>([^<>]*)</\1\s*>", re.IGNORECASE)
_LINE_WRAPPED = re.compile(r"<([\w-]+)>([^<>\n]*)</\1\s*>")
_MARK = re.compile(r"^\s*<|<\s*+(?:/\s*+)?[\w|][^<>]*>|\[/?think\]|◁")
"""A tag or a token of a chat template, or the beginning of one."""

_FENCE = re.compile(r"^```\w*\s*|(?<!\s)\s*```$")
"""The marks that Markdown puts around code."""
AROUND = " \t\r\n.,;:!?'\"`*()[]“”‘’„«»‹›¿¡。，、；：！？（）「」『』《》،؛؟।॥"
"""Characters that are ignored around a choice."""
_PAUSE = re.compile(r"""['"`*)\]”’»」』）]*(?:[.,;!\n。，、；！،؛।॥]|\s+[-–—(])""")
"""The text after a choice at the beginning of an answer; not an apostrophe and letters (Maria's), and not a
question mark."""
_SENTENCE_END = re.compile(r"[.!?\n。！？؟।॥]")
_AROUND_FRAMES = " \t\r\n:：'\"`*_#>([-=“‘„«「『（"
"""Characters that are ignored around a frame: Markdown marks, quotation marks and colons."""
FRAME = re.compile(
    r"(?:(?:based (?:only |solely )?on|according to|given|from) [^,]{1,100}, )?"
    r"(?:(?:so|thus|hence|therefore),? )?(?:(?:the|my) )?(?:(?:final|correct|right|best) )?"
    r"(?:answer|claim|statement|hypothesis)(?: is| would be)?"
    r"|(?:conclusion|verdict|judge?ment|output|label)|my choice is|i(?: would|['’]d)? (?:choose|say)"
    r"|it(?: is|['’]s)?|(?:richtige |endgültige )?antwort|die (?:richtige )?antwort (?:ist|lautet)"
    r"|réponse(?: finale)?|la (?:bonne )?réponse est"
    r"|respuesta(?: final| correcta)?|la respuesta(?: correcta)? es|risposta|la risposta è"
    r"|resposta|la resposta és|a resposta é|antwoord|het antwoord is"
    r"|(?:правильный )?ответ|cevap|yanit|(?:最终|正确)?答案[是为]?|回答|答え|答えは|정답|정답은|답|답은|답변"
    r"|الإجابة هي|الإجابة|الجواب هو|الجواب|उत्तर है|उत्तर|जवाब"
)
"""The sentences that end with an answer: without the answer, and folded. None of them negates the answer."""
_ANSWER_FRAME = re.compile(
    r"(?:(?:(?:the|my) )?(?:(?:final|correct|right|best) )?answer(?: is)?|antwort|réponse|respuesta|risposta"
    r"|resposta|ответ|cevap|정답)[ :*_]+|答案[是为]?[ :*_]*"
)
"""A frame at the beginning of an answer that goes on after the choice."""
_BOXED = re.compile(r"\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf)\s?\{([^{}\\]*)\}")
_MATHS = re.compile(r"\$\$?|\\[()\[\]]")
"""The marks of LaTeX around a formula."""
_NESTED = 3
"""The most commands of LaTeX around an answer."""
_LINE_MARK = re.compile(r"^(?:[-+•>]|#{1,6})\s+")
"""The marks of Markdown before a line."""
_DECORATION = " \ufe0f✅✔☑👍👌💯🎯✨👉➡→😊🙂😀😃😄_"
"""Signs around an answer that do not change what it says."""
_ANSWER_KEYS = {"answer", "final_answer", "final answer", "finalanswer"}
"""The names, in small letters, of an answer among the members of an object."""
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Letters of scripts without spaces between words."""
SIGNS = "\u0300-\u036f\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
"""Marks that continue a word but are not in Python's \\w."""
_JOINED = "[وفبلك]?"
"""The Arabic *and*, *so*, *by*, *for* and *as*, each written as one word with the name that follows."""
_WORD_BEFORE, _WORD_AFTER = (f"(?{side}[^\\W{UNSPACED}]|[{SIGNS}])" for side in ("<!", "!"))


def answer_schema(choices: Sequence[str]) -> dict[str, Any]:
    """Return the ``response_format`` that lets a server write only {"answer": CHOICE}, with one choice."""
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(choices)}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def without_thoughts(text: str) -> str | None:
    """Return the answer after the thoughts that a model wrote into ``text``; None if they do not end.

    Tags around the answer are removed. The result is empty if other tags or tokens of a chat template remain,
    because their meaning is unknown and they may be thoughts.
    """
    answer = _without_endings(_CLOSES.split(text)[-1])
    answer = _WRAPPED.sub(r"\2", answer).strip()
    seen = visible_text(answer)
    if _OPENS.search(seen):
        return None
    return "" if _MARK.search(seen) else answer


def thoughts_end(text: str) -> int:
    """Return the place in ``text`` behind its thoughts and other text in tags; 0 if it has none."""
    return max((end.end() for end in _CLOSES.finditer(text)), default=0)


def behind_thoughts(text: str) -> str:
    """Return the text after the thoughts that a model wrote into ``text``; empty if they do not end.

    Tags around a line or a part of a line are removed; other tags and tokens stay.
    """
    rest = _without_endings(_THOUGHTS_END.split(text)[-1])
    return "" if _OPENS.search(visible_text(rest)) else _LINE_WRAPPED.sub(r"\2", rest).strip()


def thoughts_of(text: str) -> str:
    """Return the thoughts that a model wrote into ``text``, without the tags around them; empty if there are
    none. Thoughts without an end reach to the end of the text."""
    *thoughts, rest = _THOUGHTS_END.split(text)
    opened = _OPENS.search(rest)
    if opened is not None:
        thoughts.append(rest[opened.end() :])
    return "\n".join(_OPENS.sub("", part).strip() for part in thoughts).strip()


def _without_endings(text: str) -> str:
    there = _ENDINGS_BACKWARDS.match(text[::-1])
    return text[: len(text) - there.end()] if there else text


def visible_text(text: str) -> str:
    """Return ``text`` as a reader sees it: no HTML escapes, full-width letters or invisible characters."""
    plain = html.unescape(text)
    if plain.isascii():
        return plain
    # character by character, because Python takes quadratic time to sort the marks of a whole text
    shown = {c: unicodedata.normalize("NFKC", c) for c in set(plain)}
    return "".join(c for part in plain for c in shown[part] if unicodedata.category(c) != "Cf")


def choice_of(text: str, choices: Sequence[str]) -> int | None:
    """Return the position of the choice that ``text`` gives as its answer; None if there is no clear choice.

    The choice is the whole text, begins it (Yes, because …), or ends it after a fixed frame (The answer is
    yes). It counts only if no other choice is mentioned. Case and punctuation around it are ignored. A choice
    inside a longer one (Guinea in Equatorial Guinea) does not count as mentioned.
    """
    plain = [plain_choice(choice) for choice in choices]
    written = _chosen(unwrapped_answer(text), plain)
    return written if written is not None else _chosen(_undecorated(text), plain)


def _chosen(answer: str, plain: Sequence[str]) -> int | None:
    """Return the position in ``plain`` of the choice that ``answer`` gives; None if there is none."""
    answer = folded_case(answer.strip(AROUND))
    chosen = plain_choice(answer)
    if not chosen:
        return None
    if chosen not in plain:
        mentioned = mentioned_choices(answer, plain)
        chosen = mentioned.pop() if len(mentioned) == 1 else ""
        if not chosen or not (_begins(chosen, answer) or _ends(chosen, answer)):
            return None
    return plain.index(chosen) if plain.count(chosen) == 1 else None


def _undecorated(text: str) -> str:
    """Return the answer in ``text`` without LaTeX, marks of Markdown, emojis and full-width letters."""
    answer = without_latex(unwrapped_answer(visible_text(text))).strip(AROUND + _DECORATION)
    answer = folded_case(_LINE_MARK.sub("", answer).strip(AROUND + _DECORATION))
    frame = _ANSWER_FRAME.match(answer)
    return answer[frame.end() :].lstrip(AROUND + _DECORATION) if frame else answer


def without_latex(text: str) -> str:
    """Return ``text`` without the commands of LaTeX around an answer: yes for $\\boxed{\\text{yes}}$."""
    for _ in range(_NESTED):
        text = _BOXED.sub(r"\1", text)
    return _MATHS.sub("", text)


def plain_choice(text: str) -> str:
    """Return ``text`` for comparison: in one case, on one line, without punctuation around it."""
    return folded_case(" ".join(text.split()).strip(AROUND))


def folded_case(text: str) -> str:
    """Return ``text`` in one case, without joiners; İ, I, ı and i become one letter, as case links them."""
    visible = text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")
    return visible.casefold().replace("i\u0307", "i").replace("\u0131", "i")


def mentioned_choices(answer: str, choices: Sequence[str]) -> set[str]:
    """Return the ``choices`` that occur in ``answer`` as words."""
    rest = " ".join(answer.split())
    mentioned = set()
    for choice in sorted(filter(None, choices), key=len, reverse=True):
        rest, times = re.subn(f"{_WORD_BEFORE}{_JOINED}{re.escape(choice)}{_WORD_AFTER}", "\0", rest)
        if times:
            mentioned.add(choice)
    return mentioned


def _begins(choice: str, answer: str) -> bool:
    """Return True if ``answer`` begins with ``choice`` and continues after punctuation or a line break."""
    return answer.startswith(choice) and _PAUSE.match(answer, len(choice)) is not None


def _ends(choice: str, answer: str) -> bool:
    """Return True if the last sentence of ``answer`` is a frame and ``choice``."""
    if not answer.endswith(choice):
        return False
    head = answer.removesuffix(choice)
    sentence = _SENTENCE_END.split(head.rstrip(_AROUND_FRAMES))[-1]
    return FRAME.fullmatch(sentence.strip(_AROUND_FRAMES)) is not None and not continues_word(head[-1])


def continues_word(character: str) -> bool:
    """Return True if a word can continue after ``character``."""
    return re.match(f"[^\\W{UNSPACED}]|[{SIGNS}]", character) is not None


def unwrapped_answer(text: str) -> str:
    """Return the answer inside JSON if ``text`` is an object with an answer or a single text, else ``text``.

    The result is empty if the object is damaged.
    """
    inner = _FENCE.sub("", text.strip())
    if not inner.startswith("{"):
        return text
    try:
        members = json.loads(inner, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return ""
    keys = ["answer"] if "answer" in members else [k for k in members if k.lower() in _ANSWER_KEYS]
    if len(keys) != 1 and len(members) != 1:
        return text
    answer = members[(keys or list(members))[0]]
    return answer if isinstance(answer, str) else ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these members; raises ValueError for a repeated name."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is repeated")
    return members
