"""A reference solver with a certificate, against which the accuracy of sotto is judged.

It minimises, without an intercept,

    F(w) = mean_i loss(x_i'w, y_i) + l1 |w|_1 + l2/2 |w|^2

where loss(m, y) is the whole square (m - y)^2 or the logistic log(1 + exp(-y m)), y = -1 or +1.
It is written to be trusted rather than to be quick to run on anything: NumPy only, no code shared
with the library, and each answer comes with a duality gap, an upper bound on F(w) - min F that
holds whatever the solver did.

Newton steps on a small working set of columns, whose L1-penalised models are solved by an active
set method, and one pass over all columns to check and to extend the working set. The table may be
float32 (then it is read in float64 by blocks of columns and never copied as a whole).
"""
import dataclasses

import numpy as np

BLOCK = 1024                        # columns of a float32 table that are widened at a time
ROUNDING = 1e-14                    # relative error of F and of gradients that is not worth a step


@dataclasses.dataclass(frozen=True)
class Solution:
    """An answer and its quality: objective - gap <= min F <= objective, up to rounding."""
    weights: np.ndarray
    objective: float
    gap: float
    zero_objective: float           # F(0)

    @property
    def nonzeros(self):
        return int(np.count_nonzero(self.weights))

    @property
    def zero_error(self):
        """Relative error of the zero vector, (F(0) - F*) / F*."""
        return (self.zero_objective - self.objective) / self.objective


# Losses: value, slope and curvature at the margins m = Xw, and the conjugate of the value.

class Squared:
    """The whole square."""

    @staticmethod
    def value(m, y):
        return (m - y) ** 2

    @staticmethod
    def slope(m, y):
        return 2 * (m - y)

    @staticmethod
    def curvature(m, y):
        return np.full(len(m), 2.0)

    @staticmethod
    def conjugate(slope, y):
        return slope ** 2 / 4 + slope * y


class Logistic:
    """The logistic loss."""

    @staticmethod
    def value(m, y):
        return np.logaddexp(0, -y * m)

    @staticmethod
    def slope(m, y):
        return -y * np.exp(-np.logaddexp(0, y * m))

    @staticmethod
    def curvature(m, y):
        return np.exp(-np.logaddexp(0, m) - np.logaddexp(0, -m))

    @staticmethod
    def conjugate(slope, y):
        share = -slope * y                         # in [0, 1]; x log x is 0 at 0
        rest = 1 - share
        return share * np.log(np.maximum(share, 1e-300)) + rest * np.log(np.maximum(rest, 1e-300))


LOSSES = {"squared": Squared, "logistic": Logistic}


# The objective and its certificate

def margins(X, w):
    """Xw, reading only the columns whose weight is not zero."""
    if w.all():
        return X @ w
    support = np.flatnonzero(w)
    return X[:, support].astype(np.float64) @ w[support]


def correlations(X, v):
    """X'v in float64."""
    if X.dtype == np.float64:
        return X.T @ v
    starts = range(0, X.shape[1], BLOCK)
    return np.concatenate([X[:, s:s + BLOCK].astype(np.float64).T @ v for s in starts])


def penalty(w, l1, l2):
    return l1 * np.abs(w).sum() + l2 / 2 * (w @ w)


def objective(X, y, loss, l1, l2, w):
    """F(w); loss is "squared" (whole) or "logistic"."""
    return LOSSES[loss].value(margins(X, w), y).mean() + penalty(w, l1, l2)


def dual_value(loss, y, slopes, gradient, l1, l2):
    """A lower bound on min F, from the slopes of the loss and X'slopes/n at any point.

    This is Fenchel's dual. With l2 = 0 it is finite only where |X'slopes/n| <= l1, so the slopes
    are shrunk until they fit. With l1 = 0 the gap becomes |F'(w)|^2 / (2 l2), the bound that
    strong convexity gives.
    """
    shrink, conjugate_penalty = 1.0, 0.0
    if l2 > 0:
        conjugate_penalty = (np.maximum(np.abs(gradient) - l1, 0) ** 2).sum() / (2 * l2)
    else:
        shrink = min(1.0, l1 / max(np.abs(gradient).max(), 1e-300))
    return -loss.conjugate(shrink * slopes, y).mean() - conjugate_penalty


class State:
    """The weights w with everything that is derived from them."""

    def __init__(self, X, y, loss, l1, l2, w):
        m = margins(X, w)
        slopes = loss.slope(m, y)
        self.weights = w
        self.margins = m
        self.gradient = correlations(X, slopes) / len(y)       # of the mean loss only
        self.objective = loss.value(m, y).mean() + penalty(w, l1, l2)
        self.gap = self.objective - dual_value(loss, y, slopes, self.gradient, l1, l2)


# The solver

