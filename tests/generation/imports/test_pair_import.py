"""One's own pairs: what is read, what is refused, and that a refused file leaves nothing."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, Dataset, Features, Value
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.errors import ImportedDataError
from nextset.generation.imports.pair_import import import_pairs, read_pairs
from nextset.release.version_folder.release_manifest import ReleaseModel
from nextset.study.imported_models import imported_models
from nextset.study.study_folder import Study
from tests.release.version_folders import item, items_table, write_version

DEFAULTS = {"stereotype": "s", "domain": "d"}


def study(folder: Path) -> Study:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(
        "format: 1\nname: s\nfilter: {models: [builtin:nli-electra]}\nrelease: {name: s, version: 0.1.0}\n"
    )
    return Study.load(folder)


def test_csv_with_other_column_names(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text('sentence1,sentence2,extra\n"Cats, as a rule, sleep.",Cats idle.,1\nA.,B.,2\nA.,B.,3\n')
    done = import_pairs(
        study(tmp_path / "s"),
        file,
        columns={"premise": "sentence1", "hypothesis": "sentence2"},
        defaults={"stereotype": "cats are to lazy", "domain": "pets"},
    )
    assert (done.items, done.merged) == (2, 1)
    rows = pq.read_table(done.file).to_pylist()
    assert rows[0]["premise"] == "Cats, as a rule, sleep."
    assert rows[0]["label"] == "neutral"
    assert rows[0]["language"] == "en"
    assert not rows[0]["names_group"]


def test_an_import_says_what_it_replaces(tmp_path: Path) -> None:
    """ok.csv has the pairs a and b; ok.tsv has b and c, so it replaces one item: a."""
    folder = study(tmp_path / "s")
    first, second = tmp_path / "ok.csv", tmp_path / "ok.tsv"
    first.write_text("premise,hypothesis\nA.,a.\nB.,b.\n")
    second.write_text("premise\thypothesis\nB.\tb.\nC.\tc.\n")
    files = (first, first, second, second, first)
    assert [import_pairs(folder, file, defaults=DEFAULTS).replaced for file in files] == [0, 0, 1, 0, 1]
    values = [f"--value={name}={value}" for name, value in DEFAULTS.items()]
    done = CliRunner().invoke(app, ["import", str(folder.folder), str(second), *values])
    assert "replaced: 1 item of an earlier import to this file" in done.output


@pytest.mark.parametrize(
    ("name", "values", "other"),
    [
        ("label", "neutral,pets,cats,dogs", "contradiction,pets,cats,dogs"),
        ("domain", "neutral,pets,cats,dogs", "neutral,animals,cats,dogs"),
        ("bindings", "neutral,pets,cats,dogs", "neutral,pets,cats,birds"),
        ("bindings", "neutral,pets,,", "neutral,pets,cats,dogs"),
    ],
)
def test_the_same_texts_with_another_value_are_refused(
    tmp_path: Path, name: str, values: str, other: str
) -> None:
    file = tmp_path / "pairs.csv"
    header = "premise,hypothesis,stereotype,label,domain,group1,group2\n"
    file.write_text(
        f"{header}P.,Cats idle.,x,{values}\n\nP.,Cats idle.,x,{values}\nP.,Cats idle.,x,{other}\n"
    )
    with pytest.raises(ImportedDataError, match=f"row 2 again, with another value of {name}") as error:
        import_pairs(study(tmp_path / "s"), file)
    assert error.value.line == 5
    assert not (tmp_path / "s" / "imported").exists()


def test_jsonl_with_groups(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    row = {
        "premise": "P.",
        "hypothesis": "Cats idle.",
        "group1": "cats",
        "group2": "dogs",
        "stance_design": "anti",
    }
    file.write_text(json.dumps(row) + "\n\n")
    (item,) = read_pairs(file, {}, DEFAULTS, "en").table.to_pylist()
    assert item["bindings"]["group1"] == "cats"
    assert item["names_group"]
    assert item["stance_design"] == "anti"


@pytest.mark.parametrize(
    ("name", "text", "line", "says"),
    [
        ("a.csv", "premise,hypothesis\nA.\n", 2, "differ in length (2 and 1 columns)"),
        ("a.csv", "premise;hypothesis\nA.;B.;C.\n", 2, "differ in length (2 and 3 columns)"),
        ("a.csv", "premise,hypothesis\nA.,B.\nA.,\n", 3, "hypothesis is missing"),
        ("a.csv", "hypothesis\nB.\n", 2, "premise is missing"),
        ("a.csv", 'premise,hypothesis\n"A.,B.\n', None, "not CSV"),
        ("a.csv", "premise,hypothesis\n", None, "the file has no rows"),
        ("a.csv", "premise,hypothesis,label\nA.,B.,2\n", 2, "label is '2'"),
        ("a.csv", "premise,hypothesis,group1\nA.,B.,men\n", 2, "only one of group1 and group2 is given"),
        (
            "a.csv",
            "premise,hypothesis,group1,group2\nA.,B.,men, Men\n",
            2,
            "group1 and group2 are both 'Men'",
        ),
        ("a.csv", "premise,hypothesis\nA.,B.\nA.,  \n", 3, "the cell is blank"),
        (
            "a.csv",
            "premise,hypothesis,question,group1,group2\n"
            "A.,Fat people nap.,Do fat people nap?,fat people,thin people\n"
            "A.,Fat people nap.,Do thin people nap?,fat people,thin people\n",
            3,
            "the question names 'thin', and the hypothesis does not: 'Do thin people nap?'",
        ),
        (
            "a.csv",
            "premise,hypothesis,question\nA.,Men nap.,Do women nap?\n",
            2,
            "the question names 'women'",
        ),
        (
            "a.csv",
            "premise,hypothesis,question\nA.,Fat people nap.,Are thin people tired?\n",
            2,
            "the question is about 'thin' people, and the hypothesis about 'fat' people: 'Are thin",
        ),
        ("a.jsonl", '{"premise": "A."\n', 1, "not JSON"),
        ("a.jsonl", '{"premise": "A.", "premise": "B."}\n', 1, "the key 'premise' is repeated"),
        ("a.jsonl", "[1]\n", 1, "not a JSON object"),
        ("a.jsonl", '{"premise": 3, "hypothesis": "B."}\n', 1, "premise is not a text"),
        ("a.jsonl", '{"premise": "A\\u0000", "hypothesis": "B."}\n', 1, "premise is not a text"),
        ("a.jsonl", '{"premise": "\\ud800", "hypothesis": "B."}\n', 1, "lone surrogate"),
        ("a.jsonl", "[" * 100_000, 1, "nested too deeply"),
        ("a.jsonl", '{"premise": ' + "1" * 5000 + "}\n", 1, "a number of 5,000 characters"),
        ("a.txt", "A. B.", None, ".txt is not a table that can be read"),
        ("a.parquet", "PAR1", None, "not Parquet"),
    ],
)
def test_a_wrong_file_is_refused_and_leaves_nothing(
    tmp_path: Path, name: str, text: str, line: int | None, says: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    target = study(tmp_path / "s")
    with pytest.raises(ImportedDataError) as caught:
        import_pairs(target, file, defaults={"stereotype": "s", "domain": "d"})
    assert says in caught.value.message
    if line is not None:
        assert caught.value.line == line
    assert caught.value.remedy
    assert not target.imported.exists()


COLUMNS_OF_CLASSES = ["label", "stance_design", "domain", "stereotype", "language", "group1"]


@pytest.mark.parametrize("column", COLUMNS_OF_CLASSES)
@pytest.mark.parametrize(
    ("kind", "written"),
    [
        *(("jsonl", written) for written in ("absent", None, -1, "-")),
        *(("csv.gz", written) for written in ("", "-1", "-")),
        *(("tsv", written) for written in ("", " -1 ")),
        *(("parquet", written) for written in (None, "", "-", "number")),
    ],
)
def test_a_row_without_a_class_is_refused_and_never_neutral(
    tmp_path: Path, column: str, written: str | int | None, kind: str
) -> None:
    usual = {
        "label": "entailment",
        "stance_design": "anti",
        "domain": "d",
        "stereotype": "s",
        "language": "en",
    }
    right = {"premise": "P.", "hypothesis": "Cats idle.", **usual, "group1": "cats", "group2": "dogs"}
    wrong = {**right, column: written}
    file = tmp_path / f"a.{kind}"
    if kind == "jsonl":
        if written == "absent":
            del wrong[column]
        file.write_text(json.dumps(right) + "\n" + json.dumps(wrong) + "\n")
    elif kind == "parquet":
        if written == "number":
            names = {column: [right[column]]}
            codes = {**{name: [x, x] for name, x in right.items()}, column: [0, -1]}
            features = {
                name: ClassLabel(names=names[name]) if name in names else Value("string") for name in right
            }
            Dataset.from_dict(codes, features=Features(features)).to_parquet(str(file))
        else:
            pq.write_table(pa.Table.from_pylist([right, {**wrong, column: written and str(written)}]), file)
    else:
        separator = "\t" if kind == "tsv" else ";"
        cells = map(str, wrong.values())
        text = "\n".join(map(separator.join, (right, right.values(), cells))).encode()
        file.write_bytes(gzip.compress(text) if kind.endswith(".gz") else text)
    with pytest.raises(ImportedDataError) as caught:
        read_pairs(file, {}, {}, "en")
    assert caught.value.line == (2 if kind in ("jsonl", "parquet") else 3)
    assert column in caught.value.message or "only one of group1 and group2" in caught.value.message
    assert caught.value.remedy


def test_rows_without_a_class_get_the_given_one(tmp_path: Path) -> None:
    (file := tmp_path / "a.csv").write_text("premise,hypothesis,label\nP.,H.,entailment\nP.,I.,\n")
    with pytest.raises(ImportedDataError, match="label is empty") as caught:
        read_pairs(file, {}, DEFAULTS, "en")
    assert "--value label=" in caught.value.remedy
    table = read_pairs(file, {}, {**DEFAULTS, "label": "neutral"}, "en").table
    assert table["label"].to_pylist() == ["entailment", "neutral"]
    file.write_text("premise,hypothesis,label\nP.,H.,\nP.,I.,-\n")
    with pytest.raises(ImportedDataError, match="label is '-', which says that the row has none"):
        read_pairs(file, {}, {**DEFAULTS, "label": "neutral"}, "en")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"label": "maybe"}, "label is 'maybe'"),
        ({"premise": None}, "premise is missing"),
        ({"bindings": {"group1": None, "group2": "b"}}, r"bindings\.group1 is missing"),
        ({"bindings": {"group1": "a", "group2": "b", "words": [{"name": "X"}]}}, r"words\.value is missing"),
        ({"bindings": "a"}, "bindings has a value of the wrong type: 'a'"),
        ({"set_id": 3}, "set_id has a value of the wrong type: 3"),
    ],
)
def test_a_release_with_wrong_values_is_refused(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    row = read_pairs(_one_pair(tmp_path), {}, DEFAULTS, "en").table.to_pylist()[0]
    file = tmp_path / "release.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps({**row, **changes}) + "\n")
    with pytest.raises(ImportedDataError, match=says) as caught:
        read_pairs(file, {}, {}, "en")
    assert caught.value.line == 2


FILLER = ReleaseModel(name="builtin:masked-lm", revision="0a", role="fill", pinned=True)
EARLIER = ReleaseModel(name="org/nli@v1", revision="0b", role="filter", pinned=False, version="base 2.0.0")


def test_the_models_of_an_earlier_release_are_kept(tmp_path: Path) -> None:
    rows = items_table([item("Left-handed people are clumsy.")])
    version = write_version(tmp_path / "v", {"items": rows}, models=(FILLER, EARLIER))
    target = study(tmp_path / "s")
    import_pairs(target, _one_pair(tmp_path), defaults=DEFAULTS)
    assert imported_models(target.imported) == ()
    for path in (version, version / "data/items/test-00000-of-00001.parquet"):
        import_pairs(target, path)
        assert [asdict(model) for model in imported_models(target.imported)] == [
            {**asdict(FILLER), "version": "a-set 1.0.0"},
            asdict(EARLIER),
        ]
    (version / "manifest.json").write_text('{"name": "a-set", "version": "1.0.0", "models": [{"name": 1}]}')
    with pytest.raises(ImportedDataError, match=r"manifest\.json: .*not the manifest of a dataset version"):
        import_pairs(target, version)


def _one_pair(folder: Path) -> Path:
    file = folder / "one.csv"
    file.write_text("premise,hypothesis\nA.,B.\n")
    return file


def test_a_column_that_the_file_does_not_have_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImportedDataError, match="there is no column 'hypo'") as caught:
        read_pairs(_one_pair(tmp_path), {"hypothesis": "hypo"}, DEFAULTS, "en")
    assert caught.value.remedy == "use one of premise, hypothesis"


def test_rows_whose_hypothesis_names_neither_group_are_counted_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "premise,hypothesis,group1,group2\n"
        "A.,Women nap.,women,men\nA.,Women yawn.,womne,men\nA.,Kadınlar uyur.,kadın,erkek\n"
    )
    done = import_pairs(study(tmp_path / "s"), file, defaults=DEFAULTS)
    assert done.unnamed == (3,)  # men is not a word of "women"


@pytest.mark.parametrize("name", ["domain", "stereotype"])
def test_a_name_in_two_spellings_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"premise,hypothesis,{name}\nA.,B.,a b\nA.,C., a b \nC.,D.,A  B\n")
    defaults = {key: value for key, value in DEFAULTS.items() if key != name}
    with pytest.raises(ImportedDataError, match=f"{name} is 'A  B', and 'a b' in an earlier row") as error:
        import_pairs(study(tmp_path / "s"), file, defaults=defaults)
    assert error.value.line == 4


@pytest.mark.parametrize("name", ["label", "stance_design"])
def test_a_number_in_place_of_a_name_is_answered_with_the_names(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"premise": "A.", "hypothesis": "B.", name: 1}))
    with pytest.raises(ImportedDataError, match=f"{name} is not a text: 1") as error:
        import_pairs(study(tmp_path / "s"), file, defaults=DEFAULTS)
    assert (
        "use one of entailment, neutral" in error.value.remedy or "use one of pro, anti" in error.value.remedy
    )


@pytest.mark.parametrize("domains", [("gender", "race"), ("gender", "")])
def test_a_value_fills_the_rows_that_have_none_and_is_refused_where_all_have_one(
    tmp_path: Path, domains: tuple[str, str]
) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("premise,hypothesis,domain\n" + "".join(f"A.,B{d}.,{d}\n" for d in domains))
    values = {"stereotype": "s", "domain": "religion"}
    if all(domains):
        with pytest.raises(ImportedDataError, match="the options for domain would have no effect") as caught:
            read_pairs(file, {}, values, "en")
        assert caught.value.remedy.startswith("remove --value domain=…")
    else:
        assert read_pairs(file, {}, values, "en").table["domain"].to_pylist() == ["gender", "religion"]


def test_a_value_for_an_earlier_release_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "release.jsonl"
    file.write_text(
        json.dumps(read_pairs(_one_pair(tmp_path), {}, DEFAULTS, "en").table.to_pylist()[0]) + "\n"
    )
    with pytest.raises(ImportedDataError, match="the options for domain would have no effect"):
        read_pairs(file, {}, {"domain": "race"}, "en")


def _other_text(folder: Path) -> Path:
    pq.write_table(items_table([item("Something else.")]), folder / ITEMS)
    return folder / ITEMS


def _one_more(folder: Path) -> Path:
    more = folder / "data/items/controls-00000-of-00001.parquet"
    pq.write_table(items_table([item("One more.")]), more)
    return more


def _one_less(folder: Path) -> Path:
    (folder / ITEMS).unlink()
    return folder / ITEMS


ITEMS = "data/items/test-00000-of-00001.parquet"
CHANGES = {"was changed": _other_text, "does not list": _one_more, "is missing": _one_less}


@pytest.mark.parametrize("message", CHANGES)
def test_a_version_whose_items_were_changed_is_refused(tmp_path: Path, message: str) -> None:
    version = write_version(tmp_path / "v", {"items": items_table([item("One.")])})
    target = study(tmp_path / "s")
    assert import_pairs(target, version).items == import_pairs(target, version / ITEMS).items == 1
    before = sorted(p.read_bytes() for p in target.imported.iterdir())
    changed = CHANGES[message](version)
    for path in (version, *([changed] if changed.is_file() else [])):
        with pytest.raises(ImportedDataError, match=message) as e:
            import_pairs(target, path)
        assert "not the items of a-set 1.0.0" in str(e.value)
        assert f"nextset release verify {version}" in str(e.value.remedy)
    assert sorted(p.read_bytes() for p in target.imported.iterdir()) == before


def test_changed_items_of_a_version_are_imported_from_a_copy(tmp_path: Path) -> None:
    """The copy is not the version, so it has none of its models."""
    version = write_version(tmp_path / "v", {"items": items_table([item("One.")])}, models=(FILLER,))
    copy = tmp_path / "changed.parquet"
    copy.write_bytes(_other_text(version).read_bytes())
    target = study(tmp_path / "s")
    assert import_pairs(target, copy).items == 1
    assert imported_models(target.imported) == ()


def test_a_version_of_questions_is_refused_as_such(tmp_path: Path) -> None:
    (tmp_path / "version" / "data" / "questions").mkdir(parents=True)
    with pytest.raises(ImportedDataError, match="questions or masked statements") as caught:
        read_pairs(tmp_path / "version", {}, {}, "en")
    assert "name their language packs in study.yaml" in caught.value.remedy


def test_an_unknown_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportedDataError, match="unknown column 'premis'"):
        read_pairs(tmp_path / "a.csv", {"premis": "x"}, DEFAULTS, "en")


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_any_jsonl_is_read_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    file = tmp_path_factory.mktemp("any") / "a.jsonl"
    file.write_text(
        "\n".join(json.dumps({"premise": p, "hypothesis": h}) for p, h in pairs), encoding="utf-8"
    )
    try:
        table = read_pairs(file, {}, DEFAULTS, "en").table
    except ImportedDataError as error:
        assert error.message
    else:
        assert table["premise"].to_pylist() == [p for p, _ in pairs]
