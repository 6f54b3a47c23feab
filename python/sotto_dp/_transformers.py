"""Row-local transformers and the pipeline that checks itself.

This file needs scikit-learn; `sotto_dp.pipeline` loads it when it is used.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._data import (is_frame, names_as_text, one_column, plain_values, table_names,
                    text_or_none)
from ._fitting import Given
from ._pipeline_input import admit, check_input, has_steps
from ._row_local import inspect_steps, load
from ._schema_text import check_words
from ._sparse import compressed
from ._steps import applied, has_odd_types, of_new_rows, rehearsed
from ._types import column_kinds, kind_of
from .errors import DataError, PrivacyError, RecordError, RemarkWarning, UsageError

__all__ = ["Bounds", "OneHot", "Pipeline"]

_base: Any = load("sklearn.base")
_pipeline: Any = load("sklearn.pipeline")
_sparse: Any = load("scipy.sparse")


def _width(X: Any) -> int:
    """The number of columns; its type is looked at, and no value."""
    shape = getattr(X, "shape", None)
    if shape is None:
        shape = np.array(X, dtype=object).shape
    if len(shape) != 2:
        raise DataError("expected a table with rows and columns. Reshape your data: "
                        "X.reshape(-1, 1) is one column, X.reshape(1, -1) one row")
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise DataError("Complex data not supported")
    return int(shape[1])


def _is_pandas(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "to_numpy")


class _RowLocal(_base.TransformerMixin, _base.BaseEstimator):  # type: ignore[misc]
    """A transformer whose fit looks at the number of columns and their names."""

    _takes_sparse = False

    def _learn_columns(self, X: Any) -> None:
        self.n_features_in_ = _width(X)
        names = list(X.columns) if hasattr(X, "columns") else []
        if names and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_columns(self, X: Any) -> None:
        load("sklearn.utils.validation").check_is_fitted(self, "n_features_in_")
        if _width(X) != self.n_features_in_:
            raise DataError(f"X has {_width(X)} features, but {type(self).__name__} is expecting "
                            f"{self.n_features_in_} features as input")

    def _names(self, input_features: Any) -> list[str]:
        if input_features is not None:
            return [str(name) for name in input_features]
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse
        return tags


class Bounds(_RowLocal):
    """Clamps every value to bounds that are known beforehand.

    What it makes of a row depends on that row alone. Its fit looks at nothing
    but the number of columns and their names. A missing value stays missing.

    Parameters
    ----------
    low, high : float or list of float
        The bounds: one pair for all columns, or one number for each column.
        They must not have been read off the records.

    Examples
    --------
    >>> Bounds(0, [1, 10]).fit_transform([[0.5, 20.0], [-3.0, 4.0]])
    array([[ 0.5, 10. ],
           [ 0. ,  4. ]])
    """

    _takes_sparse = True

    def __init__(self, low: float | Sequence[float], high: float | Sequence[float]) -> None:
        self.low = low
        self.high = high

    def _limits(self) -> tuple[Any, Any]:
        if any(hasattr(each, "dtype") and getattr(each, "ndim", 1)
               for each in (self.low, self.high)):
            raise UsageError("Bounds: expected numbers or lists that are written down; an array "
                             "was computed from something")
        try:
            low, high = (np.asarray(x, dtype=np.float64) for x in (self.low, self.high))
        except (TypeError, ValueError):
            raise UsageError("Bounds: expected low and high to be numbers") from None
        if any(x.ndim > 1 or (x.ndim and len(x) != self.n_features_in_) for x in (low, high)):
            raise UsageError("Bounds: expected one pair of bounds, or one for each of "
                             f"{self.n_features_in_} columns")
        if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
            raise UsageError("Bounds: expected low < high, both finite")
        shape = (self.n_features_in_,)
        return np.broadcast_to(low, shape), np.broadcast_to(high, shape)

    def fit(self, X: Any, y: Any = None) -> Bounds:
        """Counts the columns."""
        self._learn_columns(X)
        self._limits()
        return self

    def transform(self, X: Any) -> Any:
        """The table with every value clamped, in double precision."""
        self._check_columns(X)
        low, high = self._limits()
        if _sparse.issparse(X):
            if (low > 0).any() or (high < 0).any():
                raise UsageError("Bounds: expected bounds with 0 in them for a sparse table")
            X = compressed(X).tocsr().astype(np.float64)  # nothing is added up
            X.data = np.clip(X.data, low[X.indices], high[X.indices])
            return X
        try:
            values = (X.to_numpy(dtype=np.float64, na_value=np.nan) if _is_pandas(X)
                      else np.asarray(X, dtype=np.float64))
        except (TypeError, ValueError):  # NumPy's line quotes the value
            values = None
        if values is None:
            raise RecordError("Bounds: expected numbers; a column has something else")
        clamped = np.clip(values, low, high)
        return type(X)(clamped, index=X.index, columns=X.columns) if _is_pandas(X) else clamped

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns, which stay as they are."""
        return np.array(self._names(input_features), dtype=object)


