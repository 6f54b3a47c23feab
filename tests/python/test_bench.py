#!/usr/bin/python3
"""What `make bench` computes and writes: bandwidth, models, pages; and that it goes on.

No time is asserted. Programs are run on small things, pages are made from made-up results.
"""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("SOTTO_BUILD") or ROOT / "build")
sys.path[:0] = [str(HERE), str(ROOT / "bench")]
import bench  # noqa: E402
import bench_sample as sample  # noqa: E402
import end_sets  # noqa: E402
import files  # noqa: E402
from exponent import exponent  # noqa: E402
import instructions  # noqa: E402
import machine  # noqa: E402
import speed  # noqa: E402
import speed_report  # noqa: E402
import train_count  # noqa: E402


class Programs(unittest.TestCase):
    def test_bandwidth_is_bytes_over_seconds(self):
        done = subprocess.run([BUILD / "bench" / "bench_bandwidth", "0.01", "2"], check=True,
                              capture_output=True, text=True)
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertEqual([(line[0], line[1]) for line in lines],
                         [(level, threads) for threads in "12" for level in machine.LEVELS])
        sizes = [int(line[2]) for line in lines[:4]]
        self.assertEqual(sizes, sorted(set(sizes)))
        for level, threads, size, rounds, seconds, rate in lines:
            computed = int(size) * int(rounds) / float(seconds) / 1e9
            if threads == "1":
                self.assertAlmostEqual(float(rate) / computed, 1, delta=.01)
            else:  # the seconds are those of the slowest thread
                self.assertGreaterEqual(float(rate) * 1.01, computed)
        self.assertEqual(machine.parse(done.stdout)["L2"]["bytes"], sizes[1])

    def test_bandwidth_refuses_what_it_cannot_measure(self):
        for words in ([], ["0.01"], ["0", "1"], ["0.01", "0"], ["0.01", "257"]):
            done = subprocess.run([BUILD / "bench" / "bench_bandwidth", *words],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 1, words)

    def test_peak_is_that_of_the_command_alone(self):
        large = bytearray(150_000_000)
        large[::4096] = b"x" * len(large[::4096])
        _, seconds, peak, _ = files.run_measured(BUILD, ["true"], {})
        self.assertGreater(seconds, 0)
        self.assertLess(peak, 20_000_000)
        grown = "a = bytearray(60_000_000); a[::4096] = b'x' * len(a[::4096]); print('yes')"
        said, _, peak, _ = files.run_measured(BUILD, [sys.executable, "-c", grown], {})
        self.assertEqual(said, "yes\n")
        self.assertGreater(peak, 60_000_000)

    def test_a_command_that_fails_is_an_error(self):
        with self.assertRaises(files.BenchError):
            files.run_measured(BUILD, ["false"], {})


