#!/usr/bin/env python3
"""Threads, forks and Ctrl-C: no state is shared, nothing hangs."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import warnings

from common import BUDGET, HERE, Case, dp, have, main, np, problem

INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from common import dp, np
X, y = np.zeros((1000, 4)), np.zeros(1000)
sent = []
def look(at):
    if not sent:
        sent.append(os.kill(os.getpid(), signal.SIGINT))
dataset = dp.Ledger(sys.argv[2]).dataset("a", epsilon=2, delta=1e-6)
model = dp.LogisticRegression(epsilon=1, delta=1e-6, ledger=dataset, progress=look)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", hasattr(model, "coef_"), len(dataset.history()),
          dataset.history()[0].finished)
"""


def fit_one(seed):
    """A model with a seed: the same in every process and thread."""
    X, y = problem(seed=seed)
    return dp.LogisticRegression(**BUDGET, insecure_seed=seed).fit(X, y).coef_.tolist()


def fit_pipeline(X, y, *steps):
    return dp.make_pipeline(*steps, dp.Bounds(-1, 1), dp.LogisticRegression(**BUDGET)).fit(X, y)


def fit_private(_):
    """The noise of a process of its own."""
    X, y = problem()
    return dp.LogisticRegression(**BUDGET, threads=2).fit(X, y).coef_.tolist()


class Processes(Case):
    def test_threads(self):
        expected = [fit_one(seed) for seed in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(fit_one, list(range(8)) * 4)), expected * 4)

    def test_a_step_that_waits_for_a_fit_of_another_thread(self):
        """Nobody waits for a fit's end but who wants to."""
        if have("sklearn") is None:
            self.skipTest("no scikit-learn")
        from sklearn.preprocessing import FunctionTransformer
        X, y = problem()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            def wait(rows):
                pool.submit(fit_pipeline, X, y).result(timeout=120)
                return rows
            fit_pipeline(X, y, FunctionTransformer(wait))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.warn("heard", stacklevel=1)
        self.assertEqual([str(each.message) for each in caught], ["heard"])

    def test_a_fork_within_a_step(self):
        """A child of another thread's fit hears warnings; one of its own step does afterwards."""
        code = ("import os, threading, warnings\nfrom sotto_dp._fitting import quiet\n"
                "begun, end = threading.Event(), threading.Event()\n"
                "def hold():\n    with quiet():\n        begun.set(); end.wait()\n"
                "thread = threading.Thread(target=hold); thread.start(); begun.wait()\n"
                "def heard():\n    with warnings.catch_warnings(record=True) as found:\n"
                "        warnings.warn('x')\n    return len(found)\n"
                "def child():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(heard())\n"
                "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
                "print(heard(), child())\n"
                "with quiet():\n    print(child())\n    pid = os.fork()\n"
                "if pid == 0:\n    os._exit(heard())\n"
                "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
                "end.set(); thread.join(); print(heard())\n")
        done = subprocess.run([sys.executable, "-W", "always", "-c", "import common\n" + code],
                              capture_output=True, text=True, timeout=300, cwd=HERE)
        self.assertEqual(done.stdout.split(), ["0", "1", "0", "1", "1"], done.stderr)

    def test_one_model_from_many_threads(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        expected = model.predict_proba(X)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for answer in pool.map(lambda _: model.predict_proba(X), range(64)):
                self.assertTrue(np.array_equal(answer, expected))

    def test_forks_draw_noise_of_their_own(self):
        fit_private(0)  # before the fork, so that whatever could be inherited is there
        fork = multiprocessing.get_context("fork")
        with fork.Pool(3) as pool:
            models = pool.map(fit_private, range(9), chunksize=1)
        models.append(fit_private(0))
        self.assertEqual(len({str(each) for each in models}), 10)

    def test_a_fork_during_a_fit_of_another_thread(self):
        X, y = problem(200000, 5)
        stop = threading.Event()

        def busy():
            while not stop.is_set():
                dp.LogisticRegression(**BUDGET).fit(X, y)

        thread = threading.Thread(target=busy)
        thread.start()
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    status = 1
                    try:
                        status = 0 if fit_one(1) else 1
                    finally:
                        os._exit(status)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            thread.join()

    def test_other_threads_run_during_a_fit(self):
        """A callback in one thread waits for another: with the lock held it would hang."""
        X, y = problem()
        met = threading.Event()

        def look(_):
            met.wait(60)

        thread = threading.Thread(target=met.set)
        model = dp.LogisticRegression(
            **BUDGET, progress=lambda at: (thread.ident or thread.start()) and look(at))
        model.fit(X, y)
        thread.join()
        self.assertTrue(met.is_set())

    def test_ctrl_c(self):
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, HERE, self.file("ledger.db")],
            capture_output=True, text=True, timeout=300,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertEqual(done.stdout, "interrupted False 2 False\n", done.stderr)


if __name__ == "__main__":
    main()
