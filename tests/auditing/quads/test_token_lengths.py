"""Token lengths of subjects, by the tokenizer of a model that comes with nextset."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.auditing.quads.quad_columns import QuadModel
from nextset.auditing.quads.quad_tables import quad_classes
from nextset.auditing.quads.token_lengths import TokenLengths
from nextset.errors import ModelError
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.subjects.subject_tokens import subject_token_counts

MODEL = QuadModel("audit", "builtin:qa-roformer", "r")
CONTEXT_12, CONTEXT_21 = "The dog met the crocodile.", "The crocodile met the dog."


@pytest.fixture(scope="module")
def source() -> ModelSource:
    return locate("builtin:qa-roformer", Path())


def questions() -> pa.Table:
    span = pa.struct([("start", pa.int32()), ("end", pa.int32())])
    return pa.table(
        {
            "id": ["q1", "q2"],
            "subject_class": ["pets"] * 2,
            "template_id": ["t"] * 2,
            "attribute": ["kind"] * 2,
            "attribute_cluster": [""] * 2,
            "cluster1": [""] * 2,
            "cluster2": [""] * 2,
            "subject1": ["dog", "dog"],
            "subject2": ["crocodile", "cat"],
            "context_12": [CONTEXT_12, "The dog met the cat."],
            "context_21": [CONTEXT_21, "The cat met the dog."],
            "subject1_in_12": pa.array([{"start": 4, "end": 7}] * 2, span),
            "subject2_in_21": pa.array([{"start": 4, "end": 13}, {"start": 4, "end": 7}], span),
        }
    )


def test_counts_are_those_of_the_tokenizer(source: ModelSource) -> None:
    from tokenizers import Tokenizer

    assert source.folder is not None
    tokens = Tokenizer.from_file(str(source.folder / "tokenizer.json"))
    found = subject_token_counts(source, [(CONTEXT_12, 4, 7), (CONTEXT_21, 4, 13)])
    # the words alone give as many tokens as in the sentence, since they stand between spaces
    assert found == [len(tokens.encode(w, add_special_tokens=False).tokens) for w in ("dog", "crocodile")]


def test_quads_with_equally_many_tokens(source: ModelSource) -> None:
    counts = subject_token_counts(source, [(CONTEXT_12, 4, 7), (CONTEXT_21, 4, 13),
                                           ("The cat met the dog.", 4, 7)])  # fmt: skip
    assert counts is not None
    lengths = TokenLengths([questions()], {MODEL.model: source})
    (quads,) = quad_classes([questions()], "question")
    found = lengths(quads, MODEL)
    assert found is not None
    assert found.tolist() == [counts[0] == counts[1], counts[0] == counts[2]]


def test_nobody_knows_without_a_tokenizer(source: ModelSource, tmp_path: Path) -> None:
    (quads,) = quad_classes([questions()], "question")
    assert TokenLengths([questions()], {})(quads, MODEL) is None
    (statements,) = quad_classes([questions()], "statement")
    assert TokenLengths([questions()], {MODEL.model: source})(statements, MODEL) is None
    assert source.folder is not None
    (tmp_path / "tokenizer.json").write_bytes((source.folder / "tokenizer.json").read_bytes()[:500])
    damaged = replace(source, folder=tmp_path)
    with pytest.raises(ModelError, match=r"the tokenizer\.json of .* cannot be read"):
        subject_token_counts(damaged, [(CONTEXT_12, 4, 7)])
