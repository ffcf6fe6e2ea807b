#!/usr/bin/env python3
"""Merges what rivus_bench and numpy_peers.py measured into one result file, and shows what it says."""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMALL, MIDDLE, LARGE = 16384, 4194304, 268435456
SIZE_NAMES = {SMALL: "16 KiB", MIDDLE: "4 MiB", LARGE: "256 MiB"}
ISAS = "scalar", "neon", "avx2", "avx512"
CASES = (
    "bits/u32",
    "bits/u64",
    "uniform/f32",
    "uniform/f64",
    "normal/f32",
    "normal/f64",
    "exponential/f32",
    "exponential/f64",
    "randint/i32",
    "bernoulli/u8",
)
SMALL_CASES = "bits/u32", "uniform/f32", "normal/f32"
CALLS = 1, 4, 16, 64, 256, 1024


def shown(command):
    """What a program prints, or None where it fails."""
    try:
        output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return output.strip()


def machine():
    """What the figures depend on and Google Benchmark does not say."""
    cpu = {}
    for line in (shown(["env", "LC_ALL=C", "lscpu"]) or "").splitlines():
        key, _, value = line.partition(":")
        cpu[key.strip()] = value.strip()
    release = {}
    if os.path.exists("/etc/os-release"):
        with open("/etc/os-release") as lines:
            release = dict(line.rstrip("\n").split("=", 1) for line in lines if "=" in line)
    system = release.get("PRETTY_NAME", platform.system()).strip('"')
    kernel = ".".join(platform.release().split(".")[:2])
    pages = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    commit = shown(["git", "rev-parse", "--short=12", "HEAD"])
    if commit and shown(["git", "status", "--porcelain", "--", ".", ":!bench/results", ":!docs"]):
        commit += ", with changes"
    return {
        "cpu": cpu.get("Model name") or platform.processor() or platform.machine(),
        "family": ", ".join(
            f"{key.lower()} {cpu[key]}" for key in ("CPU family", "Model", "Stepping") if key in cpu
        ),
        "cores": int(cpu.get("Core(s) per socket", 0)) * int(cpu.get("Socket(s)", 1)) or None,
        "virtual": cpu.get("Hypervisor vendor"),
        "os": f"{system}, Linux {kernel}",
        "huge pages": re.sub(r".*\[(\w+)\].*", r"\1", pages.read_text().strip()) if pages.exists() else None,
        "commit": commit,
    }


def merge(files, commands):
    """One row a case: medians, and how far the repetitions spread."""
    context = {"machine": machine(), "commands": commands}
    rows = {}
    for file in files:
        with open(file) as stream:
            raw = json.load(stream)
        # The first run's: host name and paths are nobody's business.
        for key in (
            "date",
            "num_cpus",
            "mhz_per_cpu",
            "cpu_scaling_enabled",
            "caches",
            "load_avg",
            "rivus",
            "isas",
            "compiler",
            "library flags",
            "peer flags",
            "clang",
            "numpy",
        ):
            if key in raw["context"]:
                context.setdefault(key, raw["context"][key])
        for row in raw["benchmarks"]:
            if row.get("error_occurred"):
                raise SystemExit(f"bench/results.py: {row['name']}: {row['error_message']}")
            if row["run_type"] == "iteration":
                rows.setdefault(row["name"], []).append(row)
    merged = []
    for name, runs in rows.items():
        row = {"name": name, "repetitions": len(runs), "time_unit": "ns"}
        for key in ("real_time", "cpu_time", "bytes_per_second", "items_per_second"):
            if key in runs[0]:
                row[key] = float(f"{statistics.median(run[key] for run in runs):.5g}")
        times = [run["cpu_time"] for run in runs]
        row["spread"] = round((max(times) - min(times)) / statistics.median(times), 3)
        merged.append(row)
    return {"context": context, "benchmarks": merged}


def write(results, path):
    """One case a line, so that files compare well."""
    rows = ",\n".join("  " + json.dumps(row) for row in results["benchmarks"])
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(
        f'{{"context": {json.dumps(results["context"], indent=1)},\n"benchmarks": [\n{rows}\n]}}\n'
    )