def _one_of(X: Any, j: int) -> Any:
    """A column's values as objects. It comes by itself: in a whole frame as one array the type
    of a number depends on other columns, and on whether a value is missing."""
    if is_frame(X) and not _is_pandas(X):
        return np.array(plain_values(one_column(X[table_names(X)[j]], "X")), dtype=object)
    if is_frame(X):
        one = X.iloc[:, j]
        if hasattr(one, "cat"):  # by its codes: one missing value makes whole numbers floats
            levels = [*one.cat.categories, None]
            return [levels[code] for code in np.asarray(one.cat.codes)]
        return np.array(one, dtype=object)
    return np.array(X, dtype=object)[:, j]


def _column_types(X: Any) -> list[Any]:
    """The types of the columns, where they say them."""
    types = getattr(getattr(X, "schema", None), "types", None)  # pyarrow
    if types is None:
        types = getattr(X, "dtypes", None)
    if types is None and hasattr(X, "dtype"):
        return [X.dtype] * _width(X)
    return [] if types is None else list(types)


_FLOATS = re.compile(r"(?:sparse\[)?(?:(double|float64|float)|(float32)|(float16|halffloat))\b.*")


def _check_exact(dtype: Any, levels: Sequence[str]) -> None:
    """Refuses levels that a column of floats does not tell apart: one missing value makes such a
    column of whole numbers, in pandas."""
    found = _FLOATS.fullmatch(str(dtype).lower())
    limit = 2 ** {1: 53, 2: 24, 3: 11}[found.lastindex or 1] if found else None
    if limit is not None and any(re.fullmatch("-?[0-9]+", each) and abs(int(each)) > limit
                                 for each in levels):
        raise DataError(f"OneHot: a level is a whole number that {dtype} may not tell from the "
                        "next one; expected a column of whole numbers (Int64 where some are "
                        "missing) or of texts")


class OneHot(_RowLocal):
    """One 0/1 column for each level of a list that is known beforehand.

    What it makes of a row depends on that row alone. Its fit looks at nothing
    but the number of columns and their names. A value that is none of the
    levels becomes zeros, and so does a missing one.

    Parameters
    ----------
    levels : list of str or int, or list of such lists
        The levels of every column, or one list for each column, written down
        by somebody who did not look for them in the records. Numbers are
        compared as text: 1, 1.0 and "1" are the same.

    Examples
    --------
    >>> onehot = OneHot(["f", "m"])
    >>> onehot.fit_transform([["m"], ["f"], ["?"]])
    array([[0., 1.],
           [1., 0.],
           [0., 0.]])
    >>> list(onehot.get_feature_names_out(["sex"]))
    ['sex=f', 'sex=m']
    """

    def __init__(self, levels: Sequence[Any]) -> None:
        self.levels = levels

    def _lists(self) -> list[tuple[str, ...]]:
        many = type(self.levels) in (list, tuple) and all(
            type(each) in (list, tuple, range) for each in self.levels)
        lists = list(self.levels) if many and self.levels else [self.levels] * self.n_features_in_
        if len(lists) != self.n_features_in_:
            raise UsageError(f"OneHot: expected a list of levels for each of "
                             f"{self.n_features_in_} columns")
        try:
            return [check_words(each, "levels") for each in lists]
        except (TypeError, ValueError) as error:
            raise UsageError(f"OneHot: {error}") from None

    def fit(self, X: Any, y: Any = None) -> OneHot:
        """Counts the columns."""
        if _sparse.issparse(X):
            raise UsageError("OneHot: expected a dense table, and not a sparse one")
        self._learn_columns(X)
        kinds = (column_kinds(X, names_as_text(table_names(X))) if is_frame(X) else
                 {"X": kind_of(X.dtype)} if hasattr(X, "dtype") else {})
        for name, kind in kinds.items():
            if kind == "other":
                raise DataError(f'OneHot: expected numbers or texts in column "{name}"')
        for dtype, levels in zip(_column_types(X), self._lists()):
            _check_exact(dtype, levels)
        return self

    def transform(self, X: Any) -> Any:
        """The 0/1 columns, in double precision."""
        self._check_columns(X)
        if _sparse.issparse(X):
            raise UsageError("OneHot: expected a dense table, and not a sparse one")
        lists = self._lists()
        blocks = []
        for j, levels in enumerate(lists):
            column = _one_of(X, j)
            place = {word.encode("utf-8", "surrogatepass"): k for k, word in enumerate(levels)}
            rows = [place.get(text_or_none(value) or b"", -1) for value in column]
            blocks.append((np.array(rows, dtype=np.int64).reshape(-1, 1)
                           == np.arange(len(levels))).astype(np.float64))
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """A name ``column=level`` for each level, as the program has it."""
        pairs = zip(self._names(input_features), self._lists())
        return np.array([f"{name}={level}" for name, levels in pairs for level in levels],
                        dtype=object)


