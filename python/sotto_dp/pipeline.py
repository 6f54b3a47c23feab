"""Pipelines of scikit-learn that cannot leak quietly.

A step that learns from data before the private estimator breaks the promise:
its means, levels or words come from the records without noise. `check` names
such steps, and `make_pipeline` refuses them. docs/python-pipelines.md has the
reasons.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ._row_local import Finding, inspect, inspect_steps, load
from .errors import PrivacyError, RemarkWarning, UsageError

if TYPE_CHECKING:
    from ._transformers import Bounds as Bounds, OneHot as OneHot, Pipeline as Pipeline

__all__ = ["Finding", "check", "make_pipeline"]


def __getattr__(name: str) -> Any:
    """Those that need scikit-learn are loaded when they are asked for."""
    if name in ("Bounds", "OneHot", "Pipeline"):
        from . import _transformers
        return getattr(_transformers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_CHOOSES = ("it chooses by scores of records, to which no noise is added: what it chose, and "
            "cv_results_, tell something about them",
            "choose parameters beforehand, or on data that may be known; solver=\"auto\" has none")


_REPEATS = ("bootstrap=True gives a pipeline some records several times, and each time counts: "
            "what the statement promises to a record then holds for one of its copies",
            "give bootstrap=False, which leaves some records out instead")


def _repeats(ensemble: Any) -> bool:
    """Whether it fits a pipeline to records that it drew with replacement. An estimator of sotto
    itself is given weights instead, which weight_bound covers."""
    kinds = load("sklearn.ensemble")
    return isinstance(ensemble, (kinds.BaggingClassifier, kinds.BaggingRegressor))


def _inner(ensemble: Any) -> Any:
    """What an ensemble fits: the parameter has had two names."""
    found = getattr(ensemble, "estimator", None)
    return getattr(ensemble, "base_estimator", None) if found is None else found


def _searches() -> Any:
    """What all searches of scikit-learn are, under a name that it does not promise."""
    base: Any = load("sklearn.model_selection").GridSearchCV.__mro__[1]
    return base


def check(pipeline: Any) -> list[Finding]:
    """The steps of a pipeline that learn from data, and remarks about others.

    No record is needed, and nothing is fitted.

    Parameters
    ----------
    pipeline : Pipeline, or one transformer, or a search over pipelines, or bagging of one
        Of scikit-learn or from `make_pipeline`.

    Returns
    -------
    list of Finding
        Empty: every step is known to look at one row at a time.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline as plain
    >>> from sklearn.preprocessing import StandardScaler
    >>> import sotto_dp as dp
    >>> for finding in check(plain(StandardScaler(), dp.LogisticRegression())):
    ...     print(finding.step, finding.learns)
    standardscaler True
    """
    kinds = load("sklearn.pipeline")
    if isinstance(pipeline, kinds.Pipeline):
        found = inspect_steps(pipeline, whole=False)
        from . import _transformers
        if type(pipeline) not in (kinds.Pipeline, _transformers.Pipeline):
            inspect(type(pipeline).__name__.lower(), pipeline, False, found)
        return found
    if isinstance(pipeline, _searches()):
        return [Finding(type(pipeline).__name__.lower(), type(pipeline).__name__, True, *_CHOOSES),
                *check(pipeline.estimator)]
    if _repeats(pipeline) and isinstance(_inner(pipeline), kinds.Pipeline):
        name = type(pipeline).__name__
        return [*([Finding(name.lower(), name, True, *_REPEATS)] if pipeline.bootstrap else []),
                *check(_inner(pipeline))]
    if not hasattr(pipeline, "get_params"):
        raise UsageError("check: expected a pipeline or a transformer of scikit-learn")
    return inspect_steps(kinds.make_pipeline(pipeline), whole=False)


def make_pipeline(*steps: Any) -> Pipeline:
    """A pipeline of row-local steps that ends with an estimator of sotto.

    As scikit-learn's function of that name. Its fits say in their statements
    that what was done to the columns is covered, unless a step is a function
    of your own.

    Parameters
    ----------
    *steps : transformers and, last, an estimator
        HashingVectorizer, FeatureHasher(input_type="string"), Normalizer (l1,
        l2), Binarizer, PolynomialFeatures, FunctionTransformer (with a
        remark), `Bounds`, `OneHot`, and ColumnTransformer, FeatureUnion and
        Pipeline made of those.

    Returns
    -------
    Pipeline
        It checks its steps again in every fit.

    Raises
    ------
    PrivacyError
        A step learns from data. The line says what to use instead.

    Examples
    --------
    >>> import sotto_dp as dp
    >>> pipe = make_pipeline(dp.Bounds(0, 1), dp.LogisticRegression(epsilon=1, delta=1e-6))
    >>> [name for name, step in pipe.steps]
    ['bounds', 'logisticregression']
    """
    if not steps:
        raise UsageError("make_pipeline: expected steps, the last one an estimator of sotto")
    plain = load("sklearn.pipeline").make_pipeline(*steps)
    from . import _transformers
    made: Pipeline = _transformers.Pipeline(plain.steps)
    found = inspect_steps(made)
    for finding in found:
        if finding.learns:
            raise PrivacyError(str(finding))
    for finding in found:
        warnings.warn(str(finding), RemarkWarning, stacklevel=2)
    return made
