"""The card of a model in a notebook: what it says, and that no text in it can be anything else."""

import csv
import html.parser
import json
import os
import re
import subprocess
import sys
import unittest
import zlib

from common import BUDGET, ROOT, Case, dp, np, problem, program

from sotto_dp.card import html_card

sys.path.insert(0, os.path.join(ROOT, "tests", "browser"))
import browser  # noqa: E402

try:
    import matplotlib
    matplotlib.use("Agg")
except ImportError:
    matplotlib = None

HOSTILE = ["<script>window.hit=1</script>", "\"><img src=x onerror=window.hit=1>", "a&b</td></tr>",
           "]]>--><style>*{display:none}</style>", "'/></iframe>\u202ename"]


class Parsed(html.parser.HTMLParser):
    """The tags, attributes and text of a card."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        if self.tags[-1:] != ["style"]:
            self.words += data


class Cards(Case):
    def hostile_model(self):
        """A model whose names and classes are markup."""
        X, y = problem()
        no, yes = HOSTILE[3:5]
        with open(os.path.join(self.folder, "d.csv"), "w", newline="") as file:
            out = csv.writer(file, quoting=csv.QUOTE_ALL)
            out.writerow(HOSTILE[:3] + ["who<i>", "y"])
            out.writerows([*row, i, yes if label else no]
                          for i, (row, label) in enumerate(zip(X.tolist(), y)))
        schema = dp.Schema({**{name: dp.Number(-1, 1) for name in HOSTILE[:3]},
                            "who<i>": dp.Person(), "y": dp.Target(classes=[no, yes])})
        with open(os.path.join(self.folder, "s.json"), "w") as file:
            file.write(schema.json_text())
        program("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon", 1,
                "--delta", 1e-6, "-o", "m.json", "--quiet", cwd=self.folder)
        with open(os.path.join(self.folder, "m.json")) as file:
            return file.read()

    def test_first_line_is_the_promise(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        words = Parsed(model._repr_html_()).words
        self.assertTrue(words.startswith(
            "Differentially private: epsilon 1, delta 1e-6 (add-remove); protected is a row"), words)
        self.assertIn("untracked", words)
        self.assertNotIn("Left now", words)

    def test_ledger(self):
        X, y = problem()
        data = dp.Ledger(os.path.join(self.folder, "l.db")).dataset(
            "patients", epsilon=3, delta=1e-6)
        model = dp.LogisticRegression(**BUDGET, ledger=data).fit(X, y)
        words = Parsed(model._repr_html_()).words
        self.assertIn("on patients", words)
        self.assertRegex(words, r"epsilon [\d.]+ of a cap of epsilon 3, delta 1e-6")
        shown = float(words.split("Left now: epsilon ")[1].split()[0])
        self.assertLessEqual(shown, data.left())
        self.assertAlmostEqual(shown, data.left(), delta=0.001)
        os.remove(data.path)
        self.assertNotIn("Left now", Parsed(model._repr_html_()).words)

    def test_not_private(self):
        X, y = problem()
        for model in (dp.LogisticRegression(epsilon=float("inf"), l2=1.0),
                      dp.LogisticRegression(**BUDGET, insecure_seed=1)):
            words = Parsed(model.fit(X, y)._repr_html_()).words
            self.assertTrue(words.startswith("NOT PRIVATE"), words)
            self.assertNotIn("Differentially", words)

    def test_without_a_model_there_is_no_card(self):
        self.assertIsNone(dp.LogisticRegression()._repr_html_())

    def test_a_promise_that_is_not_so_is_not_shown(self):
        X, y = problem()
        text = json.loads(dp.LogisticRegression(**BUDGET).fit(X, y)._model.text())
        text["privacy"]["epsilon"] = 0.1
        text.pop("checksum")
        words = Parsed(html_card(json.dumps(text))).words
        self.assertNotIn("Differentially private", words)
        self.assertGreater(len(words), 20)

    def test_texts_are_only_texts(self):
        card = html_card(self.hostile_model(), {"dataset": HOSTILE[0]})
        parsed = Parsed(card)
        self.assertEqual(parsed.tags.count("style"), 1)
        self.assertEqual(set(parsed.tags) - {
            "div", "style", "p", "span", "strong", "figure", "svg", "text", "rect", "path",
            "figcaption", "details", "summary", "iframe"}, set())
        self.assertEqual([a for a, _ in parsed.attributes if a.startswith("on") or a == "src"], [])
        self.assertIn(("sandbox", ""), parsed.attributes)
        for words in (*(name[:28] for name in HOSTILE[:4]), '"who<i>"'):
            self.assertIn(words, parsed.words)
        page = next(value for name, value in parsed.attributes if name == "srcdoc")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn("default-src 'none'", page)
        self.assertEqual(Parsed(page).tags.count("script"), 0)

    def test_bars_are_those_of_the_report(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        card, page = model._repr_html_(), model.report()
        at = page.index('aria-label="weights as bars"')
        figure = page[page.rindex("<svg", 0, at):page.index("</svg>", at)]
        self.assertIn(figure, card)
        self.assertEqual(figure.count("<rect"), 3)
        self.assertEqual(figure.count('class="error"'), 0)  # no interval: the page says why
        self.assertNotIn("last noise", card)

    @unittest.skipUnless(browser.PROGRAM, "chromium is not installed")
    def test_in_a_browser(self):
        path = os.path.join(self.folder, "notebook.html")
        with open(path, "w") as file:
            file.write("<!DOCTYPE html><meta charset=utf-8><meta name=viewport "
                       "content=width=device-width><body>"
                       + html_card(self.hostile_model(), {"dataset": HOSTILE[1]}))
        with browser.Browser() as page:
            for width in (900, 380):
                page.open(path, width, 700)
                self.assertTrue(page.ask("typeof window.hit === 'undefined'"))
                self.assertEqual(page.ask("document.querySelectorAll('script, img').length"), 0)
                self.assertTrue(page.ask("document.documentElement.scrollWidth <= innerWidth"))
                page.ask("document.querySelector('details').open = true")
                self.assertGreater(page.ask("document.querySelector('iframe').offsetHeight"), 300)
                self.assertGreater(page.ask("document.querySelector('svg').getBoundingClientRect()"
                                            ".width"), 200)
            keep = os.environ.get("SOTTO_PICTURES")
            if keep:
                page.picture(os.path.join(keep, "card.png"))


def moments(folder):
    """A model of three columns, of which the last is nothing, with intervals."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (3000, 3))
    y = np.clip(X @ [1, -.5, 0] + rng.normal(0, .1, 3000), -2, 2)
    with open(os.path.join(folder, "r.csv"), "w") as file:
        file.write("a,b,c,y\n" + "".join("%r,%r,%r,%r\n" % (*row, t)
                                        for row, t in zip(X.tolist(), y.tolist())))
    bounds = {name: {"type": "number", "bounds": [-1, 1]} for name in "abc"}
    with open(os.path.join(folder, "r.json"), "w") as file:
        json.dump({"sotto_schema": 1, "columns": {
            **bounds, "y": {"type": "target", "bounds": [-2, 2]}}}, file)
    program("train", "r.csv", "--schema", "r.json", "--solver", "ssp", "--epsilon", 4,
            "--delta", 1e-6, "-o", "ssp.json", "--quiet", cwd=folder)
    return dp.load(os.path.join(folder, "ssp.json"))


