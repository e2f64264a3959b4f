"""README.md, its images, CITATION.cff, croissant.json and the manifest of a dataset version."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version as installed
from itertools import chain
from typing import Literal, TypeVar, cast

from nextset.artifacts.artifact import open_artifact
from nextset.html.content_warning import CONTENT_WARNING
from nextset.release.dataset_card.card import render_card
from nextset.release.dataset_card.card_configs import CardConfig, card_configs
from nextset.release.dataset_card.card_counts import statistics
from nextset.release.dataset_card.card_facts import Card, CardOwnCode
from nextset.release.dataset_card.card_plots import card_plots
from nextset.release.dataset_card.citation_file import citation_bytes
from nextset.release.dataset_card.croissant import CROISSANT, croissant_json
from nextset.release.dataset_card.paper_tables import PartStages, StageCount, totals_by_domain
from nextset.release.dataset_card.pinned_models import is_pinned
from nextset.release.dataset_card.released_columns import Column, columns_of
from nextset.release.dataset_card.study_facts import StudyFacts
from nextset.release.dataset_card.unanswered_prompts import OUTCOME_SCORE_COLUMNS, unanswered_prompts
from nextset.release.forms.form_counts import FormCounts
from nextset.release.forms.released_form import released_form
from nextset.release.overlap.canary_guid import canary_guid
from nextset.release.source_rows import Kind, kinds_of
from nextset.release.verdict_selection import FEW_JUDGMENTS, verdict_words
from nextset.release.version_folder.dataset_folder import DatasetFolder
from nextset.release.version_folder.release_manifest import CARD, ReleaseManifest, ReleaseModel, Waiver
from nextset.study.release_settings import ReleaseSettings
from nextset.study.study_sections import StudyFile

__all__ = ["CardFiles"]

_Counted = TypeVar("_Counted", PartStages, StageCount)


class CardFiles:
    """Writes the files that describe a version; its facts are gathered once."""

    def __init__(
        self,
        settings: StudyFile,
        release: ReleaseSettings,
        facts: StudyFacts,
        folder: DatasetFolder,
        by_domain: bool,
    ) -> None:
        self._settings, self._release, self._facts = settings, release, facts
        self._folder, self._by_domain = folder, by_domain
        self._gathered = self._gather()

    def write(self, version: str, previous: str | None) -> None:
        """Write the files for ``version``, which follows ``previous``."""
        folder, facts = self._folder, self._gathered
        items = any(released_form(kind).has_items for kind in facts.kinds)
        totals = totals_by_domain(facts.parts) if items else facts.parts
        noun = released_form(facts.kinds[0]).part_names[1]
        plots = card_plots(facts.parts, totals, facts.shifts, noun)
        for plot in plots:
            folder.write(plot.image.path, plot.png)
        configs = card_configs(folder.work, folder.files, facts.kinds, by_domain=self._by_domain)
        card = dataclasses.replace(
            facts,
            version=version,
            previous=previous,
            configs=configs,
            columns_by_config=self._columns(configs),
            withdrawn=sum(f.rows or 0 for f in folder.files if f.config == "withdrawn"),
            images=tuple(plot.image for plot in plots),
        )
        folder.write(CARD, render_card(card).encode())
        folder.write(
            "CITATION.cff",
            citation_bytes(
                name=card.name,
                version=version,
                license_=card.license,
                authors=card.authors,
                kinds=card.kinds,
            ),
        )
        manifest = self._manifest(card)
        folder.write(CROISSANT, croissant_json(manifest, card))
        folder.write_manifest(manifest)

    def _columns(self, configs: Sequence[CardConfig]) -> tuple[tuple[str, tuple[Column, ...]], ...]:
        """Return the columns of all configs except the first."""
        schemas = self._folder.schemas
        return tuple((c.name, columns_of(schemas[c.name], c.name)) for c in configs[1:] if c.name in schemas)

    def _manifest(self, card: Card) -> ReleaseManifest:
        release, schemas = self._release, self._folder.schemas
        return ReleaseManifest(
            name=card.name,
            version=card.version,
            previous=card.previous,
            kind=",".join(card.kinds),
            license=card.license,
            authors=card.authors,
            languages=card.languages,
            canary=card.canary,
            content_warning=CONTENT_WARNING,
            judge=card.judge,
            verdicts=release.verdicts.written(),
            models=tuple(self._models(card)),
            waivers=card.waivers,
            stereotypes=card.stereotypes,
            columns={name: {f.name: str(f.type) for f in schema} for name, schema in sorted(schemas.items())},
            study={stage: open_artifact(self._facts.out / stage).digest for stage in self._stages()},
            nextset=installed("nextset"),
            private=release.private,
            gated=release.gated,
            draft=release.draft,
            files=self._folder.files,
        )

    def _models(self, card: Card) -> Iterator[ReleaseModel]:
        """Yield the models as the manifest lists them: those of this version, then those of imported ones."""
        for m in card.models:
            if m.version is None:
                pinned = is_pinned(m.name, self._facts.local_models)
                yield ReleaseModel(name=m.name, revision=m.revision, role=m.role, pinned=pinned)
        for imported in self._facts.imported_models:
            yield ReleaseModel(**dataclasses.asdict(imported))

    def _stages(self) -> list[str]:
        names = ("generate", "fill", "score", "score_held_out", "filter", "validate", "release")
        return [name for name in names if self._facts.artifact(name) is not None]

    def _gather(self) -> Card:
        """Return the card without the fields that depend on the version."""
        settings, release, facts = self._settings, self._release, self._facts
        kinds, rule = kinds_of(facts.released), facts.rule()
        item_kinds = [kind for kind in kinds if released_form(kind).has_items]
        items = chain.from_iterable(map(facts.released_batches, item_kinds))
        counted = statistics(items) if item_kinds else None
        made = counted.counterfactuals if counted is not None else 0
        waived = ((what, reason) for what, reason in release.waivers.model_dump().items() if reason)
        fields = bool(release.annotators.demographics) and "annotators" in self._folder.schemas
        judged = facts.judge()
        card = Card(
            name=release.name,
            version="",
            languages=facts.languages(kinds) or (settings.language,),
            license=release.license,
            authors=release.authors,
            draft=release.draft,
            about=settings.about,
            fill_premise=settings.fill.premise,
            fill_proposals=facts.proposals(),
            models=facts.models(),
            servers=facts.servers(),
            silent=unanswered_prompts(self._folder.batches("scores", "test", columns=OUTCOME_SCORE_COLUMNS)),
            rule=rule["words"],
            scored=rule["scored"],
            pairs=cast("Literal['whole', 'apart']", rule["pairs"]),
            balance=rule["balance"],
            warnings=facts.warnings(),
            judge=judged,
            aggregate=facts.aggregate(),
            judged_pairs=settings.validate_.unit == "pair",
            per_cent=facts.agreement("per_cent"),
            alpha=facts.agreement("alpha"),
            exposure=facts.exposure(),
            statistics=counted,
            columns=columns_of(self._folder.schemas[kinds[0]], kinds[0]),
            kinds=kinds,
            counts=tuple(self._counts(kinds)),
            canary=canary_guid(release.name),
            verdicts=verdict_words(release.verdicts) if judged == "people" else "",
            waivers=tuple(Waiver(what=what, reason=reason) for what, reason in waived),
            demographics=tuple(n for n in self._folder.schemas["annotators"].names[1:-1]) if fields else (),
            k=release.annotators.k if fields else None,
            packs=facts.packs() if len(item_kinds) < len(kinds) else (),
            stereotypes=facts.stereotypes(
                {s.stereotype for s in counted.by_stereotype} if counted is not None else ()
            ),
            parts=tuple(p for k in kinds for p in _of_kind(facts.parts(k), k, kinds)),
            stages=tuple(s for k in kinds for s in _of_kind(facts.stages(k, made), k, kinds)),
            shifts=facts.shifts(),
            ported=facts.ported(),
            own_code=tuple(CardOwnCode(o.path, o.sha256, o.uses) for o in facts.own_code()),
            formats=release.formats,
        )
        return self._with_checks(card)

    def _counts(self, kinds: Sequence[Kind]) -> Iterator[tuple[Kind, FormCounts]]:
        """Yield the counts of each of ``kinds`` whose form has some of its own."""
        for kind in kinds:
            count = released_form(kind).counts
            if count is not None:
                yield kind, count(self._facts.released_batches(kind))

    def _with_checks(self, card: Card) -> Card:
        """Return ``card`` with the results of the checks of pairs, duplicates and contamination."""
        counts = self._facts.released.counts
        exact, near = self._facts.duplicates()
        forms = [released_form(kind) for kind in card.kinds]
        checked = not all(form.has_items for form in forms) or self._release.counterfactuals
        return dataclasses.replace(
            card,
            no_group=counts.get("items that name no group", 0),
            few_judgments=counts.get(FEW_JUDGMENTS, 0),
            pairs_checked=counts.get("pairs sets", 0) if checked else None,
            pairs_incomplete=counts.get("pairs incomplete", 0),
            pairs_not_minimal=counts.get("pairs not_minimal", 0),
            pairs_flagged=counts.get("pairs flagged", 0),
            exact_duplicates=exact,
            near_duplicates=near if any(form.near_duplicates for form in forms) else None,
            near_threshold=self._release.overlap.near,
            overlaps=self._facts.overlaps(),
        )


def _of_kind(rows: Iterable[_Counted], kind: Kind, kinds: Sequence[Kind]) -> Iterator[_Counted]:
    """Yield ``rows``, with their kind if the dataset has several kinds."""
    for row in rows:
        yield dataclasses.replace(row, kind=kind if len(kinds) > 1 else "")
