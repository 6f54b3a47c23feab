#!/usr/bin/python3
"""pictures.py [--check]: draws the pictures of docs/explain/, or says which one is not as drawn.

Each is one SVG without a script. It follows the reader's colour scheme, and has a ground of its
own, so that it can be read on any page.
"""
import math
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
STYLE = """\
<style>
  .ground { fill: #fbfaf7; stroke: #d9d6cd } text { fill: #1d2327; font: 16px sans-serif }
  .soft { fill: #5d666d; font-size: 14.5px } .card { fill: #ffffff; stroke: #b9b5aa }
  .one { stroke: #1f6f8b; fill: #1f6f8b } .two { stroke: #b4532a; fill: #b4532a }
  path.line { fill: none; stroke-width: 2.5 } path.area { stroke: none; fill-opacity: .14 }
  .arrow { stroke: #5d666d; stroke-width: 1.5; fill: none } .axis { stroke: #8a929a }
  .dash { stroke: #5d666d; stroke-dasharray: 4 4 } circle.dot { stroke: none }
  .bold { font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181b; stroke: #343b41 } text { fill: #e8e6e1 } .soft { fill: #a3abb2 }
    .card { fill: #1b2024; stroke: #4a535a } .one { stroke: #6cc0dc; fill: #6cc0dc }
    .two { stroke: #ee9a6d; fill: #ee9a6d } .arrow, .dash { stroke: #a3abb2 }
    .axis { stroke: #7d868e } }
</style>
"""
# What one Gaussian answer with epsilon 1 at delta 1e-6 shows of a person, in
# standard deviations of its noise: `sotto account --calibrate 'GAUSS(1/z)'`.
MU = 0.23670


def curve(centre, left, width, base, height):
    """A bell over [-3.5, 3.5] standard deviations, as points."""
    at = [-3.5 + 7 * i / 140 for i in range(141)]
    return [(left + width * (x + 3.5) / 7, base - height * math.exp(-(x - centre) ** 2 / 2))
            for x in at]


def path(points, base=None):
    """A line, or with a base the area above it."""
    line = "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    if base is None:
        return line
    return line + f" L{points[-1][0]:.1f},{base} L{points[0][0]:.1f},{base} Z"


def records(x, kind, title, people, missing):
    """A sheet with a name for each person."""
    out = [f'<rect class="card" x="{x}" y="42" width="240" height="96" rx="6"/>',
           f'<text class="bold" x="{x + 14}" y="67">{title}</text>']
    for i, name in enumerate(people):
        gone = name == missing
        out.append(f'<text x="{x + 30 + i * 72}" y="98">{"" if gone else name}</text>')
        style = 'class="dash" fill="none"' if gone else f'class="{kind} dot"'
        out.append(f'<circle {style} cx="{x + 20 + i * 72}" cy="93" r="5"/>')
    out.append(f'<text class="soft" x="{x + 14}" y="126">and thousands of others</text>')
    return out


def two_worlds():
    left, width, base, height = 20, 520, 335, 122
    one = curve(-MU / 2, left, width, base, height)
    two = curve(MU / 2, left, width, base, height)
    seen = left + width * (0.9 + 3.5) / 7
    people = ("Ada", "Ben", "Cleo")
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 444" role="img" '
        'aria-labelledby="title">',
        '<title id="title">Two worlds: training with Ada and without her gives nearly the same '
        'models, with nearly the same probabilities</title>', STYLE.rstrip(),
        '<rect class="ground" x=".5" y=".5" width="559" height="443" rx="10"/>',
        '<text class="soft" x="20" y="30">What happened</text>',
        '<text class="soft" x="300" y="30">What could have happened</text>',
        *records(20, "one", "The records", people, None),
        *records(300, "two", "The same without Ada", people, "Ada"),
        '<path class="arrow" d="M110,138 V176 m-5,-7 l5,7 l5,-7"/>',
        '<path class="arrow" d="M450,138 V176 m-5,-7 l5,7 l5,-7"/>',
        '<text class="soft" x="122" y="162">training, with noise</text>',
        '<text class="soft" x="438" y="162" text-anchor="end">training, with noise</text>',
        '<text class="soft" x="20" y="202">How likely each model is, in either world</text>',
        f'<path class="one area" d="{path(one, base)}"/>',
        f'<path class="two area" d="{path(two, base)}"/>',
        f'<path class="one line" d="{path(one)}"/>',
        f'<path class="two line" d="{path(two)}"/>',
        f'<path class="axis" d="M{left},{base} H{left + width}"/>',
        f'<path class="dash" d="M{seen:.1f},222 V{base + 12}"/>',
        f'<text x="{seen:.0f}" y="{base + 29}" text-anchor="middle">the model that you see</text>',
        f'<circle class="one dot" cx="26" cy="{base + 61}" r="5"/>',
        f'<text x="38" y="{base + 66}">with Ada</text>',
        f'<circle class="two dot" cx="126" cy="{base + 61}" r="5"/>',
        f'<text x="138" y="{base + 66}">without Ada</text>',
        f'<text class="soft" x="540" y="{base + 66}" text-anchor="end">epsilon 1, delta 1e-6'
        '</text>',
        f'<text x="20" y="{base + 93}">Which world was it? At best 55 of 100 guesses are right.'
        '</text>',
        '</svg>']) + "\n"


PICTURES = {"docs/explain/two-worlds.svg": two_worlds}


def main():
    wrong = []
    for name, draw in PICTURES.items():
        place = os.path.join(ROOT, name)
        if sys.argv[1:] == ["--check"]:
            with open(place, encoding="utf-8") as file:
                wrong += [name] * (file.read() != draw())
        else:
            with open(place, "w", encoding="utf-8") as file:
                file.write(draw())
    if wrong:
        sys.exit(f"not as tools/pictures.py draws it: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
