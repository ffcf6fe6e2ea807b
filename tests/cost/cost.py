#!/usr/bin/env python3
"""Counts instructions per value of rivus's host kernels; fails where one is more than 5 % above its budget.

CTest runs this as cost.callgrind and cost.avx512; ctest --verbose -L cost shows the commands and the counts.
To write the counts as the new budgets of a compiler, run the same commands with --update.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

BUDGETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "budgets.json")
SKIPPED = 77  # the exit status that CTest counts as skipped


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(command, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, **more)
    except FileNotFoundError:
        skip(f"{command[0]} not found")


def by_callgrind(program, isa):
    """{case: instructions per value, or per call}, counted while the program runs."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "dump")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program]
        done = run(command, env={**os.environ, "RIVUS_ISA": isa})
        if "not available on this machine" in done.stderr:
            skip("no AVX2 and FMA here; without them the scalar counts are others too, in libm's fma")
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
        counts = {}
        for path in glob.glob(out + ".*"):
            with open(path) as dump:
                text = dump.read()
            trigger = re.search(r"^desc: Trigger: Client Request: (.*) (\d+)$", text, re.M)
            if trigger:
                total = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
                counts.setdefault(trigger[1], {})[int(trigger[2])] = total
    if not counts or any(len(c) != 2 for c in counts.values()):
        sys.exit(f"{' '.join(command)} did not leave two counts for each case: {counts}")
    return {case: (c[max(c)] - c[min(c)]) / min(c) for case, c in counts.items()}


# AVX-512, which callgrind cannot run. A phase of a fill is a loop: an instruction of it, how many of them are
# a unit, the bytes of words in a unit, and an instruction that the loop does not have. Philox takes 17
# multiplications for two vectors of words (the first product is a running sum, and two more are prepared); an
# integer's range takes two for each vector.
WORDS, SMALL = ("vpmuludq", 17, 128, None), ("vpmuludq", 17 + 4, 128, None)
NORMALS, EXPONENTIALS = ("vsqrtp", 1, 128, None), ("vgetmantp", 1, 64, None)
PRODUCTS, SUMS = ("vpcmpltuq", 1, 64, None), ("vpaddq", 1, 64, "vpmuludq")


def avx512_fills():
    """(case, the function that g++ makes, the distribution whose fill_range has all of it from clang, whether
    this is the one with more additions of the two variants there, bytes per word, phases)"""
    for dtype, word, size in ("u32", "unsigned int", 4), ("u64", "unsigned long", 8):
        yield f"bits/{dtype}", f"fill_words<{word}>", f"bits<{word}>", False, size, [WORDS]
    for dtype, real, size in ("f32", "float", 4), ("f64", "double", 8):
        interval = f"{real}, (rivus::interval)0"
        for suffix, more in ("", False), (" scaled", True):
            scaled = str(more).lower()
            yield (f"uniform/{dtype}{suffix}", f"fill_uniform<{scaled}, {interval}>",
                   f"uniform<{interval}>", more, size, [WORDS])
            for name, transform in ("normal", NORMALS), ("exponential", EXPONENTIALS):
                yield (f"{name}/{dtype}{suffix}", f"fill_reals<{scaled}, rivus::{name}<{real}> >",
                       f"{name}<{real}>", more, size, [WORDS, transform])
    yield "randint/i32", "fill_small_integers<true, int>", "integer<int>", False, 4, [SMALL]
    yield "randint/i32 from -5", "fill_small_integers<false, int>", "integer<int>", True, 4, [SMALL]
    yield "randint/i64", "fill_small_integers<true, long>", "integer<long>", False, 4, [SMALL]
    yield "randint/i64 large", "fill_large_integers<long>", "integer<long>", False, 8, [WORDS, PRODUCTS, SUMS]
    yield "bernoulli/u8", "fill_less", "bernoulli", False, 4, [WORDS]


def functions(listing):
    """(name, [(address, instruction)]) of a disassembly, without what the compiler split off as cold."""
    for block in listing.split("\n\n"):
        head = re.search(r"^[0-9a-f]+ <(?:\w+ )?rivus::\(anonymous namespace\)::(.*)>:$", block, re.M)
        if head and ".cold" not in head[1]:
            instructions = re.findall(r"^\s*([0-9a-f]+):\s+(.*)$", block, re.M)
            yield head[1], [(int(address, 16), text) for address, text in instructions]


def loops(body, opcode):
    """The shortest ways round from an instruction of this opcode to itself, past what is rare."""
    places = {address: k for k, (address, _) in enumerate(body)}
    successors = []
    for k, (_, instruction) in enumerate(body):
        jump = re.match(r"j\w+\s+([0-9a-f]+)\b", instruction)
        targets = [] if re.match(r"jmp|ret|ud2", instruction) else [k + 1]
        if jump:
            targets.append(places.get(int(jump[1], 16), len(body)))
        successors.append([t for t in targets if t < len(body)])
    found = set()
    for start, (_, instruction) in enumerate(body):
        if not instruction.startswith(opcode):
            continue
        before, front = {}, [start]
        while front and start not in before:
            reached = []
            for k in front:
                for t in successors[k]:
                    if t not in before:
                        before[t] = k
                        reached.append(t)
            front = reached
        if start in before:
            way = [start]
            while before[way[-1]] != start:
                way.append(before[way[-1]])
            found.add(tuple(sorted(way)))
    return [[body[k][1] for k in way] for way in sorted(found)]


