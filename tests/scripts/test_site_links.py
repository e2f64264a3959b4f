"""Links of pages: those that leave docs/ become text, code stays, and a link to no file stops the build."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

from scripts.site_links import on_page_markdown

PAGE = SimpleNamespace(file=SimpleNamespace(src_uri="how_to/templates.md"))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See [the lists](../../word_lists/README.md).", "See the lists (`word_lists/README.md`)."),
        ("See [README.md](../../README.md#install).", "See README.md."),
        ("See [items](../glossary.md#item).", "See [items](../glossary.md#item)."),
        ("`[a](../../README.md)`", "`[a](../../README.md)`"),
        ("```\n[a](../../README.md)\n```\n", "```\n[a](../../README.md)\n```\n"),
    ],
)
def test_only_links_that_leave_the_docs_become_text(written: str, shown: str) -> None:
    assert on_page_markdown(written, PAGE) == shown


@pytest.mark.parametrize("target", ["../../missing.md", "../../../../../../../../etc/hostname"])
def test_a_link_to_no_file_of_the_project_is_an_error(target: str) -> None:
    with pytest.raises(PluginError, match=r"how_to/templates\.md: the link \.\./.* leads to no file"):
        on_page_markdown(f"[a]({target})", PAGE)