class Rivals(unittest.TestCase):
    def test_the_python_of_rivals_is_taken_where_it_has_them(self):
        with tempfile.TemporaryDirectory() as name:
            rivals = pathlib.Path(name).resolve() / "rivals"
            self.assertEqual(files.rival_python(name), "/usr/bin/python3")
            (rivals / "bin").mkdir(parents=True)
            (rivals / "bin" / "python").touch()  # without a package in it
            self.assertEqual(files.rival_python(name), "/usr/bin/python3")
            (rivals / "lib" / "python3.11" / "site-packages" / "sklearn").mkdir(parents=True)
            self.assertEqual(files.rival_python(name), str(rivals / "bin" / "python"))

    def test_what_is_not_there_is_said(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertFalse(files.can_import(sys.executable, "import no_such_rival", "a rival"))
            self.assertTrue(files.can_import(sys.executable, "import json", "another"))
        self.assertEqual(said.getvalue().count("skipped: "), 1)
        self.assertIn("skipped: a rival ('import no_such_rival' fails", said.getvalue())


class Models(unittest.TestCase):
    def test_a_table_is_read_from_the_first_level_that_holds_it(self):
        at = sample.bandwidth()
        for size, level in ((1000, "L1"), (32768, "L1"), (32769, "L2"), (1 << 20, "L2"),
                            (1 << 24, "L3"), ((1 << 24) + 1, "DRAM")):
            self.assertEqual(machine.level_of(size, at), level)

    def test_bytes_of_questions(self):
        gradient = {"question": "whitened gradient", "times": 6}
        batch = {"question": "batch", "times": 500, "rate": .02}
        partial = {"question": "partial", "times": 50}
        self.assertAlmostEqual(machine.passes([gradient], 1000, 50), 6)
        self.assertAlmostEqual(machine.passes([batch], 1000, 50), 10)
        self.assertAlmostEqual(machine.passes([partial], 1000, 50), 4)  # 16 bytes a row, not 4
        found = dict((within, size) for size, within in
                     machine.reads(7, [gradient, partial, gradient], 1000, 50))
        self.assertEqual(found, {None: 7 + 200000, 200000: 12 * 200000 + 200000, 12000: 600000})

    def test_model_is_bytes_over_bandwidth(self):
        at = sample.bandwidth(dram=10, two=1.5)
        table = 200_000_000
        what = [(2 * table, None), (40 * table, table), (10**9, 30000)]
        self.assertAlmostEqual(machine.model_seconds(what, at), .04 + .8 + .01)
        self.assertAlmostEqual(machine.model_seconds(what, at, 2), (.04 + .8 + .01) / 1.5)
        self.assertAlmostEqual(machine.model_seconds(what, at, 3), (.04 + .8 + .01) / 1.5)

    def test_models_are_made_of_the_faster_measurement(self):
        for one, other in ((10, 12), (12, 10)):
            found = machine.faster(sample.bandwidth(dram=one), sample.bandwidth(dram=other))
            self.assertEqual(found, sample.bandwidth(dram=12))

    def test_noise_and_threads(self):
        quiet = sample.case("x", [])
        self.assertEqual(machine.noise(quiet), "")
        self.assertIn("DRAM bandwidth differs by 20%",
                      machine.noise({**quiet, "after": sample.bandwidth(dram=12)}))
        self.assertEqual(machine.noise({**quiet, "after": sample.bandwidth(dram=11)}), "")
        self.assertIn("others used 0.7", machine.noise({**quiet, "others": .7}))
        self.assertTrue(machine.two_threads_count(sample.bandwidth(two=1.6)))
        self.assertFalse(machine.two_threads_count(sample.bandwidth(two=1.59)))

    def test_exponents_are_those_of_the_last_decade(self):
        bent = [(x, max(1, (x / 100)**1.5)) for x in (1, 10, 100, 316, 1000)]
        self.assertAlmostEqual(exponent(bent), 1.5)
        self.assertAlmostEqual(exponent([(1, 2.0), (2, 1.0)]), -1)
        self.assertIsNone(exponent([(1, 2.0)]))

    def test_what_others_used(self):
        self.assertAlmostEqual(bench.used_by_others((100, 5), (112, 9), 10), .8)
        self.assertEqual(bench.used_by_others((100, 5), (101, 9), 10), 0)

    def test_errors_of_a_model(self):
        import numpy as np
        X, y = np.array([[1.0, 0], [0, 1.0]]), np.array([1.0, 1.0])
        found = end_sets.errors(X, y, np.array([2.0, -1.0]), .5, .1)
        loss = (np.log1p(np.exp(-2.5)) + np.log1p(np.exp(.5))) / 2
        self.assertEqual(found["accuracy"], .5)
        self.assertAlmostEqual(found["log_loss"], loss)
        self.assertAlmostEqual(found["objective"], loss + .05 * 5)


class GoesOn(unittest.TestCase):
    """A script that says how often it was run, as a case."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        quick = unittest.mock.patch.object(bench, "bandwidth", lambda *_: sample.bandwidth())
        quick.start()
        self.addCleanup(quick.stop)
        self.folder = pathlib.Path(folder.name)
        self.script = self.folder / "script.py"
        self.script.write_text(
            "import pathlib, sys\n"
            "ran = pathlib.Path(__file__).with_name('ran')\n"
            "ran.write_text((ran.read_text() if ran.exists() else '') + 'x')\n"
            "open(sys.argv[sys.argv.index('--json') + 1], 'a').write('{\"found\": 1}\\n')\n"
            "print('skipped: a rival (why)')\n"
            "sys.exit('fail' in sys.argv)\n")

    def run_cases(self, stamp, *words):
        case = bench.Case("one", [str(self.script), *words], [])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            bench.run_cases([case], BUILD, False, self.folder, stamp)
        return said.getvalue()

    def times(self):
        return len((self.folder / "ran").read_text())

    def test_a_case_runs_once_for_a_commit(self):
        self.run_cases({"commit": "a"})
        self.assertIn("done before", self.run_cases({"commit": "a"}))
        self.assertEqual(self.times(), 1)
        self.run_cases({"commit": "b"})
        self.assertEqual(self.times(), 2)
        kept = json.loads((self.folder / "one.json").read_text())
        self.assertEqual(kept["rows"], [{"found": 1}])
        self.assertEqual(kept["skipped"], ["a rival (why)"])
        self.assertEqual((kept["before"], kept["after"]), (sample.bandwidth(),) * 2)

    def test_a_page_for_docs_needs_every_case(self):
        for case in bench.CASES:
            self.assertFalse(bench.is_complete(self.folder, sample.STAMP))
            (self.folder / (case.name + ".json")).write_text(json.dumps(sample.case(case.name, [])))
        self.assertTrue(bench.is_complete(self.folder, sample.STAMP))
        self.assertFalse(bench.is_complete(self.folder, {"commit": "another"}))

    def test_a_case_that_fails_leaves_nothing(self):
        with self.assertRaises(files.BenchError):
            self.run_cases({"commit": "a"}, "fail")
        self.assertFalse((self.folder / "one.json").exists())
        self.run_cases({"commit": "a"})
        self.assertEqual(self.times(), 2)


class Pages(unittest.TestCase):
    def row(self, page, begins):
        found = [line for line in page.splitlines() if line.startswith("| " + begins)]
        self.assertTrue(found, begins)
        return [cell.strip() for cell in found[0].split("|")[1:-1]]

    def test_every_section_is_there(self):
        page = speed.page(sample.about(), sample.results())
        for title in ("The machine", "Targets", "From a file or an array to a model",
                      "How cost grows", "Reading", "Exact solver", "Private training: the kernels",
                      "Greedy coordinate descent", "Noise", "Prices", "By callgrind", "Skipped"):
            self.assertIn(f"\n## {title}\n", page)
        self.assertIn("- Opacus (it is not there)\n", page)
        for line in page.splitlines():
            self.assertTrue(len(line) <= 100 or line.startswith("|"), line)

    def test_model_and_share(self):
        page = speed.page(sample.about(), sample.results())
        # 400 MB once and 40 x 200 MB at 10 GB/s are .84 s, of 2 s; two threads .42 of 1
        self.assertEqual(self.row(page, "sotto auto |")[:8],
                         ["sotto auto", "2", "2.2", "1.00", "40.0", "0.84", "0.42", "1.25"])
        self.assertEqual(self.row(page, "sotto auto, 2 threads |")[5:7], ["0.42", "0.42"])
        # a column from memory at 10 GB/s, three vectors of 4 MB from L3 at 25
        self.assertEqual(self.row(page, "squared, 1000000 x 50 | sotto |")[4:6], ["0.880", "0.88"])
        self.assertEqual(self.row(page, "csv | sotto, 1 thread |")[7:9], ["0.01", "0.05"])

    def test_targets(self):
        page = speed.page(sample.about(), sample.results())
        self.assertEqual(self.row(page, "`auto`, large table")[1:], ["0.42", "0.5", "0.7", "MISSED"])
        self.assertEqual(self.row(page, "the same: two")[1:],
                         ["2.00", "1.5", "1.7", "met, and the aim"])
        self.assertEqual(self.row(page, "the same: peak")[1:], ["1.25", "1.3", "1.15", "met"])

    def test_two_threads_count_only_where_memory_lets_them(self):
        slow = sample.bandwidth(two=1.2)
        cases = {name: {**case, "before": slow, "after": slow}
                 for name, case in sample.results().items()}
        page = speed.page(sample.about(), cases)
        self.assertIn("Two threads of `auto` are not judged: they read 1.20 times", page)
        self.assertNotIn("are 2.00 times as fast as one", page)
        for begins in ("the same: two", "csv | sotto, all", "squared, 45312"):
            self.assertIn("1.20x of one", self.row(page, begins)[-1])
        judged = speed.page(sample.about(), sample.results())
        self.assertIn("Two threads of `auto` are 2.00 times as fast as one.", judged)
        self.assertEqual(self.row(judged, "csv | sotto, all")[-1], "2.00x of one thread")

    def test_noise_is_marked(self):
        quiet = speed.page(sample.about(), sample.results())
        self.assertIn("The run is quiet", quiet)
        self.assertNotIn("noisy", quiet)
        cases = sample.results()
        cases["growth-rows"]["after"] = sample.bandwidth(dram=20)
        page = speed.page(sample.about(end=sample.bandwidth(dram=12)), cases)
        self.assertIn("**This run is noisy**: DRAM differs by 20%", page)
        self.assertIn("- growth-rows: DRAM bandwidth differs by 100%", page)
        self.assertEqual(self.row(page, "rows | auto")[-1], "noisy")
        self.assertEqual(self.row(page, "steps | auto")[-1], "")

    def test_exponents_in_page_and_report(self):
        page = speed.page(sample.about(), sample.results())
        row = self.row(page, "rows | cd")
        self.assertEqual((row[5], row[8]), ("1.50", "0.50"))
        report = speed_report.page(sample.about(), sample.results())
        self.assertEqual(report.count('role="img"'), 4)  # time and memory, by rows and by steps
        self.assertIn("auto 1.50, cd 1.50", report)
        self.assertIn("auto 0.50, cd 0.50", report)

    def test_other_commits_are_left_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "cases"
            folder.mkdir()
            cases = sample.results()
            cases["noise"]["stamp"] = {"commit": "another", "library": "feedbeef"}
            for case in [sample.about(), *cases.values()]:
                (folder / (case["case"] + ".json")).write_text(json.dumps(case))
            done = subprocess.run([sys.executable, ROOT / "bench" / "speed.py", folder], check=True,
                                  capture_output=True, text=True)
            self.assertIn("left out, of another commit or build: noise\n", done.stdout)
            page = (folder.parent / "speed.md").read_text()
            self.assertNotIn("\n## Noise\n", page)
            self.assertEqual(page, speed.page(sample.about(), {
                key: value for key, value in sample.results().items() if key != "noise"}))
            self.assertTrue((folder.parent / "report.html").exists())

    def test_every_case_has_a_place(self):
        self.assertEqual(list(speed.ORDER), [case.name for case in bench.CASES])


PROFILE = """events: Ir
fn=(1) main
5 10
cfn=(2) curator_ask_whitened
calls=3 7
5 600000
cfn=(3) curator_tell_map
calls=1 7
6 400000

fn=(2)
7 100
cfn=(4) draw
calls=9 1
8 50

fn=(5) other
cfn=(2)
calls=1 7
9 200000
cfn=(6) curator_ask_few
calls=1 7
9 10
"""


class Instructions(unittest.TestCase):
    def test_calls_are_found_in_a_profile(self):
        self.assertEqual(train_count.calls_of(PROFILE), {
            "curator_ask_whitened": [4, 800000], "curator_tell_map": [1, 400000],
            "curator_ask_few": [1, 10]})

    def test_rows_are_per_value_and_call(self):
        training = train_count.Training("train", "log1", 1000, 20, [], whole=True)
        self.assertEqual(train_count.rows_of(training, PROFILE, 1300000), {
            "train, whole run": {"instructions": 1300000},
            "train, ask_whitened": {"instructions_per_value": 10.0},
            "train, tell_map": {"instructions_per_value": 20.0}})

    def test_three_percent_more_fail(self):
        def row(count, **more):
            return {"instructions_per_value": count, "compiler": "c", "file": "f", **more}
        self.assertFalse(instructions.judge(row(102.9), row(100))[0])
        self.assertTrue(instructions.judge(row(103.1), row(100))[0])
        self.assertTrue(instructions.judge(row(100), None)[0])
        self.assertTrue(instructions.judge(row(100), row(100, file="g"))[0])
        self.assertFalse(instructions.judge(row(200), row(100, compiler="d"))[0])

    def test_a_question_that_is_gone_fails(self):
        record = {"train, ask_x": {"instructions_per_value": 1},
                  "csv": {"instructions_per_byte": 1}}
        self.assertEqual(instructions.gone({"train, whole run": {}}, record), ["train, ask_x"])
        self.assertEqual(instructions.gone({}, record), [])  # a machine that cannot count it

    def test_every_training_is_recorded(self):
        recorded = instructions.load_record()
        self.assertIn("instructions", recorded["train, whole run"])
        for training in train_count.TRAININGS:
            self.assertTrue([name for name in recorded if name.startswith(training.name + ", ask_")],
                            training.name)


class Whole(unittest.TestCase):
    """The scripts that run sotto, on the smallest sizes."""

    def run_script(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.json"
            done = subprocess.run([sys.executable, ROOT / "bench" / words[0], "--build", BUILD,
                                   "--quick", "--rounds", "1", "--json", path, *words[1:]],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [json.loads(line) for line in path.read_text().splitlines()]

    def test_growth(self):
        rows = self.run_script("growth.py", "threads")
        self.assertEqual({row["solver"] for row in rows}, {"auto", "cd"})
        for row in rows:
            self.assertGreater(row["peak_bytes"], 4 * 50_000 * 20)  # at least the table
            self.assertLess(row["peak_bytes"], 10 * 4 * 50_000 * 20)

    @unittest.skipUnless(list((BUILD / "python").glob("sotto_dp/_native*.so")), "no Python package")
    def test_ends(self):
        rows = self.run_script("end.py", "--alone", "large")
        found = {(row["variant"], row["kind"], row["threads"]): row for row in rows}
        for solver in ("auto", "cd", "gcd", "sgd"):
            process, call = (found[f"sotto {solver}", kind, 1] for kind in ("process", "call"))
            # the same numbers from a file and from an array give the same model
            self.assertEqual([process[key] for key in ("accuracy", "log_loss", "excess")],
                             [call[key] for key in ("accuracy", "log_loss", "excess")])
            self.assertGreater(process["excess"], 0)
            self.assertGreater(process["peak_bytes"], process["table_bytes"])
        auto, two = found["sotto auto", "process", 1], found["sotto auto", "process", 2]
        self.assertEqual(auto["excess"], two["excess"])
        self.assertLess(auto["excess"], .01)
        self.assertEqual(sum(size for size, _ in auto["reads"]), auto["table_bytes"] *
                         (auto["passes"] + 1) + 128 + 4 * 50_000 * 51)


if __name__ == "__main__":
    unittest.main()
