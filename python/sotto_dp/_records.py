"""The records of a call: which columns there are, and what each is for.

Decided by names, types and shapes, which are public. The one exception is
``classes="public"``: then the caller has said that the labels in y may be
known.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sklearn
from ._columns import Columns
from ._core import Options
from ._data import (Listed, frame_column, is_frame, is_text_like, names_as_text, one_column,
                    table_names)
from ._features import as_array, check_width, columns_of
from ._sparse import is_sparse
from ._stand_in import OneRow
from ._types import (check_features, check_same_classes, classes_option, column_kinds,
                     fitting_labels, kind_of, listed_labels, near, number_of)
from .errors import DataError, PrivacyError, RemarkWarning, UsageError

if TYPE_CHECKING:
    from .estimator import Estimator

__all__ = ["Records"]

MOST_CLASSES = 1000  # that the library takes


def _check_declared_width(X: Any, schema: Any) -> None:
    """An array has as many columns as its schema says, with or without those given apart."""
    width = getattr(schema, "width", None)
    if width is None:
        return
    apart = sum(type(column).__name__ in ("Target", "Weight", "Person")
                for column in schema.columns.values())
    if X.shape[1] not in (width, width - apart):
        raise DataError(f"X has {X.shape[1]} columns, and the schema says width={width}; "
                        "expected the same")


def _free_name(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _check_arguments(y: Any, weight: Any, target: Any, person: Any) -> None:
    """Refuses names where arrays belong, and arrays where a name does."""
    if isinstance(y, str):
        raise UsageError("y: expected an array; a column of X is named by target=")
    for what, value, role in (("sample_weight", weight, "Weight"), ("person", person, "Person")):
        if isinstance(value, str):
            raise UsageError(f"{what}: expected an array; a column of X gets that role in the "
                             f"schema, as {role}()")
    if target is not None and not is_text_like(target):
        raise UsageError("target: expected the name of a column of X; an array is given as y")


def _kind(values: Any) -> str:
    """The kind of a column's type, as numpy names it; texts are O."""
    if isinstance(values, Listed):
        return "i"  # what is in a list would be data; 0, 0.0 and False are one text
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if isinstance(kind, str):
        return kind
    return str(np.asarray(values[:0]).dtype.kind)


