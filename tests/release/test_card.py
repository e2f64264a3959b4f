from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.html.content_warning import CONTENT_WARNING
from nextset.pipeline.server_costs import ServerCost
from nextset.records.port_decisions import PortDecision
from nextset.release.dataset_card.card import render_card
from nextset.release.dataset_card.card_configs import CardConfig, CardSplit
from nextset.release.dataset_card.card_facts import CardImage, CardOverlap, CardPack
from nextset.release.dataset_card.paper_tables import ModelShift, PartStages, StageCount
from nextset.release.dataset_card.released_columns import meanings_of
from nextset.release.markdown_escape import escaped
from nextset.release.version_folder.release_manifest import Waiver
from tests.release.card_example import CANARY, full_card, quad_card
from tests.release.dataset_example import write_items, write_quads

NASTY = "a|b <script>x</script>\n---\n# *h* [x](y) `c` & ```"


def front_of(text: str) -> dict[str, Any]:
    front, _ = text.removeprefix("---\n").split("\n---\n", 1)
    return dict(yaml.safe_load(front))


def test_the_content_warning_comes_first() -> None:
    for card in (full_card(), quad_card()):
        body = render_card(card).split("\n---\n", 1)[1].strip()
        first, second = body.split("\n\n")[:2]
        assert first == "# left-right 1.1.0"
        assert second.startswith(f"> **{CONTENT_WARNING}**")


def test_every_fact_is_on_the_card() -> None:
    text = render_card(full_card())
    for told in (
        f"Canary GUID {CANARY}",
        "Selection by verdict: a unit counts if every judgment calls it valid.",
        "- incomplete: one group has no opposite",
        "The previous version is 1.0.0. [CHANGELOG.md](CHANGELOG.md) lists the changes.",
        "Withdrawn items: 2.",
        "- pairs and sets checked: 2",
        "- incomplete (a member is missing): 1",
        "- items whose groups could not be swapped safely, and which a person should check: 3",
        "- rows with the same text as another row: 0",
        "- items with nearly the same text as an item of another template and set: 1",
        "one another by design and are not compared. Items with the same text count once.",
        "| compared with | rows with the same text | rows with the same or nearly the same text |",
        "| corpus.txt | 1 | 2 |",
        "Fields published about annotators: age, handedness.",
        "(k-anonymity with k = 5)",
        "| some/model@1 | filter | accuracy | 75.0 % | 50.0 % | 1,200 | 30 |",
        "| handedness | left-handed people are creative | 2 | 60 | 1,200 | 30 | 4 | 4 | 2 |",
        "| kept by the filter | 1,200 |",
        "![Rows by stage: 1,200 kept.](images/stages.png)",
    ):
        assert told in text
    assert "\n\n\n" not in text


def test_facts_that_are_missing_are_not_on_the_card() -> None:
    bare = {
        "canary": "", "verdicts": "", "previous": None, "withdrawn": 0, "waivers": (), "pairs_checked": None,
        "exact_duplicates": None, "overlaps": (), "demographics": (), "k": None, "parts": (), "stages": (),
        "shifts": (), "images": (), "formats": (), "exposure": (), "license": "", "models": (), "columns": (),
    }  # fmt: skip
    text = render_card(full_card(**bare))
    for told in ("anary", "by verdict", "previous", "ithdrawn", "waived these checks", "incomplete",
                 "Duplicates", "k-anonymity", "before and after", "![", "csv", "| model |"):  # fmt: skip
        assert told not in text
    assert "No licence has been chosen" in text
    assert "license" not in front_of(text)
    assert "| domain | stereotype | originals | counterfactuals |" in text
    assert "\n\n\n" not in text


def test_the_card_of_questions_says_nothing_about_nli() -> None:
    text = render_card(quad_card())
    for word in (
        "hypothes",
        "premise",
        "entailment",
        "NLI",
        "BBNLI",
        "Counterfactuals were added",
        "masked\n",
    ):
        assert word not in text
    assert "underspecified questions" in text
    assert "masked statements" in text
    assert "No filter was applied" in text
    assert "These texts have not been judged by people." in text
    first = text.split("---\n", 2)[2].strip().splitlines()[2]
    assert first.endswith("** **No native speaker has checked the language pack en.**")
    assert "checked the language pack de: Bo Beispiel (2026-11-23, 94 % seen)." in text
    assert "language pack de that were accepted, with the reasons:\n   - genders of actor: both" in text
    assert "| handedness | 1 | 4 | 1 | 3 |" in text
    assert "UnQover: Li et al. (2020)" in text
    assert "- rows with the same text as another row: 0" in text
    assert "nearly the same text" not in text.split("## Duplicates", 1)[1].split("|", 1)[0]
    for told in (
        "| kind | stage | rows |\n|---|---|---:|\n| questions | released | 3 |\n",
        "| statements | released | 5 |\n",
        "| kind | language | templates |",
        "| questions | en | 1 | 3 | 3 | – | – | 3 | 0 |\n| statements | en | 1 | 5 | 5 | – | – | 5 | 0 |\n",
        "| kind | language | class of subjects | templates |",
        "| statements | en | handedness | 1 | 5 | 5 | – | – | 5 | 0 |\n",
    ):
        assert told in text
    assert front_of(text)["task_categories"] == ["question-answering", "fill-mask"]
    assert "\n\n\n" not in text
    only = dataclasses.replace(quad_card(), kinds=("questions",), counts=quad_card().counts[:1])
    assert "masked" not in render_card(only)


