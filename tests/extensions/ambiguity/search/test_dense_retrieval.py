"""Dense retrieval with tiny encoders: vectors as transformers computes them, the same results by FAISS."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.artifacts.artifact import open_artifact
from nextset.artifacts.build import Part
from nextset.errors import DependencyMissing, InputError, ModelError
from nextset.extensions.ambiguity.search import search_stage
from nextset.extensions.ambiguity.search.dense_stage import _folder_name
from nextset.extensions.ambiguity.search.passage_vectors import EncodingJob
from nextset.extensions.ambiguity.search.pooling import Pooling, pooling_of
from nextset.extensions.ambiguity.search.search_stage import check_retrievers, search_passages
from nextset.extensions.ambiguity.search.sentence_encoder import EncoderModel, SentenceEncoder
from nextset.extensions.ambiguity.search.stage import index_passages
from nextset.extensions.ambiguity.search.vector_search import exact_search, faiss_search
from nextset.scoring.batches import Budget
from nextset.scoring.engines.local import run_locally, run_on_devices
from nextset.scoring.models.sources import locate
from nextset.scoring.row_chunks import InMemoryRows
from tests.extensions.ambiguity.search.passage_studies import PASSAGES, QUESTIONS, passage_study
from tests.extensions.ambiguity.search.tiny_encoders import (
    SIZE,
    save_bert,
    save_dpr,
    sentence_transformers_files,
)

TEXTS = ["a comet", "The iron bridge, in 1847, was long and very old.", "x"]


def encoder(folder: Path, prompt: str = "", **pooling: Any) -> SentenceEncoder:
    source = locate(str(folder))
    asked: dict[str, Any] = {"kind": "auto", "normalize": False, **pooling}
    return SentenceEncoder.load(EncoderModel(source, pooling_of(source, **asked), prompt, "float32", "cpu"))


def hidden(folder: Path, text: str, pair: str | None = None, **options: Any) -> torch.Tensor:
    """The last hidden states of one text, shape (tokens, dimensions), as transformers gives them."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        found = model(**tokenizer(text, pair, return_tensors="pt", **options))
    return torch.as_tensor(found.last_hidden_state[0])


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT without a pooler."""
    return save_bert(tmp_path_factory.mktemp("encoders") / "bert", pooler=False)


@pytest.fixture(scope="module")
def dpr(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two halves of a DPR."""
    return save_dpr(tmp_path_factory.mktemp("dpr"))


def test_mean_and_first_token(bert: Path) -> None:
    mean, first = encoder(bert), encoder(bert, kind="cls")
    for text, vector, at_first in zip(
        TEXTS, mean.vectors(mean.questions(TEXTS)), first.vectors(first.questions(TEXTS)), strict=True
    ):
        states = hidden(bert, text)
        assert vector == pytest.approx(states.mean(0).numpy(), abs=1e-5)
        assert at_first == pytest.approx(states[0].numpy(), abs=1e-5)
        assert vector.dtype == np.float32


