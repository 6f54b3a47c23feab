"""The page around everything: one file, no script, nothing from elsewhere."""
import decimal
import math
from html import escape

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>sotto: the papers' experiments</title>
"""

# Colours that people with other eyes tell apart as well (Okabe and Ito), darker on white.
COLOURS = {"cd": ("#0060a8", "#5db2f2"), "cdp": ("#0a8a6a", "#3fd0a6"), "gcd": ("#c25400", "#ff9d4d"),
           "sgd": ("#6b7680", "#a9b4bd"), "gd": ("#8a4fa3", "#cf9be6"), "scd": ("#b3243c", "#ff8590"),
           "fw": ("#7a5a00", "#e0bb45"), "ssp": ("#b04a86", "#f29bc9"), "svrg": ("#4d7a1f", "#a6d36a"),
           "auto": ("#1d2327", "#e8e6e1"), "output": ("#5a5aa8", "#a9a9f0"),
           "objective": ("#00707a", "#5fd0d9")}

# key of a solver: colour, and how its line is drawn
LOOKS = {"cd-paper": ("cd", "5 4"), "cd": ("cd", ""), "cd-private": ("cdp", ""),
         "gcd-paper-gs-r": ("gcd", "5 4"), "gcd-paper-gs-s": ("fw", "2 3"),
         "gcd-paper-gs-q": ("svrg", "7 3 2 3"), "gcd-literal-gs-r": ("gcd", "1 3"),
         "gcd-literal-gs-s": ("fw", "1 3"), "gcd-literal-gs-q": ("svrg", "1 3"), "sgd-single": ("sgd", "1 3"), "gcd": ("gcd", ""), "gcd-gs-r": ("gcd", "5 4"),
         "gcd-gs-s": ("fw", "2 3"), "gcd-gs-q": ("svrg", "7 3 2 3"), "sgd-paper": ("sgd", "5 4"),
         "sgd": ("sgd", ""), "gd": ("gd", ""), "scd": ("scd", ""), "scd-paper": ("scd", "5 4"),
         "scd-seq": ("fw", "2 3"), "fw": ("fw", ""), "ssp": ("ssp", ""), "svrg": ("svrg", ""),
         "newton": ("auto", ""), "select": ("auto", ""), "auto": ("auto", "1 4"),
         "output": ("output", ""), "objective": ("objective", ""), "constant": ("sgd", "6 4"),
         "untuned": ("gd", "2 3")}
# lines that are no solvers: one after the other
SERIES = ("cd", "gcd", "cdp", "scd", "gd", "fw", "sgd", "svrg")

STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.4rem;line-height:1.25;margin:3.5rem 0 .5rem;padding-top:.8rem;border-top:3px solid var(--ink)}
h3{font-size:1.08rem;margin:2.2rem 0 .4rem}
p,ul{margin:.5rem 0;max-width:46rem}
li{margin:.2rem 0}
nav{margin:1rem 0;font-size:.95rem;display:flex;flex-wrap:wrap;gap:.2rem 1rem}td small{color:var(--soft);display:block;max-width:20rem}
a{color:var(--c-cd)}
.soft,figcaption,caption{color:var(--soft);font-size:.9rem}
.grid2{display:grid;grid-template-columns:1fr 1fr;gap:.5rem 1.5rem;align-items:start}
figure{margin:.8rem 0;min-width:0}
figcaption{margin:.1rem 0;font-size:.95rem;color:var(--ink);font-weight:600}
figcaption span{font-weight:400;color:var(--soft)}
svg{display:block;width:100%;height:auto;max-width:40rem}
svg text{fill:var(--ink);font-size:11.5px;font-family:inherit}
svg .grid text,svg .name{fill:var(--soft)}
svg .grid path{stroke:var(--line);fill:none}svg .grid .axis{stroke:var(--soft)}
svg .line{fill:none;stroke:var(--k);stroke-width:2.2;stroke-dasharray:var(--d)}
svg .level{stroke-width:2}
svg .bar{stroke:var(--k);stroke-width:5;opacity:.28}
svg .band{fill:var(--k);opacity:.13;stroke:none}
svg .dot{fill:var(--k);stroke:var(--paper);stroke-width:1}
svg .fill{fill:var(--k)}svg .wrong{fill:var(--bad);opacity:.75}
svg .hist{fill:var(--c-cd)}svg .mark{stroke:var(--c-gd);stroke-width:2;stroke-dasharray:5 3;fill:none}
svg .marked{fill:var(--c-gd)}
svg .tag{font-size:10.5px}
.keys{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.6rem 0;padding:0;list-style:none;font-size:.9rem;max-width:none}
.keys svg{display:inline-block;width:2.2rem;height:.8rem;vertical-align:middle;margin-right:.4rem}
.scroll{overflow-x:auto;max-width:100%;background:linear-gradient(90deg,var(--paper) 40%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(270deg,var(--paper) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(90deg,var(--shade),transparent) 0 0/.8rem 100% no-repeat scroll,linear-gradient(270deg,var(--shade),transparent) 100% 0/.8rem 100% no-repeat scroll}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;margin:.3rem 0}
caption{text-align:left;padding:.3rem 0}
th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}th.n{white-space:normal}.tight{font-size:.8rem}.tight td,.tight th{padding-right:.5rem}th.part{padding-top:.8rem;border-bottom-color:var(--soft)}
.n{text-align:right;white-space:nowrap}
td.best{font-weight:700}td.text{text-align:left;white-space:normal;min-width:9rem}
.met{color:var(--good);font-weight:700}.missed{color:var(--bad);font-weight:700}
.said{color:var(--soft)}
.verdict{border-left:4px solid var(--good);padding:.15rem 0 .15rem .8rem;margin:.5rem 0;max-width:46rem}
.verdict.not{border-color:var(--bad)}
details{margin:.2rem 0 .8rem}summary{cursor:pointer;color:var(--soft);font-size:.88rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;margin:1rem 0;max-width:46rem}
@media (max-width:44rem){body{font-size:15px}.grid2{grid-template-columns:1fr}table{font-size:.8rem}h1{font-size:1.5rem}th,td{padding-right:.6rem}}
@media print{body{font-size:10pt}main{max-width:none;padding:0}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}figure,tr,.card,.verdict{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible}nav{display:none}table{font-size:8pt}}
"""