@dataclass
class Records:
    """What a fit was given."""

    owner: Estimator
    X: Any
    y: Any
    weight: Any
    person: Any
    names: list[str] | None  # of a data frame's columns; None: an array
    target: str
    weight_name: str
    person_name: str
    labels: list[Any] | None = None
    stands_in: bool = False  # no record is in it

    @classmethod
    def take(cls, owner: Estimator, X: Any, y: Any, weight: Any, target: str | None,
             person: Any, stands_in: bool = False) -> Records:
        """Sorts out what the arguments are. Unless it stands in, this touches records."""
        frame = is_frame(X)
        _check_arguments(y, weight, target, person)
        if target is None and y is None and frame:
            target = getattr(owner.schema, "target", None)
        if target is None and y is None:
            raise UsageError(f"This {type(owner).__name__} estimator requires y to be passed, "
                             "but the target y is None." +
                             (' Or name a column of X: target="name".' if frame else ""))
        if target is not None and y is not None:
            raise UsageError("target: names the column of X that is y; give y or target, not both")
        if target is not None and not frame:
            raise UsageError("target: names a column of a data frame; of an array give y apart")
        names = names_as_text(table_names(X)) if frame else None
        target = None if target is None else str(target)
        declared = getattr(owner.schema, "target", None)
        if None not in (target, declared) and target != declared:
            raise UsageError(f'target: "{target}", and the schema\'s Target is "{declared}"; '
                             "expected the same, or one of the two")
        if names is not None and len(set(names)) < len(names):
            raise DataError("expected columns with different names")
        if target is not None and names is not None and target not in names:
            raise UsageError(f'target: there is no column "{target}"{near(target, names)}')
        if not frame:
            X = check_width(X) if is_sparse(X) else as_array(X)
            _check_declared_width(X, owner.schema)
        taken = list(names or [])
        if y is not None:
            if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
                warnings.warn("A column-vector y was passed when a 1d array was expected.",
                              _sklearn.column_vector(), stacklevel=5)
            y = one_column(y, "y")
            if declared in taken:
                raise UsageError(f'y was given, and X has "{declared}", the schema\'s Target; '
                                 "expected one of the two")
            name = declared or getattr(y, "name", None)
            if name in taken:
                warnings.warn(f'X has a column "{name}", as y is called: it is learned from, too',
                              RemarkWarning, stacklevel=5)
            target = _free_name(name if isinstance(name, str) and name and name not in taken
                                else "target", taken)
        assert target is not None
        taken.append(target)
        return cls(owner, X, y, weight, person, names, target, _free_name("weight", taken),
                   _free_name(getattr(owner.ledger, "unit", None) or "person", taken),
                   stands_in=stands_in)

    # ---- options ----

    def declare(self, options: Options) -> None:
        """Says what the columns are for."""
        owner = self.owner
        options.set("target", self.target)
        weighs = any(type(column).__name__ == "Weight"
                     for column in getattr(owner.schema, "columns", {}).values())
        if self.weight is not None:
            options.set("weights", self.weight_name)
        if owner.weight_bound is not None and (self.weight is not None or weighs):
            options.set("weight-bound", owner.weight_bound)
        ledger_unit = getattr(owner.ledger, "unit", None)
        if self.person is not None:
            options.set("unit-column", self.person_name)
        elif getattr(owner.schema, "person", None) is None and ledger_unit is not None:
            options.set("unit-column", ledger_unit)
        self.labels = self._labels()
        words = owner._schema_text()
        schema = None if words is None else json.loads(words)
        if self.labels is not None:
            options.set("classes", classes_option(self.labels))
        if schema is not None:
            listed = schema.setdefault("columns", {})
            listed.setdefault(self.target, {"type": "target"})
            if self.weight is not None:
                listed.setdefault(self.weight_name, {"type": "weight"})
            if self.person is not None:
                listed.setdefault(self.person_name, {"type": "unit"})
            options.content("schema", json.dumps(schema))

    def _labels(self) -> list[Any] | None:
        """The labels, of two the negative one first; None: the schema has them, or none do."""
        classes = getattr(self.owner, "classes", None)
        if self.owner._estimator_type != "classifier":
            return None
        declared = getattr(self.owner.schema, "columns", {}).get(self.target)
        words = getattr(declared, "classes", None)
        if words is not None and classes is not None:
            check_same_classes(classes, words)
        if isinstance(classes, str) and classes == "public":
            many = self.owner.ledger is None or not self.owner._is_private()
            return [0, 1] if self.stands_in else _public_labels(self._target_values(), many)
        if classes is not None:
            return fitting_labels(listed_labels(classes), self._target_kind())
        if words is not None:
            if self._target_kind() == "number" and None in map(number_of, words):
                raise UsageError("schema: its classes are texts, and y has numbers")
            return None
        if self._streams():  # types that cannot be told are left to the library
            kind = "i" if self._target_kind() in ("number", "other") else "O"
        else:
            kind = _kind(self._target_values())
        if kind == "b":
            return [False, True]
        if kind in "iuf":  # which of the two ways to write them is used would be data
            return [0, 1]
        raise PrivacyError(
            "classes: the labels in y are data; expected classes=[...] with all of them, of two "
            'the negative one first, or classes="public" as your word that they may be known')

    def _target_kind(self) -> str:
        """What the type of the target tells about it."""
        if self.y is None:
            return column_kinds(self.X, self.names or []).get(self.target, "other")
        return kind_of(getattr(self.y, "dtype", getattr(self.y, "type", None)))

    def check_types(self) -> None:
        """Refuses what types show to be wrong; no record is looked at."""
        owner = self.owner
        if isinstance(self.X, OneRow):
            self.X.check(self._dropped())
        try:
            check_features(self.X, self.names or [], owner.schema,
                           [self.target, *_not_features(owner)])
        except DataError:
            if owner.ledger is None or not owner.ledger._in_parts():
                raise  # otherwise it may be the column of the parts
        if owner._estimator_type != "classifier" and self._target_kind() == "text":
            raise DataError("y: expected numbers, and its type is text")

    def _target_values(self) -> Any:
        values = self.y
        if values is None:
            try:
                values = frame_column(self.X, self.target)
            except (TypeError, KeyError, UsageError):
                raise UsageError("classes: expected a list of the labels; those of a stream are "
                                 "not looked at") from None
        return one_column(values, "y")

    # ---- columns ----

    def _streams(self) -> bool:
        """Whether the columns come by an Arrow stream, all of them."""
        return (self.names is not None and not hasattr(self.X, "iloc") and self.y is None and
                self.weight is None and self.person is None and
                hasattr(self.X, "__arrow_c_stream__"))

    def _dropped(self) -> list[str]:
        return [name for name, column in getattr(self.owner.schema, "columns", {}).items()
                if type(column).__name__ == "Drop"]

    def explain(self, error: DataError) -> DataError:
        """A refusal with what can be done about it, where labels were not declared."""
        words = str(error).replace("with --classes A,B,...", 'with classes=["A", "B"]')
        words = words.replace("with --classes A,B", 'with classes=["A", "B"]')
        if hasattr(self.X, "iloc"):
            words = re.sub(r"\brow ([0-9]+)(?=[,:])",
                           lambda row: f"{row[0]} (iloc {int(row[1]) - 1})", words)
        name = getattr(self.y, "name", None)
        if self.names and name in self.names and f'column "{name}" is not in the sch' in words:
            words += "; y was given, and X has it, too"
        if self.labels is None or getattr(self.owner, "classes", None) is not None:
            return DataError(words)
        return DataError(re.sub(
            r'expected one of the declared classes(: "0", "1")?',
            "expected 0 or 1, as y has them without classes= (for -1/+1 give classes=[-1, 1], "
            "for more than two classes their list)", words))

    def columns(self) -> Columns:
        """The list of columns for the library; nothing is copied that need not be."""
        if self._streams():
            return Columns.stream(self.X)
        people = (self.person_name, getattr(self.owner.schema, "person", None),
                  getattr(self.owner.ledger, "unit", None))
        columns = columns_of(self.X, self.names, None, self._dropped(),
                             [name for name in people if name is not None])
        if self.y is not None:
            columns.column(self.target, self.y)
        if self.weight is not None:
            columns.column(self.weight_name, self.weight)
        if self.person is not None:
            columns.column(self.person_name, self.person)
        return columns

    def settle(self, owner: Estimator) -> None:
        """What is known about the columns when the fit is over."""
        if self.names is None:
            owner.n_features_in_ = int(self.X.shape[1])
            owner.__dict__.pop("feature_names_in_", None)
        else:
            others = {self.target, *_not_features(owner)}
            names = [name for name in self.names if name not in others]
            owner.n_features_in_ = len(names)
            owner.feature_names_in_ = np.array(names, dtype=object)
        owner.__dict__.pop("classes_", None)
        if self.labels is not None:
            owner.classes_ = np.array(self.labels)
        owner._numbered = is_sparse(self.X)


