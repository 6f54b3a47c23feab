#!/usr/bin/python3
"""The federation as separate processes, each in a network namespace of its own, over a bad line.

    bench/consortium.py [--data DIR] [--sets planted california adult81] [--delay 50] [--loss 1]

A coordinator and the parties of bench/federate.py, T = 120, m = 3000, epsilon 4, joined by a bridge. --delay is
the round trip in ms and --loss the percentage of packets lost each way (tc netem). A kernel without netem gets a relay
between them instead, which holds every piece of bytes for half of --delay, and --loss of them 200 ms longer, as
if they were sent again. Says how long a run took beside rounds x RTT, and whether every model has the bits of
`simulate` with the same seed. Needs root, ip and tc.
"""

import argparse
import asyncio
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

import federate
from files import main_of, run

SEED, ROUNDS, BUCKETS = 11, 120, 3000


def shell(*command):
    subprocess.run([str(c) for c in command], check=True)


def has_netem():
    return subprocess.run(["unshare", "-n", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay",
                           "1ms"], capture_output=True, check=False).returncode == 0


async def pump(reader, writer, delay, loss):
    """Passes bytes on, later; what is late holds up what comes behind it, as with TCP."""
    queue = asyncio.Queue()

    async def deliver():
        while True:
            when, piece = await queue.get()
            await asyncio.sleep(max(0, when - time.monotonic()))
            if not piece:
                writer.close()
                return
            writer.write(piece)
    task = asyncio.ensure_future(deliver())
    piece = b"-"
    while piece:
        try:
            piece = await reader.read(1400)
        except OSError:
            piece = b""
        again = .2 if random.random() < loss / 100 else 0
        queue.put_nowait((time.monotonic() + delay / 2000 + again, piece))
    await task


def relay(delay, loss):
    """Stands between the parties and the coordinator, for ever."""
    async def connected(reader, writer):
        other_reader, other_writer = await asyncio.open_connection("10.77.0.1", 7443)
        await asyncio.gather(pump(reader, other_writer, delay, loss),
                             pump(other_reader, writer, delay, loss), return_exceptions=True)

    async def serve():
        server = await asyncio.start_server(connected, "0.0.0.0", 7443)
        await server.serve_forever()
    asyncio.run(serve())


