"""The card of a converted checkpoint: no folder of anyone, and no markup that a file's name could make."""

from __future__ import annotations

from markdown_it import MarkdownIt

from nextset.training.conversion.converted_card import OPTIONS, CheckpointFacts, converted_card

NAME = "<img src=x onerror=alert(1)> [a](javascript:1) https://a.example.hdf5"


def _card(repository: str | None = None, **options: object) -> str:
    return converted_card(
        CheckpointFacts(NAME, "0" * 64, "b<i>ase", repository, "BertReader", 5, ("float32",), (), options)
    )


def test_the_base_model_is_a_repository_of_the_hub() -> None:
    assert "\nbase_model: org/bert" in _card("org/bert").partition("\n---\n")[0]
    assert "base_model" not in _card()


def test_no_option_is_a_path() -> None:
    private = {"/data/bob/bert": "bert", "C:\\bob\\bert\\": "bert", "../bob/adam": "adam", "~bob/x": "x"}
    for path, name in private.items():
        card = _card(**dict.fromkeys(OPTIONS, path))
        assert "bob" not in card
        assert card.count(f"`{name}`") == len(OPTIONS)
    assert "| trained from | `org/bert-base` |" in _card(transformer_type="org/bert-base")


def test_a_name_makes_no_markup() -> None:
    html = MarkdownIt("commonmark").enable("table").render(_card().partition("---\n\n")[2])
    assert "<img" not in html
    assert "<a " not in html
    assert "&lt;img src=x onerror=alert(1)&gt; [a](javascript:1)" in html
    assert r"https\://" in _card().partition("| | |")[0]
