"""A spaCy model that a test trains in a moment: it knows a dozen sentences."""

from __future__ import annotations

from pathlib import Path

__all__ = ["save_blank", "save_tagger"]

SENTENCES = [
    ("The/DET cats/NOUN are/AUX too/ADV calm/ADJ ./PUNCT"),
    ("The/DET dogs/NOUN are/AUX too/ADV lazy/ADJ ./PUNCT"),
    ("Old/ADJ kettles/NOUN are/AUX heavy/ADJ ./PUNCT"),
    ("Calm/ADJ cats/NOUN sleep/VERB ./PUNCT"),
    ("Lazy/ADJ dogs/NOUN sleep/VERB ./PUNCT"),
    ("She/PRON mends/VERB a/DET kettle/NOUN ./PUNCT"),
    ("The/DET kettles/NOUN are/AUX old/ADJ ./PUNCT"),
    ("The/DET cats/NOUN are/AUX kettles/NOUN ./PUNCT"),
    ("The/DET dogs/NOUN are/AUX too/ADV sleep/VERB ./PUNCT"),
    ("Lazy/ADJ -/PUNCT calm/ADJ dogs/NOUN sleep/VERB -/PUNCT lazy/ADJ ./PUNCT"),
]


def save_tagger(folder: Path) -> Path:
    """Train a morphologizer on the sentences and save it to ``folder``."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example
    from thinc.api import fix_random_seed

    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    examples = []
    for sentence in SENTENCES:
        words, tags = zip(*(pair.rsplit("/", 1) for pair in sentence.split()), strict=True)
        doc = Doc(nlp.vocab, words=list(words))
        examples.append(Example(doc, Doc(nlp.vocab, words=list(words), pos=list(tags))))
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples)
    nlp.to_disk(folder)
    return folder


def save_blank(folder: Path) -> Path:
    """Save a pipeline that splits texts into words and does nothing else."""
    import spacy

    spacy.blank("en").to_disk(folder)
    return folder