class Line:
    """A bridge, and a namespace for each role."""

    def __init__(self, names):
        self.tag = f"so{os.getpid() % 10000}"
        self.names = names

    def open(self, delay, loss):
        names = self.names
        shell("ip", "link", "add", self.tag, "type", "bridge")
        shell("ip", "link", "set", self.tag, "up")
        for i, name in enumerate(names):
            space, outside = self.space(name), f"{self.tag}v{i}"
            shell("ip", "netns", "add", space)
            shell("ip", "link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns",
                  space)
            shell("ip", "link", "set", outside, "master", self.tag, "up")
            shell("ip", "-n", space, "link", "set", "lo", "up")
            shell("ip", "-n", space, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
            shell("ip", "-n", space, "link", "set", "eth0", "up")
            if (delay or loss) and has_netem():
                shell("tc", "-n", space, "qdisc", "add", "dev", "eth0", "root", "netem", "delay",
                      f"{delay / 2}ms", "loss", f"{loss}%")

    def space(self, name):
        return f"{self.tag}-{name}"

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", self.space(name)], check=False,
                           stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", self.tag], check=False)


def rename(agreement):
    """Columns of an .npy file have numbers; a CSV file wants names."""
    for party in agreement["parties"]:
        party["columns"] = {f"c{name}": column for name, column in party["columns"].items()}
    agreement["target"]["name"] = f"c{agreement['target']['name']}"


def split(problem, agreement, folder):
    """Each party's file, with ids, and that of all; the number of rows."""
    if str(problem.path).endswith(".npy"):
        rename(agreement)
        values = np.load(problem.path)
        rows = [[f"c{j + 1}" for j in range(values.shape[1])]]
        rows += ([repr(float(v)) for v in row] for row in values)
    else:
        with open(problem.path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    place = {name: i for i, name in enumerate(rows[0])}
    with open(folder / "all.csv", "w", encoding="utf-8") as out:
        out.writelines(",".join(row) + "\n" for row in rows)
    for k, party in enumerate(agreement["parties"]):
        wanted = list(party["columns"]) + ([agreement["target"]["name"]] if k == 0 else [])
        with open(folder / f"{party['name']}.csv", "w", encoding="utf-8") as out:
            out.write(",".join(["id", *wanted]) + "\n")
            for i, row in enumerate(rows[1:]):
                out.write(",".join([f"p{i}", *(row[place[c]] for c in wanted)]) + "\n")
    return len(rows) - 1


def measure(sotto, problem, arguments, folder):
    relayed = (arguments.delay or arguments.loss) and not has_netem()
    agreement = problem.agreement((ROUNDS, 12, BUCKETS), False, 7, False, "uniform")
    agreement.update(rows=split(problem, agreement, folder), epsilon=4, delta=federate.DELTA,
                     id="id", coordinator={"host": "10.77.0.2" if relayed else "10.77.0.1",
                                           "port": 7443})
    (folder / "draft.json").write_text(json.dumps(agreement))
    run([sotto, "federate", "keygen", folder / "draft.json", "-o", folder / "keys", "--quiet"])
    config = folder / "keys" / "config.json"
    accept = run([sotto, "federate", "config", config, "--quiet"]).strip()
    right = folder / "right.json"
    run([sotto, "federate", "simulate", folder / "all.csv", "--columns", config, "--epsilon", 4,
         "--delta", federate.DELTA, "--insecure-seed", SEED, "--quiet", "-o", right])
    names = ["coordinator"] + [p["name"] for p in agreement["parties"]]
    line = Line([names[0], "relay", *names[1:]])
    between = None
    try:
        line.open(arguments.delay, arguments.loss)
        if relayed:
            between = subprocess.Popen([
                "ip", "netns", "exec", line.space("relay"), sys.executable, __file__, "--relay",
                "--delay", str(arguments.delay), "--loss", str(arguments.loss)])
        began = time.monotonic()
        processes = []
        for name in names:
            more = ["--data", folder / f"{name}.csv", "--accept", accept, "--insecure-seed", SEED]
            processes.append(subprocess.Popen([str(word) for word in [
                "ip", "netns", "exec", line.space(name), sotto, "federate",
                "serve" if name == "coordinator" else "join", config, "--keys",
                folder / "keys" / name, "--state", folder / f"state-{name}", "-o",
                folder / f"{name}.model", "--quiet", *(more if name != "coordinator" else [])]]))
        codes = [p.wait(1200) for p in processes[1:]]
        if any(codes):
            processes[0].kill()
        codes.append(processes[0].wait(1200))
        took = time.monotonic() - began
    finally:
        if between:
            between.terminate()
            between.wait()
        line.close()
    same = not any(codes) and all(
        (folder / f"{name}.model").read_bytes() == right.read_bytes() for name in names)
    print(f"{problem.name}: {len(names) - 1} parties, {ROUNDS} rounds in {took:.1f} s, rounds x RTT "
          f"{ROUNDS * arguments.delay / 1000:.1f} s{' (relay)' if relayed else ''}; models {'as simulated' if same else 'DIFFER'}")
    return same


def work():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--sets", nargs="*", default=["planted"])
    parser.add_argument("--delay", type=float, default=50)
    parser.add_argument("--loss", type=float, default=1)
    parser.add_argument("--relay", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.relay:
        relay(arguments.delay, arguments.loss)
    sotto = pathlib.Path(arguments.build).resolve() / "sotto"
    fine = True
    for name in arguments.sets:
        with tempfile.TemporaryDirectory(prefix="sotto-") as where:
            folder = pathlib.Path(where)
            problem = (federate.planted(folder) if name == "planted" else
                       getattr(federate, name)(arguments.data, folder))
            fine &= measure(sotto, problem, arguments, folder)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main_of(work))
