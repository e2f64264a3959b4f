"""People judge: tasks go out, a Label Studio export comes in, the run goes on."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import JudgmentError
from nextset.release.stage import build_release


@pytest.fixture
def study(starter_ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> nextset.Study:
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    file = folder / "study.yaml"
    text = file.read_text().replace("judge: rule", "judge: people")
    # the people of these tests say valid of one member of a pair and not of the other
    waived = "\nrelease:\n  waivers: {incomplete: people disagreed}\n"
    assert "\nrelease:\n" in text
    file.write_text(text.replace("\nrelease:\n", waived))
    return nextset.Study.load(folder)


def choice(name: str, value: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "hypothesis", "type": "choices", "value": {"choices": [value]}}


def annotation(number: int, person: int, verdict: str, stance: str = "pro") -> dict[str, Any]:
    result = [choice("verdict", verdict)] + ([choice("stance", stance)] if verdict == "valid" else [])
    return {
        "id": number,
        "completed_by": {"id": person, "email": f"person{person}@example.org"},
        "was_cancelled": False,
        "result": result,
        "updated_at": "2026-01-01T10:00:00Z",
        "lead_time": 4.5,
    }


LOUD = "Ten met.,Men are loud.,s,gender,men,women,pro"


def judged_study(folder: Path, pairs: str, release: str, verdict: Callable[[str, int], str]) -> nextset.Study:
    """Return a study of imported pairs, each judged by three people: ``verdict`` has their verdicts."""
    made = nextset.new_study(folder).file.parent
    (made / "study.yaml").write_text(
        "format: 1\nname: loud\n"
        "filter:\n  models: [builtin:nli-electra]\n  candidates: [imported]\n"
        "  rule: {any_of: [any_wrong, {margin_below: 1.0}]}\n"
        f"validate: {{judge: people}}\nrelease: {{name: loud, {release}}}\n"
    )
    file = folder / "pairs.csv"
    file.write_text(f"premise,hypothesis,stereotype,domain,group1,group2,stance_design\n{LOUD}\n{pairs}\n")
    study = nextset.Study.load(made)
    nextset.import_pairs(study, file)
    for stage in (nextset.generate, nextset.fill, nextset.score, nextset.filter_candidates):
        stage(study)
    tasks = json.loads(nextset.export_tasks(study).tasks.read_text())
    for i, task in enumerate(tasks):
        text = json.dumps(task["data"])
        task["annotations"] = [annotation(10 * i + p, p, verdict(text, p)) for p in (1, 2, 3)]
    export = folder / "export.json"
    export.write_text(json.dumps(tasks))
    nextset.import_judgments(study, export)
    nextset.apply_judgments(study)
    return study


@pytest.mark.parametrize("release", ["verdicts: aggregated", "verdicts: unanimous"])
@pytest.mark.parametrize(
    ("pair", "said"),
    [
        pytest.param("Ten met.,Women are loud.,s,gender,women,men,anti", ["invalid"] * 3, id="the item"),
        pytest.param(
            "Nine met.,Women are loud.,s,gender,women,men,anti", ["invalid"] * 3, id="other premise"
        ),
        pytest.param(
            "Ten met.,Women are loud.,s,gender,women,men,pro", ["incoherent"] * 3, id="other stance"
        ),
        pytest.param(
            "Ten met.,Women are loud.,s,gender,women,men,anti", ["valid", "invalid", "incoherent"], id="a tie"
        ),
    ],
)
def test_a_hypothesis_that_does_not_count_is_no_counterpart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, pair: str, said: list[str]
) -> None:
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
    settings = f"{release}, waivers: {{incomplete: people disagreed}}"
    loud = judged_study(
        tmp_path / "loud", pair, settings, lambda text, p: said[p - 1] if "Women" in text else "valid"
    )
    released = build_release(loud)
    items = released.table("items")
    found = items.select(["premise", "hypothesis", "verdict"]).to_pylist()
    assert found == [{"premise": "Ten met.", "hypothesis": "Men are loud.", "verdict": "valid"}]
    # what is left out is not named as a counterpart either
    assert items.select(["counterpart_id", "counterfactual_set"]).to_pylist() == [
        {"counterpart_id": None, "counterfactual_set": None}
    ]
    assert [f["kind"] for f in released.table("pairs").to_pylist()] == ["missing"]


def test_the_declared_rule_decides_which_counterparts_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
    # one of three says valid: probability 1/3 by votes, so the aggregated verdict is invalid
    one_of_three = judged_study(
        tmp_path / "loud",
        "Ten met.,Women are calm.,s,gender,women,men,anti",
        "verdicts: {posterior_at_least: 0.3}, counterfactuals: false",
        lambda text, p: "invalid" if "calm" in text and p < 3 else "valid",
    )
    found = build_release(one_of_three).table("items")["hypothesis"].to_pylist()
    assert sorted(found) == ["Men are loud.", "Women are calm."]
    # two of three say valid: the aggregated verdict is valid, and unanimous it does not count
    two_of_three = judged_study(
        tmp_path / "unanimous",
        "Ten met.,Women are loud.,s,gender,women,men,anti",
        "verdicts: unanimous, waivers: {incomplete: people disagreed}",
        lambda text, p: "invalid" if "Women" in text and p == 1 else "valid",
    )
    assert build_release(two_of_three).table("items")["hypothesis"].to_pylist() == ["Men are loud."]


def test_the_run_goes_on_when_people_have_judged(study: nextset.Study, tmp_path: Path) -> None:
    files = nextset.export_tasks(study)
    tasks = json.loads(files.tasks.read_text())
    assert files.n_tasks == len(tasks) > 3
    # Three people: all say valid of the first task, two of three incoherent of the second, and so on.
    for i, task in enumerate(tasks):
        verdicts = ["valid"] * 3 if i % 2 == 0 else ["incoherent", "incoherent", "valid"]
        task["annotations"] = [annotation(10 * i + p, p, v) for p, v in enumerate(verdicts, 1)]
    export = tmp_path / "export.json"
    export.write_text(json.dumps(tasks))

    done = nextset.import_judgments(study, export)
    assert (done.new, done.already, done.problems, done.waiting) == (3 * len(tasks), 0, (), 0)
    again = nextset.import_judgments(study, export)
    assert (again.new, again.already) == (0, 3 * len(tasks))
    log = (study.judgments / "log.jsonl").read_text()
    assert "example.org" not in log

    summary = nextset.run(study)
    assert summary.dataset is not None
    dataset = pq.read_table(summary.dataset / "data/items/test-00000-of-00001.parquet")
    assert set(dataset["judge"].to_pylist()) == {"people"}
    assert set(dataset["n_judgments"].to_pylist()) == {3}
    card = (summary.dataset / "README.md").read_text()
    n_even, n_odd = (len(tasks) + 1) // 2, len(tasks) // 2
    # All 3 pairs agree on even tasks, 1 of 3 on odd ones.
    agreement = 100 * (3 * n_even + n_odd) / (3 * len(tasks))
    assert f"{agreement:.1f} per cent" in card
    assert "Krippendorff's α of the verdicts is" in card
    assert "judge: people" in card
    (read, *_) = open_artifact(study.out / "validate").table("exposure").to_pylist()
    assert f"| all | {read['people']} | {read['items']} |" in card
    tables = {name: open_artifact(study.out / "validate").table(name) for name in ("agreement", "judges")}
    overall = tables["agreement"].filter(pc.equal(tables["agreement"]["by"], "all")).to_pylist()
    assert {row["of"] for row in overall} == {"verdict", "verdict and stance"}
    assert [row["name"] for row in overall[:6]] == ["per_cent", "alpha", "fleiss", "cohen", "cohen", "cohen"]
    # On odd tasks persons 1 and 2 contradict person 3; for each of the two the others tie.
    shares = sorted(row["others"]["point"] for row in tables["judges"].to_pylist())
    assert shares == [n_even / len(tasks), 1.0, 1.0]


def test_the_card_tells_who_judged_and_not_who_was_to_judge(study: nextset.Study) -> None:
    # study.yaml was changed after the rule had run: nobody has judged what is released all the same.
    assert study.settings.validate_.judge == "people"
    nextset.build_release(study)
    (card,) = (study.out / "dataset").glob("*/README.md")
    assert "No one has judged these hypotheses (judge: rule)." in card.read_text()


def test_an_export_cut_in_half_changes_nothing(study: nextset.Study, tmp_path: Path) -> None:
    tasks = json.loads(nextset.export_tasks(study).tasks.read_text())
    for i, task in enumerate(tasks):
        task["annotations"] = [annotation(i, 1, "valid")]
    whole = json.dumps(tasks)
    (tmp_path / "export.json").write_text(whole[: len(whole) // 2])
    with pytest.raises(JudgmentError, match="cut off"):
        nextset.import_judgments(study, tmp_path / "export.json")
    assert not (study.judgments / "log.jsonl").exists()


def test_judgments_outlive_the_results(study: nextset.Study, tmp_path: Path) -> None:
    tasks = json.loads(nextset.export_tasks(study).tasks.read_text())
    for i, task in enumerate(tasks):
        task["annotations"] = [annotation(i, 1, "valid")]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    nextset.import_judgments(study, tmp_path / "export.json")
    shutil.rmtree(study.out)
    summary = nextset.run(study)
    assert {s.stage: s.rows for s in summary.stages}["validate"]["judgments"] == len(tasks)


SESSION = """validate:
  judge: people
  session:
    consent: You agree to read stereotypes for a test.
    support: Write to the study's team.
    budget: {batch: 20, person: 100, pause: 0}
    overlap: 3
    agree: 2
