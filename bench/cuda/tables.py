"""report.md of scripts/gpu-check."""

OURS, CEILING = "rivus", "ceiling"

HOW_TO_READ = """
GB are 10^9 bytes: those written by a fill, those read by a sum or an index_add, those read and written by a copy, a scan
and a softmax. Each figure is the median over rounds in which all ways of a row took turns, with the quartiles in brackets. *Of
the ceiling* is the ratio to the fastest plain use of memory in the same row (for products, of fma). Ratios are of the first
rivus column to the fastest of a kind; above 1, rivus is faster. `graph` rows replay LAUNCHES captured launches; the others launch on a
stream, and at small sizes time the launch. Places in memory rotate and exceed the L2 cache together, except that a graph's
launches of a small size touch less than that. CUDA events are around batches of launches.
"""


def size(number, what):
    if what == "n":
        return f"{number} x {number}"
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number} {unit}"
        number //= 1024
    return f"{number} GiB"


def figure(number):
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def group(figures, key):
    groups = {}
    for f in figures:
        groups.setdefault(key(f), []).append(f)
    return groups


def measured(figures):
    return [f for f in figures if f.get("median") is not None]


def best(figures, kind=None):
    return max((f for f in figures if kind is None or f["kind"] == kind), key=lambda f: f["median"], default=None)


def spread(f):
    return f"{figure(f['median'])} [{figure(f['low'])}, {figure(f['high'])}]"


def case_table(figures):
    """A row for each size and way to launch."""
    what = "n" if "n" in figures[0] else "bytes"
    ways = list(group(figures, lambda f: (f["kind"], f["way"])))
    shown = [way for kind, way in ways if kind == OURS] or [way for kind, way in ways if kind == CEILING]
    of_ours = any(kind == OURS for kind, _ in ways)
    kinds = list(dict.fromkeys(kind for kind, _ in ways if kind not in (OURS, CEILING))) if of_ours else []
    head = ["size" if what == "n" else "bytes", "launches"]
    for way in shown:
        head += [f"{way}, {figures[0]['unit']}"] + (["of the ceiling"] if of_ours else [])
    head += [column for kind in kinds for column in (f"best of {'others' if kind == 'other' else kind}", "ratio")]
    rows = []
    for (number, launches), row in group(figures, lambda f: (f[what], f["launches"])).items():
        cells = [size(number, what), launches]
        by_way = {f["way"]: f for f in row if f["kind"] in (OURS, CEILING)}
        for way in shown:
            f = by_way.get(way)
            cells.append(spread(f) if f else "")
            if of_ours:
                cells.append(f"{100 * f['of_ceiling']:.0f} %" if f and f["of_ceiling"] is not None else "")
        first = by_way.get(shown[0])
        for kind in kinds:
            other = best(row, kind)
            cells += [f"{figure(other['median'])} ({other['way']})", f"{first['median'] / other['median']:.2f}"] \
                if other and first else ["", ""]
        rows.append(cells)
    return table(head, rows)


def summary(figures):
    """The largest size of each case."""
    rows = []
    for name, case in group(figures, lambda f: f["case"]).items():
        ours = [f for f in case if f["kind"] == OURS and f["launches"] == "stream"]
        if not ours:
            continue
        what = "n" if "n" in ours[0] else "bytes"
        largest = max(f[what] for f in ours)
        row = [f for f in case if f[what] == largest and f["launches"] == "stream"]
        first = next(f for f in row if f["kind"] == OURS)
        other = best([f for f in row if f["kind"] not in (OURS, CEILING)])
        share = first["of_ceiling"]
        rows.append([name, size(largest, what), f"{figure(first['median'])} {first['unit']}",
                     f"{100 * share:.0f} %" if share is not None else "",
                     f"{other['kind']}: {other['way']}" if other else "nothing",
                     f"{first['median'] / other['median']:.2f}" if other else ""])
    return table(["case", "size", "rivus", "of the ceiling", "best other way", "ratio"], rows)


def bench_pages(bench, stand_in):
    m = bench["machine"]
    lines = ["## Speed", "",
             f"{m['gpu']}, compute capability {m['compute_capability']}, {m['multiprocessors']} multiprocessors at "
             f"{m['clock_mhz']} MHz, {m['memory_bytes'] / 1e9:.0f} GB at {m['memory_clock_mhz']} MHz on {m['memory_bus_bits']} bits, "
             f"L2 {m['l2_bytes'] / 1e6:.0f} MB; CUDA {m['runtime']}, driver for {m['driver']}. {bench['seconds']:.0f} s of measurements."]
    if stand_in:
        lines += ["", "**Run by an interpreter: no figure below says anything about speed.**"]
    if "error" in bench:
        lines += ["", f"**Ended early: {bench['error']}**"]
    figures = measured(bench["figures"])
    lines += [HOW_TO_READ.replace("LAUNCHES", str(bench["options"]["graph_launches"])), "The largest size of each case:", ""] + summary(figures)
    for name, case in group(figures, lambda f: f["case"]).items():
        lines += ["", f"### {name}", ""] + case_table(case)
    return lines


def page(report):
    lines = ["# rivus on a CUDA device", "",
             f"Result: **{'PASS' if report['passed'] else 'FAIL'}**. Device: {report['device']}. Began {report['began']}, took "
             f"{report['seconds']:.0f} s.", ""]
    if "error" in report:
        lines += ["```", report["error"], "```", ""]
    env = report.get("rivus_env", {})
    cuda = env.get("cuda") or {}
    for device in cuda.get("devices", []):
        lines.append(f"- {device['name']}, compute capability {device['compute_capability']}, "
                     f"{device['multiprocessors']} multiprocessors")
    if env:
        lines += [f"- rivus {env['rivus']}, contract {env['contract']}; {env['compiler']['name']}",
                  f"- CUDA: runtime {cuda.get('runtime')}, driver {cuda.get('driver')}", ""]
    lines += table(["check", "result", "seconds", ""],
                   [[s["name"], "PASS" if s["passed"] else "**FAIL**", f"{s['seconds']:.1f}", s["text"].replace("|", "/")]
                    for s in report["steps"]])
    if report["left_out"]:
        lines += ["", "Left out:", ""] + [f"- {sentence}" for sentence in report["left_out"]]
    if report.get("compared"):
        lines += ["", "## CPU and device, bit by bit", ""]
        lines += table(["values of", "how many", "result", "seconds", ""],
                       [[r["name"], str(r["values"]), "PASS" if r["passed"] else "**FAIL**", f"{r['seconds']:.2f}", r["text"]]
                        for r in report["compared"]])
    if "bench" in report:
        lines += [""] + bench_pages(report["bench"], report["device"] != "GPU")
    return "\n".join(lines) + "\n"
