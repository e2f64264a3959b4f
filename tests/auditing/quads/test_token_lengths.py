"""Token lengths of subjects, by the tokenizers of a model that comes with nextset and of several kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from transformers import PreTrainedTokenizerFast

from nextset.auditing.quads.quad_audit import audit_quads
from nextset.auditing.quads.quad_columns import QuadModel, QuadSet
from nextset.auditing.quads.quad_tables import quad_classes
from nextset.auditing.quads.token_lengths import TokenLengths
from nextset.errors import ModelError
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.subjects.subject_tokens import candidate_token_counts, subject_token_counts

MODEL = QuadModel("audit", "builtin:qa-roformer", "r")
CONTEXT_12, CONTEXT_21 = "The dog met the crocodile.", "The crocodile met the dog."
NAMES = {
    "ar": ("في القطار، جلس {} قبالة {}.", "اسم الشخص هو {{MASK}}.", ("السوري", "الفرنسي", "الصيني")),
    "zh": ("一名{}和一名{}住对门。", "那名{{MASK}}迟到了。", ("德国人", "中国人", "加拿大人")),
    "hi": ("शादी में {} और {} एक ही मेज़ पर थे।", "{{MASK}} देर से आया।", ("राम", "मोहन", "अनिता")),
    "ru": ("{} встретил {}.", "Опоздал {{MASK}}.", ("Иван", "Пётр", "Александр")),
    "tr": ("{} dün {} ile konuştu.", "Geç kalan {{MASK}} oldu.", ("İnci", "Işıl", "Çağla")),
    "en": ("{} met {}.", "It was {{MASK}}.", ("Ana", "Ben", "Cleo")),
}
"""By language a context, a statement and three subjects, of which in most the first two are equally long."""
KINDS = ["wordpiece", "bytes", "unigram"]
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def letters() -> list[str]:
    texts = [text + statement + "".join(names) for text, statement, names in NAMES.values()]
    return sorted({c for text in texts for c in text if not c.isspace()})


def tokenizer_of(kind: str) -> Tokenizer:
    """A tokenizer that splits words into letters, or into the bytes of UTF-8."""
    known = letters()
    if kind == "wordpiece":
        pieces = [*SPECIALS, *known, *(f"##{c}" for c in known)]
        found = Tokenizer(
            models.WordPiece(
                {t: i for i, t in enumerate(pieces)}, unk_token="[UNK]", max_input_chars_per_word=99
            )
        )
        found.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
        found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        found.decoder = decoders.WordPiece()
    elif kind == "bytes":
        pieces = [*SPECIALS, *sorted(pre_tokenizers.ByteLevel.alphabet())]
        found = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(pieces)}, merges=[]))
        found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        found.decoder = decoders.ByteLevel()
    else:
        scored = [(t, -1.0) for t in SPECIALS] + [(c, -9.0) for c in ("▁", *known)]
        found = Tokenizer(models.Unigram(scored, unk_id=1, byte_fallback=False))
        found.pre_tokenizer = pre_tokenizers.Metaspace()
        found.decoder = decoders.Metaspace()
    found.add_special_tokens([*SPECIALS[:-1], AddedToken("[MASK]", lstrip=kind != "wordpiece", special=True)])
    found.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(t, SPECIALS.index(t)) for t in ("[CLS]", "[SEP]")]
    )
    return found


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, kind: str) -> ModelSource:
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), SPECIALS, strict=False))
    folder = tmp_path_factory.mktemp(kind)
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer_of(kind),
        mask_token=AddedToken("[MASK]", lstrip=kind != "wordpiece", special=True),
        **names,
    ).save_pretrained(folder)
    return replace(locate("builtin:qa-roformer", Path()), name=kind, folder=folder)


def length(kind: str, subject: str) -> int:
    """The tokens of a subject: its letters, vowel signs among them, or the bytes of UTF-8."""
    return len(subject.encode()) if kind == "bytes" else len(subject)


def rows(language: str) -> pa.Table:
    context, statement, names = NAMES[language]
    made: list[dict[str, Any]] = []
    for one, other in ((0, 1), (0, 2)):
        row: dict[str, Any] = {
            "id": f"{one}{other}",
            "subject_class": "people",
            "template_id": "t",
            "attribute": "late",
            "attribute_cluster": "",
            "cluster1": "",
            "cluster2": "",
            "subject1": names[one],
            "subject2": names[other],
            "statement": statement,
            "candidate1": names[one],
            "candidate2": names[other],
        }
        for order, (first, second) in {"12": (one, other), "21": (other, one)}.items():
            text = context.format(names[first], names[second])
            row[f"context_{order}"] = text
            for i, place in ((first, text.index), (second, text.rindex)):
                at = place(names[i])
                span = {"start": at, "end": at + len(names[i])}
                row[f"subject{1 if i == one else 2}_in_{order}"] = span
        made.append(row)
    return pa.Table.from_pylist(made)


@pytest.mark.parametrize("language", NAMES)
def test_subjects_of_every_script_have_their_tokens(source: ModelSource, kind: str, language: str) -> None:
    context, statement, names = NAMES[language]
    text = context.format(names[0], names[2])
    places = [(text, text.index(n), text.index(n) + len(n)) for n in (names[0], names[2])]
    found = subject_token_counts(source, places)
    # a text that begins with the subject has a blank put first by unigram tokenizers, as a token
    first = int(kind == "unigram" and text.startswith(names[0]))
    assert found == [length(kind, names[0]) + first, length(kind, names[2])]
    at_mask = candidate_token_counts(source, [(f"{text} {statement}", n) for n in names])
    # the mask takes the blank before it, which is a token of its own
    blank = int(kind != "wordpiece" and f" {statement}".partition("{{MASK}}")[0].endswith(" "))
    assert at_mask == [length(kind, n) + blank for n in names]


@pytest.mark.parametrize("form", ["question", "statement"])
@pytest.mark.parametrize("language", NAMES)
def test_pairs_of_equal_length(source: ModelSource, kind: str, language: str, form: Any) -> None:
    table, names = rows(language), NAMES[language][2]
    (quads,) = quad_classes([table], form)
    found = TokenLengths([table], {MODEL.model: source}, form)(quads, MODEL)
    assert found is not None
    lengths = [length(kind, n) for n in names]
    assert found.equal_length.tolist() == [lengths[0] == lengths[1], lengths[0] == lengths[2]]
    assert not found.single_token.any()
    other = "statement" if form == "question" else "question"
    (quads,) = quad_classes([table], other)
    assert TokenLengths([table], {MODEL.model: source}, form)(quads, MODEL) is None


def test_both_slots_count(source: ModelSource, kind: str) -> None:
    # Ana and Ben are equally long; in the second slot Ben has another case
    table = rows("en").slice(0, 1).to_pylist()
    context = "Bena met Ana and Ana met Bena."
    table[0] |= {"context_12": context, "subject1_in_12": {"start": 9, "end": 12}}
    table[0] |= {"subject2_in_12": {"start": 25, "end": 29}}
    made = pa.Table.from_pylist(table)
    (quads,) = quad_classes([made], "question")
    found = TokenLengths([made], {MODEL.model: source}, "question")(quads, MODEL)
    assert found is not None
    assert found.equal_length.tolist() == [False]


def test_a_subject_that_is_not_known_has_no_length(source: ModelSource, kind: str) -> None:
    # the tokenizers know no Greek; bytes know every script
    text = "Άννα met Όθων."
    found = subject_token_counts(source, [(text, 0, 4), (text, 9, 13)])
    assert found == ([8, 8] if kind == "bytes" else [None, None])
    at_mask = candidate_token_counts(source, [("It was {{MASK}}.", "Άννα")])
    assert at_mask == ([9] if kind == "bytes" else [None])
    table = rows("en")
    greek = pa.array(["Άννα"] * 2)
    table = table.set_column(table.column_names.index("candidate1"), "candidate1", greek)
    table = table.set_column(table.column_names.index("candidate2"), "candidate2", greek)
    (quads,) = quad_classes([table], "statement")
    lengths = TokenLengths([table], {MODEL.model: source}, "statement")(quads, MODEL)
    assert lengths is not None
    assert lengths.equal_length.tolist() == [kind == "bytes"] * 2


def test_single_tokens_are_measured_apart() -> None:
    import numpy as np

    source = locate(MODEL.model, Path())
    table = rows("en")
    (quads,) = quad_classes([table], "question")
    lengths = TokenLengths([table], {MODEL.model: source}, "question")(quads, MODEL)
    assert lengths is not None
    lengths = replace(lengths, equal_length=np.array([True, False]), single_token=np.array([True, False]))
    scores = {MODEL: lambda: np.full((8, 2), 0.5)}
    audit = audit_quads([QuadSet("dataset", quads.columns, scores, {MODEL: lengths})])
    every = {row.selection: row.n for row in audit.measures if row.by == "all"}
    assert every == {"all": 2, "equal_length": 1, "single_token": 1}


def test_counts_are_those_of_the_built_in_tokenizer() -> None:
    source = locate("builtin:qa-roformer", Path())
    assert source.folder is not None
    tokens = Tokenizer.from_file(str(source.folder / "tokenizer.json"))
    found = subject_token_counts(source, [(CONTEXT_12, 4, 7), (CONTEXT_21, 4, 13)])
    # the words alone give as many tokens as in the sentence, since they stand between spaces
    assert found == [len(tokens.encode(w, add_special_tokens=False).tokens) for w in ("dog", "crocodile")]


def test_nobody_knows_without_a_tokenizer(tmp_path: Path) -> None:
    table, source = rows("en"), locate("builtin:qa-roformer", Path())
    (quads,) = quad_classes([table], "question")
    assert TokenLengths([table], {}, "question")(quads, MODEL) is None
    bare = replace(source, folder=tmp_path)
    assert subject_token_counts(bare, [(CONTEXT_12, 4, 7)]) is None
    assert candidate_token_counts(replace(source, folder=None), [("{{MASK}}", "a")]) is None
    assert source.folder is not None
    for path in source.folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "tokenizer.json").write_bytes((source.folder / "tokenizer.json").read_bytes()[:500])
    with pytest.raises(ModelError, match=r"the tokenizer of .* cannot be read"):
        subject_token_counts(bare, [(CONTEXT_12, 4, 7)])
