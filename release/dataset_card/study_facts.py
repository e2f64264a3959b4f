"""The facts on the card that come from a study's artifacts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal, cast

import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact, is_finished, open_artifact
from nextset.pipeline.server_costs import ServerCost, ServerCosts
from nextset.records.arrow_schema import records_of
from nextset.records.port_decisions import PortDecision
from nextset.release.accompanying_data.own_sources import OwnSource, own_sources
from nextset.release.dataset_card.card_facts import (
    CardAgreement,
    CardExposure,
    CardModel,
    CardOverlap,
    CardPack,
)
from nextset.release.dataset_card.paper_tables import (
    PAIR_COLUMNS,
    ModelShift,
    PartStages,
    StageCount,
    model_shifts,
    part_stages,
    stage_counts,
    verdict_counts,
)
from nextset.release.forms.released_form import released_form
from nextset.release.overlap.duplicate_counts import DuplicateCounts, duplicate_counts
from nextset.release.overlap.overlap_records import THIS_VERSION
from nextset.release.source_rows import Kind
from nextset.study.imported_models import ImportedModel
from nextset.study.item_tables import templates_of_items
from nextset.study.stereotype_sentences import StereotypeRow, stated_stereotypes

__all__ = ["StudyFacts"]

_MADE_BY = {"mask_words", "fill", "fill_claims", "fill_marks", "score_pilot", "score", "score_held_out"}
"""The stages whose answers the dataset rests on. A later audit must not change the card."""
_UNDEFINED = CardAgreement(None, None, None, "no one judged the texts", "")


@dataclass(frozen=True)
class StudyFacts:
    """Reads the facts from the artifacts in a study's folder ``out``."""

    out: Path
    """The folder of the artifacts."""
    released: Artifact
    """The artifact of the stage release."""
    imported_models: tuple[ImportedModel, ...] = ()
    """The models of the versions that were imported."""
    local_models: frozenset[str] = frozenset()
    """The published names of the models that are folders on this machine."""
    costs: ServerCosts = field(default_factory=ServerCosts)
    """The use and cost of models behind servers."""
    unused: frozenset[str] = frozenset()
    """The stages whose earlier results are in ``out``, but not used any more."""

    def artifact(self, stage: str) -> Artifact | None:
        """Return the artifact of ``stage``; None if the study does not have it."""
        made = stage not in self.unused and is_finished(self.out / stage)
        return open_artifact(self.out / stage) if made else None

    def batches(self, stage: str, table: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the shards of a table, with the columns among ``columns`` that it has."""
        artifact = self.artifact(stage)
        if artifact is not None:
            for shard in artifact.shards_of(table):
                names = artifact.schema(shard).names
                yield artifact.piece(shard, [c for c in columns if c in names])

    def models(self) -> tuple[CardModel, ...]:
        """Return the models that took part: fill, filter, held out, then those of imported versions."""
        filled, filtered = self.artifact("mask_words"), self.artifact("filter")
        fillers = filled.table("models").to_pylist() if filled else []
        declared = filtered.table("models").to_pylist() if filtered else []
        return (
            *(CardModel(m["model"], m["revision"], "fill") for m in fillers),
            *(CardModel(m["model"], m["revision"], "filter") for m in declared if m["role"] == "filter"),
            *(CardModel(m["model"], m["revision"], "held out") for m in declared if m["role"] == "held_out"),
            *(CardModel(m.name, m.revision, m.role, m.version) for m in self.imported_models),
        )

    def servers(self) -> tuple[ServerCost, ...]:
        """Return the use of models behind servers by the stages that made the dataset, not by its audit."""
        return tuple(row for row in self.costs.rows if row.stage in _MADE_BY)

    def proposals(self) -> Literal["", "words", "hypotheses"]:
        """Return the kind of text that a model that writes proposed; empty if there was no such model."""
        filled = self.artifact("mask_words")
        tables = filled.tables if filled is not None else ()
        if "hypotheses" in tables:
            return "hypotheses"
        return "words" if "prompts" in tables else ""

    def rule(self) -> dict[str, str]:
        """Return words, scored, pairs and balance of the filter's rule; empty texts without a filter."""
        filtered = self.artifact("filter")
        if filtered is None:
            return {"words": "", "scored": "", "pairs": "apart", "balance": ""}
        (rule,) = filtered.table("rule").to_pylist()
        return dict(rule)

    def ported(self) -> tuple[PortDecision, ...]:
        """Return the decisions on the templates of a set from another culture; empty if it is not one."""
        generated = self.artifact("generate")
        if generated is None or not generated.shards_of("port_decisions"):
            return ()
        return tuple(records_of(generated.table("port_decisions"), PortDecision))

    def own_code(self) -> tuple[OwnSource, ...]:
        """Return the files with code of the authors that the study's stages ran."""
        return own_sources(self.out)

    def warnings(self) -> tuple[str, ...]:
        """Return the filter's warnings about the balance."""
        filtered = self.artifact("filter")
        texts = filtered.table("balance")["warning"].to_pylist() if filtered else []
        return tuple(warning for warning in texts if warning)

    def languages(self, kinds: Sequence[Kind]) -> tuple[str, ...]:
        """Return the languages of the released rows, sorted."""
        codes: set[str] = set()
        for kind in kinds:
            for shard in self.released.shards_of(kind):
                codes.update(self.released.piece(shard, ["language"])["language"].unique().to_pylist())
        return tuple(sorted(codes))

    def judge(self) -> Literal["people", "rule", "nobody"]:
        """Return who judged: people, rule if no one did and a rule checked the form, else nobody."""
        validated = self.artifact("validate")
        if validated is None:
            return "nobody"
        return "rule" if validated.shards_of("form_ok") else "people"

    def aggregate(self) -> Literal["majority", "dawid_skene", "mace"]:
        """Return the method that aggregated the judgments; majority if no one judged."""
        validated = self.artifact("validate")
        method = validated.table("aggregation")["method"][0].as_py() if validated else "majority"
        return cast("Literal['majority', 'dawid_skene', 'mace']", method)

    def agreement(self, name: str) -> CardAgreement:
        """Return the coefficient ``name`` of the verdicts of all units."""
        validated = self.artifact("validate")
        for r in validated.table("agreement").to_pylist() if validated else ():
            if (r["of"], r["by"], r["name"]) == ("verdict", "all", name):
                return CardAgreement(r["value"], r["low"], r["high"], r["why_undefined"], r["note"])
        return _UNDEFINED

    def exposure(self) -> tuple[CardExposure, ...]:
        """Return the counts of items that annotators read, without names."""
        validated = self.artifact("validate")
        return (
            tuple(CardExposure(**row) for row in validated.table("exposure").to_pylist()) if validated else ()
        )

    def stereotypes(self, released: Collection[str]) -> tuple[StereotypeRow, ...]:
        """Return the stereotypes with a name in ``released`` that templates state as sentences."""
        return tuple(s for s in stated_stereotypes(self.out) if s.stereotype in released)

    def packs(self) -> tuple[CardPack, ...]:
        """Return the language packs, and who checked them."""
        generated = open_artifact(self.out / "generate")
        rows = generated.table("packs").to_pylist() if generated.shards_of("packs") else []
        return tuple(CardPack(row["language"], row["checked_by"], tuple(row["accepted"])) for row in rows)

    def overlaps(self) -> tuple[CardOverlap, ...]:
        """Return the overlaps with other data and with earlier versions."""
        report = open_artifact(self.out / "release_report")
        by_source: dict[str, CardOverlap] = {}
        for row in report.table("contamination").to_pylist():
            before = by_source.get(row["source"], CardOverlap(row["source"], 0, 0))
            by_source[row["source"]] = CardOverlap(
                row["source"], before.exact + row["exact"], before.near + row["near"]
            )
        counts = duplicate_counts(report.table("duplicates"))
        for where in sorted(set(counts) - {THIS_VERSION}):
            by_source[where] = CardOverlap(where, counts[where].exact, counts[where].either)
        return tuple(by_source.values())

    def duplicates(self) -> tuple[int, int]:
        """Return the number of rows with an exact duplicate in the version, and with a near duplicate."""
        counts = duplicate_counts(open_artifact(self.out / "release_report").table("duplicates"))
        own = counts.get(THIS_VERSION, DuplicateCounts(0, 0, 0))
        return own.exact, own.near

    def shifts(self) -> tuple[ModelShift, ...]:
        """Return the models before and after the filter."""
        report = self.artifact("filter_report")
        if report is None:
            return ()
        table = "accuracy" if report.shards_of("accuracy") else "bias"
        return model_shifts(report.table(table))

    def parts(self, kind: Kind) -> tuple[PartStages, ...]:
        """Return the number of rows by stereotype, or by class, after each stage."""
        form = released_form(kind)
        by = form.parts
        filtered, judge = self.artifact("filter"), self.judge()
        unfiltered = dict.fromkeys([form.candidates, ("fill", form.generated[0])])
        generated = open_artifact(self.out / "generate")
        sources = [t for t in form.generated if generated.rows(t)]
        if form.has_items:  # items that still need a fill have the templates of the study, if there are any
            sources = sources[-1:]
        made = chain.from_iterable(self.batches(stage, table, by) for stage, table in unfiltered)
        candidates = self._candidates(by) if filtered else made
        return part_stages(
            templates=self._with_template_texts(
                chain.from_iterable(self.batches("generate", t, [*by, "template_id"]) for t in sources)
            ),
            candidates=candidates,
            kept=self.batches("filter", "kept", by) if filtered else None,
            valid=self._valid(by) if judge == "people" else None,
            form_ok=self.batches("validate", "form_ok", by) if judge == "rule" else None,
            released=self._released(kind, by),
            by=by,
        )

    def _with_template_texts(self, rows: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Yield ``rows`` with the text of the hypothesis template in place of its id, if it is known."""
        templates = templates_of_items(self.out).select(["template_id", "hypothesis"])
        texts = dict(zip(*(templates[n].to_pylist() for n in templates.column_names), strict=True))
        for table in rows:
            named = [texts.get(id_, id_) for id_ in table["template_id"].to_pylist()]
            at = table.column_names.index("template_id")
            yield table.set_column(at, "template_id", pa.array(named, pa.string()))

    def stages(self, kind: Kind, counterfactuals: int) -> tuple[StageCount, ...]:
        """Return the number of rows after each stage."""
        generated, filtered = open_artifact(self.out / "generate"), self.artifact("filter")
        validated, filled, judge = self.artifact("validate"), self.artifact("fill"), self.judge()
        form = released_form(kind)
        return stage_counts(
            expanded=sum(generated.rows(t) for t in form.generated if generated.shards_of(t)),
            filled=filled.rows(form.generated[0]) if filled is not None else None,
            kept=filtered.rows("kept") if filtered else None,
            verdicts=verdict_counts(self.batches("validate", "items", ["verdict"])),
            form_ok=validated.rows("form_ok") if validated and judge == "rule" else None,
            counterfactuals=counterfactuals,
            released=self.released.rows(kind),
            imported=self._imported() if form.has_items else 0,
            controls=sum(t.num_rows for t in self._tests()) if form.has_items else 0,
        )

    def _imported(self) -> int:
        """Return the number of imported candidates: those that no template of the study made."""
        templates = templates_of_items(self.out)["template_id"].combine_chunks()
        masks = (pc.is_in(t["template_id"], value_set=templates) for t in self._candidates(["template_id"]))
        return sum(len(made) - (pc.sum(made).as_py() or 0) for made in masks)

    def _candidates(self, by: Sequence[str]) -> Iterator[pa.Table]:
        for table in ("kept", "rejected"):
            yield from self.batches("filter", table, by)

    def _tests(self) -> Iterator[pa.Table]:
        for table in self.batches("release", "items", ["stance_design"]):
            yield table.filter(pc.equal(table["stance_design"], "test"))

    def _valid(self, by: Sequence[str]) -> Iterator[pa.Table]:
        for table in self.batches("validate", "items", [*by, "verdict"]):
            yield table.filter(pc.equal(table["verdict"], "valid"))

    def _released(self, kind: Kind, by: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the released rows except test items, with the columns that `part_stages` reads."""
        has_items = released_form(kind).has_items
        columns = (*by, *PAIR_COLUMNS, *(("stance_design",) if has_items else ()))
        for table in self.batches("release", kind, columns):
            yield table.filter(pc.not_equal(table["stance_design"], "test")) if has_items else table

    def released_batches(self, kind: Kind) -> Iterator[pa.Table]:
        """Yield the released rows of ``kind``, shard by shard."""
        for shard in self.released.shards_of(kind):
            yield self.released.piece(shard)
            pa.default_memory_pool().release_unused()  # or the memory of every shard stays in use
