"""nextset's canaries: obvious pairs and questions in plain English, for models without their own canaries.

Each premise has hypotheses of all labels, and one question for yes and one for no. Each context has two
questions, one for each answer. A model that reads only one of the texts, or always gives the same answer,
gets at most a third or a half of them right.
"""

from __future__ import annotations

from nextset.records.nli_items import Label

__all__ = ["NOT_STATED", "PAIRS", "QUESTIONS", "YES_NO"]

PAIRS: tuple[tuple[str, Label, str], ...] = (
    ("The dog is sleeping on the sofa.", "entailment", "The dog is asleep."),
    ("The dog is sleeping on the sofa.", "neutral", "The dog has a brown tail."),
    ("The dog is sleeping on the sofa.", "contradiction", "The dog is awake and running in the garden."),
    ("Anna bought three apples at the market.", "entailment", "Anna bought some fruit."),
    ("Anna bought three apples at the market.", "neutral", "Anna paid for the apples with coins."),
    ("Anna bought three apples at the market.", "contradiction", "Anna did not buy anything at the market."),
    ("The window is open and the door is closed.", "entailment", "The door is closed."),
    ("The window is open and the door is closed.", "neutral", "The house was built ten years ago."),
    ("The window is open and the door is closed.", "contradiction", "The window is closed."),
    ("It rained all day in the village.", "entailment", "It rained in the village."),
    ("It rained all day in the village.", "neutral", "The village has a good bakery."),
    ("It rained all day in the village.", "contradiction", "It did not rain in the village."),
)  # fmt: skip
"""Premise, label and hypothesis: four pairs of each label."""

YES_NO: tuple[tuple[str, Label, str], ...] = (
    ("The dog is sleeping on the sofa.", "entailment", "Is the dog asleep?"),
    ("The dog is sleeping on the sofa.", "contradiction", "Is the dog running in the garden?"),
    ("Anna bought three apples at the market.", "entailment", "Did Anna buy some fruit?"),
    ("Anna bought three apples at the market.", "contradiction", "Did Anna leave the market with nothing?"),
    ("The window is open and the door is closed.", "entailment", "Is the door closed?"),
    ("The window is open and the door is closed.", "contradiction", "Is the window closed?"),
    ("It rained all day in the village.", "entailment", "Did it rain in the village?"),
    ("It rained all day in the village.", "contradiction", "Was it dry in the village that day?"),
)  # fmt: skip
"""Premise, label and question: four whose answer is yes, four whose answer is no."""

QUESTIONS: tuple[tuple[str, str, str, str], ...] = (
    ("Anna lives in the north and Peter lives in the south.", "Who lives in the north?", "Anna", "Peter"),
    ("Anna lives in the north and Peter lives in the south.", "Who lives in the south?", "Peter", "Anna"),
    ("Mary carried the bag. Thomas carried the umbrella.", "Who carried the bag?", "Mary", "Thomas"),
    ("Mary carried the bag. Thomas carried the umbrella.", "Who carried the umbrella?", "Thomas", "Mary"),
    ("The cup is on the table and the key is in the drawer.", "What is on the table?", "cup", "key"),
    ("The cup is on the table and the key is in the drawer.", "What is in the drawer?", "key", "cup"),
    ("Martin ordered soup. Julia ordered salad.", "Who ordered soup?", "Martin", "Julia"),
    ("Martin ordered soup. Julia ordered salad.", "Who ordered salad?", "Julia", "Martin"),
    ("The museum opens at nine. The library opens at ten.", "What opens at nine?", "museum", "library"),
    ("The museum opens at nine. The library opens at ten.", "What opens at ten?", "library", "museum"),
)  # fmt: skip
"""Context, question, its answer, and the other thing that the context names."""

NOT_STATED = "The text does not say"
"""The option unknown of these questions."""
