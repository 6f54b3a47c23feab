#!/usr/bin/python3
"""Bookings against curves and games that are computed here, by other means.

Mechanisms are cut into cells of outcomes, whose losses are put on a lattice and composed by one
transform, at two steps of the lattice, from which the limit is taken. A run booked as (mu, delta0)
must lie above the curve at every epsilon, in both directions. Games: whoever plays chooses the next
run after each answer, as long as the budget lasts; the best way to play must not win more than all
bookings together say. SOTTO_BOOKING_LISTS sets how many lists are made (500).
"""
import json
import math
import os
import random
import subprocess
import sys
import unittest

try:
    import mpmath
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (apt install python3-numpy python3-mpmath)")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(HERE, os.pardir, os.pardir, "build"))
PROGRAM = os.environ.get("SOTTO") or os.path.join(BUILD, "sotto")
LISTS = int(os.environ.get("SOTTO_BOOKING_LISTS", "500"))
NEAR = 2e-5                 # how far a curve computed here may be from the truth, relative
NOISE = 1e-13               # the same of the transform, absolute


class Program:
    """booking_cli, one line in, one line out."""

    def __init__(self):
        self.process = subprocess.Popen([os.path.join(BUILD, "tests", "booking_cli")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line.startswith("refused"):
            raise ValueError(line)
        return [float(word) for word in line.split()]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


# ---- the normal law, for arrays ----

STEP = 1e-3
TABLE = np.array([math.erfc(i*STEP/math.sqrt(2))/2 for i in range(38001)])


def upper(x):
    """P(N > x): a table and Taylor's series, exact to 1e-11 of itself."""
    t = np.minimum(np.abs(x), 37.9)
    i = np.rint(t/STEP).astype(int)
    z, d = i*STEP, t - i*STEP
    density = np.exp(-z*z/2)/math.sqrt(2*math.pi)
    tail = TABLE[i] - density*d*(1 - z*d/2 + (z*z - 1)*d*d/6)
    return np.where(x < 0, 1 - tail, tail)


def between(cuts, mean=0.0, sd=1.0):
    """The masses between cuts, on the side where digits are kept."""
    z = (cuts - mean)/sd
    low, high = z[:-1], z[1:]
    return np.where(low > 0, upper(low) - upper(high), upper(-high) - upper(-low))


def gauss_delta(mu, epsilon):
    """delta of the Gaussian mechanism at each epsilon."""
    e = np.asarray(epsilon, float)
    if mu == 0:
        return np.maximum(0, -np.expm1(e))
    return np.maximum(upper(e/mu - mu/2) - np.exp(e)*upper(e/mu + mu/2), 0)


def claim(mu, delta0, epsilon):
    return delta0 + (1 - delta0)*gauss_delta(mu, epsilon)


# ---- mechanisms as finite pairs ----

def cuts(low, high, sd):
    inner = np.arange(low - 9.5*sd, high + 9.5*sd, .004*sd)
    return np.concatenate([[-37.5*sd + low], inner, [37.5*sd + high]])


def pair(kind, a, b, how):
    """(P, Q) of one event; how: remove, add, or replace (samples: by the opposite record)."""
    if kind == "GAUSS":
        x = cuts(0, a, 1)
        return between(x, a), between(x)
    if kind == "PURE":
        p = 1/(1 + math.exp(-a))
        return np.array([p, 1 - p]), np.array([1 - p, p])
    if kind == "LAPLACE":
        x = np.linspace(0, a, 501)
        f, g = np.exp(-x)/2, np.exp(x - a)/2
        return (np.concatenate([[.5], f[:-1] - f[1:], [math.exp(-a)/2]]),
                np.concatenate([[math.exp(-a)/2], g[1:] - g[:-1], [.5]]))
    x = cuts(-1 if how == "replace" else 0, 1, b)
    none, one = between(x, 0, b), between(x, 1, b)
    if how == "remove":
        return (1 - a)*none + a*one, none
    if how == "add":
        return none, (1 - a)*none + a*one
    return (1 - a)*none + a*one, (1 - a)*none + a*between(x, -1, b)


def on_lattice(p, q, h, n):
    """The masses of P at losses i h, |i| <= n: each between two points, both laws kept; and above."""
    keep = p > 1e-300
    p, q = p[keep], np.maximum(q[keep], 1e-305)
    loss = np.log(p/q)
    i = np.floor(loss/h)
    top = i >= n
    i = np.clip(i, -n, n - 1).astype(int)
    low = np.clip((np.exp(-(loss - i*h)) - math.exp(-h))/-math.expm1(-h), 0, 1)
    low, p, above = low[~top], p[~top], p[top].sum()
    i = i[~top] + n
    return (np.bincount(i, p*low, 2*n + 1) + np.bincount(i + 1, p*(1 - low), 2*n + 1)), above


def selections(count, m, h, n):
    """The profile of adaptive selections of range m h, at i h, |i| <= n: one t after the other."""
    H = np.maximum(0, -np.expm1(h*np.arange(-n, n + 1)))
    for _ in range(count):
        wide = np.concatenate([np.ones(m), H, np.full(m, H[-1])])
        wide[:m] = -np.expm1(h*np.arange(-n - m, -n))
        best = H
        for k in range(m + 1):
            p = math.expm1((k - m)*h)/math.expm1(-m*h)
            best = np.maximum(best, p*wide[m - k:m - k + 2*n + 1] +
                              (1 - p)*wide[2*m - k:2*m - k + 2*n + 1])
        H = best
    return H


def composed(events, how, h, n):
    """The law of the sum of losses at i h, |i| < 2 n, what is above, and the selections' profile."""
    size, product, inside, profile = 4*n, 1, 1.0, None
    for kind, a, b, count in events:
        if kind == "RANGE":
            profile = selections(count, round(a/h), h, n)
            continue
        law, above = on_lattice(*pair(kind, a, b, how), h, n)
        row = np.zeros(size)
        row[np.arange(-n, n + 1) % size] = law
        product = product*np.fft.rfft(row)**count
        inside *= (1 - above)**count
    if isinstance(product, int):
        law = np.zeros(size)
        law[2*n] = 1
    else:
        law = np.roll(np.maximum(np.fft.irfft(product, size), 0), 2*n)
    return law, 1 - inside, profile


def curve(events, how, h, n, points):
    """delta at epsilon = i h for the given i."""
    law, above, profile = composed(events, how, h, n)
    z = h*np.arange(-2*n, 2*n)
    if profile is None:
        return np.array([above + np.sum(law[2*n + i:]*-np.expm1(i*h - z[2*n + i:]))
                         for i in points])
    wide = np.concatenate([-np.expm1(h*np.arange(-5*n, -n)), profile,
                           np.full(4*n, profile[-1])])
    return np.array([above + np.dot(law, wide[5*n + i + 2*n - np.arange(4*n)]) for i in points])


def limit(events, how, reach, n):
    """Epsilons, and delta there without the lattice's error, which is of order h^2."""
    ranges = [a for kind, a, _, _ in events if kind == "RANGE"]
    h = reach/n
    if ranges:
        h = ranges[0]/(2*max(1, round(ranges[0]/h/2)))
    points = 2*np.unique(np.rint(np.linspace(0, n/2.2, 70)).astype(int))
    fine = curve(events, how, h, n, points)
    rough = curve(events, how, 2*h, n//2, points//2)
    return points*h, fine + (fine - rough)/3


# ---- lists ----

def spread(events, how="remove"):
    """About the standard deviation of the sum of losses."""
    total = 0
    for kind, a, b, count in events:
        if kind == "SUBSAMPLED_GAUSS":
            p, q = pair(kind, a, b, how)
            keep = (p > 1e-30) & (q > 1e-30)
            total += count*np.sum(p[keep]*np.log(p[keep]/q[keep])**2)
        else:
            total += count*(a*a/4 if kind == "RANGE" else a*a)
    return math.sqrt(total)


def written(events, suffix=""):
    return " + ".join(f"{count}*{kind}({a!r}{f', {b!r}' if b else ''}){suffix}"
                      for kind, a, b, count in events)


def draw_replaced(chance):
    """Samples, perhaps two kinds of them, perhaps with others; as they are written, and as they cost:
    what is not sampled is of one record (twice that) or of two."""
    written_as, events = [], []
    for _ in range(chance.choice((1, 1, 2))):
        q, sigma = 10**chance.uniform(-2, -.3), chance.uniform(.7, 4)
        count = chance.choice((1, 2, 5, 20))
        events.append(("SUBSAMPLED_GAUSS", q, sigma, count))
        written_as.append(written(events[-1:], chance.choice(("@add-remove", "@zero-out"))))
    for kind in chance.sample(["GAUSS", "LAPLACE", "PURE"], chance.choice((0, 1, 1, 2))):
        size, twice = 10**chance.uniform(-1.2, 0), chance.random() < .5
        events.append((kind, size, 0, 1))
        written_as.append(f"{kind}({size/2!r})@add-remove" if twice else f"{kind}({size!r})")
    return " + ".join(written_as), events


def draw(chance):
    """One to three kinds of events that make mu neither tiny nor huge."""
    events, kinds = [], ["GAUSS", "SUBSAMPLED_GAUSS", "SUBSAMPLED_GAUSS", "LAPLACE", "PURE", "RANGE"]
    for kind in chance.sample(kinds, chance.choice((1, 1, 2, 2, 3))):
        count = chance.choice((1, 2, 3, 5, 10, 30))
        size, b = 10**chance.uniform(-1.2, .2)/math.sqrt(count), 0
        if kind == "GAUSS":
            size, count = size*math.sqrt(count), 1
        elif kind == "RANGE":
            count = min(count, 5)
        elif kind == "SUBSAMPLED_GAUSS":
            size, b = 10**chance.uniform(-2, -.1), chance.uniform(.7, 4)
        events = [e for e in events if e[0] != kind] + [(kind, size, b, count)]
    return events


def exactly(square, delta0, draws, epsilon):
    """delta of a total, in mpmath's digits."""
    mu, e = mpmath.sqrt(mpmath.mpf(square)), mpmath.mpf(epsilon)
    gauss = mpmath.ncdf(mu/2 - e/mu) - mpmath.exp(e)*mpmath.ncdf(-mu/2 - e/mu)
    return delta0 + (1 - mpmath.mpf(delta0))*gauss + (1 + mpmath.exp(e))*mpmath.mpf(draws)/2**80


def whole(events, way, n):
    """The limit, as far as it takes for delta to vanish."""
    reach = max(12*spread(events, way), .05)
    while True:
        e, d = limit(events, way, reach, n)
        if d[-1] < 1e-11 or reach > 100:
            return e, d
        reach *= 2


def checked(events, how, delta0, mu, booked_delta0):
    """The largest of curve / booking, and the least mu for which the booking would hold."""
    n = 1 << (11 if any(e[0] == "RANGE" for e in events) else 14)
    ways = [how] if how == "replace" else ["remove", "add"]
    if not any(e[0] == "SUBSAMPLED_GAUSS" for e in events):
        ways = ways[:1]
    worst, least = 0, 0
    for way in ways:
        e, d = whole(events, way, n)
        worst = max(worst, np.max((d*(1 - NEAR) - NOISE)/claim(mu, booked_delta0, e)))
        low, high = 0, 2*mu
        for _ in range(30):
            middle = (low + high)/2
            if np.all(d - NOISE <= claim(middle, delta0, e)):
                high = middle
            else:
                low = middle
        least = max(least, high)
    return worst, least


class Lists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program()

    @classmethod
    def tearDownClass(cls):
        cls.program.close()

    def test_never_below_and_tight(self):
        chance, loosest, tight = random.Random(21), 0, []
        for i in range(LISTS):
            replaced = i % 5 == 4
            if replaced:
                text, events = draw_replaced(random.Random(i))
            else:
                events = draw(chance)
                text = written(events)
            delta0 = 10**chance.uniform(-9, -3)
            how = "replace" if replaced else None
            mu, booked = self.program.ask(
                "book", "replace-one" if replaced else "add-remove", 0, repr(delta0), text)
            self.assertIn(booked, (0, delta0))
            worst, least = checked(events, how, delta0, mu, booked)
            with self.subTest(events=events, delta0=delta0):
                self.assertLessEqual(worst, 1)
                if booked and not any(e[0] == "RANGE" for e in events):
                    self.assertLessEqual(mu, max(least, 1e-3)*1.03)
                    tight.append(mu/max(least, 1e-3))
            loosest = max(loosest, mu/max(least, 1e-3))
        self.assertLess(np.mean(tight), 1.003)
        if os.environ.get("SOTTO_VERBOSE"):
            print(f"mu / least mu: {np.mean(tight):.5f} in the mean, at most {loosest:.4f}")

    def test_prices_of_replaced_records(self):
        """Not bookings, prices: random lists of samples and others, at several epsilons."""
        chance = random.Random(8)
        for _ in range(max(3, LISTS//12)):
            text, events = draw_replaced(chance)
            e, d = whole(events, "replace", 1 << 14)
            for i in (1, len(e)//8, len(e)//4, len(e)//2):
                if d[i] < 1e-9:
                    continue
                out = subprocess.run(
                    [PROGRAM, "account", "--event", text, "--adjacency", "replace-one", "--epsilon",
                     repr(float(e[i])), "--json"], capture_output=True, text=True, check=True)
                got = json.loads(out.stdout)["delta"]
                with self.subTest(text=text, epsilon=e[i]):
                    self.assertGreaterEqual(got, d[i]*(1 - NEAR) - NOISE)
                    self.assertLessEqual(got, d[i]*1.01)

    def test_closed_forms(self):
        """To 30 digits: not below, and above by no more than rounding."""
        mpmath.mp.dps = 30
        for e in (1e-8, .01, .1, 1, 3, 10, 50):
            pure = 2*mpmath.sqrt(2)*mpmath.erfinv(mpmath.tanh(mpmath.mpf(e)/2)) if e < 20 else None
            laplace = 2*mpmath.sqrt(2)*mpmath.erfinv(-mpmath.expm1(-mpmath.mpf(e)/2))
            both = [(f"LAPLACE({e})", laplace)]
            both += [(f"PURE({e})", pure), (f"RANGE({2*e})", pure)] if pure and e <= 3 else []
            for plan, truth in both:
                mu, delta0 = self.program.ask("book", "add-remove", 0, 1e-6, plan)
                self.assertEqual(delta0, 0)
                self.assertGreaterEqual(mu, truth)
                self.assertLessEqual(mu, truth*(1 + mpmath.mpf(10)**-13))

    def test_totals(self):
        """delta and epsilon of totals, and caps, to 30 digits."""
        mpmath.mp.dps = 30
        chance = random.Random(3)
        for _ in range(40):
            square, delta0 = 10**chance.uniform(-4, 1), chance.choice((0, 1e-9, 1e-3))
            draws, e = chance.choice((0, 2.0**45)), chance.uniform(0, 6)
            truth = exactly(square, delta0, draws, e)
            delta, = self.program.ask("delta", repr(square), delta0, draws, repr(e))
            self.assertGreaterEqual(delta, truth)
            if not 1e-12 < delta < 1:
                continue
            self.assertLessEqual(delta, truth*(1 + mpmath.mpf(10)**-7))
            back, = self.program.ask("epsilon", repr(square), delta0, draws, repr(delta))
            self.assertLessEqual(back, e + 1e-6)  # draws: delta may have been smaller before
            self.assertLessEqual(exactly(square, delta0, draws, back), mpmath.mpf(delta))
        for e in (.1, 1, 3, 8):
            square, delta0 = self.program.ask("cap", e, 1e-6, 2.0**30)
            spent = exactly(square, delta0, 2.0**30, e)
            self.assertLessEqual(spent, mpmath.mpf(1e-6))
            self.assertGreaterEqual(spent, mpmath.mpf(1e-6)*(1 - mpmath.mpf(10)**-8))


# ---- games ----

def merged(p, q, ways):
    """A pair with at most so many outcomes: those with similar losses are one."""
    order = np.argsort(-np.log(np.maximum(p, 1e-300)/np.maximum(q, 1e-300)))
    p, q = p[order], q[order]
    groups = np.minimum((ways*(np.cumsum((p + q)/2) - 1e-12)).astype(int), ways - 1)
    return np.bincount(groups, p, ways), np.bincount(groups, q, ways)


def product(first, second):
    return (np.outer(first[0], second[0]).ravel(), np.outer(first[1], second[1]).ravel())


def menu_item(chance):
    """A run: its events, and a finite pair that is an answer it may give."""
    kind = chance.choice(("PURE", "RANGE", "GAUSS", "LAPLACE", "SUBSAMPLED_GAUSS", "PURE, PURE"))
    a = 10**chance.uniform(-.8, .3)
    if kind == "RANGE":
        t = a*chance.uniform(.05, .95)
        p = math.expm1(t - a)/math.expm1(-a)
        laws = np.array([p, 1 - p]), np.array([p*math.exp(-t), (1 - p)*math.exp(a - t)])
        events = f"RANGE({a!r})"
    elif kind == "PURE, PURE":
        one = pair("PURE", a, 0, "")
        laws, events = product(one, one), f"2*PURE({a!r})"
    elif kind == "SUBSAMPLED_GAUSS":
        q, sigma = chance.uniform(.05, .8), chance.uniform(.6, 2)
        laws = merged(*pair(kind, q, sigma, "remove"), 4)
        events = f"SUBSAMPLED_GAUSS({q!r}, {sigma!r})"
    else:
        laws, events = pair(kind, a, 0, ""), f"{kind}({a!r})"
        laws = laws if kind == "PURE" else merged(*laws, 4)
    if chance.random() < .5:
        laws = laws[::-1]
    keep = laws[0] > 0
    loss = np.log(laws[0][keep]/np.maximum(laws[1][keep], 1e-300))
    return events, laws[0][keep], loss


def play(menu, square, delta0, epsilon, runs):
    """What the best player reaches at each epsilon: sup of P(S) - e^epsilon Q(S)."""
    best = np.maximum(0, -np.expm1(np.minimum(epsilon, 1)))
    for law, loss, m2, d0 in menu if runs else ():
        if m2 <= square*(1 + 1e-12) and d0 <= delta0*(1 + 1e-12):
            shifted = play(menu, square - m2, delta0 - d0, (epsilon - loss[:, None]).ravel(), runs - 1)
            best = np.maximum(best, law @ shifted.reshape(len(law), -1))
    return best


class Games(unittest.TestCase):
    def test_no_player_wins_more(self):
        chance, program, closest = random.Random(5), Program(), 0
        epsilon = np.array([-.5, 0, .3, 1, 2, 4])
        for _ in range(60):
            menu = []
            for _ in range(5):
                events, law, loss = menu_item(chance)
                mu, d0 = program.ask("book", "add-remove", 0, 10**chance.uniform(-6, -2), events)
                menu.append((law, loss, mu*mu, d0))
            budget = chance.choices(menu, k=3)  # just enough for three of them
            square, delta0 = sum(m[2] for m in budget), sum(m[3] for m in budget)
            for e, value in zip(epsilon, play(menu, square, delta0, epsilon, 3)):
                promised, = program.ask("delta", repr(square), repr(delta0), 0, repr(float(e)))
                self.assertLessEqual(value, promised*(1 + 1e-9), (menu, e))
                closest = max(closest, value/promised)
        program.close()
        self.assertGreater(closest, .9)  # games that come close to what is promised


if __name__ == "__main__":
    unittest.main()
