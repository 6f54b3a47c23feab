"""Noise multipliers of the papers' formulas and of the accountant, for the same promise."""
import json
import subprocess

EPSILON, DELTA = 1, 1e-6
STEPS = {"DP-CD": (10, 100, 1000), "DP-GCD": (1, 2, 5, 10, 20, 50), "DP-SCD": (100, 1000, 5000)}
RATE = .01
LAPLACE = 2**.5        # the standard deviation of a Laplace variable, in its scale

# kind, name, what is asked of `sotto account`, the noise's standard deviation for multiplier 1
LINES = [
    ("DP-CD", "Theorem 3.1", ("paper", "dp-cd-3.1"), 1., "replace-one"),
    ("DP-CD", "eq. 18 (Rényi)", ("paper", "dp-cd-18"), 1., "replace-one"),
    ("DP-CD", "sotto, exact", ("calibrate", "T*GAUSS(1/z)"), 1., "replace-one"),
    ("DP-GCD", "Theorem 4.2", ("paper", "dp-gcd-4.2"), LAPLACE, "replace-one"),
    ("DP-GCD", "eq. 2", ("paper", "dp-gcd-2"), LAPLACE, "replace-one"),
    ("DP-GCD", "sotto, Gumbel and Gauss", ("calibrate", "T*(RANGE(2/z)+GAUSS(1/z))"), 1.,
     "replace-one"),
    ("DP-GCD", "sotto, pure", ("calibrate", "T*(PURE(1/z)+LAPLACE(1/z))"), LAPLACE, "replace-one"),
    ("DP-SCD", "moments accountant, pair", ("paper", "dp-scd-ma"), 1., "add-remove"),
    ("DP-SCD", "sotto, loss distribution", ("calibrate", f"T*SUBSAMPLED_GAUSS({RATE},z)"), 1.,
     "add-remove"),
]


def multiplier(program, how, plan, steps, adjacency):
    done = subprocess.run([program, "account", "--" + how, plan, "--set", f"T={steps}", "--set",
                           f"q={RATE}", "--epsilon", str(EPSILON), "--delta", str(DELTA),
                           "--adjacency", adjacency, "--json"], capture_output=True, text=True,
                          check=False)
    if done.returncode == 2 and "says nothing about this target" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(f"reproduce: sotto account: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    return answer["multiplier" if how == "paper" else "z"]


def table(program, tiny=False):
    """Each line with its noise, as a standard deviation in units of the sensitivity, by steps."""
    out = []
    for kind, name, (how, plan), deviation, adjacency in LINES:
        values = []
        for steps in STEPS[kind][:0 if tiny and kind != "DP-CD" else None]:
            z = multiplier(program, how, plan, steps, adjacency)
            if z is not None:
                values.append([steps, float(f"{z * deviation:.5g}")])
        if values:
            out.append({"kind": kind, "name": name, "adjacency": adjacency, "values": values})
    return out
