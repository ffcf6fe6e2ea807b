#!/usr/bin/env python3
"""Writes docs/performance.md and its plots from the result files of scripts/bench."""

import argparse
import sys
from pathlib import Path

from results import (
    CALLS,
    CASES,
    LARGE,
    ROOT,
    SIZE_NAMES,
    SMALL,
    SMALL_CASES,
    Results,
    met,
    number,
    percent,
    quotient,
    slug,
)

ISA_NAMES = {"scalar": "scalar", "neon": "NEON", "avx2": "AVX2", "avx512": "AVX-512"}
DISTRIBUTIONS = {
    "bits": "Bits",
    "uniform": "Uniform reals on [0, 1)",
    "normal": "Normals",
    "exponential": "Exponentials",
    "randint": "Integers from 0 to 999, without bias",
    "bernoulli": "Booleans, true with probability 0.3",
}
OURS, OURS_LIGHT, PEER, LIMIT = "#1f5fa8", "#9dc1e6", "#b8b8b8", "#c0392b"

HEAD = """# Performance

Written by `bench/report.py` from the files in `bench/results`; every figure here comes from them. To measure
a machine and write this page anew, with nothing else running:

```
scripts/bench --report
```

How to read it:

- Only ratios within one run mean something: machines, clocks and neighbours differ.
- One thread, unless a table says otherwise. Each figure is the median of the run's repetitions, in random
  order, per second of processor time. GB are 10^9 bytes; a fill's bytes are those written, a sum's and dot
  product's those read.
- 16 KiB fit a first-level cache, 256 MiB no cache.
- *Ratio*: rivus, with the best instruction set, to the best peer. Each peer does what its users would do for
  the same distribution; sequential generators such as xoshiro256++ keep a state, so they do less work and
  cannot start anywhere. Peers in a header are built with the flags below, and a peer called `clang-...` by
  clang++ instead of g++.
- *Of the limit*: of the nearer of two limits, writing memory (`memset`) and the multiplications that
  Philox4x32-10 needs for the words consumed (20 of 32 x 32 -> 64 bits for 16 bytes) in a loop of their own.
  Where vectors have two ports for all they do (AVX-512 on Intel), multiplications take only 20 of the some 57
  instructions that share them, and a third of this limit is all there is.
  For sums and dot products: of a loop that only reads, in four pieces at once.
"""


