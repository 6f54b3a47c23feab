"""What scikit-learn asks of an estimator, without needing it.

Nothing of scikit-learn is imported unless scikit-learn itself asks, so its
base classes may change without breaking anything here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .errors import SottoWarning

if TYPE_CHECKING:
    from .estimator import Estimator

__all__ = ["column_vector", "not_fitted", "old_tags", "tags", "with_version"]


class NotFitted(ValueError, AttributeError):
    """The estimator has no model yet."""


def not_fitted(owner: Estimator) -> Exception:
    """The exception of an estimator without a model; scikit-learn's own where it is loaded."""
    kind: type[Exception] = NotFitted
    loaded = sys.modules.get("sklearn.exceptions")
    if loaded is not None:
        kind = loaded.NotFittedError
    return kind(f"This {type(owner).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator.")


def column_vector() -> type[Warning]:
    """What a y of one column warns with; scikit-learn's own where it is loaded."""
    loaded = sys.modules.get("sklearn.exceptions")
    kind: type[Warning] = SottoWarning if loaded is None else loaded.DataConversionWarning
    return kind


def tags(owner: Estimator) -> Any:
    """The tags of scikit-learn from 1.6 on."""
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags
    classifies = owner._estimator_type == "classifier"
    return Tags(
        estimator_type=owner._estimator_type,
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        classifier_tags=ClassifierTags(multi_class=True, poor_score=True)
        if classifies else None,
        regressor_tags=None if classifies else RegressorTags(poor_score=True),
        input_tags=InputTags(sparse=True, allow_nan=owner.schema is not None),
        non_deterministic=owner.insecure_seed is None)


def old_tags(owner: Estimator) -> dict[str, Any]:
    """The tags of scikit-learn before 1.6."""
    return {"requires_y": True, "binary_only": False, "poor_score": True,
            "allow_nan": owner.schema is not None,
            "non_deterministic": owner.insecure_seed is None,
            "X_types": ["2darray", "sparse"]}


def with_version(owner: Estimator, state: dict[str, Any]) -> dict[str, Any]:
    """A pickle says which version made it."""
    from ._core import lib, text
    return {**state, "_sotto_version": text(lib.sotto_version())}
