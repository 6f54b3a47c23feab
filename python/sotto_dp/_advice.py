"""What to use instead of the well-known steps that learn from data."""

from __future__ import annotations

from typing import Any

__all__ = ["instead_of"]

_SCALE = ("it learns means, spreads or extremes of the columns",
          "leave it out: sotto scales privately; or give bounds (dp.Bounds, a schema)")
_DIRECTIONS = ("it learns directions from the records",
               "leave it out; with many features l1=, or solver=\"gcd\" or \"fw\", takes few")
_SELECT = ("it learns which columns go with the target",
           "leave it out; l1=, or solver=\"gcd\" or \"fw\", selects privately")
_FILL = ("it learns what to fill in, or which columns have gaps",
         "use a schema: Number(low, high, missing=...) or Category([...], missing=...)")
_LEVELS = ("it takes the levels from the records",
           "use dp.OneHot([...]) or a schema: Category([...])")
_WORDS = ("it learns its vocabulary, or how often words occur", "use HashingVectorizer")
_BINS = ("it learns where bins or knots lie",
         "use FunctionTransformer with edges of your own, or PolynomialFeatures")
_TARGET = ("it learns from the labels", "give the estimator classes=[...]")
_MODEL = ("it is a model of the records without privacy", "leave it out")
_SAMPLE = ("it draws or computes features in a fit that was not looked at here",
           "use PolynomialFeatures")

_KNOWN: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler",
                     "PowerTransformer", "QuantileTransformer", "KernelCenterer"), _SCALE),
    **dict.fromkeys(("PCA", "IncrementalPCA", "KernelPCA", "SparsePCA", "MiniBatchSparsePCA",
                     "TruncatedSVD", "FactorAnalysis", "FastICA", "NMF", "MiniBatchNMF",
                     "LatentDirichletAllocation", "DictionaryLearning",
                     "MiniBatchDictionaryLearning", "PLSRegression", "PLSCanonical", "PLSSVD",
                     "CCA", "LinearDiscriminantAnalysis", "NeighborhoodComponentsAnalysis",
                     "Isomap", "LocallyLinearEmbedding", "FeatureAgglomeration"), _DIRECTIONS),
    **dict.fromkeys(("SelectKBest", "SelectPercentile", "SelectFpr", "SelectFdr", "SelectFwe",
                     "GenericUnivariateSelect", "SelectFromModel", "RFE", "RFECV",
                     "SequentialFeatureSelector", "VarianceThreshold"), _SELECT),
    **dict.fromkeys(("SimpleImputer", "KNNImputer", "IterativeImputer", "MissingIndicator"),
                    _FILL),
    **dict.fromkeys(("OrdinalEncoder", "TargetEncoder", "DictVectorizer"), _LEVELS),
    **dict.fromkeys(("CountVectorizer", "TfidfVectorizer", "TfidfTransformer"), _WORDS),
    **dict.fromkeys(("KBinsDiscretizer", "SplineTransformer"), _BINS),
    **dict.fromkeys(("LabelEncoder", "LabelBinarizer", "MultiLabelBinarizer"), _TARGET),
    **dict.fromkeys(("KMeans", "MiniBatchKMeans", "BisectingKMeans", "Birch", "BernoulliRBM",
                     "RandomTreesEmbedding", "KNeighborsTransformer",
                     "RadiusNeighborsTransformer", "IsotonicRegression", "StackingClassifier",
                     "StackingRegressor", "VotingClassifier", "VotingRegressor"), _MODEL),
    **dict.fromkeys(("Nystroem", "RBFSampler", "SkewedChi2Sampler", "AdditiveChi2Sampler",
                     "PolynomialCountSketch", "GaussianRandomProjection",
                     "SparseRandomProjection"), _SAMPLE),
}

_UNKNOWN = ("it may learn from data: it is not on the list of steps that look at one row at a time",
            "use FunctionTransformer, if it does look at one row at a time")


def instead_of(step: Any) -> tuple[str, str]:
    """What a step learns, and what to use instead of it."""
    kind = type(step)
    if kind.__module__.split(".")[0] == "sklearn" and kind.__name__ in _KNOWN:
        if getattr(step, "strategy", None) == "constant":
            return "it learns which columns have no value at all", _FILL[1]
        return _KNOWN[kind.__name__]
    return _UNKNOWN