@pytest.mark.parametrize("name", ["modules.json", "1_Pooling/config.json", "sentence_bert_config.json"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_not_taken_for_absent(tmp_path: Path, name: str, kind: str) -> None:
    folder = save_bert(tmp_path / "bert")
    sentence_transformers_files(folder, cls=True, longest=9)
    (folder / name).unlink()
    if kind == "link":  # as a cache of the Hub whose blob is gone
        (folder / name).symlink_to(tmp_path / "gone")
    elif kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).mkdir()
    with pytest.raises(ModelError, match=r"cannot be read|not a file"):
        pooling_of(locate(str(folder)), "auto", False)


def test_passages_are_title_and_text_and_are_cut(bert: Path) -> None:
    asked = encoder(bert, prompt="passage:")
    read = asked.passages(["Ann", "", "Ann"], ["A comet.", "A comet.", "comet " * 200])
    assert [cut for _, cut in read] == [False, False, True]
    vectors = asked.vectors(read)
    assert vectors[0] == pytest.approx(hidden(bert, "passage: Ann A comet.").mean(0).numpy(), abs=1e-5)
    assert vectors[1] == pytest.approx(hidden(bert, "passage: A comet.").mean(0).numpy(), abs=1e-5)
    cut = hidden(bert, "passage: Ann " + "comet " * 200, truncation=True, max_length=128)
    assert vectors[2] == pytest.approx(cut.mean(0).numpy(), abs=1e-5)


def test_long_questions_are_refused(bert: Path) -> None:
    with pytest.raises(ModelError, match="reads at most 128 tokens"):
        encoder(bert).questions(["who " * 200])


def test_dpr_reads_pairs_and_has_its_own_vector(dpr: tuple[Path, Path]) -> None:
    context, question = dpr
    passages, questions = encoder(context), encoder(question)
    tokenizer = transformers.AutoTokenizer.from_pretrained(context)
    pair = passages.vectors(passages.passages(["Ann"], ["A comet."]))
    asked = questions.vectors(questions.questions(["Who?"]))
    for found, kind, folder, text in (
        (pair, transformers.DPRContextEncoder, context, ("Ann", "A comet.")),
        (asked, transformers.DPRQuestionEncoder, question, ("Who?",)),
    ):
        model: Any = kind.from_pretrained(folder)
        model.eval()
        with torch.inference_mode():
            expected = model(**tokenizer(*text, return_tensors="pt")).pooler_output[0].numpy()
        assert found[0] == pytest.approx(expected, abs=1e-5)


def test_dpr_reads_an_empty_text_or_title_as_a_call_with_lists_does(dpr: tuple[Path, Path]) -> None:
    # a call with single texts leaves an empty second text out, and its separator; published passages are
    # encoded with lists
    titles, texts = ["Ann", "", "Cora", ""], ["", "A comet.", "Iron.", ""]
    tokenizer = transformers.AutoTokenizer.from_pretrained(dpr[0])
    read = encoder(dpr[0]).passages(titles, texts)
    assert [e.ids for e, _ in read] == tokenizer(titles, texts)["input_ids"]


def test_dpr_has_no_other_pooling(tmp_path: Path, dpr: tuple[Path, Path]) -> None:
    dense = [{"model": str(dpr[0]), "question_model": str(dpr[1]), "pooling": "mean"}]
    study = passage_study(tmp_path / "s", dense=dense)
    with pytest.raises(ModelError, match="cannot have pooling: mean") as caught:
        check_retrievers(study)
    assert "remove pooling" in caught.value.remedy


def test_a_folder_says_how_its_vectors_are_made(tmp_path: Path) -> None:
    folder = save_bert(tmp_path / "st")
    assert pooling_of(locate(str(folder)), "auto", False) == Pooling("AutoModel", "mean", False, None)
    sentence_transformers_files(folder, cls=True, longest=9)
    found = encoder(folder)
    assert found.encoder.pooling == Pooling("AutoModel", "cls", True, 9)
    assert found.loaded.max_length == 9
    vector = found.vectors(found.questions(["a star"]))[0]
    state = hidden(folder, "a star")[0]
    assert vector == pytest.approx((state / state.norm()).numpy(), abs=1e-5)
    assert pooling_of(locate(str(folder)), "mean", False).kind == "mean"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"more": "Dense"}, "has a step that nextset does not compute: Dense"),
        ({"config": '{"pooling_mode_max_tokens": true}'}, "does not compute: pooling_mode_max_tokens"),
        ({"config": "{"}, "config.json cannot be read"),
        ({"modules": "{}"}, "modules.json cannot be read"),
        ({"modules": '[{"type": "x.Pooling", "path": "../.."}]'}, "modules.json cannot be read"),
    ],
)
def test_folders_that_cannot_be_used(tmp_path: Path, change: dict[str, str], problem: str) -> None:
    folder = save_bert(tmp_path / "st")
    sentence_transformers_files(folder, more=change.get("more", ""))
    if "config" in change:
        (folder / "1_Pooling" / "config.json").write_text(change["config"])
    if "modules" in change:
        (folder / "modules.json").write_text(change["modules"])
    with pytest.raises(ModelError, match=problem):
        pooling_of(locate(str(folder)), "auto", False)


