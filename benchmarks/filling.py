"""The speed of filling masks next to transformers' own pipeline, and the cost of the checks of fills."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.figures import figure
from nextset.word_lists.lexicon import read_lexicon

__all__ = ["check_cost_figures", "fill_figures", "placing_figure"]

SENTENCES = 2_000
TOP_K = 20
RUNS = 3
VOCABULARY = 30_000
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


def fill_figures() -> None:
    """Fill 2,000 sentences of 8 to 24 words with 20 words per mask, each side in turn, three times.

    Loading counts for neither side, and a filler that has checked words before is not used again.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    import torch
    import transformers

    from nextset.scoring.masks.filler import MaskFiller
    from nextset.scoring.masks.masked_text import Masked, Prompt
    from nextset.scoring.models.sources import locate

    with tempfile.TemporaryDirectory() as folder:
        words = _save_model(Path(folder))
        sentences = _sentences(words)
        pipeline = transformers.pipeline("fill-mask", folder, device="cpu")
        plain = [s.replace("{{MASK}}", "<mask>") for s in sentences]
        pipeline(plain[:20], top_k=TOP_K)
        seconds = []
        for _ in range(RUNS):
            filler = MaskFiller.load(locate(folder))
            torch.set_num_threads(1)
            filler.fill([Prompt.alone(s) for s in sentences[-20:]], TOP_K)
            began = time.process_time()
            theirs = pipeline(plain, top_k=TOP_K)
            between = time.process_time()
            fills = filler.fill([Prompt.alone(s) for s in sentences], TOP_K)
            seconds.append((between - began, time.process_time() - between))

        ours = filler.tokens([Masked(s) for s in sentences], TOP_K)
        again = _asked_again(filler, sentences)
    times = statistics.median(others / own for others, own in seconds)
    figure('fill, times the rate of pipeline("fill-mask")', times, "at least 7", times >= 7)
    few = again <= SENTENCES / 20
    figure("sentences asked again by themselves, per cent", 100 * again / SENTENCES, "at most 5", few)
    figure(
        "fill, sentences per CPU second",
        SENTENCES / statistics.median(own for _, own in seconds),
        "measured only",
        True,
    )
    same = sum(a == [x["token"] for x in b] for a, b in zip(ours, theirs, strict=True))
    figure("same top-20 tokens", same, f"{SENTENCES:,} of {SENTENCES:,}", same == SENTENCES)
    whole = sum(len(f) == TOP_K for f in fills)
    figure("sentences with 20 whole words", whole, "measured only", True)


def _asked_again(filler: Any, sentences: list[str]) -> int:
    """Return the number of lists with near ties."""
    from nextset.scoring.masks.beam import Beam
    from nextset.scoring.masks.masked_text import Masked, tokens_of

    read = tokens_of(filler.loaded, [Masked(s) for s in sentences], 1)
    lists = Beam(filler.logits, filler.judge, 1).fill([[read[Masked(s)]] for s in sentences], TOP_K)
    return sum(found.close for found in lists)


COST_TEMPLATE = Path(__file__).parents[1] / "bbnli_templates" / "gender" / "woman_is_to_homemaker.yaml"
CHECKS = {
    "fluency by the filling model": "fluency: true",
    "marks for any group": "marks: true",
    "marks for any group, and meaning": "meaning: builtin:nli-roberta",
}


def check_cost_figures() -> None:
    """Print the CPU time of each check of fills as a share of the fill's time, for one shipped template and
    the built-in models.

    The words exist when a check is timed, and the time of choosing among them is subtracted. Loading a model
    counts on both sides.
    """
    import nextset

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(COST_TEMPLATE, folder / "template.yaml")

        def seconds(keys: str = "", again: tuple[str, ...] = ()) -> tuple[float, Any]:
            text = f"format: 1\nname: cost\ntemplates: [template.yaml]\nfill: {{groups: joint{keys}}}\n"
            (folder / "study.yaml").write_text(text, encoding="utf-8")
            study = nextset.Study.load(folder)
            nextset.generate(study)
            for stage in ("fill", "fluency", "fill_marks", *again):
                shutil.rmtree(study.out / stage, ignore_errors=True)
            began = time.process_time()
            items = nextset.fill(study).table("items")
            return time.process_time() - began, items

        seconds()  # imports the libraries
        whole, items = seconds(again=("mask_words",))
        choosing, _ = seconds()
        figure("fill, CPU seconds", whole, f"measured only ({items.num_rows} items)", True)
        reading, selecting = _selection_seconds(nextset.Study.load(folder))
        figure("reading the lexicon, once per run, CPU seconds", reading, "measured only", True)
        selecting *= 100 / whole
        name = "constraints and drops, per cent of the fill's time"
        figure(name, selecting, "at most 20", selecting <= 20)
        for check, keys in CHECKS.items():
            taken, items = seconds(f", {keys}")
            share = 100 * (taken - choosing) / whole
            figure(f"{check}, per cent of the fill's time", share, "at most 20", share <= 20)
    marks = Counter(mark for some in items["fill_marks"].to_pylist() for mark in some)
    for mark, n in sorted(marks.items()):
        figure(f"fills marked {mark}, per cent", 100 * n / items.num_rows, "measured only", True)