def in_place(loop):
    """Whether it stores vectors where it loads them, beside those it keeps on the stack."""
    def addresses(pattern):
        return {m for i in loop for m in re.findall(pattern, i)} - {"(%rsp)", "(%rip)"}
    return bool(addresses(r"(\([^)]*\)),.*%zmm\d+") & addresses(r"^vmov\S+\s+%zmm\d+,\S*?(\([^)]*\))"))


def per_byte(body, phase, most_additions):
    """Instructions of a phase for each byte of words; None without such a loop."""
    opcode, count, size, absent = phase

    def units(loop):
        n = sum(i.startswith(opcode) for i in loop)
        return n // count if n % count == 0 else 0
    found = [p for p in loops(body, opcode) if units(p)]
    if absent:
        found = [p for p in found if not any(i.startswith(absent) for i in p)]
    if not found:
        return None
    # A batch is the largest loop; the others take what is left over, or a ragged end in place.
    found = [p for p in found if units(p) == max(map(units, found))]
    found = [p for p in found if not in_place(p)] or found
    # Where the standard and the scaled variant are equal in this phase, they still come in this order.
    found.sort(key=lambda p: sum(bool(re.match(r"vfn?m|vpaddd", i)) for i in p))
    loop = found[-1 if most_additions else 0]
    return len(loop) / (units(loop) * size)


def by_disassembly(object_file):
    """{case: instructions per value}, counted in the loops that make them."""
    done = run(["objdump", "-d", "--no-show-raw-insn", "-C", object_file])
    if done.returncode != 0:
        sys.exit(f"objdump failed:\n{done.stderr}")
    listing = list(functions(done.stdout))
    costs = {}
    for case, gnu, clang, most_additions, word_bytes, phases in avx512_fills():
        whole = f"fill_range<rivus::{clang}"
        bodies = [body for name, body in listing if name.startswith(gnu)] \
            or [body for name, body in listing if name.startswith(whole)]
        if len(bodies) != 1:
            sys.exit(f"{case}: {len(bodies)} functions {gnu} or {whole}> in {object_file}")
        costs[case] = 0
        for phase in phases:
            cost = per_byte(bodies[0], phase, most_additions)
            if cost is None:
                sys.exit(f"{case}: no loop with a multiple of {phase[1]} {phase[0]} in {object_file}; "
                         "if rivus's arithmetic changed, so must the phases in cost.py")
            costs[case] += cost * word_bytes
    return costs


def report(measured, budgets):
    """Prints a line for each case; those that fail."""
    failures = []
    for isa, costs in measured.items():
        limits = budgets.get(isa, {})
        for case in sorted(set(costs) | set(limits)):
            cost, budget = costs.get(case), limits.get(case)
            numbers = " of ".join(f"{'-':>8}" if x is None else f"{x:8.4g}" for x in (cost, budget))
            line, verdict = f"{isa:7} {case:23}{numbers}", ""
            if cost is None:
                verdict = "in the budgets, but not counted"
            elif budget is None:
                verdict = "no budget"
            elif cost > 1.05 * budget:
                verdict = f"{100 * (cost / budget - 1):.1f} % above the budget"
            if verdict:
                failures.append(f"{line}  {verdict}")
            elif cost < 0.95 * budget:
                verdict = f"{100 * (1 - cost / budget):.1f} % below: the budget can be lowered"
            print(f"{line}  {verdict}".rstrip())
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True, help="as in budgets.json, such as 'GNU 12.2'")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--callgrind", metavar="PROGRAM",
                      help="count what cost_cases executes, scalar and AVX2")
    what.add_argument("--disassemble", metavar="OBJECT",
                      help="count AVX-512's loops in the object file of kernels_avx512.cpp")
    parser.add_argument("--update", action="store_true",
                        help="write the counts to budgets.json as the budgets of this compiler")
    args = parser.parse_args()

    with open(BUDGETS) as file:
        everything = json.load(file)
    if args.compiler not in everything and not args.update:
        skip(f"no budgets for {args.compiler}, only for {', '.join(everything)}")
    budgets = everything.setdefault(args.compiler, {})

    measured = {}
    if args.callgrind:
        for isa in ("scalar", "avx2"):
            measured[isa] = by_callgrind(args.callgrind, isa)
    else:
        measured["avx512"] = by_disassembly(args.disassemble)

    print("instructions per value (matmul: per fma; x n: per call for n values), and the budgets")
    failures = report(measured, budgets)
    if args.update:
        for isa, costs in measured.items():
            budgets[isa] = {case: float(f"{cost:.4g}") for case, cost in costs.items()}
        with open(BUDGETS, "w") as file:
            json.dump(everything, file, indent=1, sort_keys=True)
            file.write("\n")
        print(f"written to {BUDGETS}")
    elif failures:
        sys.exit("\n".join(f"FAILED: {failure}" for failure in failures))


if __name__ == "__main__":
    main()