def table(header, rows):
    yield "| " + " | ".join(header) + " |"
    yield "|---" + "|---:" * (len(header) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def words(case):
    return case.replace("/", " ")


def peer_cell(peer):
    return f"{number(peer[0], 1e9)} {peer[1]}" if peer[1] else "none measured"


def machine(results):
    context, about = results.context, results.context["machine"]
    caches = [
        f"L{c['level']}{c['type'][0].lower() if c['type'] != 'Unified' else ''} {c['size'] // 1024} KiB"
        for c in context["caches"]
    ]
    cores = (
        f"{about['cores']} cores, {context['num_cpus']} threads"
        if about["cores"]
        else f"{context['num_cpus']} threads"
    )
    load = context.get("load_avg") or []
    library = (
        f"{context['compiler']}, `{context['library flags']}`, and in `src/CMakeLists.txt` those of each "
        "instruction set"
    )
    peers = f"`{context['peer flags']}`" + (
        f"; clang- peers by {context['clang']}" if "clang" in context else ""
    )
    rows = [
        ["processor", f"{about['cpu']} ({about['family']})"],
        ["cores", cores + (f", virtual ({about['virtual']})" if about["virtual"] else "")],
        ["caches", ", ".join(caches)],
        ["instruction sets", ", ".join(ISA_NAMES[isa] for isa in results.isas)],
        [
            "system",
            about["os"] + (f", transparent huge pages: {about['huge pages']}" if about["huge pages"] else ""),
        ],
        ["rivus", f"{context['rivus']}, commit {about['commit']}"],
        ["rivus built by", library],
        ["peers built with", peers + (f"; NumPy {context['numpy']}" if "numpy" in context else "")],
        ["date", context["date"].partition("T")[0]],
        ["load at the start", number(load[0]) if load else "unknown"],
    ]
    yield "| | |"
    yield "|---|---|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""
    if load and load[0] > 0.5:
        yield "The machine was busy: its figures are too low, and its ratios uncertain."
        yield ""
    yield "Measured by `scripts/bench`, which ran"
    yield ""
    yield "```"
    yield from context["commands"]
    yield "```"
    yield ""


def targets(results):
    verdicts = {True: "met", False: "missed", None: "not measured"}
    rows = [
        [
            what,
            measured if isinstance(measured, str) else number(measured),
            f"{'≥' if sense == '>=' else '≤'} {number(target)}",
            verdicts[met(measured, sense, target)],
        ]
        for what, measured, sense, target in results.targets()
    ]
    yield "### Targets"
    yield ""
    if results.best != "avx512":
        yield f"They were set for a machine with AVX-512; here they are those of {ISA_NAMES[results.best]}."
        yield ""
    yield from table(["", "measured", "target", ""], rows)


def fills(results):
    isas = [ISA_NAMES[isa] for isa in results.isas]
    rows = {}
    for case, size, ours, peer, ratio, fraction in results.fills():
        rows.setdefault(case.partition("/")[0], []).append(
            [
                f"{case.partition('/')[2]}, {SIZE_NAMES[size]}",
                *(number(ours[isa], 1e9) for isa in results.isas),
                peer_cell(peer),
                number(ratio),
                percent(fraction),
            ]
        )
    yield "### Fills"
    yield ""
    yield "GB/s."
    yield ""
    for distribution, title in DISTRIBUTIONS.items():
        if distribution not in rows:
            continue
        yield f"#### {title}"
        yield ""
        yield from table(["", *isas, "best peer", "ratio", "of the limit"], rows[distribution])
        yield from all_peers(results, distribution)


def all_peers(results, distribution):
    """Every peer, in one folded table."""
    cases = [
        f"{case}/{size}" for case in CASES if case.startswith(distribution + "/") for size in (SMALL, LARGE)
    ]
    rates = {}
    for case in cases:
        for rate, peer in results.peers(case):
            rates.setdefault(peer, {})[case] = rate
    order = sorted(rates, key=lambda peer: (-max(rates[peer].values()), peer))
    header = [f"{case.split('/')[1]}, {SIZE_NAMES[int(case.split('/')[2])]}" for case in cases]
    yield "<details><summary>All peers</summary>"
    yield ""
    yield from table(
        ["", *header], [[peer, *(number(rates[peer].get(case), 1e9) for case in cases)] for peer in order]
    )
    yield "</details>"
    yield ""


def small_calls(results):
    yield "### Small calls"
    yield ""
    yield (
        "Nanoseconds for one call of `fill`, and for what stands in its place: the better of a loop over "
        "`d(s, i)` and one over `d.quad(s, q)`, built with `-O3`."
    )
    yield ""
    rows = []
    for case in SMALL_CASES:
        for n in CALLS:
            ours, loop = results.time(f"small/{case}/{results.best}/{n}"), results.loop(case, n)
            rows.append(
                [
                    f"{words(case)}, {n}",
                    *(number(results.time(f"small/{case}/{isa}/{n}")) for isa in results.isas),
                    number(loop),
                    number(quotient(loop, ours)),
                ]
            )
    yield from table(["", *(ISA_NAMES[isa] for isa in results.isas), "loop", "loop / fill"], rows)


def reductions(results):
    yield "### Sums and dot products"
    yield ""
    order = [
        f"{number(results.rate(f'limit/read-in-order/{size}'), 1e9)} at {SIZE_NAMES[size]}"
        for size in SIZE_NAMES
    ]
    yield f"GB/s read. A loop that only reads, from front to back, in one piece: {', '.join(order)}."
    yield ""
    rows = [
        [
            f"{kind} {dtype}, {SIZE_NAMES[size]}",
            *(number(ours[isa], 1e9) for isa in results.isas),
            peer_cell(peer),
            number(ratio),
            number(results.rate(f"limit/read/{size}"), 1e9),
            percent(fraction),
        ]
        for kind, dtype, size, ours, peer, ratio, fraction in results.reductions()
    ]
    yield from table(
        ["", *(ISA_NAMES[isa] for isa in results.isas), "best peer", "ratio", "limit", "of the limit"], rows
    )


def determinism(results):
    yield "### What determinism costs"
    yield ""
    yield "GB/s read. Beside each operation of rivus the fastest of the loops that people write for it, which the"
    yield "compiler may reorder where its name says so, built with the flags of the peers; a ratio below 1 is the price."
    yield "*-exact* is the correctly rounded sum, of normals, and *-exact-wide* of normals times 2^-100 to 2^100."
    yield ""
    rows = [
        [f"{words(operation)}, {SIZE_NAMES[size]}", number(ours, 1e9), peer_cell(peer), number(ratio), percent(read)]
        for operation, size, ours, peer, ratio, read in results.determinism()
    ]
    yield from table(["", "rivus", "plain", "ratio", "of the limit of reading"], rows)


def matmuls(results):
    yield "### Matrix products"
    yield ""
    yield "GFLOP/s."
    yield ""
    isas = [isa for isa in results.isas if isa != "scalar"]
    rows = [
        [f"f32, {n} x {n}", *(number(ours[isa], 1e9) for isa in isas), peer_cell(peer), number(ratio)]
        for n, ours, peer, ratio in results.matmuls()
    ]
    yield from table(["", *(ISA_NAMES[isa] for isa in isas), "peer", "ratio"], rows)


def threads(results):
    yield "### Threads"
    yield ""
    yield f"GB/s of real time at 256 MiB, with {ISA_NAMES[results.best]}."
    yield ""
    rows = [
        [
            f"{words(case.rpartition('/')[0].rpartition('/')[0])}, {t} thread{'s' * (t > 1)}",
            number(rate, 1e9),
            number(rate / rates[0][1]),
        ]
        for case, rates in results.threads().items()
        for t, rate in rates
    ]
    yield from table(["", "rate", "speed-up"], rows)


def limits(results):
    yield "### Limits"
    yield ""
    names = [name for name in results.rows if name.startswith("limit/") and "/threads:" not in name]
    yield from table(["", "GB/s"], [[f"`{name}`", number(results.rate(name), 1e9)] for name in names])


def pyplot():
    try:
        import matplotlib
    except ImportError:
        sys.exit("bench/report.py: this Python has no matplotlib (Debian: python3-matplotlib)")
    matplotlib.use("svg")
    # The same input gives the same file.
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "rivus",
            "svg.fonttype": "path",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    from matplotlib import pyplot

    return pyplot


def save(plot, figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plot.close(figure)


def plot_fills(plot, results, path):
    """Ours, the best peers and the limits, a panel for each size."""
    figure, panels = plot.subplots(1, 2, figsize=(10, 5.2), sharey=True)
    isas = [isa for isa in results.isas if isa != "scalar"] or results.isas
    colors = dict(zip(reversed(isas), (OURS, OURS_LIGHT)))
    height = 0.8 / (len(isas) + 2)
    for panel, size in zip(panels, (SMALL, LARGE)):
        bars = [
            (
                ISA_NAMES[isa],
                colors[isa],
                lambda case, isa=isa: results.rate(f"fill/{case}/{isa}/{size}"),
                None,
            )
            for isa in reversed(isas)
        ]
        bars.append(
            ("Random123", "#e3a857", lambda case: results.rate(f"peer/random123/{case}/{size}"), None)
        )
        bars.append(
            (
                "best peer",
                PEER,
                lambda case: (results.peers(f"{case}/{size}") or [(None, None)])[0][0],
                lambda case: results.peers(f"{case}/{size}")[0][1],
            )
        )
        for k, (label, color, rate, text) in enumerate(bars):
            rates = [rate(case) for case in CASES]
            at = [i + (k - (len(bars) - 1) / 2) * height for i in range(len(CASES))]
            panel.barh(at, [(r or 0) / 1e9 for r in rates], 0.92 * height, label=label, color=color)
            for i, case in enumerate(CASES):
                if text and rates[i]:
                    panel.text(
                        rates[i] / 1e9,
                        at[i],
                        " " + text(case),
                        va="center",
                        fontsize=6.5,
                        color="#555555",
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
                        zorder=3,
                    )
        ceilings = []
        for case in CASES:
            multiply = results.rate("limit/vpmuludq")
            ceilings.append(
                min(
                    x
                    for x in (
                        results.rate(f"limit/store/{size}"),
                        multiply and multiply / (4 if case == "bernoulli/u8" else 1),
                        float("inf"),
                    )
                    if x
                )
            )
        panel.vlines(
            [c / 1e9 for c in ceilings],
            [i - 0.45 for i in range(len(CASES))],
            [i + 0.45 for i in range(len(CASES))],
            color=LIMIT,
            linewidth=1.2,
            label="limit",
        )
        panel.set_xlabel("GB/s written, one thread")
        panel.set_title(SIZE_NAMES[size])
        panel.margins(x=0.12)
    panels[0].set_yticks(range(len(CASES)), [words(case) for case in CASES])
    panels[0].invert_yaxis()
    panels[1].legend(loc="lower right", frameon=False)
    save(plot, figure, path)


def plot_small_calls(plot, results, path):
    figure, panels = plot.subplots(1, len(SMALL_CASES), figsize=(10, 3.2), sharey=True)
    for panel, case in zip(panels, SMALL_CASES):
        ours = [results.time(f"small/{case}/{results.best}/{n}") for n in CALLS]
        panel.plot(CALLS, ours, "o-", color=OURS, label=f"fill, {ISA_NAMES[results.best]}")
        panel.plot(
            CALLS, [results.loop(case, n) for n in CALLS], "s--", color="#777777", label="the better loop"
        )
        panel.set_xscale("log", base=4)
        panel.set_yscale("log")
        panel.set_xticks(CALLS, [str(n) for n in CALLS])
        panel.minorticks_off()
        panel.set_xlabel("values a call")
        panel.set_title(words(case))
        panel.grid(axis="y", color="#e5e5e5")
    panels[0].set_ylabel("ns a call")
    panels[0].legend(frameon=False)
    save(plot, figure, path)


def plot_threads(plot, results, path):
    figure, panel = plot.subplots(figsize=(5, 3.2))
    for (case, rates), color in zip(results.threads().items(), (OURS, "#777777")):
        panel.plot(
            [t for t, _ in rates],
            [rate / 1e9 for _, rate in rates],
            "o-",
            color=color,
            label=words(case.rpartition("/")[0].rpartition("/")[0]),
        )
        ticks = [t for t, _ in rates]
    panel.set_xscale("log", base=2)
    panel.set_xticks(ticks, [str(t) for t in ticks])
    panel.minorticks_off()
    panel.set_ylim(bottom=0)
    panel.set_xlabel("threads")
    panel.set_ylabel("GB/s at 256 MiB")
    panel.legend(frameon=False)
    save(plot, figure, path)


def section(plot, results, folder):
    name = slug(results.context)

    def picture(kind, draw, text):
        draw(plot, results, folder / f"{name}-{kind}.svg")
        yield f"![{text}]({folder.name}/{name}-{kind}.svg)"
        yield ""

    yield f"## {results.context['machine']['cpu']}, {ISA_NAMES[results.best]}"
    yield ""
    yield from machine(results)
    yield from picture("fills", plot_fills, "GB/s of fills beside their peers and limits")
    yield from targets(results)
    yield from fills(results)
    yield from small_calls(results)
    yield from picture("small-calls", plot_small_calls, "Nanoseconds of small calls beside loops")
    yield from reductions(results)
    if any(results.determinism()):
        yield from determinism(results)
    yield from matmuls(results)
    if results.threads():
        yield from threads(results)
        # Two points make no curve.
        if max(len(rates) for rates in results.threads().values()) > 2:
            yield from picture("threads", plot_threads, "GB/s against the number of threads")
    yield from limits(results)


def main():
    parser = argparse.ArgumentParser(prog="bench/report.py", description=__doc__)
    parser.add_argument(
        "files",
        metavar="JSON",
        nargs="*",
        type=Path,
        help="result files; the newest of each processor counts (default: bench/results/*.json)",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        default=ROOT / "docs" / "performance.md",
        help="page to write, with the plots in a folder beside it (default: docs/performance.md)",
    )
    options = parser.parse_args()
    newest = {}
    files = options.files or sorted((ROOT / "bench" / "results").glob("*.json"))
    for file in files:
        try:
            results = Results(file)
            key = slug(results.context)
            if key not in newest or results.context["date"] > newest[key].context["date"]:
                newest[key] = results
        except (OSError, KeyError, ValueError) as error:
            sys.exit(f"bench/report.py: {file}: not a result file of scripts/bench: {error!r}")
    if not newest:
        sys.exit("bench/report.py: no result file in bench/results; scripts/bench makes one")
    plot = pyplot()
    lines = HEAD.splitlines() + [""]
    for key in sorted(newest):
        lines += section(plot, newest[key], options.output.with_suffix(""))
    options.output.write_text("\n".join(lines).rstrip("\n") + "\n")
    print(f"written: {options.output}")


if __name__ == "__main__":
    main()