def test_questions_that_were_filtered_and_judged() -> None:
    text = render_card(
        quad_card(rule="a quad is kept when |C| is at least 0.5", judge="people", models=full_card().models)
    )
    assert "Models answered the candidates. The rule: a quad is kept when \\|C\\| is at least 0.5." in text
    assert "Annotators judged the quads (the units) as valid" in text
    assert "differ only by group" not in text


NASTY_DECISION = PortDecision(
    language="en", category=NASTY, template_id=NASTY, stereotype=NASTY, target_groups=(NASTY,),
    decision="removed", reason=NASTY, people=3, known=0.5, target_named=None, most_named=NASTY, kept=False,
    why=NASTY,
)  # fmt: skip


def hostile() -> dict[str, Any]:
    config = CardConfig(
        NASTY, (CardSplit(NASTY, 1, 8, ("data/x/test-*.parquet",)),), ({"name": NASTY, "dtype": "string"},),
        3, NASTY, True,
    )  # fmt: skip
    return {
        "name": NASTY, "version": NASTY, "license": NASTY, "authors": (NASTY,), "about": NASTY,
        "rule": NASTY, "scored": NASTY, "balance": NASTY, "warnings": (NASTY,), "canary": NASTY,
        "verdicts": NASTY, "previous": NASTY, "waivers": (Waiver(what=NASTY, reason=NASTY),),
        "overlaps": (CardOverlap(NASTY, 1, 2),), "demographics": (NASTY,), "formats": (NASTY,),
        "parts": (PartStages(NASTY, NASTY, 1, 1, 1, 1, 1, 1, 1),), "stages": (StageCount(NASTY, 1),),
        "shifts": (ModelShift(NASTY, NASTY, NASTY, None, 0.5, 1, 1),),
        "images": (CardImage("images/a b).png", NASTY),), "configs": (config,),
        "packs": (CardPack(NASTY, NASTY, (NASTY,)),), "ported": (NASTY_DECISION,),
    }  # fmt: skip


@pytest.mark.parametrize("make", [full_card, quad_card])
def test_hostile_text_stays_text(make: Any) -> None:
    text = render_card(make(**hostile()))
    front, body = text.removeprefix("---\n").split("\n---\n", 1)
    assert not any(line.strip() == "---" for line in front.splitlines())
    assert yaml.safe_load(front)["license"] == " ".join(NASTY.split())
    assert "<script>" not in body
    assert "\n---\n" not in body
    code = body.split("```python\n", 1)[1].split("```", 1)[0]
    assert code.count("load_dataset") == 2
    compile(code, "card", "exec")
    assert "(images/a%20b%29.png)" in body
    # every row of a table has as many cells as its head
    for block in body.split("\n\n"):
        rows = [r.replace("\\|", "") for r in block.splitlines() if r.startswith("|")]
        assert len({r.count("|") for r in rows}) <= 1


@pytest.mark.slow
@settings(max_examples=20)
@given(st.text(max_size=40))
def test_any_text_is_one_escaped_line_of_the_card(text: str) -> None:
    body = render_card(full_card(waivers=(Waiver(what="incomplete", reason=text),)))
    assert f"\n- incomplete: {escaped(text)}\n" in body


def test_the_card_says_what_was_imported() -> None:
    def made(imported: int) -> str:
        part = PartStages("hands", "s", 2, 60, 100, 30, 4, 2, 2)
        return render_card(full_card(parts=(part,), stages=(StageCount("imported", imported),)))

    assert "Templates (premises" in made(0)
    assert "also imported" not in made(0)
    assert "The authors also imported their own pairs (12)." in made(12)
    assert "1. The authors imported their own pairs (100)." in made(100)
    assert "Templates (premises" not in made(100)
    assert "measure no bias: 3" in render_card(full_card(no_group=3))
    assert "measure no bias" not in render_card(full_card())


def test_the_card_says_of_how_many_hypotheses_too_few_people_judged() -> None:
    said = "Released hypotheses with fewer judgments than the authors asked for: 3."
    assert said in render_card(full_card(few_judgments=3))
    assert "fewer judgments" not in render_card(full_card())


def test_the_dataset_is_cited_before_the_papers() -> None:
    body = render_card(full_card(name="left-right", version="1.2.0", authors=("Ada Example", "B. Author")))
    cited = body.split("## Citation\n", 1)[1]
    dataset = cited.index("\n- Ada Example; B. Author. left-right, version 1.2.0.\n")
    assert cited.index("[CITATION.cff](CITATION.cff)") < dataset < cited.index("BBNLI: ")
    body = render_card(quad_card(name="left-right", version="1.2.0", authors=()))
    assert "\n- The authors of left-right. left-right, version 1.2.0.\n" in body


