"""Take the pictures of a session: the page for judging on a laptop and a phone, and a break.

python scripts/session_pictures.py FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from nextset.validation.label_studio.accounts import make_account
from nextset.validation.label_studio.address_and_token import local_connection
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.session.open import open_session, session_materials
from tests.chromium import chromium
from tests.validation.gateway.browser_people import OwnBrowser, open_browser
from tests.validation.gateway.judging_browser import SCREENS
from tests.validation.session.sample_study import kept, made_study
from tests.validation.studio import running
from tests.validation.studio_gateway import gateway

if TYPE_CHECKING:
    pass

MOST_BYTES = 300_000
"""The maximum size of a picture in the repository."""
BATCH = 12
PEOPLE = ("ana", "ben")
SESSION = f"""
    consent: Example University runs this study. Your answers are kept under a pseudonym.
    support: Talk to A. Example, office 1, if something troubles you.
    budget: {{batch: {BATCH}, person: 100}}
"""


def main(folder: Path) -> None:
    """Write three pictures to ``folder``; raises SystemExit if one is too large."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, running(Path(scratch) / "server") as studio:
        connection = local_connection(studio.data)
        assert connection is not None
        with gateway(studio), LabelStudio(connection) as client, chromium() as browser:
            text = "On day {i} of the journey the {group} missed the ferry."
            sentences = kept(2 * BATCH, text, [("travel", "cyclist", "hiker")], "a {group} is always late")
            study = made_study(Path(scratch) / "study", session=SESSION, table=sentences)
            accounts = [make_account(client, f"{name}@example.org") for name in PEOPLE]
            link = open_session(study, client, [a.email for a in accounts if a]).people[0].link
            briefing = session_materials(study).briefing
            people: list[OwnBrowser] = []
            for account, screen in zip(accounts, ("laptop", "phone"), strict=True):
                assert account is not None
                own = open_browser(browser, briefing.wording.pages, **SCREENS[screen])
                own.open(link)
                own.log_in(account.email, account.password)
                own.answer_gate(briefing)
                own.judge(lambda sentence: "invalid", 4)
                own.next()
                own.page.keyboard.press("Shift+1")
                own.page.screenshot(path=folder / f"session-{screen}.png")
                people.append(own)
            own = people[0]
            own.judge(lambda sentence: "invalid")
            own.told(briefing.wording.pages.rest)
            own.page.set_viewport_size({"width": 720, "height": 440})
            own.page.screenshot(path=folder / "session-break.png")
    large = [path.name for path in folder.glob("session-*.png") if path.stat().st_size > MOST_BYTES]
    if large:
        raise SystemExit(f"larger than {MOST_BYTES:,} bytes: {', '.join(large)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