def test_batches_do_not_matter(bert: Path) -> None:
    found = encoder(bert)
    read = found.questions([" ".join(["star"] * (1 + i % 9)) for i in range(40)])
    alone = SentenceEncoder(found.encoder, found.loaded, Budget(1)).vectors(read)
    assert found.vectors(read) == pytest.approx(alone, abs=1e-5)


BLOCKS = st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=120)


@settings(deadline=None, max_examples=60)
@given(rows=BLOCKS, questions=BLOCKS, most=st.integers(1, 9), step=st.integers(1, 130))
def test_faiss_gives_the_same_as_exact_search(
    rows: list[list[int]], questions: list[list[int]], most: int, step: int
) -> None:
    """Small whole numbers, so that there are many ties."""
    vectors, asked = np.array(rows, np.float32), np.array(questions[:7], np.float32)
    blocks = [(start, vectors[start : start + step]) for start in range(0, len(rows), step)]
    products = asked.astype(np.float64) @ vectors.T.astype(np.float64)
    for search in (exact_search, faiss_search):
        for top, scores in zip(search(blocks, asked, most), products, strict=True):
            order = sorted(range(len(rows)), key=lambda i: (-scores[i], i))[:most]
            assert top.passages.tolist() == order
            assert top.scores.tolist() == [scores[i] for i in order]


def test_without_faiss(tmp_path: Path, bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = passage_study(tmp_path / "s", dense=[{"model": str(bert), "search": "faiss"}])
    index_passages(study)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "faiss" else found(name))
    with pytest.raises(DependencyMissing) as e:
        search_passages(study)
    assert "pip install 'nextset[retrieval]'" in e.value.remedy
    assert not list(study.out.glob("passage_vectors*"))


def test_several_devices_give_the_same_vectors(bert: Path) -> None:
    rows = [InMemoryRows(pa.table({"title": [f"T{i}"], "text": ["a star"]})) for i in range(6)]
    asked = encoder(bert).encoder
    parts = {str(i): Part("vectors", EncodingJob(asked, one, i)) for i, one in enumerate(rows)}
    both = dict(run_on_devices(parts, ["cpu", "cpu:0"]))
    assert {file: made.table for file, made in both.items()} == {
        file: made.table for file, made in run_locally(parts)
    }


def test_a_study_with_two_encoders(tmp_path: Path, bert: Path, dpr: tuple[Path, Path]) -> None:
    dense: list[dict[str, Any]] = [
        {"model": str(bert), "search": "faiss", "normalize": True},
        {"model": str(dpr[0]), "question_model": str(dpr[1])},
    ]
    study = passage_study(tmp_path / "s", dense=dense, bm25=False)
    index_passages(study)
    found = search_passages(study)
    rows = found.to_pandas("retrieved")
    assert rows.groupby("retriever").size().to_dict() == {"bert": 15, "ctx": 15}
    vectors = open_artifact(study.out / "passage_vectors-ctx").table("vectors")
    passages, questions = encoder(dpr[0]), encoder(dpr[1])
    expected = passages.vectors(
        passages.passages([p["title"] for p in PASSAGES], [p["text"] for p in PASSAGES])
    )
    assert np.array(vectors["vector"].to_pylist(), np.float32) == pytest.approx(expected, abs=1e-5)
    asked = questions.vectors(questions.questions([q["question"] for q in QUESTIONS]))
    first = rows[(rows["retriever"] == "ctx") & (rows["rank"] == 1)]["passage"].tolist()
    assert first == (asked @ expected.T).argmax(1).tolist()
    assert search_passages(study).built == "reused"
    again = passage_study(tmp_path / "s", dense=[{**dense[0], "search": "exact"}, dense[1]], bm25=False)
    assert search_passages(again).table("retrieved") == found.table("retrieved")