def variables(dark):
    base = {"paper": ("#fbfaf7", "#14181b"), "ink": ("#1d2327", "#e8e6e1"),
            "soft": ("#5d666d", "#a3abb2"), "line": ("#dedbd2", "#343b41"),
            "card": ("#fff", "#1b2024"), "bad": ("#a3121f", "#ff8f95"),
            "good": ("#1d7a3c", "#74d492"), "shade": ("#1d232733", "#00000099")}
    base |= {"c-" + k: v for k, v in COLOURS.items()}
    return ":root{" + ";".join(f"--{k}:{v[dark]}" for k, v in base.items()) + "}"


def style():
    looks = "".join(f".s-{key}{{--k:var(--c-{colour});--d:{dashes or 'none'}}}\n"
                    for key, (colour, dashes) in LOOKS.items())
    looks += "".join(f".l-{i}{{--k:var(--c-{c});--d:none}}\n" for i, c in enumerate(SERIES))
    printed = variables(0).replace("#fbfaf7", "#fff")
    return (f"<style>\n{variables(0)}\n@media (prefers-color-scheme:dark){{{variables(1)}}}\n"
            f"@media print{{{printed}}}\n{STYLE}{looks}</style>\n")


def number(x):
    """Three digits, for people."""
    if x is None:
        return "–"
    if x == 0 or math.isinf(x):
        return "∞" if x else "0"
    if abs(x) >= 9995 or abs(x) < 9.995e-4:
        mantissa, exponent = f"{x:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return f"{x:.3g}" if abs(x) < 999.5 else f"{x:.0f}"


def upward(x, digits=3):
    """What a promise costs, rounded up to so many digits."""
    if not math.isfinite(x) or x <= 0:
        return x
    exact = decimal.Decimal(repr(x))
    unit = decimal.Decimal(10)**(exact.adjusted() - digits + 1)
    return float(exact.quantize(unit, rounding=decimal.ROUND_CEILING))


def plus_minus(mean, deviation):
    """A mean and a standard deviation, of which two digits are enough."""
    deviation = 0 if deviation < 1e-12 else float(f"{deviation:.1e}")     # rounding is no spread
    return f"{number(mean)} ± {number(deviation)}"


def spread(result):
    return plus_minus(result["mean"], result["std"])


def cell(value, number_like=True, cls=""):
    classes = " ".join(c for c in ("n" if number_like else "", cls) if c)
    return f'<td class="{classes}">{value}</td>' if classes else f"<td>{value}</td>"


def table(head, rows, name="", caption="", left=1, tight=False):
    """rows: lists of ready cells (strings; (string, class) for a class), of which the first `left` are
    text; or a string, which heads those that follow."""
    out = [f'<div class="scroll"><table id="{name}"{" class=tight" if tight else ""}>']
    if caption:
        out.append(f"<caption>{caption}</caption>")
    out.append("<thead><tr>" + "".join(
        f'<th{"" if i < left else " class=n"}>{h}</th>' for i, h in enumerate(head)) +
        "</tr></thead><tbody>")
    for row in rows:
        if isinstance(row, str):
            out.append(f'<tr><th colspan="{len(head)}" class="part">{row}</th></tr>')
            continue
        cells = [c if isinstance(c, tuple) else (c, "") for c in row]
        out.append("<tr>" + "".join(cell(c, i >= left, k) for i, (c, k) in enumerate(cells)) +
                   "</tr>")
    return "".join(out) + "</tbody></table></div>\n"


def figure(svg, title, more, numbers):
    """A plot, and its numbers beneath."""
    return (f"<figure><figcaption>{title} <span>{more}</span></figcaption>{svg}"
            f"<details><summary>numbers</summary>{numbers}</details></figure>\n")


def keys(pairs):
    """What the lines are: [(class, label)]."""
    items = "".join(f'<li><svg viewBox="0 0 36 12" aria-hidden="true"><path class="line {c}" '
                    f'd="M0 6H36"/></svg>{escape(label)}</li>' for c, label in pairs)
    return f'<ul class="keys">{items}</ul>\n'


def verdict(holds, words):
    return f'<div class="verdict{"" if holds else " not"}">{words}</div>\n'


def grid(figures):
    return f'<div class="grid2">{"".join(figures)}</div>\n'