class Results:
    def __init__(self, path):
        self.path = Path(path)
        with open(path) as stream:
            content = json.load(stream)
        self.context = content["context"]
        self.rows = {row["name"]: row for row in content["benchmarks"]}
        self.isas = [isa for isa in ISAS if isa in self.context["isas"].split()]
        self.best = self.isas[-1]

    def rate(self, name):
        """Bytes a second of processor time, or of real time with several threads; None without the case."""
        row = self.rows.get(name)
        if row is None:
            return None
        scale = row["cpu_time"] / row["real_time"] if "/threads:" in name else 1
        return row["bytes_per_second"] * scale

    def items(self, name):
        return self.rows[name]["items_per_second"] if name in self.rows else None

    def time(self, name):
        return self.rows[name]["cpu_time"] if name in self.rows else None

    def peers(self, case, value=None):
        """(value, peer), the best first, of those that have peer/<name>/<case>."""
        found = []
        for name in self.rows:
            if name.startswith("peer/") and name.endswith("/" + case):
                peer = name[len("peer/") : -len(case) - 1]
                if "/" not in peer:
                    found.append(((value or self.rate)(name), peer))
        return sorted(found, reverse=True)

    def fraction(self, case, size, isa=None):
        """Of the nearer limit: storing, or the multiplications that the words consumed need."""
        ours = self.rate(f"fill/{case}/{isa or self.best}/{size}")
        words = ours and ours * words_per_byte(case)
        fractions = [
            quotient(ours, self.rate(f"limit/store/{size}")),
            quotient(words, self.rate("limit/vpmuludq")),
        ]
        return max((f for f in fractions if f is not None), default=None)

    def fills(self):
        """(case, size, {isa: rate}, (rate, peer), ratio, fraction of the limit)"""
        for case in CASES:
            for size in (SMALL, LARGE):
                ours = {isa: self.rate(f"fill/{case}/{isa}/{size}") for isa in self.isas}
                peer = (self.peers(f"{case}/{size}") or [(None, None)])[0]
                if any(ours.values()) or peer[1]:
                    yield case, size, ours, peer, quotient(ours[self.best], peer[0]), self.fraction(
                        case, size
                    )

    def reductions(self):
        """(kind, dtype, size, {isa: rate}, (rate, peer), ratio, fraction of the limit)"""
        for kind in ("sum", "dot"):
            for dtype in ("f32", "f64"):
                for size in SIZE_NAMES:
                    ours = {isa: self.rate(f"{kind}/{dtype}/{isa}/{size}") for isa in self.isas}
                    peer = (self.peers(f"{kind}/{dtype}/{size}") or [(None, None)])[0]
                    if any(ours.values()) or peer[1]:
                        yield (
                            kind,
                            dtype,
                            size,
                            ours,
                            peer,
                            quotient(ours[self.best], peer[0]),
                            quotient(ours[self.best], self.rate(f"limit/read/{size}")),
                        )

    def determinism(self):
        """(operation, size, rate, (rate, peer), ratio, of the limit of reading)"""
        for name in sorted(self.rows, key=lambda row: (row.rsplit("/", 1)[0], len(row))):
            _, _, rest = name.partition("determinism/")
            operation, _, tail = rest.partition("/rivus")
            variant, _, size = tail.rpartition("/")
            if not tail or int(size) not in SIZE_NAMES:
                continue
            plain = [
                (self.rate(other), other[len(f"determinism/{operation}/") : -len(size) - 1])
                for other in self.rows
                if other.startswith(f"determinism/{operation}/") and other.endswith(f"/{size}")
            ]
            peer = max((p for p in plain if not p[1].startswith("rivus")), default=(None, None))
            ours = self.rate(name)
            yield operation + variant, int(size), ours, peer, quotient(ours, peer[0]), quotient(
                ours, self.rate(f"limit/read/{size}")
            )

    def matmuls(self):
        for n in (256, 512, 1024, 2048):
            ours = {isa: self.items(f"matmul/f32/{isa}/{n}") for isa in self.isas}
            for value, peer in self.peers(f"matmul/f32/{n}", self.items):
                yield n, ours, (value, peer), quotient(ours[self.best], value)

    def loop(self, case, n):
        """Nanoseconds of the better of the two loops over the pure function."""
        times = [self.time(f"small/{case}/{kind}/{n}") for kind in ("loop", "quad")]
        return min((t for t in times if t is not None), default=None)

    def threads(self):
        """{case: [(threads, rate)]}"""
        found = {}
        for name in self.rows:
            case, _, threads = name.partition("/threads:")
            if threads:
                found.setdefault(case, []).append((int(threads), self.rate(name)))
        return {case: sorted(rates) for case, rates in found.items()}

    def targets(self):
        """(what, measured, ">=" or "<=", target); measured is a sentence where nothing was measured."""
        best = self.best

        def ratio(ours, theirs, scale=1, value=None):
            value = value or self.rate
            for name in (ours, theirs):
                if value(name) is None:
                    return f"no {name} in this run"
            return scale * value(ours) / value(theirs)

        for size in (SMALL, LARGE):
            u32, fill = f"fill/bits/u32/{best}/{size}", lambda case: f"fill/{case}/{best}/{size}"
            at = f", {SIZE_NAMES[size]}"

            def random123(case):
                return f"peer/random123/{case}/{size}"

            yield f"bits u32 / Random123{at}", ratio(u32, random123("bits/u32")), ">=", 3.0
            yield f"bits u32 / limit of multiplications{at}", ratio(u32, "limit/vpmuludq"), ">=", 0.60
            for case, least in (
                ("uniform/f32", 0.85),
                ("uniform/f64", 0.85),
                ("normal/f32", 0.45),
                ("normal/f64", 0.34),
                ("exponential/f32", 0.48),
                ("randint/i32", 0.80),
            ):
                yield f"{case.replace('/', ' ')} / bits u32{at}", ratio(fill(case), u32), ">=", least
            yield (
                f"bernoulli u8 / bits u32, in words{at}",
                ratio(fill("bernoulli/u8"), u32, words_per_byte("bernoulli/u8")),
                ">=",
                0.9,
            )
            for case, least in (("normal/f32", 12), ("normal/f64", 10)):
                yield f"{case.replace('/', ' ')} / Random123{at}", ratio(
                    fill(case), random123(case)
                ), ">=", least
            if "avx512" in self.isas:
                for case in CASES:
                    value = ratio(f"fill/{case}/avx2/{size}", f"fill/{case}/avx512/{size}")
                    yield f"{case.replace('/', ' ')}, AVX2 / AVX-512{at}", value, ">=", 0.60
        if "avx512" not in self.isas and "avx2" in self.isas:
            yield "each fill, AVX2 / AVX-512", "no AVX-512 on this machine", ">=", 0.60
        for case in SMALL_CASES:
            for n in CALLS:
                ours, loop = self.time(f"small/{case}/{best}/{n}"), self.loop(case, n)
                measured = loop / ours if ours and loop else f"no small/{case} in this run"
                yield f"call for {n} of {case.replace('/', ' ')}: speed / loop", measured, ">=", 1.0
        time = self.time(f"small/bits/u32/{best}/16")
        yield "call for 16 of bits u32, ns", time or "no small/bits in this run", "<=", 40
        for kind in ("sum", "dot"):
            for dtype in ("f32", "f64"):
                case = f"{kind}/{dtype}"
                yield (
                    f"{kind} {dtype} / Eigen, {SIZE_NAMES[SMALL]}",
                    ratio(f"{case}/{best}/{SMALL}", f"peer/eigen/{case}/{SMALL}"),
                    ">=",
                    1.0,
                )
                for size in (MIDDLE, LARGE):
                    yield (
                        f"{kind} {dtype} / limit of reading, {SIZE_NAMES[size]}",
                        ratio(f"{case}/{best}/{size}", f"limit/read/{size}"),
                        ">=",
                        0.95,
                    )
        for dtype in ("f32", "f64"):
            for data, size, least in (
                ("", LARGE, 0.80),
                ("", MIDDLE, 0.30),
                ("-wide", MIDDLE, 0.15),
                ("-wide", LARGE, 0.15),
            ):
                yield (
                    f"exact sum {dtype}{data.replace('-', ', ')} / limit of reading, {SIZE_NAMES[size]}",
                    ratio(f"determinism/sum/{dtype}/rivus-exact{data}/{size}", f"limit/read/{size}"),
                    ">=",
                    least,
                )
        for n in (256, 512, 1024, 2048):
            yield (
                f"matmul f32 {n} / OpenBLAS",
                ratio(f"matmul/f32/{best}/{n}", f"peer/openblas/matmul/f32/{n}", value=self.items),
                ">=",
                0.85,
            )