"""


def test_votes_asked_for_only_on_disagreement_are_not_in_the_agreement(
    study: nextset.Study, tmp_path: Path
) -> None:
    text, replaced = re.subn(r"validate: \{judge: people\}.*\n", SESSION, study.file.read_text())
    assert replaced == 1
    study.file.write_text(text)
    study = nextset.Study.load(study.folder)
    tasks = json.loads(nextset.export_tasks(study).tasks.read_text())
    for i, task in enumerate(tasks):
        said = ["valid", "valid"] if i else ["valid", "incoherent", "valid"]
        task["annotations"] = [
            {**annotation(10 * i + p, p, verdict), "updated_at": f"2026-01-01T1{p}:00:00Z"}
            for p, verdict in enumerate(said, 1)
        ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    nextset.import_judgments(study, tmp_path / "export.json")
    made = nextset.apply_judgments(study)
    overall = made.table("agreement").to_pylist()[0]
    assert (overall["of"], overall["by"], overall["name"]) == ("verdict", "all", "per_cent")
    assert overall["value"] == pytest.approx(100 * (len(tasks) - 1) / len(tasks))
    assert overall["note"].startswith("from the first 2 ratings of a unit")
    # The verdict of the first unit needs the third vote.
    assert made.counts["units tie"] == 0
