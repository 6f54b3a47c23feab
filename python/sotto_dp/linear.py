"""The estimators: linear models of classes and of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt

from ._core import lib
from ._data import numbers, plain_values
from ._model import Doubles, Model
from ._parameters import explain_keywords
from ._scores import class_codes, sample_weights, stream_quality, target_of
from .errors import DataError
from .estimator import Estimator

__all__ = ["HuberRegressor", "LinearRegression", "LinearSVC", "LogisticRegression"]


@dataclass(kw_only=True, eq=False, repr=False)
class _Classifier(Estimator):
    classes: Sequence[Any] | Literal["public"] | None = None
    multiclass: Literal["multinomial", "one-versus-rest"] | None = None

    _estimator_type: ClassVar[str] = "classifier"

    def _keep(self, model: Model) -> None:
        super()._keep(model)
        self.coef_ = np.atleast_2d(self.coef_)
        self.noise_ = np.atleast_2d(self.noise_)
        self.intercept_ = model.intercepts()
        if "classes_" not in self.__dict__:
            self.classes_ = _as_labels(model.classes())
        self._turn()

    _turned = False  # of two: the model's positive class is the first of classes_
    # of more: where classes_ are in the model; with a type it would be a parameter
    _order = cast("npt.NDArray[np.intp] | None", None)

    def _turn(self) -> None:
        """scikit-learn takes classes_ to be sorted, and of two everything to be about
        classes_[1]; a model has its classes in the order that was declared."""
        self._labels = self.classes_  # in the model's order
        self._turned, self._order = False, None
        if self._model.many():
            order = self._order = np.argsort(self.classes_, kind="stable")
            self.classes_, self.intercept_ = self.classes_[order], self.intercept_[order]
            self.coef_, self.noise_ = self.coef_[order], self.noise_[order]
            return
        self._turned = bool(self.classes_[0] > self.classes_[1])
        if self._turned:
            self.classes_ = self.classes_[::-1].copy()
            self.coef_, self.intercept_ = 0.0 - self.coef_, 0.0 - self.intercept_

    def decision_function(self, X: Any) -> Doubles:
        """The scores x'w + b; above 0 speaks for ``classes_[1]``.

        With K >= 3 classes they have K columns, and the largest counts. With
        ``bad_rows="drop"`` the score of a bad row is NaN.
        """
        scores = self._answers(X, lib.SOTTO_ANSWER_SCORE)
        if self._order is not None:
            return scores[:, self._order]
        return 0.0 - scores if self._turned else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels of the rows of X; they are as sensitive as the rows.

        With ``bad_rows="drop"`` the label of a bad row is None, in an array of
        objects; without bad rows the array is of the type of `classes_`.
        """
        values = self._answers(X, lib.SOTTO_ANSWER_VALUE)
        bad = np.isnan(values)
        answer: npt.NDArray[Any] = self._labels[self._codes(np.where(bad, 0, values))]
        if bad.any():
            answer = answer.astype(object)
            answer[bad] = None
        return answer

    def _codes(self, values: Doubles) -> npt.NDArray[np.intp]:
        """Which class the library has answered."""
        return (values if self._model.many() else values > 0).astype(np.intp)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *,
              target: str | None = None) -> float:
        """The accuracy: the part of the rows whose label is right.

        With ``bad_rows="drop"`` bad rows do not count.

        Labels are read as in a fit, as numbers or as texts. Without y it is
        the column `target` of X, or else that of the schema.
        """
        self._fitted()
        y = target_of(self, X, y, target)
        if y is None:
            return stream_quality(self, X, sample_weight)["accuracy"]
        codes = class_codes(y, self._model.classes())
        answers = self._answers(X, lib.SOTTO_ANSWER_VALUE)
        if len(codes) != len(answers):
            raise DataError(f"y has {len(codes)} rows where {len(answers)} were expected")
        bad = np.isnan(answers)
        right = np.asarray(self._codes(np.where(bad, 0, answers)) == codes, dtype=np.float64)
        weight = np.where(bad, 0, sample_weights(sample_weight, len(right)))
        return float(np.average(right, weights=weight))


def _as_labels(names: list[str]) -> npt.NDArray[Any]:
    """The classes of a model file: whole numbers where both are such."""
    try:
        return np.array([int(name) for name in names])
    except ValueError:
        return np.array(names)


