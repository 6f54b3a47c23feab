"""Which steps of a pipeline look at one row at a time.

A step is row-local when what it makes of a record depends on that record and
on public values alone: its parameters, and the number, names and types of the
columns. `inspect` knows the steps for which that was looked up, by their exact
classes: a subclass may have a fit of its own. All others learn from data, as
far as anybody knows here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._advice import instead_of

__all__ = ["Finding", "inspect", "inspect_steps", "load"]


def load(module: str) -> Any:
    """A module of scikit-learn, which is needed only here."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError("pipelines of sotto_dp need scikit-learn: pip install scikit-learn "
                          "(or apt install python3-sklearn)") from None


@dataclass(frozen=True)
class Finding:
    """Something that a step does, or may do, with more than one row.

    Attributes
    ----------
    step : str
        Its name; steps within a step follow a slash.
    transformer : str
        Its class.
    learns : bool
        Whether it learns from data. Otherwise this is a remark: what the step
        does is the caller's own function, which nobody can check.
    why : str
        What it learns, or what is to be looked at.
    instead : str
        What to use.
    """

    step: str
    transformer: str
    learns: bool
    why: str
    instead: str

    def __str__(self) -> str:
        return f'step "{self.step}" ({self.transformer}): {self.why}; {self.instead}'


@dataclass
class _Walk:
    """A step on its way through the rules: what was found, and whether its
    output may be sparse."""

    path: str
    step: Any
    sparse: bool
    found: list[Finding]
    odd: bool = False  # X is a frame in which a missing value may change a type

    def refuse(self, why: str, instead: str) -> None:
        self.found.append(Finding(self.path, type(self.step).__name__, True, why, instead))

    def remark(self, why: str, instead: str) -> None:
        self.found.append(Finding(self.path, type(self.step).__name__, False, why, instead))

    def inner(self, name: str, step: Any, sparse: bool) -> bool:
        """Looks at a step within this one; whether its output may be sparse."""
        return inspect(f"{self.path}/{name}", step, sparse, self.found, self.odd)


# ---- the rules, one for each class ----


def _plain(walk: _Walk) -> None:
    """Nothing is learned, whatever the parameters; sparse stays sparse."""


def _hashing(walk: _Walk) -> None:
    """Whatever is hashed to one place is added up by scipy, in an order that depends
    on other rows. Sums of +1 and -1 are whole numbers, which doubles hold exactly
    in any order; sums of other numbers are not."""
    extraction = load("sklearn.feature_extraction")
    if type(walk.step) is extraction.FeatureHasher and walk.step.input_type != "string":
        walk.refuse("numbers that are hashed to one place are added up in an order that depends "
                    "on other records", 'give input_type="string"')
    if load("numpy").dtype(walk.step.dtype) != "f8":
        walk.refuse("only doubles hold sums of any order exactly", "leave dtype out")
    for name in ("analyzer", "tokenizer", "preprocessor", "strip_accents"):
        if callable(getattr(walk.step, name, None)):
            walk.remark(f"{name}= is a function of your own",
                        "it must look at one text at a time and remember nothing")
    walk.sparse = True


def _normalizer(walk: _Walk) -> None:
    """l1 and l2 add up a sparse row's entries as they stand (inplace_csr_row_normalize_l1,
    _l2), whatever the other rows are. Of a dense table this is so where each row is in one
    piece, which `Pipeline` sees to; where columns are, NumPy adds up several rows at a time,
    and the last ones in another way."""
    if walk.step.norm not in ("l1", "l2"):
        walk.refuse("the largest entry of a sparse row is found by scipy in a way that depends "
                    "on other rows", 'give norm="l1" or norm="l2"')
    if "/" in walk.path and not walk.sparse:
        walk.refuse("how sums of a dense row are rounded depends on where it lies in memory, and "
                    "so on the number of rows", "make it a step of the pipeline itself, or fit "
                    'with undeclared="rows"')


