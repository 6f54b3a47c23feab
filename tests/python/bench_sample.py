"""Made-up results of `make bench`, for the tests of the pages that are written from them."""

STAMP = {"commit": "0123456789ab", "library": "feedbeef"}


def bandwidth(dram=10.0, two=2.0):
    """L1 100, L2 50, L3 25 GB/s, and memory; two threads read `two` times as much from it."""
    levels = {"L1": (16384, 100.0), "L2": (524288, 50.0), "L3": (8388608, 25.0),
              "DRAM": (268435456, dram)}
    return {level: {"bytes": size, "GB_per_s": {"1": rate, "2": rate * two}}
            for level, (size, rate) in levels.items()}


def case(name, rows, skipped=(), **more):
    return {"case": name, "stamp": STAMP, "quick": False, "seconds": 1.0, "before": bandwidth(),
            "after": bandwidth(), "load_before": 0.1, "load_after": 0.9, "others": 0.0,
            "skipped": list(skipped), "rows": rows, **more}


def end_row(variant, kind, least, threads=1, **more):
    ours = variant.startswith("sotto")
    table = 4 * 1_000_000 * 50
    return {"end": "large", "variant": variant, "kind": kind, "threads": threads,
            "private": ours or variant == "diffprivlib", "rows": 1_000_000, "features": 50,
            "min": least, "median": least * 1.1, "rounds": 3, "ratio": least / 2.0,
            "accuracy": 0.75, "log_loss": 0.5, "excess": 1e-4,
            "peak_bytes": 250_000_000 if ours and kind == "process" else None,
            "table_bytes": table, "passes": 40.0 if ours else None,
            "reads": [[2 * table, None], [40 * table, table]] if ours else None, **more}


def ends():
    for kind in ("process", "call"):
        yield end_row("sotto auto", kind, 2.0)
        yield end_row("sotto auto", kind, 1.0, threads=2)
        yield end_row("scikit-learn lbfgs", kind, 5.0)
        yield end_row("diffprivlib", kind, 6.0)


def growth(size):
    """Time as the power 1.5, memory as 0.5."""
    return [{"growth": size, "solver": solver, "at": at, "rows": 1000, "min": 1e-3 * at**1.5,
             "median": 1e-3 * at**1.5, "peak_bytes": round(1e6 * at**.5), "rounds": 2}
            for solver in ("auto", "cd") for at in (1, 10, 100, 1000)]


def read_row(variant, least, ratio):
    return {"case": "csv", "variant": variant, "min": least, "median": least, "file_bytes": 10**8,
            "MB_per_s": 100 / least, "ratio": ratio, "target": None, "rounds": 5}


def results():
    """By name, as bench/speed.py loads them."""
    return {
        "end-large": case("end-large", list(ends()), ["Opacus (it is not there)"]),
        "growth-rows": case("growth-rows", growth("rows")),
        "growth-steps": case("growth-steps", growth("steps")),
        "read": case("read", [read_row("sotto, 1 thread", .2, 1), read_row("sotto, all threads",
                                                                           .1, .5),
                              read_row("polars read_csv, 1 thread", 1.0, 5)]),
        "exact-a9a": case("exact-a9a", [{"problem": "a9a", "variant": "sotto", "seconds": .05,
                                         "tolerance": .1, "ratio": 1.0, "rounds": 3},
                                        {"problem": "a9a", "variant": "saga", "seconds": None,
                                         "tolerance": None, "ratio": None, "rounds": 3}]),
        "kernel": case("kernel", [
            {"kernel": "squared, 1000000 x 50", "variant": "sotto", "min_ns": 1.0, "median_ns": 1.1,
             "ratio": 1.0, "rounds": 8},
            {"threads": "squared, 45312 x 8", "others": "as the machine is", "mean": 1.5,
             "best": 1.6}]),
        "gcd": case("gcd", [
            {"greedy": "sparse", "head": "flat", "features": 10000, "rows_of_chosen": 5,
             "mean": 1e-4, "median": 5e-5, "first": .01, "total": .1, "plain": .01, "ratio": 100.0,
             "ratio_without_first": 200.0, "target": 30},
            {"greedy": "dense", "rows": 1000, "columns": 1000, "ns": {"sotto": .2, "Eigen": 1.0},
             "ratios": {"sotto": 1.0, "Eigen": 5.0}}]),
        "noise": case("noise", [{"noise": "Gaussian", "min": 4e-8, "median": 5e-8, "share": .07,
                                 "target": .06, "rounds": 40}]),
        "account": case("account", [{"price": "10,000 Gaussians", "min": .1, "epsilon": 7.0,
                                     "rival_min": .9, "ratio": 9.0, "rival_error": 1e-5,
                                     "error": 1e-7, "target": 4}])}


def about(**more):
    return {"case": "machine", "stamp": STAMP, "quick": False, "processor": "A processor",
            "processors": 2, "begin": bandwidth(), "load_begin": 0.1, "end": bandwidth(),
            "load_end": 0.5, **more}
