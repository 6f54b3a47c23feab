"""What all estimators do: a fit, its results, files and pickles."""

from __future__ import annotations

import json
import math
import os
import warnings
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _sklearn
from ._core import Options, Stopped, call, ffi, lib, remarks, table_remarks, with_callback
from ._features import batches, for_model
from ._fitting import Given, booked, dry_run, handed_over
from ._intervals import confidence, named, table
from ._model import Doubles, Model
from ._planning import Plan, Planned
from ._records import Records
from ._spending import untracked
from .errors import DataError, NotPrivateWarning, RemarkWarning, UntrackedWarning, UsageError
from .evaluation import Asked, Evaluation, check_target, check_width, made
from .ledger import Dataset
from .progress import check as check_progress, reporter

__all__ = ["Estimator", "Plan"]

Self = TypeVar("Self", bound="Estimator")


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator(Planned):
    """What all estimators share; see `LogisticRegression` for the parameters."""

    # ---- the fit ----

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None, *,
            target: str | None = None, person: Any = None) -> Self:
        """Trains the model, once: with a ledger it is charged, whatever happens.

        What parameters, names, types and shapes show to be wrong is refused
        before, on a dry run with a made-up row, and costs nothing; the model
        of an earlier fit stays. Whatever becomes of a fit after that, the
        estimator no longer has the earlier one. From the first look at a
        record on every failure is charged, Ctrl-C too; `check_records` finds
        what only records show beforehand.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            The records. Columns of a data frame are known by their names.
            Those with texts are declared in the schema.
        y : array, optional
            What is to be learned; or `target`.
        sample_weight : array, optional
            A weight for each row; needs `weight_bound`.
        target : str, optional
            The column of X that is to be learned.
        person : array, optional
            Whose row it is. Then the promise is to a person.

        Returns
        -------
        self
        """
        return self._fit(Given(X, y, sample_weight, target, person))

    def _fit(self: Self, given: Given, covered: bool = False) -> Self:
        """A fit of records, or of what a pipeline makes of them."""
        check_progress(self.progress)
        given = given.with_shapes(self.ledger is not None)
        dry = dry_run(self, given, covered)
        self._forget()
        records, options, table = booked(dry, given, covered)
        model = self._train(records, options, table, dry.private)
        records.settle(self)
        self._keep(model)
        self._tell(dry.private)
        if model.booking() is not None:
            model.settle()
        return self

    def check_records(self, X: Any, y: Any = None, sample_weight: Any = None, *,
                      target: str | None = None, person: Any = None) -> None:
        """Reads the records as `fit` would, without a charge; nothing is trained or kept.

        What it says depends on records: it is for the operator beside the
        data, and not for release. The parameters are those of `fit`.

        Raises
        ------
        DataError
            As `fit` would raise it, but for what only training can find.
        """
        self._check(Given(X, y, sample_weight, target, person))

    def _check(self, given: Given) -> None:
        """Reads records, or what a pipeline makes of them, without a charge."""
        if self.ledger is not None and self.ledger._in_parts():
            raise UsageError("check_records: the data set has parts, and only a fit can read "
                             "them; leave out ledger= and declare the column in the schema")
        given = given.with_shapes(False)
        dry_run(self, given, tracked=False)
        _, options = self._begin(tracked=False)
        records, columns = handed_over(self, given, options)
        table = ffi.new("sotto_table **")
        try:
            with columns:
                call(lib.sotto_table_from, table, columns.pointer, options.pointer)
        except DataError as error:
            raise records.explain(error) from None
        try:
            self._warn(table_remarks(table[0]))
        finally:
            lib.sotto_table_free(table[0])

    def _lose(self, options: Options, private: bool) -> None:
        """An untracked fit without a result counts with all that it was given."""
        if private and self.ledger is None:
            untracked.lose({
                "adjacency": options.get("adjacency") or "add-remove",
                "unit_column": options.get("unit-column") or getattr(self.schema, "person", None),
                "rows_per_person": options.get("rows-per-person"),
                "epsilon": self.epsilon or 0, "delta": self.delta or 0})

    def _train(self, records: Records, options: Options, table: Any, private: bool) -> Model:
        """The model of a table that is booked."""
        out = ffi.new("sotto_model **")
        callback = ffi.new("sotto_progress_callback *")
        callback.call = lib.sotto_dp_progress

        def run(context: Any) -> None:
            callback.context = context
            call(lib.sotto_fit, out, table, options.pointer, callback)

        try:
            self._warn(table_remarks(table[0]))
            self._warn(remarks(lib.sotto_fit_remark, options.pointer, table[0]))
            with reporter(self.progress, type(self).__name__) as report:
                with_callback(report, run)
        except BaseException as error:
            lib.sotto_table_free(table[0])
            self._lose(options, private)
            if isinstance(error, Stopped):
                raise KeyboardInterrupt from None
            if isinstance(error, DataError):
                raise records.explain(error) from None
            raise
        return Model(ffi.gc(out[0], lib.sotto_model_free))

    def _warn(self, words: Any, kind: type[Warning] = RemarkWarning) -> None:
        for each in words:
            warnings.warn(each, kind, stacklevel=5)

    def _tell(self, private: bool) -> None:
        """What the program would print, as warnings."""
        if not private:
            self._warn([self._not_private()], NotPrivateWarning)
        elif self.ledger is None and self.statement_ is not None:
            self._warn(["no ledger knows of this fit; " + untracked.add(self.statement_)],
                       UntrackedWarning)
        self._warn(self._model.remarks())

    def _not_private(self) -> str:
        """Why a fit promises nothing, and that no ledger knows of it."""
        why = ("epsilon=inf trains without noise" if math.isinf(float(self.epsilon or 0)) else
               "insecure_seed makes noise that anybody can repeat")
        booked = "" if self.ledger is None else (
            f'; nothing was booked in data set "{self.ledger.name}"')
        return f"NOT PRIVATE: {why}{booked}"

    def _forget(self) -> None:
        """What an earlier fit left is not that of a fit which the ledger refuses, or fails."""
        for name in [name for name in vars(self)
                     if name == "_model" or (name.endswith("_") and not name.startswith("_"))]:
            delattr(self, name)

    def _keep(self, model: Model) -> None:
        """The results, by scikit-learn's names."""
        self._model = model
        self.coef_ = model.weights()
        self.noise_ = model.noises()
        self.coef_names_ = np.array(model.names(), dtype=object)
        self.intercept_ = model.intercept()
        self.statement_ = model.statement()
        self.privacy_ = None if self.statement_ is None else {
            "epsilon": self.statement_["epsilon"], "delta": self.statement_["delta"],
            "adjacency": self.statement_["adjacency"], "unit": model.unit(),
            "booking": model.booking(), "not_covered": self.statement_.get("not_covered")}

    # ---- answers ----

    def _fitted(self) -> Model:
        model = getattr(self, "_model", None)
        if isinstance(model, Model):
            return model
        raise _sklearn.not_fitted(self)

    def _answers(self, X: Any, what: int) -> Doubles:
        self._fitted()
        parts = [self._answer(part, what) for part in batches(self, X)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _answer(self, X: Any, what: int) -> Doubles:
        model = self._fitted()
        options = Options()
        if self.threads is not None:
            options.set("threads", self.threads)
        if self.bad_rows is not None:
            options.set("bad-rows", self.bad_rows)
        table = ffi.new("sotto_table **")
        with for_model(self, X) as columns:
            call(lib.sotto_table_from_for, table, model.pointer, 0, columns.pointer,
                 options.pointer)
        try:
            return model.predict(table[0], what)
        finally:
            lib.sotto_table_free(table[0])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The answers for the rows of X; they are as sensitive as the rows.

        With ``bad_rows="drop"`` the answer for a bad row is NaN.
        """
        return self._answers(X, lib.SOTTO_ANSWER_VALUE)

    # ---- how good it is ----

    def evaluate(self, X: Any, y: Any = None, *, epsilon: float | None = None,
                 delta: float | None = None, ledger: Dataset | None = None,
                 target: str | None = None, person: Any = None, purpose: str | None = None,
                 rows: int | None = None, insecure_seed: int | None = None) -> Evaluation:
        """How good the model is on these rows, as numbers that may be published.

        The rows are private data, as those of a fit are: all questions are
        priced together, and booked before the library looks at a row. `score`
        is exact, and as sensitive as the rows.

        >>> import sotto_dp as dp, numpy as np
        >>> X = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
        >>> schema = dp.Schema(others=dp.Number(-1, 1))
        >>> model = dp.LogisticRegression(epsilon=1, delta=1e-6, schema=schema)
        >>> model = model.fit(X[:2000], X[:2000, 0] > 0)
        >>> found = model.evaluate(X[2000:], X[2000:, 0] > 0, epsilon=1, delta=1e-6)
        >>> low, high = found["accuracy"].interval_95
        >>> bool(low <= found["accuracy"].value <= high)
        True

        Parameters
        ----------
        X, y, target, person
            As those of `fit`. People of a model whose schema has a Person are
            told apart by that column of X.
        epsilon, delta : float
            The budget of this evaluation.
        ledger : Dataset, optional
            Where it is booked. Where people are in the training data too, it
            is the data set that has both: then both prices count.
        purpose : str, optional
            What it is for: in ledger and statement.
        rows : int, optional
            How many rows are used, if that is public.
        insecure_seed : int, optional
            Noise that anybody can repeat: NOT PRIVATE, for tests.

        Returns
        -------
        Evaluation
        """
        check_target(self, X, y, target)
        check_width(self, X)
        asked = Asked(epsilon, delta, ledger, purpose, rows, insecure_seed)
        options = asked.options(self)
        try:
            found = made(self, X, y, person, asked, options)
        except BaseException:
            if ledger is None and insecure_seed is None:
                untracked.lose({**(self.statement_ or {"adjacency": "add-remove"}),
                                "epsilon": float(epsilon or 0), "delta": float(delta or 0)})
            raise
        statement = found.statement
        if statement is None:
            self._warn(["NOT PRIVATE: insecure_seed makes noise that anybody can repeat"],
                       NotPrivateWarning)
        elif ledger is None:
            self._warn(["no ledger knows of this evaluation; " + untracked.add(statement)],
                       UntrackedWarning)
        return found

    # ---- how far weights may be off ----

    def conf_int(self, level: float = 0.95) -> Doubles:
        """The interval of each weight, of noise and sampling together.

        It is about the weight that the same penalised loss has on the
        population which the rows are a sample of. Where no interval is known to
        cover, both ends are NaN, and `summary` says why.

        Parameters
        ----------
        level : float, default 0.95
            How often such an interval has the weight in it.

        Returns
        -------
        ndarray of the shape of `coef_`, and 2
            The lower and the upper end.
        """
        ends = confidence(self._fitted(), self.coef_, level)
        if np.isnan(ends).all():
            warnings.warn("conf_int: there is no interval; summary() says why", RemarkWarning,
                          stacklevel=2)
        return ends

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """What `conf_int` has, by name, and the intercept's.

        Parameters
        ----------
        level : float, default 0.95
            How often such an interval has the weight in it.

        Returns
        -------
        dict of name and (lower end, upper end)
            Names are those of `coef_names_`, and "(intercept)"; with three classes and more
            the class stands behind each, in parentheses. Both ends are NaN where there is none.
        """
        return named(self._fitted(), self.coef_, self.intercept_, self.coef_names_, level)

    def summary(self) -> str:
        """A table for people: each weight, its standard error, its intervals of
        90 and 95 %, or why there is none. The intercept comes last."""
        return table(self._fitted(), self.coef_, self.intercept_, self.coef_names_)

    # ---- files, pages, pickles ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a file of the program, whole or not at all.

        A file that is a private model or evaluation already is not replaced,
        but by the same one: its privacy is paid for.
        """
        self._fitted().write(os.fspath(path))

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Reads a model file, as the program or `save` wrote it."""
        model = Model.read(os.fspath(path))
        if model.loss() not in cls._losses:
            raise UsageError(f"{os.fspath(path)}: its loss is {model.loss()}, and that of "
                             f"{cls.__name__} is {' or '.join(cls._losses)}")
        self = cls()
        self._keep(model)
        self._restore(model)
        return self

    def _restore(self, model: Model) -> None:
        """What a file says about the parameters and the columns."""
        if self.statement_ is not None:
            self.epsilon, self.delta = self.statement_["epsilon"], self.statement_["delta"]
        told = json.loads(model.text())
        self._numbered = not isinstance(told["features"], list)
        columns = told["schema"].get("columns", {})
        names = [name for name, column in columns.items()
                 if column["type"] in ("number", "category")]
        self.n_features_in_ = len(names) or len(model.names())
        if names and names != [str(j + 1) for j in range(len(names))]:
            self.feature_names_in_ = np.array(names, dtype=object)

    def report(self, path: str | os.PathLike[str] | None = None,
               name: str | None = None) -> str:
        """The page of ``sotto report`` about this model, as HTML; perhaps written to a file."""
        page = self._fitted().report(name or type(self).__name__)
        if path is not None:
            call(lib.sotto_text_write, os.fsencode(path), page.encode())
        return page

    def __getstate__(self) -> dict[str, Any]:
        return _sklearn.with_version(self, dict(self.__dict__))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({key: value for key, value in state.items()
                              if not key.startswith("_sotto_")})

    def __sklearn_is_fitted__(self) -> bool:
        return isinstance(getattr(self, "_model", None), Model)

    def __sklearn_tags__(self) -> Any:
        return _sklearn.tags(self)

    def _more_tags(self) -> dict[str, Any]:
        return _sklearn.old_tags(self)

    def _repr_html_(self) -> str | None:
        from .card import card_of
        return card_of(self)