@dataclass(frozen=True)
class OfDoubles:
    """A known function of NumPy within another step: it is given doubles in one piece, as a step
    of the pipeline itself is. How NumPy computes depends on the type and on where the numbers lie,
    and where they lie on the number of rows."""

    function: Any
    doubles: Callable[[Any], Any]

    def __call__(self, X: Any) -> Any:
        return self.function(self.doubles(X))


def by_element(function: Any) -> bool:
    """Whether it is a function of NumPy's own that takes one number at a time."""
    numpy = load("numpy")
    if type(function) is OfDoubles:
        function = function.function
    return (type(function) is numpy.ufunc and function.signature is None and function.nin == 1
            and function.nout == 1
            and getattr(numpy, function.__name__, None) is function)


# Functions of NumPy that make 0 of 0.
_OF_ZERO = ("absolute", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "conjugate",
            "deg2rad", "degrees", "expm1", "fabs", "floor", "log1p", "negative", "positive",
            "rad2deg", "radians", "rint", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
            "trunc")


def keeps_zero(function: Any) -> bool:
    """Whether a function of one number at a time makes 0 of 0, so that a sparse row stays one."""
    return by_element(function) and function.__name__ in _OF_ZERO


def _function(walk: _Walk) -> None:
    step = walk.step
    if callable(step.feature_names_out):
        walk.refuse("feature_names_out= is a function: it may give a column the name, and so the "
                    "role, of another", 'leave it out, or give "one-to-one"')
    if step.inverse_func is not None and step.check_inverse:
        walk.refuse("its check of inverse_func compares records and warns about them",
                    "give check_inverse=False")
    if step.func is not None and by_element(step.func) and not step.kw_args:
        _known_function(walk)
    elif step.func is not None:
        walk.remark("what its function does with other rows cannot be seen from here",
                    "it must look at one row at a time, and its parameters must not come from "
                    "the records")


def _known_function(walk: _Walk) -> None:
    """As a step of the pipeline itself it gets doubles, and of a sparse matrix the entries."""
    within = "/" in walk.path
    if walk.sparse and (within or not keeps_zero(walk.step.func)):
        walk.refuse("of a sparse table it would make a product of matrices, or a dense one",
                    "make it a step of the pipeline itself, with a function that makes 0 of 0")
    elif within and walk.odd:
        walk.refuse("one missing value of such a data frame changes the type of a column, and how "
                    "its function computes", "make it a step of the pipeline itself, or give "
                    "an array, or columns of pandas that have NumPy's types")


def _one_hot_encoder(walk: _Walk) -> None:
    given = not isinstance(walk.step.categories, str)
    walk.refuse("it takes the type of its columns, and what is unknown, from all records" if given
                else "it takes levels, and what type they have, from the records",
                "use dp.OneHot([...]), or a Category of the schema")


def _ours_dense(walk: _Walk) -> None:
    walk.sparse = False


def _workers(walk: _Walk) -> None:
    if walk.step.n_jobs not in (None, 1):
        walk.refuse("n_jobs= may write records to files for the other processes",
                    "leave n_jobs out")


def _columns(walk: _Walk) -> None:
    step, selector = walk.step, load("sklearn.compose").make_column_selector
    _workers(walk)
    sparse = False
    for name, inner, columns in step.transformers:
        if callable(columns) and type(columns) is not selector:
            walk.refuse(f'the columns of "{name}" are chosen by a function that sees the records',
                        "name them, or use make_column_selector")
        sparse |= walk.inner(name, inner, walk.sparse)
    sparse |= walk.inner("remainder", step.remainder, walk.sparse)
    if sparse and step.sparse_threshold != 0:
        walk.refuse(f"sparse_threshold={step.sparse_threshold!r}: whether its output is sparse "
                    "depends on how many zeros the records have", "give sparse_threshold=0")
    walk.sparse = False


def _union(walk: _Walk) -> None:
    _workers(walk)
    walk.sparse = any([walk.inner(name, inner, walk.sparse)
                       for name, inner in walk.step.transformer_list])


def _nested(walk: _Walk) -> None:
    if walk.step.memory is not None:
        walk.refuse("memory= writes records to files", "leave memory out")
    for name, inner in walk.step.steps:
        walk.sparse = walk.inner(name, inner, walk.sparse)