def _not_features(owner: Estimator) -> list[str]:
    """The columns that a schema gives another role, and the ledger's people."""
    out = [getattr(owner.ledger, "unit", None)]
    for name, column in getattr(owner.schema, "columns", {}).items():
        if type(column).__name__ in ("Target", "Weight", "Person", "Drop"):
            out.append(name)
    return [name for name in out if name is not None]


def _public_labels(y: Any, many: bool) -> list[Any]:
    """The labels that y has; only for a caller who says that they are public."""
    values = np.asarray(y.tolist() if isinstance(y, Listed) else y)
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: y")
    if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
        raise DataError("Input y contains NaN or infinity.")
    if values.dtype.kind == "f" and np.any(values != np.floor(values)):
        raise DataError("Unknown label type: continuous. Maybe you are trying to fit a classifier "
                        "on a regression target with continuous values.")
    labels = [each.item() if isinstance(each, np.generic) else each for each in np.unique(values)]
    if len(labels) > 2 and not many:
        raise DataError("Only binary classification is supported with classes=\"public\" and a "
                        "ledger. The type of the target is multiclass; expected a list of the "
                        "classes.")
    if len(labels) > MOST_CLASSES:
        raise DataError(f"expected at most {MOST_CLASSES} classes in y; maybe it is a target for a "
                        "regressor")
    if len(labels) < 2:
        raise DataError("expected two or more classes in y, found one class")
    return labels