def words_per_byte(case):
    """Words' bytes consumed for each byte of output: a boolean takes a whole word."""
    return 4 if case == "bernoulli/u8" else 1


def quotient(a, b):
    return a / b if a and b else None


def met(measured, sense, target):
    if isinstance(measured, str):
        return None
    return measured >= target if sense == ">=" else measured <= target


def number(x, unit=1):
    """Three digits, or a dash for what was not measured."""
    if x is None:
        return "-"
    x /= unit
    return f"{x:.{0 if x >= 99.95 else 1 if x >= 9.995 else 2 if x >= 0.9995 else 3}f}"


def percent(x):
    return "-" if x is None else f"{100 * x:.0f} %"


def columns(header, rows):
    """Text in columns, the first to the left and the rest to the right."""
    rows = [header, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    for row in rows:
        yield "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))])


def show(results):
    def peer_of(peer, unit=1e9):
        return f"{number(peer[0], unit)} {peer[1]}" if peer[1] else "-"

    lines = []
    rows = [
        [
            f"{case}/{size}",
            *(number(ours[isa], 1e9) for isa in results.isas),
            peer_of(peer),
            number(ratio),
            percent(fraction),
        ]
        for case, size, ours, peer, ratio, fraction in results.fills()
    ]
    rows += [
        [
            f"{kind}/{dtype}/{size}",
            *(number(ours[isa], 1e9) for isa in results.isas),
            peer_of(peer),
            number(ratio),
            percent(fraction),
        ]
        for kind, dtype, size, ours, peer, ratio, fraction in results.reductions()
    ]
    if rows:
        lines += columns(["GB/s", *results.isas, "best peer", "ratio", "of the limit"], rows)
    rows = [
        [f"{operation}/{size}", number(ours, 1e9), peer_of(peer), number(ratio), percent(read)]
        for operation, size, ours, peer, ratio, read in results.determinism()
    ]
    if rows:
        lines += ["", *columns(["GB/s", "rivus", "plain", "ratio", "of reading"], rows)]
    rows = [
        [f"matmul/f32/{n}", *(number(ours[isa], 1e9) for isa in results.isas), peer_of(peer), number(ratio)]
        for n, ours, peer, ratio in results.matmuls()
    ]
    if rows:
        lines += ["", *columns(["GFLOP/s", *results.isas, "peer", "ratio"], rows)]
    rows = [
        [
            f"small/{case}/{n}",
            number(results.time(f"small/{case}/{results.best}/{n}")),
            number(results.loop(case, n)),
        ]
        for case in SMALL_CASES
        for n in CALLS
        if results.loop(case, n)
    ]
    if rows:
        lines += ["", *columns(["ns a call", results.best, "loop"], rows)]
    rows = [
        [f"{case}/threads:{t}", number(rate, 1e9), number(rate / rates[0][1])]
        for case, rates in results.threads().items()
        for t, rate in rates
    ]
    if rows:
        lines += ["", *columns(["GB/s", "rate", "speed-up"], rows)]
    verdicts = {True: "met", False: "MISSED"}
    rows = [
        [what, number(measured), f"{sense} {number(target)}", verdicts[met(measured, sense, target)]]
        for what, measured, sense, target in results.targets()
        if not isinstance(measured, str)
    ]
    if rows:
        lines += ["", *columns(["target", "measured", "wanted", ""], rows)]
    print("\n".join(lines))


def slug(context):
    """A file name for this kind of machine."""
    text = " ".join(
        [context["machine"]["cpu"], *re.findall(r"(?:family|model) (\w+)", context["machine"]["family"])]
    )
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", text.lower())).strip("-")


def main():
    parser = argparse.ArgumentParser(prog="bench/results.py", description=__doc__)
    parser.add_argument(
        "files", metavar="JSON", nargs="+", help="result files to show, or with --merge those to merge"
    )
    parser.add_argument("--merge", action="store_true", help="merge into one result file")
    parser.add_argument(
        "--output", metavar="FILE", help="that file (default: bench/results/<processor>.json)"
    )
    parser.add_argument(
        "--command", metavar="TEXT", action="append", default=[], help="a command that measured"
    )
    options = parser.parse_args()
    try:
        if options.merge:
            merged = merge(options.files, options.command)
            path = options.output or ROOT / "bench" / "results" / f"{slug(merged['context'])}.json"
            write(merged, path)
            print(os.path.relpath(path))
        else:
            for file in options.files:
                show(Results(file))
    except (OSError, KeyError, json.JSONDecodeError) as error:
        sys.exit(f"bench/results.py: {' '.join(options.files)}: {error}")


if __name__ == "__main__":
    main()
