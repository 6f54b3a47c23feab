"""The parameters of an estimator as options of the library, and what a fit would ask and cost."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ._core import Options, lib, take_text
from ._parameters import PLAIN, Parameters, a_number
from ._types import check_same_classes, classes_option, listed_labels
from .errors import PrivacyError, SottoError, UsageError
from .ledger import Dataset, who

__all__ = ["Plan", "Planned"]


@dataclass(frozen=True, repr=False)
class Plan:
    """What a fit would ask and cost; no record was read.

    Attributes
    ----------
    statement : dict
        The statement that its model would have, if the estimator is given `rows`, too: else
        a fit asks for their number as well.
    """

    statement: dict[str, Any]

    def __repr__(self) -> str:
        asked: dict[str, int] = {}
        for each in self.statement["questions"]:
            asked[each["question"]] = asked.get(each["question"], 0) + int(each["times"])
        words = ", ".join(name if times == 1 else f"{name} x {times}"
                          for name, times in asked.items())
        return (f"Plan(epsilon={self.epsilon:.6g}, delta={self.delta:.6g}, for a "
                f"{self.statement['unit']}, {self.statement['adjacency']}; asks: {words})")

    @property
    def epsilon(self) -> float:
        """What would be spent, at `delta`."""
        return float(self.statement["epsilon"])

    @property
    def delta(self) -> float:
        """The probability with which epsilon may fail."""
        return float(self.statement["delta"])


def _with_target(schema: str) -> str:
    """The schema with a column of classes, as a fit adds y to it."""
    read = json.loads(schema)
    listed = read.setdefault("columns", {})
    if all(column.get("type") != "target" for column in listed.values()):
        name = "target"
        while name in listed:
            name += "_"
        listed[name] = {"type": "target"}
    return json.dumps(read)


@dataclass(kw_only=True, eq=False, repr=False)
class Planned(Parameters):
    """Parameters that can be planned with."""

    _losses: ClassVar[tuple[str, ...]] = ()
    _estimator_type: ClassVar[str] = ""

    # ---- options ----

    def _is_private(self) -> bool:
        """Whether the fit promises something."""
        if self.epsilon is None:
            raise PrivacyError("epsilon: expected a number, the privacy budget; there is no "
                               "default, and inf trains a model that is NOT PRIVATE")
        if math.isinf(a_number(self.epsilon, "epsilon")):
            return False
        if self.delta is not None:
            a_number(self.delta, "delta")
        else:
            raise PrivacyError("delta: expected a number well below 1 / rows; there is no default")
        return self.insecure_seed is None

    def _loss(self) -> str:
        """The loss, as the library calls it."""
        return self._losses[0]

    def _setting(self, name: str) -> Any:
        """A parameter, or what stands for it where it is not given."""
        return getattr(self, name, None)

    def _settings(self, covered: bool = False) -> Options:
        """The parameters as options of the library; whether what was done to the columns
        before is covered, only a pipeline can say."""
        options = Options()
        options.set("loss", self._loss())
        for name in PLAIN:
            value = self._setting(name)
            if value is not None:
                options.set(name.replace("_", "-"), value)
        if not isinstance(self.fit_intercept, (bool, np.bool_)):
            raise UsageError("fit_intercept: expected True or False")
        options.set("intercept", bool(self.fit_intercept))
        if not covered:
            options.set("prepared", "elsewhere")
        return options

    def _schema_text(self) -> str | None:
        """The schema as a file of the program would have it."""
        if self.schema is None:
            return None
        if not hasattr(self.schema, "json_text"):
            raise UsageError("schema: expected a Schema; Schema.from_file(path) reads one")
        return str(self.schema.json_text())

    def _set_people(self, options: Options) -> None:
        """Rows of a person: said here, by the schema, or by the data set."""
        if self.ledger is not None and not isinstance(self.ledger, Dataset):
            raise UsageError("ledger: expected a data set, as Ledger(path).dataset(name) gives")
        declared = getattr(self.schema, "rows_per_person", None)
        if None not in (declared, self.rows_per_person) and declared != self.rows_per_person:
            raise UsageError(f"rows_per_person: the schema's Person has rows={declared}; expected "
                             "the same, or one of the two")
        if self.rows_per_person is None and declared is not None:
            options.set("rows-per-person", declared)
        elif self.rows_per_person is None and self.ledger is not None and self.ledger.rows > 1:
            options.set("rows-per-person", self.ledger.rows)
        if self.ledger is not None and self.adjacency is None:
            options.set("adjacency", self.ledger.adjacency)

    def _set_ledger(self, options: Options) -> None:
        if self.ledger is None:
            return
        if not os.path.exists(self.ledger.path):
            raise SottoError(f"{self.ledger.path}: the ledger is not there; nothing was fitted")
        options.set("ledger", self.ledger.path)
        options.set("dataset", self.ledger.name)
        user = who()
        if user:
            options.set("who", user)

    def _begin(self, covered: bool = False, tracked: bool = True) -> tuple[bool, Options]:
        """Whether a fit promises something, and its options."""
        private = self._is_private()
        options = self._settings(covered)
        self._set_people(options)
        if tracked:
            self._set_ledger(options)
        return private, options

    def _planned_labels(self) -> Sequence[Any] | None:
        """The labels that a plan can know apart from the schema's; None: it takes two."""
        classes = getattr(self, "classes", None)
        target = getattr(self.schema, "columns", {}).get(getattr(self.schema, "target", None))
        words = getattr(target, "classes", None)
        if self._estimator_type != "classifier" or classes is None:
            return None
        if words is not None:
            check_same_classes(classes, words)
            return None
        if isinstance(classes, str) and classes == "public":
            model = getattr(self, "_model", None)  # a fit knows which they are
            return None if model is None else list(model.classes())
        return listed_labels(classes)

    def _plan_options(self, features: int | None, rows: int | None) -> Options:
        self._is_private()
        options = self._settings()
        self._set_people(options)
        schema = self._schema_text()
        labels = self._planned_labels()
        if labels is not None:
            options.set("classes", classes_option(labels))
        if schema is not None:
            options.content("schema", schema if labels is None else _with_target(schema))
        if features is not None:
            options.set("features", features)
        elif schema is not None and not self.schema.lists_features():
            raise UsageError("features: expected how many there will be; the schema lists none")
        if rows is not None and self.rows is None:
            options.set("rows", rows)
        return options

    def plan(self, features: int | None = None, rows: int | None = None) -> Plan:
        """What a fit would ask, with which noise, and what it would cost.

        No record is read.

        Parameters
        ----------
        features : int, optional
            How many features there are. A schema knows it, but for columns
            that it does not list (``Schema(others=...)``).
        rows : int, optional
            About how many rows there are, for planning only.

        Notes
        -----
        Before a fit the labels of ``classes="public"`` are not known: the plan
        is then one of two classes.
        """
        words = take_text(lib.sotto_fit_plan, self._plan_options(features, rows).pointer)
        return Plan(dict(json.loads(words)))

    def explain(self, features: int | None = None, rows: int | None = None) -> str:
        """In words what a fit would ask, and why. No record is read.

        After a fit, what it knows is taken where nothing is given.
        """
        model = getattr(self, "_model", None)
        if model is not None:
            known = float(lib.sotto_model_setting(model.pointer, b"rows"))
            if self.schema is None or getattr(self.schema, "others", None) is not None:
                features = features or len(model.names())
            rows = rows or (None if math.isnan(known) else max(1, round(known)))
        options = self._plan_options(features, rows)
        options.set("explain", True)
        return take_text(lib.sotto_fit_plan, options.pointer)