def test_what_cannot_be_used_is_found_before_a_run(
    tmp_path: Path, bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = save_bert(tmp_path / "wide")
    config = transformers.BertConfig.from_pretrained(other)
    config.hidden_size = 2 * SIZE
    transformers.BertModel(config).save_pretrained(other)
    study = passage_study(tmp_path / "s", dense=[{"model": str(bert), "question_model": str(other)}])
    with pytest.raises(ModelError, match=r"have 16 numbers, and those of .* have 32"):
        check_retrievers(study)
    index_passages(study)
    with pytest.raises(ModelError, match=r"have 16 numbers, and those of .* have 32"):
        search_passages(study)
    fine = passage_study(tmp_path / "s", dense=[{"model": str(bert)}])
    check_retrievers(fine)
    search_passages(fine)
    monkeypatch.setattr(search_stage, "try_encoders", None)  # nothing is loaded for what is there
    check_retrievers(fine)
    for wrong in (
        {"questions": ["gone.csv"]},
        {"collection": {"source": "gone"}},
        {"dense": [{"model": "gone"}]},
    ):
        with pytest.raises((InputError, ModelError)):
            check_retrievers(passage_study(tmp_path / "wrong", **wrong))


KILLED = """
import os, sys
from nextset.scoring import row_chunks
from nextset.extensions.ambiguity.search import dense_stage, search_stage
row_chunks.chunk_size = lambda rows: 4
def progress(name):
    def tick(done, total):
        if name.startswith("passage_vectors") and done == 2:
            os.kill(os.getpid(), 9)
    return tick
search_stage.search_passages(sys.argv[1], progress)
"""


@pytest.mark.slow
def test_a_killed_encoding_resumes_to_the_same_bytes(
    tmp_path: Path, root: Path, bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nextset.scoring import row_chunks

    monkeypatch.setattr(row_chunks, "chunk_size", lambda rows: 4)
    passages = [{"id": str(i), "title": "", "text": f"star {i}"} for i in range(14)]
    files = []
    for name in ("whole", "killed"):
        study = passage_study(tmp_path / name, passages=passages, dense=[{"model": str(bert)}])
        index_passages(study)
        if name == "killed":
            run = subprocess.run(
                [sys.executable, "-c", KILLED, study.folder],
                cwd=root,
                env=os.environ | {"PYTHONPATH": str(root)},
                capture_output=True,
                check=False,
            )
            assert run.returncode == -signal.SIGKILL, run.stderr
            journal = (study.out / "passage_vectors-bert.partial" / "journal.jsonl").read_text()
            assert journal.count("vectors/0") == 2
        search_passages(study)
        vectors = open_artifact(study.out / "passage_vectors-bert")
        files.append([(vectors.folder / s.file).read_bytes() for s in vectors.shards])
        assert vectors.rows("vectors") == 14
    assert files[0] == files[1]
    assert len(files[0]) == 4


LABELS = st.text(st.one_of(st.sampled_from("/-:m1éü "), st.characters(codec="utf-8")), min_size=1, max_size=6)


@given(LABELS, LABELS)
def test_two_encoders_do_not_share_a_folder(one: str, two: str) -> None:
    names = [_folder_name(label) for label in (one, two)]
    assert all(re.fullmatch(r"[A-Za-z0-9._+-]+", name) for name in names)
    if unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", two):
        assert names[0] != names[1]


def test_names_of_folders_of_vectors() -> None:
    assert _folder_name("org/encoder-1") == "org--encoder-1"
    assert len({_folder_name(label) for label in ("mé1", "mü1", "m--1", "m/1", "m:1")}) == 5
    assert len(_folder_name("m" * 300)) < 120