@dataclass(kw_only=True, eq=False, repr=False)
class _Regressor(Estimator):
    _estimator_type: ClassVar[str] = "regressor"

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *,
              target: str | None = None) -> float:
        """R squared: 1 is perfect, 0 is what the mean would do.

        With ``bad_rows="drop"`` bad rows do not count.

        Without y it is the column `target` of X, or else that of the schema.
        """
        self._fitted()
        y = target_of(self, X, y, target)
        if y is None:
            return stream_quality(self, X, sample_weight)["r2"]
        y = numbers(plain_values(y), "y").astype(np.float64)
        weight, answers = sample_weights(sample_weight, len(y)), self.predict(X)
        bad = np.isnan(answers)
        weight, y, answers = (np.where(bad, 0, of) for of in (weight, y, answers))
        residual = float(np.sum(weight * (y - answers) ** 2))
        total = float(np.sum(weight * (y - np.average(y, weights=weight)) ** 2))
        if total == 0:
            return 1.0 if residual == 0 else 0.0
        return 1.0 - residual / total


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(_Classifier):
    """Private logistic regression.

    Minimises the mean of log(1 + exp(-y m)) + l1 |w|_1 + l2/2 |w|_2^2 with
    noise, so that the model says hardly anything about a record. Three classes
    and more have the multinomial loss.

    Parameters
    ----------
    epsilon, delta : float
        The privacy budget. There is no default. ``float("inf")`` trains
        without noise: NOT PRIVATE.
    classes : list, or "public"
        The labels in the type of y. Needed unless y is bool or 0/1: the set
        of labels is data. "public" is your word that the labels in y may be
        known. Saved models and reports have them as declared here, of two
        the negative one first; `classes_` is sorted.
    multiclass : {"multinomial", "one-versus-rest"}, optional
        How three classes and more are learned.
    schema : Schema, optional
        What is known about the columns beforehand. Bounds that are not
        declared are bought.
    ledger : Dataset, optional
        Where the fit is charged: ``Ledger(path).dataset(name)``. Without it the
        fit is untracked, which warns.
    purpose : str, optional
        What the model is for: in ledger and statement.
    adjacency : {"add-remove", "replace-one", "zero-out"}, optional
        What neighbours differ in.
    rows : int, optional
        How many rows, if that is public.
    rows_per_person : int, optional
        Rows of a person that are used and protected.
    weight_bound : float, optional
        The largest weight, for `sample_weight`.
    bad_rows : {"stop", "drop"}, optional
        A row that cannot be read ends the fit (default), or counts as absent.
    undeclared : {"bounds", "rows"}, optional
        Features without bounds: those are bought (default), or each row is
        divided by its length, which is another model.
    parts : list of str, optional
        The parts of the data set that are read and charged, where the ledger
        keeps it in parts.
    l1, l2 : float, optional
        Penalties.
    penalty_units : {"spread", "fit", "file"}, optional
        Which weights are penalised: of columns divided by their spread, those
        of the fit, or those in the units of the data (docs/schema.md).
    fit_intercept : bool, default True
        Whether to learn an intercept, not penalised.
    solver : str, optional
        How to train; "auto" has nothing to tune. Its settings are the other
        parameters, as on the command line with ``_`` for ``-``
        (docs/solvers.md has those of each solver).
    progress : True or function, optional
        A bar of tqdm, which must be installed; or what is called with a
        `Progress`, and may return True to stop the fit, which stays charged.
    threads : int, optional
        Threads; 0: as many as processors.
    insecure_seed : int, optional
        Noise that anybody can repeat: NOT PRIVATE, for tests.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n)
        Weights, in the units of the data; above 0 speaks for ``classes_[1]``.
        A category has one for each level. With K >= 3 classes the shape is
        (K, n), and that of `noise_`.
    intercept_ : ndarray of shape (1,) or (K,)
        The intercept.
    classes_ : ndarray of shape (2,) or (K,)
        The labels, sorted, as scikit-learn's scorers take them.
    noise_ : ndarray of shape (1, n)
        The standard deviation of the last noise in each weight; NaN: not known.
        It is no error bar: `conf_int` and `summary` have those.
    coef_names_ : ndarray of shape (n,)
        What each weight is about.
    n_features_in_, feature_names_in_ : int, ndarray
        The columns of X.
    privacy_, statement_ : dict or None
        The promise in short, and whole; None: NOT PRIVATE.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import sotto_dp as dp
    >>> warnings.simplefilter("ignore", dp.SottoWarning)
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (5000, 2))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> model = dp.LogisticRegression(epsilon=1, delta=1e-6).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.privacy_["epsilon"] <= 1
    True
    """

    _losses: ClassVar[tuple[str, ...]] = ("logistic",)

    def predict_proba(self, X: Any) -> Doubles:
        """The probabilities of the classes, in the order of `classes_`."""
        positive = self._answers(X, lib.SOTTO_ANSWER_PROBA)
        if self._order is not None:
            return positive[:, self._order]
        both = [1 - positive, positive]
        return np.column_stack(both[::-1] if self._turned else both)

    def predict_log_proba(self, X: Any) -> Doubles:
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            out: Doubles = np.log(self.predict_proba(X))
        return out


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVC(_Classifier):
    """A private support vector machine.

    The parameters are those of `LogisticRegression`, and `loss`, as
    scikit-learn has it. Of "hinge", ``solver="auto"`` makes the corner a bend
    of width 0.5; "scd" takes it as it is, and needs ``fit_intercept=False``
    and `l2`. Three classes and more are learned each against all others; a
    private fit of them takes ``solver="auto"`` or "newton".

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import sotto_dp as dp
    >>> warnings.simplefilter("ignore", dp.SottoWarning)
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (5000, 2))
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> svm = dp.LinearSVC(epsilon=1, delta=1e-6, classes=["no", "yes"])
    >>> svm.fit(X, y).score(X, y) > 0.8
    True
    """

    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"

    _losses: ClassVar[tuple[str, ...]] = ("squared-hinge", "hinge")

    def _loss(self) -> str:
        return str(self.loss).replace("_", "-")

    def _restore(self, model: Model) -> None:
        super()._restore(model)
        self.loss = "hinge" if model.loss() == "hinge" else "squared_hinge"


@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegression(_Regressor):
    """Private least squares; with l1 and l2 the lasso, ridge, the elastic net.

    The parameters are those of `LogisticRegression`, without `classes`.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import sotto_dp as dp
    >>> warnings.simplefilter("ignore", dp.SottoWarning)
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (5000, 2))
    >>> y = 3 * X[:, 0] + 1
    >>> model = dp.LinearRegression(epsilon=1, delta=1e-6).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    _losses: ClassVar[tuple[str, ...]] = ("squared",)


@dataclass(kw_only=True, eq=False, repr=False)
class HuberRegressor(_Regressor):
    """Private regression with Huber's loss, for targets with outliers.

    The parameters are those of `LinearRegression`, and `huber_delta`: where the
    tangents begin.
    """

    huber_delta: float | None = None

    _losses: ClassVar[tuple[str, ...]] = ("huber",)


for _kind in (LogisticRegression, LinearSVC, LinearRegression, HuberRegressor):
    explain_keywords(_kind)