def test_every_column_of_a_main_config_has_a_meaning() -> None:
    for config in ("items", "questions", "statements"):
        assert {"id", "unit_id", "canary", "verdict", "kept_because"} <= set(meanings_of(config))
        assert all(meanings_of(config).values())


def test_configs_and_dataset_info_survive_an_edit(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard

    card, _ = write_items(tmp_path)
    path = tmp_path / "README.md"
    path.write_text(render_card(card), encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    loaded = DatasetCard.load(path)
    loaded.save(path)
    assert path.read_text(encoding="utf-8") == before
    loaded.data.license = "mit"
    loaded.save(path)
    after = path.read_text(encoding="utf-8")
    assert after == before.replace("license: cc-by-4.0\n", "license: mit\n", 1)
    front = front_of(after)
    assert [c["config_name"] for c in front["configs"]] == ["items", "judgments", "handedness", "height"]
    # 8 + 4 test items and 2 controls: 14 rows, 10 of them about handedness.
    assert all(info["download_size"] > 0 for info in front["dataset_info"])
    for info in front["dataset_info"]:
        assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])
    found = {
        info["config_name"]: {s["name"]: s["num_examples"] for s in info["splits"]}
        for info in front["dataset_info"]
    }
    assert found == {
        "items": {"test": 12, "controls": 2},
        "judgments": {"test": 2},
        "handedness": {"test": 8, "controls": 2},
        "height": {"test": 4},
    }


LOAD = """
import sys, warnings
warnings.simplefilter("error")
from datasets import load_dataset, load_dataset_builder
folder, *wanted = sys.argv[1:]
for name in wanted:
    config, split, rows = name.split(":")
    loaded = load_dataset(folder, config or None, split=split)
    assert len(loaded) == int(rows), (name, len(loaded))
    info = loaded.info.splits[split]
    assert info.num_examples == int(rows)
    card = load_dataset_builder(folder, config or None, cache_dir=folder + " cache").info.splits[split]
    # datasets drops the bits that mark nulls from columns without any, here 3 of 30 bytes of a judgment
    assert 0.9 * card.num_bytes <= info.num_bytes <= card.num_bytes, (name, card.num_bytes, info.num_bytes)
    kinds = {k: v.names for k, v in loaded.features.items() if hasattr(v, "names")}
    assert set(kinds) == {"label", "verdict", "stance_design", "stance_judged"} & set(loaded.column_names)
    if "label" in kinds:
        label = loaded.features["label"]
        assert label.int2str(loaded[0]["label"]) == ("neutral" if split == "test" else "entailment")
        assert [r["verdict"] for r in loaded] == [0 if split == "test" else None] * len(loaded)
        assert loaded[0]["bindings"] is None or loaded[0]["bindings"]["fills"][0]["word"] == "calm"
    if config == "judgments":
        assert loaded["stance_judged"][:] == [0, None], loaded["stance_judged"]
print("loaded", len(wanted))
"""


def load(folder: Path, home: Path, *wanted: str) -> None:
    """Load configs in a process of its own, since datasets reads HF_HOME when it is imported."""
    env = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, str(folder), *wanted]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == f"loaded {len(wanted)}"
    assert "Ignoring part of dataset_info" not in run.stderr


@pytest.mark.slow
def test_datasets_loads_every_config_also_after_an_edit(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard

    folder = tmp_path / "left right"
    card, _ = write_items(folder)
    (folder / "README.md").write_text(render_card(card), encoding="utf-8")
    wanted = ("items:test:12", "items:controls:2", ":test:12", "handedness:test:8", "height:test:4",
              "handedness:controls:2", "judgments:test:2")  # fmt: skip
    load(folder, tmp_path / "home", *wanted)
    loaded = DatasetCard.load(folder / "README.md")
    loaded.data.tags = ["other"]
    loaded.save(folder / "README.md")
    load(folder, tmp_path / "other home", *wanted)


@pytest.mark.slow
def test_datasets_loads_questions_and_statements(tmp_path: Path) -> None:
    folder = tmp_path / "quads"
    card, _ = write_quads(folder)
    (folder / "README.md").write_text(render_card(card), encoding="utf-8")
    load(folder, tmp_path / "home", "questions:test:4", "statements:test:2", ":test:4")


def test_models_behind_servers_have_their_use_and_cost() -> None:
    used = ServerCost("openai:m|x", "score", 1200, 90_000, 0, 2400, 0, 0, 0.1234, 0, 0.0)
    text = render_card(dataclasses.replace(full_card(), servers=(used, dataclasses.replace(used, cost=None))))
    assert "| openai:m\\|x | score | 1,200 | 90,000 | 2,400 | 0.1234 |" in text
    assert "| 2,400 | unknown |" in text
    assert "behind a server" not in render_card(full_card())
