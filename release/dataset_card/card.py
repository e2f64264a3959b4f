"""The dataset card: README.md with YAML front matter for the Hub."""

from __future__ import annotations

import json
import re
from pathlib import Path

from nextset.html.content_warning import CONTENT_WARNING
from nextset.pipeline.server_costs import money
from nextset.release.dataset_card.card_facts import Card
from nextset.release.dataset_card.front_matter import front_matter
from nextset.release.dataset_card.paper_tables import totals_by_domain
from nextset.release.dataset_card.text_sources import text_sources, unchecked_packs
from nextset.release.forms.released_form import released_form
from nextset.release.markdown_escape import markdown_environment

__all__ = ["render_card"]


def render_card(card: Card) -> str:
    """Return the card as Markdown with YAML front matter; all of its texts are escaped."""
    from markupsafe import Markup

    environment = markdown_environment(Path(__file__).parent)
    environment.filters["literal"] = lambda text: Markup(_literal(text))
    environment.filters["target"] = lambda path: Markup(_target(path))
    front = front_matter(
        name=card.name,
        version=card.version,
        languages=card.languages,
        license_=card.license,
        kinds=card.kinds,
        rows=card.rows,
        configs=card.configs,
    )
    body = environment.get_template("card.md.j2").render(
        card=card,
        money=money,
        warning=CONTENT_WARNING,
        forms=[released_form(config) for config in card.kinds],
        domains=totals_by_domain(card.parts),
        collection=text_sources(card),
        unchecked=unchecked_packs(card),
    )
    return f"---\n{front}\n---\n\n{body}"


def _literal(text: str) -> str:
    """Return ``text`` as a Python literal that cannot end the block of code around it."""
    return re.sub("[`<>&]", lambda m: f"\\u{ord(m[0]):04x}", json.dumps(text))


def _target(path: str) -> str:
    """Return a path in the folder as the target of a Markdown link."""
    from urllib.parse import quote

    return quote(path)
