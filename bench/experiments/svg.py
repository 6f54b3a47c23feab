"""Plots as inline SVG: no script, colours from the page's style, so that they follow light and dark."""
import math
from html import escape

WIDTH, HEIGHT = 440, 292
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 12, 44
LEAST = 1e-12        # of a logarithmic axis


def power(k):
    """10 to the k, as people write it."""
    return {-1: "0.1", 0: "1", 1: "10", 2: "100"}.get(
        k, "10" + str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")))


def plain(x):
    return f"{x:g}"


class Scale:
    """From values to places; logarithmic or not."""

    def __init__(self, low, high, start, end, log):
        self.log = log
        if log:
            low, high = math.log10(max(low, LEAST)), math.log10(max(high, LEAST))
        pad = (high - low) * .04 or .5
        self.low, self.high, self.start, self.end = low - pad, high + pad, start, end

    def __call__(self, x):
        value = math.log10(max(x, LEAST)) if self.log else x
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0), 1) * (self.end - self.start)

    def ticks(self):
        """[(value, text)], between three and seven of them."""
        if not self.log:
            return linear_ticks(self.low, self.high)
        first, last = math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9)
        if last - first >= 2:
            every = max(1, (last - first + 1) // 6)
            return [(10.**k, power(k)) for k in range(first, last + 1, every)]
        values = [m * 10.**k for k in range(first - 1, last + 2) for m in (1, 2, 5)]
        inside = [v for v in values if self.low <= math.log10(v) <= self.high]
        if len(inside) < 2:
            inside = [v for v, _ in linear_ticks(10**self.low, 10**self.high)]
        return [(v, plain(v)) for v in inside]


def linear_ticks(low, high):
    step = 10**math.floor(math.log10((high - low) / 3))
    while (high - low) / step > 6:
        step *= 2 if str(step / 10**math.floor(math.log10(step)))[0] in "15" else 2.5
    first = math.ceil(low / step)
    return [(k * step, plain(round(k * step, 10))) for k in range(first, int(high // step) + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(str(words))}</text>'


class Plot:
    """A frame with axes, into which things are drawn."""

    def __init__(self, x, y, xlabel, ylabel, xticks=None):
        self.x, self.y = x, y
        self.parts = ['<g class="grid">']
        for value, words in y.ticks():
            at = y(value)
            self.parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>' +
                              text(LEFT - 6, at + 4, words, "end"))
        for value, words in xticks or x.ticks():
            at = x(value)
            self.parts.append(f'<path d="M{at:.1f} {HEIGHT - BOTTOM}v4"/>' +
                              text(at, HEIGHT - BOTTOM + 17, words))
        self.parts.append(f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/></g>')
        self.parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, xlabel, more=' class="name"'))
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.parts.append(text(11, middle, ylabel,
                               more=f' class="name" transform="rotate(-90 11 {middle:.1f})"'))

    def add(self, part):
        self.parts.append(part)

    def line(self, key, points, band):
        """points: (x, mean, min, max)."""
        if band and len(points) > 1:
            upper = [f"{self.x(p[0]):.1f} {self.y(p[3]):.1f}" for p in points]
            lower = [f"{self.x(p[0]):.1f} {self.y(p[2]):.1f}" for p in reversed(points)]
            self.add(f'<path class="band {key}" d="M{"L".join(upper + lower)}Z"/>')
        path = "L".join(f"{self.x(p[0]):.1f} {self.y(p[1]):.1f}" for p in points)
        if len(points) > 1:
            self.add(f'<path class="line {key}" d="M{path}"/>')
        for p in points:
            if band and len(points) == 1:
                self.add(f'<path class="bar {key}" d="M{self.x(p[0]):.1f} {self.y(p[2]):.1f}'
                         f'V{self.y(p[3]):.1f}"/>')
            self.add(f'<circle class="dot {key}" cx="{self.x(p[0]):.1f}" cy="{self.y(p[1]):.1f}" '
                     f'r="3"/>')

    def level(self, key, value):
        at = self.y(value)
        self.add(f'<path class="line level {key}" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')

    def svg(self, title):
        return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
                f'{"".join(self.parts)}</svg>')


def frame(xs, ys, xlog, ylog):
    x = Scale(min(xs), max(xs), LEFT, WIDTH - RIGHT, xlog)
    y = Scale(min(ys), max(ys), HEIGHT - BOTTOM, TOP, ylog)
    return x, y


def lines(title, series, levels, xlabel, ylabel, xlog=True, ylog=True, band=True, xticks=None):
    """series: {key: [(x, mean, min, max)]}, levels: {key: value}."""
    xs = [p[0] for points in series.values() for p in points]
    low, high = (2, 3) if band else (1, 1)
    ys = [p[k] for points in series.values() for p in points for k in (low, 1, high)]
    ys += list(levels.values())
    if ylog:
        # a band that goes to 0 goes to the bottom
        least = min([p[1] for points in series.values() for p in points] + list(levels.values()))
        ys = [max(v, least / 30) for v in ys]
        series = {k: [(a, m, max(lo, least / 30), hi) for a, m, lo, hi in points]
                  for k, points in series.items()}
    x, y = frame(xs, ys, xlog, ylog)
    plot = Plot(x, y, xlabel, ylabel, xticks)
    for key, value in levels.items():
        plot.level(key, value)
    for key, points in series.items():
        plot.line(key, points, band)
    return plot.svg(title)


def free(box, taken):
    left, top, right, bottom = box
    return (left > LEFT and right < WIDTH - 2 and top > 2 and bottom < HEIGHT - BOTTOM and
            not any(left < r and l < right and top < b and t < bottom for l, t, r, b in taken))


def scatter(title, points, xlabel, ylabel):
    """points: [(key, label, x, y)]; a label that finds no place is in the table only."""
    x, y = frame([p[2] for p in points], [p[3] for p in points], True, True)
    plot = Plot(x, y, xlabel, ylabel)
    dots = [(key, label, x(a), y(b)) for key, label, a, b in points]
    taken = [(at - 5, up - 5, at + 5, up + 5) for _, _, at, up in dots]
    for key, label, at, up in dots:
        plot.add(f'<circle class="dot {key}" cx="{at:.1f}" cy="{up:.1f}" r="4.5"/>')
    for key, label, at, up in sorted(dots, key=lambda d: -d[3]):
        width = 6.7 * len(label)
        for dx, dy in ((8, 4), (-8, 4), (6, -7), (6, 15), (-6, -7), (-6, 15), (8, -18), (-8, -18),
                       (8, 26), (-8, 26)):
            left = at + dx if dx > 0 else at + dx - width
            box = (left, up + dy - 9, left + width, up + dy + 2)
            if free(box, taken):
                taken.append(box)
                plot.add(text(at + dx, up + dy, label, "start" if dx > 0 else "end",
                              ' class="tag"'))
                break
    return plot.svg(title)


def histogram(title, counts, edges, mark, mark_label, xlabel, ylabel):
    """Counts on a logarithmic axis, and a line across."""
    x = Scale(edges[0], edges[-1] or 1, LEFT, WIDTH - RIGHT, False)
    y = Scale(.7, max(max(counts), 10), HEIGHT - BOTTOM, TOP, True)
    plot = Plot(x, y, xlabel, ylabel)
    for count, low, high in zip(counts, edges, edges[1:]):
        if count:
            top = y(count)
            plot.add(f'<rect class="hist" x="{x(low) + .7:.1f}" y="{top:.1f}" '
                     f'width="{max(x(high) - x(low) - 1.4, .5):.1f}" '
                     f'height="{HEIGHT - BOTTOM - top:.1f}"/>')
    at = x(mark)
    plot.add(f'<path class="mark" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
    right = at < WIDTH * .6
    plot.add(text(at + (6 if right else -6), TOP + 12, mark_label, "start" if right else "end",
                  ' class="marked"'))
    return plot.svg(title)


def recovered(title, bars, support):
    """Horizontal bars: [(key, label, right, wrong)], and how many there are to find."""
    height = 24 * len(bars) + 50
    most = max([support] + [r + w for _, _, r, w in bars])
    left = 150
    x = Scale(0, most, left, WIDTH - 80, False)
    x.low, x.high = 0, most
    parts = []
    for i, (key, label, right, wrong) in enumerate(bars):
        y = 10 + 24 * i
        parts.append(text(left - 8, y + 13, label, "end"))
        parts.append(f'<rect class="fill {key}" x="{left}" y="{y}" width="{x(right) - left:.1f}" '
                     f'height="16"/>')
        parts.append(f'<rect class="wrong" x="{x(right):.1f}" y="{y}" '
                     f'width="{x(right + wrong) - x(right):.1f}" height="16"/>')
        parts.append(text(WIDTH - 68, y + 13, f"{right:.3g} / {wrong:.3g}", "start"))
    bottom = 10 + 24 * len(bars)
    parts.append(f'<path class="mark" d="M{x(support):.1f} 4V{bottom}"/>')
    anchor = "end" if x(support) > WIDTH * .6 else "middle"
    parts.append(text(x(support), bottom + 16, f"{support} are not 0 at the optimum", anchor,
                      ' class="marked"'))
    return (f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
            f'{"".join(parts)}</svg>')
