"""The choices of a judgment: block by block, as stored in every language, with their keys."""

from __future__ import annotations

__all__ = [
    "ANSWER_KEYS",
    "CHOICE_REASONS",
    "COMMENT_KEY",
    "DECLINED",
    "KNOWN_KEYS",
    "NOT_KNOWN",
    "QUESTION_BLOCKS",
    "QUESTION_KEYS",
    "QUESTION_REASONS",
    "REASONS",
    "REASON_KEYS",
    "STANCES",
    "STANCE_KEYS",
    "VERDICTS",
    "VERDICT_KEYS",
    "YES_NO",
]

DECLINED = "declined"
"""The choice of an annotator who would rather not judge an item and leaves it to others."""

VERDICTS = ("valid", "invalid", "incoherent")
STANCES = ("pro", "anti")
YES_NO = ("yes", "no")

REASONS = ("neither_group", "other_stereotype", "only_fact", "grammar", "hard_to_tell")
"""The reasons why a hypothesis is invalid or incoherent."""

NOT_KNOWN = "not_known"
"""The reason why a question with a right marked answer is invalid: people do not know the stereotype."""

CHOICE_REASONS = ("wrong_answer", "several_answers", NOT_KNOWN, "grammar", "hard_to_tell")
"""The reasons why a question with options is invalid or incoherent."""

QUESTION_BLOCKS = ("underspecified", "grammatical", "free_of_hint")
"""The yes/no questions that an annotator answers about a question, in the order of the page."""

QUESTION_REASONS = ("known_facts", "odd_wording", "hard_to_tell")
"""The reasons why something is wrong with a question."""

# Label Studio itself uses u, Enter, Escape, Backspace and Delete on such a page; the digits are free.
VERDICT_KEYS = {"valid": "1", "invalid": "2", "incoherent": "3", DECLINED: "0"}
STANCE_KEYS = {"pro": "p", "anti": "a"}
KNOWN_KEYS = {"yes": "k", "no": "n"}
ANSWER_KEYS = {"a": "1", "b": "2", "c": "3", "incoherent": "9", DECLINED: "0"}
REASON_KEYS = ("4", "5", "6", "7", "8")
"""The keys of the reasons; a page with fewer reasons uses the first ones."""

COMMENT_KEY = "c"
"""Goes to the comment when Tab follows it."""

QUESTION_KEYS = {
    "underspecified": {"yes": "1", "no": "2", DECLINED: "0"},
    "grammatical": {"yes": "g", "no": "n"},
    "free_of_hint": {"yes": "f", "no": "h"},
}