def minimise_model(H, g, w, l1):
    """The u that minimises g'(u - w) + (u - w)'H(u - w)/2 + l1 |u|_1.

    Active set: go to the minimiser for the present signs, stop at the first weight that would
    change its sign and drop it; when none does, let in the zero weight that promises most.
    The tiny ridge makes dependent columns harmless: along a flat direction the step is huge, so
    that it ends where a weight vanishes.
    """
    if l1 == 0:
        return w - np.linalg.solve(H, g)
    u, slope, signs = w.copy(), g.copy(), np.sign(w)
    for _ in range(100 + 20 * len(w)):
        active = np.flatnonzero(signs)
        if active.size:
            model = H[np.ix_(active, active)]
            model[np.diag_indices_from(model)] *= 1 + 1e-12
            step = -np.linalg.solve(model, slope[active] + l1 * signs[active])
            back = np.flatnonzero(step * signs[active] < 0)
            reach = -u[active[back]] / step[back]
            length = min(1.0, reach.min(initial=1.0))
            u[active] += length * step
            slope += H[:, active] @ (length * step)
            if length < 1:
                dropped = active[back[reach.argmin()]]
                u[dropped] = signs[dropped] = 0
                continue
        promise = np.where(signs == 0, np.abs(slope), 0)
        best = int(promise.argmax())
        if promise[best] <= l1 * (1 + 10 * ROUNDING):
            break
        signs[best] = -np.sign(slope[best])
    return u


def line_search(X, y, loss, l1, l2, state, target):
    """The first of the points 1, 1/2, 1/4 ... of the way to target that lowers F enough."""
    w = state.weights
    step = target - w
    promised = min(0.0, (state.gradient + l2 * w) @ step
                   + l1 * (np.abs(target).sum() - np.abs(w).sum()))
    slack = ROUNDING * abs(state.objective)
    length = 1.0
    while length > 1e-9:
        # The end point itself is taken as it is: w + (target - w) would lose its exact zeros.
        moved = target if length == 1 else w + length * step
        value = loss.value(margins(X, moved), y).mean() + penalty(moved, l1, l2)
        if value <= state.objective + 1e-4 * length * promised + slack:
            return moved
        length /= 2
    return w


def solve_columns(X, y, loss, l1, l2, w, wanted_gap):
    """Newton's method on a table that is small enough for its Hessian."""
    state = State(X, y, loss, l1, l2, w)
    for _ in range(100):
        if state.gap <= wanted_gap:
            break
        rooted = X * np.sqrt(loss.curvature(state.margins, y) / len(y))[:, None]
        H = rooted.T @ rooted
        H[np.diag_indices_from(H)] += l2
        target = minimise_model(H, state.gradient + l2 * state.weights, state.weights, l1)
        moved = line_search(X, y, loss, l1, l2, state, target)
        following = State(X, y, loss, l1, l2, moved)
        gained = state.objective - following.objective
        if gained <= ROUNDING * abs(state.objective) and following.gap >= state.gap:
            break
        state = following
    return state.weights


def working_set(state, l1):
    """The columns to solve for: the support, and those that violate optimality most."""
    support = state.weights != 0
    excess = np.where(support, 0, np.abs(state.gradient) - l1)
    room = max(10, int(support.sum()))
    newcomers = np.argsort(-excess, kind="stable")[:room]
    return np.union1d(np.flatnonzero(support), newcomers[excess[newcomers] > 0])


def solve(X, y, loss, l1=0.0, l2=0.0, relative_gap=1e-12):
    """Minimise F and certify the answer.

    Stops at the relative gap or where rounding allows no progress: look at the solution's gap.
    """
    if l1 < 0 or l2 < 0 or l1 + l2 == 0:
        raise ValueError("l1 and l2 must not be negative, and not both 0")
    y = np.asarray(y, np.float64)
    loss = LOSSES[loss]
    everything = np.arange(X.shape[1])
    state = State(X, y, loss, l1, l2, np.zeros(X.shape[1]))
    zero_objective = state.objective
    for _ in range(100):
        wanted = relative_gap * state.objective
        if state.gap <= wanted:
            break
        chosen = everything if l1 == 0 else working_set(state, l1)
        columns = X if l1 == 0 else X[:, chosen].astype(np.float64)
        w = np.zeros_like(state.weights)
        w[chosen] = solve_columns(columns, y, loss, l1, l2, state.weights[chosen],
                                  max(wanted / 2, state.gap / 100 if l1 > 0 else 0))
        following = State(X, y, loss, l1, l2, w)
        gained = state.objective - following.objective
        if gained <= ROUNDING * abs(state.objective) and following.gap >= state.gap:
            break
        state = following
    return Solution(state.weights, state.objective, state.gap, zero_objective)