def _selection_seconds(study: Any) -> tuple[float, float]:
    """Return the CPU time of reading the lexicon, and of choosing among the words of a filled study."""
    from nextset.artifacts.artifact import open_artifact
    from nextset.generation.mask_fills.fill_selection import FillSelection
    from nextset.generation.mask_fills.mask_demands import MaskDemands
    from nextset.generation.mask_fills.mask_prompts import prompts_of
    from nextset.generation.mask_words import prompt_id
    from nextset.generation.word_forms import english_words
    from nextset.records.nli_items import Fill

    generated, settings = open_artifact(study.out / "generate"), study.settings.fill
    masked = generated.table("masked")
    demands = MaskDemands.of(settings, generated.table("mask_lists"))
    prompts = prompts_of(masked, demands, joint=True, premise=False)
    fills = defaultdict(list)
    for row in open_artifact(study.out / "mask_words").table("words").to_pylist():
        fills[row["prompt_id"]].append((Fill(row["word"], row["rank"], row["score"]),))
    rows = masked.to_pylist()
    english_words.cache_clear()
    began = time.process_time()
    english_words()
    between = time.process_time()
    selection = FillSelection(demands, settings.allow, settings.top_k, None)
    for row, prompt in zip(rows, prompts, strict=True):
        selection.select(row, prompt, fills[prompt_id(prompt)])
    return between - began, time.process_time() - between


def placing_figure() -> None:
    """Print the CPU time of placing words between anchors, as a share of the fill of all shipped templates.

    Their masks take other words too. The model and the lexicon are loaded before the placing is timed.
    """
    import nextset

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in COST_TEMPLATE.parents[1].glob("[gr]*/*.yaml"):
            text = file.read_text(encoding="utf-8").replace("{{MASK:only like", "{{MASK:like")
            (folder / file.name).write_text(text, encoding="utf-8")
        files = sorted(file.name for file in folder.glob("*.yaml"))
        (folder / "study.yaml").write_text(f"format: 1\nname: cost\ntemplates: {files}\n", encoding="utf-8")
        study = nextset.Study.load(folder)
        nextset.generate(study)
        began = time.process_time()
        nextset.fill(study)
        whole = time.process_time() - began
        share = 100 * _placing_seconds(study) / whole
        figure("placing words between anchors, per cent of the fill's time", share, "at most 5", share <= 5)


def _placing_seconds(study: Any) -> float:
    from nextset.artifacts.artifact import open_artifact
    from nextset.generation.mask_fills.claims_stage import claims_of_words
    from nextset.generation.mask_fills.fill_model import load_filler
    from nextset.generation.mask_fills.mask_demands import MaskDemands

    generated = open_artifact(study.out / "generate")
    demands = MaskDemands.of(study.settings.fill, generated.table("mask_lists"))
    words = open_artifact(study.out / "mask_words").table("words")
    filler = load_filler(study)
    began = time.process_time()
    claims_of_words(study, generated.table("masked"), words, demands, filler)
    return time.process_time() - began


def _save_model(folder: Path) -> list[str]:
    """Save a RoBERTa of 4 layers × 256 and its tokenizer; return the words that are one token each."""
    import torch
    from transformers import RobertaConfig, RobertaForMaskedLM

    words = _save_tokenizer(folder)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
        intermediate_size=1024, max_position_embeddings=514, type_vocab_size=1,
    )  # fmt: skip
    RobertaForMaskedLM(config).save_pretrained(folder)
    return words


def _save_tokenizer(folder: Path) -> list[str]:
    """Save a byte-level BPE of 30,000 tokens. As in RoBERTa's own, two thirds begin a word."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: i for i, token in enumerate(SPECIALS)}
    for letter in sorted(pre_tokenizers.ByteLevel.alphabet()):
        vocabulary[letter] = len(vocabulary)
    merges: list[tuple[str, str]] = []
    words = []
    beginnings = VOCABULARY * 2 // 3
    for word in _words():
        begins = len(vocabulary) < beginnings
        if begins:
            words.append(word)
        chain = f"Ġ{word}" if begins else word
        for at in range(1, len(chain)):
            if chain[: at + 1] not in vocabulary and len(vocabulary) < VOCABULARY - 1:
                vocabulary[chain[: at + 1]] = len(vocabulary)
                merges.append((chain[:at], chain[at]))
        if len(vocabulary) == VOCABULARY - 1:
            break
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names: dict[str, Any] = dict(
        zip(("bos_token", "pad_token", "eos_token", "unk_token"), SPECIALS, strict=True)
    )
    names["mask_token"] = AddedToken("<mask>", lstrip=True, special=True)
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", **names
    ).save_pretrained(folder)
    return words


def _words() -> Iterator[str]:
    """Yield the words of the lexicon, then made-up words without end."""
    lexicon = read_lexicon()
    yield from (w for w in lexicon.nouns.occupations.values() if w.isalpha())
    yield from (w for w in lexicon.adjectives.people if w.isalpha())
    syllables = ["".join(s) for s in itertools.product("bdfgklmnprstvz", "aeiou", ("", "n", "r", "s"))]
    rng = random.Random(0)
    while True:
        yield "".join(rng.choices(syllables, k=rng.choice((2, 3, 3, 4))))


def _sentences(words: list[str]) -> list[str]:
    """Return distinct sentences of 8 to 24 words with one mask."""
    rng = random.Random(1)
    made = []
    for _ in range(SENTENCES):
        chosen = rng.choices(words, k=rng.randint(8, 24))
        chosen[rng.randrange(1, len(chosen))] = "{{MASK}}"
        made.append(f"The {' '.join(chosen)}.")
    return made