def _rules() -> dict[type, Callable[[_Walk], None]]:
    text = load("sklearn.feature_extraction.text")
    extraction, preprocessing = load("sklearn.feature_extraction"), load("sklearn.preprocessing")
    compose, pipeline = load("sklearn.compose"), load("sklearn.pipeline")
    from . import _transformers as ours
    return {
        text.HashingVectorizer: _hashing,
        extraction.FeatureHasher: _hashing,
        preprocessing.Normalizer: _normalizer,
        preprocessing.Binarizer: _plain,
        preprocessing.PolynomialFeatures: _plain,
        preprocessing.FunctionTransformer: _function,
        preprocessing.OneHotEncoder: _one_hot_encoder,
        compose.ColumnTransformer: _columns,
        pipeline.FeatureUnion: _union,
        pipeline.Pipeline: _nested,
        ours.Pipeline: _nested,
        ours.Bounds: _plain,
        ours.OneHot: _ours_dense,
    }


# ---- steps ----


_NO_STEP = (("it is a class, and no step", "make one of it, with parentheses"),
            ("it is no step", "give the steps themselves; make_pipeline names them"))


def inspect(path: str, step: Any, sparse: bool, found: list[Finding], odd: bool = False) -> bool:
    """Looks at one step, and adds what it finds.

    Returns whether the output of a known step may be sparse, where its input
    is so (`sparse`). `odd`: the input is a frame in which a missing value may
    change a type.
    """
    if step is None or (isinstance(step, str) and step in ("passthrough", "drop")):
        return sparse and step != "drop"
    rules = _rules()
    walk = _Walk(path, step, sparse, found, odd)
    rule = rules.get(type(step))
    if rule is not None:
        _replaced(walk)
        rule(walk)
        return walk.sparse
    for known in rules:
        if isinstance(step, known):
            walk.refuse(f"it is a subclass of {known.__name__}, whose fit may be another one",
                        f"use {known.__name__} itself")
            return False
    if isinstance(step, (tuple, type)):
        walk.refuse(*_NO_STEP[type(step) is tuple])
    else:
        walk.refuse(*instead_of(step))
    return False


def _replaced(walk: _Walk) -> None:
    """What stands in the object under the name of a method is called instead of it."""
    for name in vars(walk.step):
        if callable(getattr(type(walk.step), name, None)):
            walk.refuse(f"its {name} was replaced in the object, by one that nobody has seen",
                        "use the class as it is")


def _final(path: str, step: Any, found: list[Finding]) -> None:
    from . import linear
    ours = tuple(getattr(linear, name) for name in linear.__all__)
    walk = _Walk(path, step, False, found)
    if type(step) in ours:
        _replaced(walk)
        return
    if isinstance(step, ours):
        walk.refuse("it is a subclass of sotto's, whose fit may be another one",
                    "use the class itself")
    else:
        walk.refuse("it is no estimator of sotto, so it promises nothing",
                    "end with dp.LogisticRegression, dp.LinearRegression, dp.LinearSVC or "
                    "dp.HuberRegressor")


def inspect_steps(pipeline: Any, sparse: bool = False, whole: bool = True,
                  odd: bool = False) -> list[Finding]:
    """What was found in all steps of a pipeline; a whole one ends with an estimator."""
    found: list[Finding] = []
    name = type(pipeline).__name__.lower()
    walk = _Walk(name, pipeline, sparse, found)
    if pipeline.memory is not None:
        walk.refuse("memory= writes records to files", "leave memory out")
    if getattr(pipeline, "transform_input", None) is not None:
        walk.refuse("transform_input= is not looked at here", "leave it out")
    for name, step in pipeline.steps[:-1]:
        sparse = inspect(name, step, sparse, found, odd)
    name, last = pipeline.steps[-1]
    if not whole and (last is None or isinstance(last, str) or hasattr(last, "transform")):
        inspect(name, last, sparse, found)
    else:
        _final(name, last, found)
    return found