class Intervals(Case):
    def test_conf_int_and_summary(self):
        model = moments(self.folder)
        with open(os.path.join(self.folder, "ssp.json")) as file:
            part = json.load(file)["intervals"]
        for level, times in ((.9, 1.6448536269514722), (.95, 1.959963984540054)):
            half = times * np.array(part["errors"])
            np.testing.assert_allclose(model.conf_int(level),
                                       np.stack([model.coef_ - half, model.coef_ + half], 1))
        np.testing.assert_array_equal(model.conf_int(), model.conf_int(.95))
        every = model.intervals(.9)
        self.assertEqual(list(every), ["a", "b", "c", "(intercept)"])
        np.testing.assert_array_equal([every[name] for name in "abc"], model.conf_int(.9))
        with self.assertRaises(dp.UsageError):
            model.intervals(2)
        lines = model.summary().split("\n")
        self.assertEqual(lines[0].split()[-2:], ["95", "%"])
        self.assertEqual([line.split()[0] for line in lines[1:]], ["a", "b", "c", "(intercept)"])
        self.assertIn("%.3g" % part["errors"][0], lines[1])
        self.assertIn('class="error"', model._repr_html_())
        for line, name in zip(lines[1:], [*"abc", "(intercept)"]):  # outward, and 95 % is wider than 90 %
            (a, b), (c, d) = (map(float, pair.split(" to "))
                              for pair in re.split(r" {2,}", line)[3:5])
            self.assertLess(c, a)
            self.assertLess(b, d)
            for (low, high), told in ((model.intervals(.9)[name], (a, b)),
                                      (model.intervals(.95)[name], (c, d))):
                self.assertLessEqual(told[0], low)
                self.assertLessEqual(high, told[1])
                self.assertLess(told[1] - told[0], 1.1 * (high - low))
        with open(os.path.join(self.folder, "ssp.json")) as file:
            far = json.load(file)
        del far["checksum"]
        for j, (weight, error) in enumerate(((1e300, 1e-300), (1.7e308, 1e307), (-1, 1e-40))):
            far["weights"][j], far["intervals"]["errors"][j] = weight, error
        head = json.dumps(far)[:-1].encode() + b", "
        with open(os.path.join(self.folder, "far.json"), "wb") as file:
            file.write(head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))
        lines = [re.split(r" {2,}", line)[3:5] for line in dp.load(
            os.path.join(self.folder, "far.json")).summary().split("\n")[1:]]
        self.assertEqual(lines[0], ["1e+300 to 1e+300"] * 2)
        self.assertEqual(lines[1], ["1.53e+308 to inf", "1.5e+308 to inf"])
        self.assertEqual(lines[2], ["-1 to -1"] * 2)
        for level in (0, 1, 1.5, "0.9", float("nan")):
            with self.assertRaises(dp.UsageError):
                model.conf_int(level)

    def test_none(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        self.assertEqual(model.conf_int().shape, (1, 3, 2))
        with self.assertWarnsRegex(dp.RemarkWarning, r"no interval; summary\(\) says why"):
            self.assertTrue(np.isnan(model.conf_int()).all())
        self.assertEqual(model.summary().count(
            "no interval: none is known to cover with so small a budget for so many columns"), 4)
        many = dp.LogisticRegression(**BUDGET, classes=[0, 1, 2]).fit(X, np.arange(len(y)) % 3)
        self.assertEqual(many.conf_int().shape, (3, 3, 2))
        self.assertTrue(np.isnan(many.conf_int()).all())
        self.assertEqual(many.summary().count("no interval"), 12)
        self.assertEqual(len(many.intervals()), 12)
        self.assertIn("(intercept) (2)", many.intervals())
        self.assertTrue(np.isnan(list(many.intervals().values())).all())
        plain = dp.LinearRegression(epsilon=float("inf")).fit(X, y)
        self.assertIn("no interval: the model is NOT PRIVATE", plain.summary())

    @unittest.skipUnless(matplotlib, "matplotlib is not installed")
    def test_plot(self):
        from sotto_dp.plots import plot_weights
        ax = plot_weights(moments(self.folder))
        self.assertEqual(len(ax.containers), 2)
        self.assertEqual([patch.get_alpha() for patch in ax.containers[0]][:2], [1, 1])
        self.assertEqual(ax.get_legend().get_texts()[0].get_text(), "90 % interval")


class Plots(Case):
    @unittest.skipUnless(matplotlib, "matplotlib is not installed")
    def test_weights(self):
        from sotto_dp.plots import plot_weights
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        ax = plot_weights(model)
        self.assertEqual(ax.get_title(), "epsilon 1, delta 1e-06 (add-remove)")
        lengths = [patch.get_width() for patch in ax.containers[0]]
        reported = re.findall(r'text-anchor="end">([^<]+)</text><rect', model.report())
        np.testing.assert_allclose(lengths, [float(x) for x in reported], rtol=5e-3)
        self.assertEqual(len(reported), 3)
        self.assertEqual(len(plot_weights(model, most=2).containers[0]), 2)
        with open(os.path.join(self.folder, "d.csv"), "w") as file:
            file.write("a,$b_1$,sex,y\n" + "".join("%r,%r,%s,%d\n" % (*row[:2], "fm"[i % 2], label)
                                                  for i, (row, label) in
                                                  enumerate(zip(X.tolist(), y))))
        with open(os.path.join(self.folder, "s.json"), "w") as file:
            file.write(dp.Schema({"a": dp.Number(-1, 3), "$b_1$": dp.Number(-2, 3),
                                  "sex": dp.Category(["f", "m"]), "y": dp.Target()}).json_text())
        program("train", "d.csv", "--schema", "s.json", "--loss", "logistic", "--epsilon", 1,
                "--delta", 1e-6, "-o", "m.json", "--quiet", cwd=self.folder)
        bounded = dp.load(os.path.join(self.folder, "m.json"))
        ax = plot_weights(bounded)
        lengths = [patch.get_width() for patch in ax.containers[0]]
        np.testing.assert_allclose(
            sorted(lengths), sorted(x for x in bounded.coef_.ravel() * [4, 5, 1, 1] if x))
        self.assertIn(r"\$b_1\$", [label.get_text() for label in ax.get_yticklabels()])
        ax.figure.canvas.draw()
        with self.assertRaises(dp.UsageError):
            plot_weights(dp.LogisticRegression())

    def test_without_matplotlib(self):
        code = ("import common, sys\nsys.modules['matplotlib'] = None\n"
                "from sotto_dp.plots import plot_weights\n"
                "X, y = common.problem()\n"
                "model = common.dp.LogisticRegression(epsilon=1, delta=1e-6).fit(X, y)\n"
                "try:\n    plot_weights(model)\nexcept ImportError as error:\n    print(error)\n")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True,
                              text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertIn("pip install matplotlib", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