def _answer(name: str) -> Any:
    """A method of a pipeline whose steps treat new rows as they treated those of the fit."""
    def there(self: Any) -> bool:
        return hasattr(self.steps[-1][1], name)

    def answer(self: Any, X: Any, *more: Any, **params: Any) -> Any:
        rows = of_new_rows(self.steps[:-1], X)
        return getattr(self.steps[-1][1], name)(rows, *more, **params)

    answer.__name__ = name
    answer.__doc__ = f"The steps, and then `{name}` of the last one."
    return load("sklearn.utils.metaestimators").available_if(there)(answer)


class Pipeline(_pipeline.Pipeline):  # type: ignore[misc]
    """scikit-learn's Pipeline, whose fit refuses steps that learn from data.

    `make_pipeline` makes it. A step may be replaced later: every fit looks at
    all of them again. Steps before the last never see the target. Copies of
    them are first applied to a made-up row: what they refuse then costs
    nothing. Where one of them fails on the records, the fit is charged, and
    its message is not shown: it may quote a record.
    """

    steps: Any

    def _refuse(self, sparse: bool, odd: bool = False) -> bool:
        """Raises where a step learns; otherwise whether all of them are known."""
        found = inspect_steps(self, sparse, odd=odd)
        for finding in found:
            if finding.learns:
                raise PrivacyError(str(finding))
        for finding in found:
            warnings.warn(str(finding), RemarkWarning, stacklevel=4)
        return not found

    def _prepare(self, X: Any) -> Any:
        return applied(self.steps, X)

    def _for_last(self, params: dict[str, Any]) -> dict[str, Any]:
        start = self.steps[-1][0] + "__"
        for name in params:
            if name == "target":
                raise UsageError("target: a pipeline's steps do not see it; give X and y, the "
                                 "target apart")
            if not name.startswith(start):
                raise UsageError(f"fit: expected parameters of the last step only, as "
                                 f"{start}sample_weight")
            if name[len(start):] not in ("sample_weight", "person", "target"):
                raise UsageError(f"fit: there is no parameter {name}")
        return {name[len(start):]: value for name, value in params.items()}

    def fit(self, X: Any, y: Any = None, **params: Any) -> Pipeline:
        """Checks the steps, transforms row by row, and fits the last step.

        Parameters
        ----------
        X, y : array, data frame, list of texts
            Records and target.
        **params : any
            For the last step: ``logisticregression__sample_weight=...``.

        Returns
        -------
        self
        """
        known = self._refuse(_sparse.issparse(X), has_odd_types(X))
        words = self._for_last(params)
        check_input(self.steps, X, words)
        # copies: what a refused fit leaves in a step would tell about records
        steps: Any = [(name, step if step is None or isinstance(step, str) else _base.clone(step))
                      for name, step in self.steps[:-1]]
        steps.append(self.steps[-1])
        self.steps[-1][1]._fit(self._given(steps, X, y, words, known), covered=known)
        self.steps = steps
        return self

    def check_records(self, X: Any, y: Any = None, **params: Any) -> None:
        """Applies the steps and reads the records as `fit` would, without a charge; nothing is
        trained or kept.

        What it says depends on records: it is for the operator beside the
        data, and not for release. Of a step that fails it says the name and
        the kind of exception, as `fit` does. The parameters are those of `fit`.

        Raises
        ------
        DataError
            As `fit` would raise it, but for what only training can find.
        """
        known = self._refuse(_sparse.issparse(X), has_odd_types(X))
        words = self._for_last(params)
        check_input(self.steps, X, words)
        steps = _base.clone(self).steps
        self.steps[-1][1]._check(self._given(steps, X, y, words, known))

    def _given(self, steps: Any, X: Any, y: Any, words: dict[str, Any], known: bool) -> Given:
        """What the last step is given: what these steps make of X, when it asks for it."""
        given = Given(X, y, words.get("sample_weight"), words.get("target"), words.get("person"))
        if has_steps(steps):
            last = self.steps[-1:]
            given.row = lambda: rehearsed([*steps[:-1], *last], X, known)
            given.made = lambda: applied(steps, admit([*steps[:-1], *last], X, words))
        return given

    def _no_output(self) -> Any:
        raise AttributeError("a pipeline of sotto has fit, and then predict: what its steps make "
                             "of records is not handed out by a fit")

    predict = _answer("predict")
    predict_proba = _answer("predict_proba")
    predict_log_proba = _answer("predict_log_proba")
    decision_function = _answer("decision_function")
    score = _answer("score")

    fit_transform = property(_no_output)
    fit_predict = property(_no_output)
