"""Steps for the tests of pipelines, and an oracle that says whether a step is row-local."""

import pickle

from common import dp, np

try:
    import scipy.sparse as sparse
    import sklearn
    from sklearn.base import clone
    from sklearn.compose import ColumnTransformer
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import FeatureUnion
    from sklearn.pipeline import make_pipeline as plain
    from sklearn.preprocessing import (Binarizer, FunctionTransformer, Normalizer, OneHotEncoder,
                                       PolynomialFeatures, StandardScaler)
except ImportError:
    sklearn = None

SECRET = "zyzzyva"
BEFORE = "what was done to the columns before sotto"
NEW = {"epsilon": 1, "delta": 1e-6}


def make_data(rows=400):
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (rows, 3))
    return X, X[:, 0] > 0


def last(*, insecure_seed=None, **more):
    return dp.LogisticRegression(**{**NEW, **more}, insecure_seed=insecure_seed)


def uncovered(estimator):
    return BEFORE in estimator.statement_["not_covered"]


# ---- an oracle: does a step look at one row at a time? ----

def numbers(rng, rows):
    return rng.normal(size=(rows, 5)) * 10.0 ** rng.integers(-3, 4, size=(rows, 5))


def texts(rng, rows):
    return [" ".join("w%d" % k for k in rng.integers(0, 50, rng.integers(0, 12)))
            for _ in range(rows)]


def tokens(rng, rows):
    return [["w%d" % k for k in rng.integers(0, 50, rng.integers(0, 40))] for _ in range(rows)]


def levels(rng, rows):
    return np.array(rng.choice(["a", "b", "c", "?"], (rows, 2)), dtype=object)


def mostly_zero(rng, rows):
    return np.where(rng.random((rows, 5)) < 0.3, numbers(rng, rows), 0.0)


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def at(data, index):
    return [data[i] for i in index] if isinstance(data, list) else data[index]


def made_of(step, X):
    """What a pipeline makes of a table with one step."""
    return dp.make_pipeline(step, last())._prepare(X)


def fitted_state(step):
    return pickle.dumps(step)


def is_row_local(step, make, seeds=25):
    """Whether removing or replacing a row leaves the rest as it was, bit for bit."""
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(3, 30))
        data, other = make(rng, rows), make(rng, rows)
        out = int(rng.integers(rows))
        keep = [i for i in range(rows) if i != out]
        replaced = (data[:out] + other[out:out + 1] + data[out + 1:] if isinstance(data, list)
                    else np.concatenate([data[:out], other[out:out + 1], data[out + 1:]]))
        whole = clone(step)
        values = whole.fit_transform(data)
        for neighbour, index in ((at(data, keep), range(rows - 1)), (replaced, keep)):
            again = clone(step)
            found = again.fit_transform(neighbour)
            if fitted_state(again) != fitted_state(whole) or type(found) is not type(values) or \
                    found.dtype != values.dtype or found.shape[1] != values.shape[1] or \
                    dense(found)[list(index)].tobytes() != dense(values)[keep].tobytes():
                return False
    return True


def known_steps():
    return [
        (dp.Bounds(-1, [1, 2, 3, 4, 5]), numbers), (dp.OneHot(["a", "c"]), levels),
        (Normalizer(), numbers), (Normalizer("l1"), numbers),
        (Binarizer(threshold=0.5), numbers), (PolynomialFeatures(3), numbers),
        (PolynomialFeatures(2, interaction_only=True), numbers),
        (FunctionTransformer(np.arctan), numbers), (FunctionTransformer(), numbers),
        (HashingVectorizer(n_features=32), texts),
        (HashingVectorizer(n_features=16, norm=None, binary=True), texts),
        (FeatureHasher(n_features=8, input_type="string"), tokens),
        (ColumnTransformer([("n", Binarizer(), [0, 1]), ("p", "passthrough", [2]),
                            ("d", "drop", [3])], remainder=Binarizer()), numbers),
        (ColumnTransformer([("h", dp.OneHot(["a"]), [0, 1])], sparse_threshold=0), levels),
        (FeatureUnion([("n", PolynomialFeatures(2)), ("b", Binarizer())],
                      transformer_weights={"n": 2.0}), numbers),
        (FeatureUnion([("h", HashingVectorizer(n_features=8)),
                       ("i", HashingVectorizer(n_features=4, ngram_range=(2, 2)))]), texts),
        (plain(dp.Bounds(-3, 3), PolynomialFeatures(2), Binarizer()), numbers),
        (FeatureUnion([("n", plain(HashingVectorizer(n_features=8, norm=None), Normalizer()))]),
         texts),
    ]


def learning_steps():
    return [
        (StandardScaler(), numbers), (PCA(2), numbers), (CountVectorizer(), texts),
        (TfidfVectorizer(), texts), (OneHotEncoder(), levels),
        (OneHotEncoder(categories=[list("abc?")] * 2, handle_unknown="ignore", max_categories=3),
         levels),
        (SimpleImputer(), numbers),
        (ColumnTransformer([("s", StandardScaler(), [0])]), numbers),
        (plain(Normalizer(), StandardScaler()), numbers),
        (ColumnTransformer([("z", FunctionTransformer(sparse.csr_matrix, accept_sparse=True),
                             list(range(5)))], sparse_threshold=0.3), mostly_zero),
    ]
