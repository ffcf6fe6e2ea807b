"""What can be read off the kernels' PTX: check_ptx.py lint|cost ... (see --help)."""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile


def kernels_in(ptx):
    with open(ptx) as text:
        return re.findall(r"\.entry\s+([\w$]+)", text.read())


# The estimate from which real::sqrt_of_positive makes the correctly rounded root, whatever its last bits.
EXACT_ANYHOW = "rsqrt.approx.ftz.f32"


def lint(args):
    """Nothing that ptxas may contract, no approximation, no flushed subnormals."""
    complaints, kernels = 0, 0
    for ptx in args.ptx:
        found = len(kernels_in(ptx))
        kernels += found
        if found == 0:
            print(f"{ptx}: no kernel in it")
            complaints += 1
        run = subprocess.run([args.ptxrun, ptx, "--lint"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = [line for line in run.stdout.splitlines() if f": {EXACT_ANYHOW} at" not in line]
        if run.returncode not in (0, 3):  # 3: it had something to say
            lines.append(f"ptxrun --lint exited with {run.returncode}")
        with open(ptx) as text:
            for number, line in enumerate(text, 1):
                code = line.split("//")[0].replace(EXACT_ANYHOW, "")
                if re.search(r"\.(approx|ftz)\b", code):
                    lines.append(f"line {number}: {line.strip()}")
        for line in lines:
            print(f"{ptx}: {line}")
        complaints += len(lines)
    print(f"{len(args.ptx)} files, {kernels} kernels, {complaints} complaints")
    return 1 if complaints else 0


def short_names(names, demangler):
    """What people call the kernels: without namespaces, parameters and the hash of the source file."""
    out = subprocess.run([demangler], input="\n".join(names), stdout=subprocess.PIPE, text=True, check=True).stdout
    short = {}
    for name, text in zip(names, out.splitlines()):
        text = re.sub(r"\(anonymous namespace\)::|rivus::|cuda::|^void ", "", text)
        text = text.replace("unsigned int", "u32").replace("unsigned long", "u64")
        text = text.replace("(interval)0", "co").replace("(interval)1", "oc").replace("(interval)2", "oo")
        text = re.sub(r"\bint\b", "i32", re.sub(r"\blong\b", "i64", text))
        short[name] = text.split("(")[0].replace(" >", ">")
    return short


SHT_NOBITS = 8
FAT_BINARY = struct.pack("<I", 0xBA55ED50)
FAT_BINARY_PTX = 1


def sections_of(path):
    """(name, contents) of the sections of a 64-bit ELF file."""
    with open(path, "rb") as file:
        elf = file.read()
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for name, kind, _, _, offset, length in sections:
        begin = sections[names_at][4] + name
        yield elf[begin:elf.index(b"\0", begin)].decode(), b"" if kind == SHT_NOBITS else elf[offset:offset + length]


def ptx_in(path):
    """(architecture, text) of the PTX with kernels in an object, which holds fat binaries, each of entries."""
    contents = b"".join(data for name, data in sections_of(path) if name == ".nv_fatbin")
    at = 0
    while (at := contents.find(FAT_BINARY, at)) >= 0:
        header, size = struct.unpack_from("<HQ", contents, at + 6)
        at += header
        end = at + size
        while at < end:
            kind, head, size, compressed = struct.unpack_from("<HxxIQI", contents, at)
            (arch,) = struct.unpack_from("<I", contents, at + 28)
            text = contents[at + head:at + head + size].rstrip(b"\0")
            at += head + size
            if kind == FAT_BINARY_PTX and compressed:
                sys.exit(f"{path}: its PTX is compressed (nvcc --no-compress)")
            if kind == FAT_BINARY_PTX and b".entry" in text:
                yield arch, text


def ptx_files(paths, folder):
    """Names of PTX files: those among the paths, and what the objects among them hold, written to the folder."""
    for path in paths:
        if path.endswith(".ptx"):
            yield path
        else:
            target, source = os.path.normpath(path).split(os.sep)[-2:]
            for arch, text in ptx_in(path):
                name = os.path.join(folder, f"{target.removesuffix('.dir')}.{source.removesuffix('.o')}.{arch}.ptx")
                with open(name, "wb") as file:
                    file.write(text)
                yield name


def code_sizes(cubin):
    """Bytes of machine code by kernel: the sections .text.NAME."""
    return {name[len(".text."):]: len(code) for name, code in sections_of(cubin) if name.startswith(".text.")}


def architecture_of(ptx):
    with open(ptx) as text:
        return re.search(r"^\.target sm_(\d+)", text.read(), re.M).group(1)


def assemble(ptxas, ptx, cubin):
    """{kernel: (registers, bytes of code, bytes of stack and spills)}"""
    report = subprocess.run([ptxas, "-v", f"-arch=sm_{architecture_of(ptx)}", ptx, "-o", cubin], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=True).stdout
    sizes = code_sizes(cubin)
    costs = {}
    for part in report.split("Compiling entry function '")[1:]:
        name = part.split("'")[0]
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        stack, stores, loads = map(int, frame.groups())
        # The levels of a product's tree wait in local memory on purpose.
        costs[name] = (registers, sizes[name], stores + loads + (0 if "multiply_tiles" in name else stack))
    if sorted(costs) != sorted(kernels_in(ptx)):
        sys.exit(f"{ptx}: ptxas -v does not speak of all kernels")
    return costs


# What a value may cost at most on sm_90, in machine instructions; every kernel has a budget of its own besides.
MACHINE_LIMITS = {
    "fill_aligned<value_draw<bits<u32>, true>>": 10.5,
    "fill_aligned<value_draw<uniform<float, co>, true>>": 13,
    "fill_aligned<value_draw<normal<float>, true>>": 33,
    "fill_aligned<value_draw<exponential<float>, true>>": 31,
    "fill_aligned<value_draw<normal<double>, true>>": 115,
}
BYTES = {"u8": 1, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "float": 4, "u64": 8, "i64": 8, "double": 8}


def register_limit(name):
    """Of a fill or a sum on sm_90."""
    if not re.match("fill|reduce", name):
        return None
    return 64 if "normal<double>" in name else 40


def value_bytes(name):
    """Of the values that a kernel makes or reads; None where they are not of one type, or pass through shared memory."""
    if name.startswith("fill_staged"):
        return None
    if "event_draw" in name:
        return 1
    named = re.search(r"(?:bits|uniform|normal|exponential|elements|integer_draw)<(\w+)", name)
    return BYTES.get(named.group(1)) if named else None


def loops_of(code):
    """The loops in a kernel's listing, as lists of instructions: what lies between a label and a branch back to it."""
    instructions, labels = [], {}
    for line in code.splitlines():
        if instruction := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s*(.*?)\s*;", line):
            instructions.append(instruction.group(1))
        elif label := re.match(r"(\.L\w+):", line):
            labels[label.group(1)] = len(instructions)
    for i, instruction in enumerate(instructions):
        target = re.search(r"\bBRA\b.*`\((\.L\w+)\)", instruction)
        if target and labels[target.group(1)] < i:
            yield instructions[labels[target.group(1)]:i + 1]


def bytes_moved(loop):
    """From or to global memory, in one turn."""
    total = 0
    for instruction in loop:
        if access := re.search(r"\b(?:LDG|STG)(\.\S*)?", instruction):
            width = re.search(r"\.(128|64|U8|S8|U16|S16)\b", access.group(1) or "")
            total += {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}[width.group(1)] if width else 4
    return total


def machine_code(nvdisasm, cubin, demangler):
    """{kernel: machine instructions a value}, in the loop that moves most: all it holds, seldom used or not."""
    listing = subprocess.run([nvdisasm, "-c", cubin], stdout=subprocess.PIPE, text=True, check=True).stdout
    parts = dict(part.split(":", 1) for part in re.split(r"(?m)^\.text\.", listing)[1:])
    short = short_names(sorted(parts), demangler)
    counts = {}
    for name, code in parts.items():
        size = value_bytes(short[name])
        loop = max(loops_of(code), key=bytes_moved, default=[])
        if size and bytes_moved(loop) > 0:
            counts[short[name]] = round(len(loop) * size / bytes_moved(loop), 2)
    return counts


def executed(program, runtime):
    """{what: PTX instructions a value}: the program names what it computes, ptxrun traces the launches."""
    settings = dict(os.environ, LD_PRELOAD=runtime, PTXRUN_TRACE="1", PTXRUN_APPROX="1")
    report = subprocess.run([program], env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=True).stdout
    counts, what, values = {}, None, 0
    for line in report.splitlines():
        if line.startswith("cost: "):
            values, what = line[len("cost: "):].split(" ", 1)
            counts[what] = 0.0
        elif line.startswith("ptxrun: "):
            counts[what] += int(re.search(r"(\d+) thread instructions", line).group(1)) / int(values)
    if not counts or not all(counts.values()):
        sys.exit(f"no instructions were counted:\n{report}")
    return {what: round(count, 2) for what, count in counts.items()}


def cost(args):
    """Registers, code size and instructions within the budgets; nothing spilled."""
    measured, machine, failures = {}, {}, []
    for ptx in args.ptx:
        arch, cubin = architecture_of(ptx), os.path.join(args.folder, "cubin")
        costs = assemble(args.ptxas, ptx, cubin)
        short = short_names(sorted(costs), args.demangler)
        if len(set(short.values())) != len(short):
            sys.exit(f"{ptx}: two kernels of one name")
        for name, (registers, size, spilled) in costs.items():
            measured.setdefault(short[name], {})[arch] = [registers, size]
            if spilled:
                failures.append(f"{short[name]}, sm_{arch}: {spilled} bytes of stack or spills")
            limit = register_limit(short[name])
            if arch == "90" and limit and registers > limit:
                failures.append(f"{short[name]}: {registers} registers on sm_90, more than {limit}")
        if arch == "90" and args.nvdisasm:
            machine.update(machine_code(args.nvdisasm, cubin, args.demangler))
    for ptx in args.spills_of:
        arch = architecture_of(ptx)
        # What takes long is seen by ptxas for the oldest architecture: a kernel has as many registers there as elsewhere.
        if arch != "75":
            continue
        for name, (_, _, spilled) in assemble(args.ptxas, ptx, os.path.join(args.folder, "cubin")).items():
            if spilled:
                failures.append(f"{name}, sm_{arch}: {spilled} bytes of stack or spills")
    if args.nvdisasm:
        for name, limit in MACHINE_LIMITS.items():
            if machine[name] > limit:
                failures.append(f"{name}: {machine[name]} machine instructions a value on sm_90, more than {limit}")
    instructions = executed(args.program, args.runtime)

    arches = sorted({arch for by_arch in measured.values() for arch in by_arch}, key=int)
    print("registers and bytes of code".ljust(60) + "".join(f"sm_{arch}".rjust(13) for arch in arches))
    for name in sorted(measured):
        cells = (measured[name].get(arch, ["-", "-"]) for arch in arches)
        print(name.ljust(60) + "".join(f"{registers:>5} {size:>7}" for registers, size in cells))
    print("\nPTX instructions a value, executed")
    for what, count in instructions.items():
        print(what.ljust(60) + f"{count:13.2f}")
    if args.nvdisasm:
        print("\nmachine instructions a value on sm_90")
        for name, count in sorted(machine.items()):
            print(name.ljust(60) + f"{count:13.2f}" + (f"   at most {MACHINE_LIMITS[name]}" if name in MACHINE_LIMITS else ""))
    else:
        print("\nNo nvdisasm here: machine instructions are not counted, but only those of PTX, above.")

    if args.update:
        lines = [f"    {json.dumps(name)}: {json.dumps(measured[name], sort_keys=True)}" for name in sorted(measured)]
        if not args.nvdisasm:
            sys.exit("--update needs --nvdisasm")
        tables = [[f"    {json.dumps(what)}: {count}" for what, count in sorted(table.items())] for table in (instructions, machine)]
        with open(args.budgets, "w") as file:
            file.write('{\n  "nvcc": ' + json.dumps(args.version) + ',\n  "registers and bytes": {\n' +
                       ",\n".join(lines) + '\n  },\n  "instructions a value": {\n' + ",\n".join(tables[0]) +
                       '\n  },\n  "machine instructions a value, sm_90": {\n' + ",\n".join(tables[1]) + "\n  }\n}\n")
        print(f"\nwritten to {args.budgets}")
    with open(args.budgets) as file:
        budgets = json.load(file)
    if budgets["nvcc"] != args.version:
        print(f"\nThe budgets are those of nvcc {budgets['nvcc']}; nvcc is {args.version}, so that only spills and limits count.")
    else:
        failures += over_budget(budgets, measured, instructions, machine)
    for failure in failures:
        print("FAILED: " + failure)
    print(f"\n{len(measured)} kernels, {len(failures)} failures")
    return 1 if failures else 0


def over_budget(budgets, measured, instructions, machine):
    limits, costs = {}, {}
    for table, into in ((budgets["registers and bytes"], limits), (measured, costs)):
        for name, by_arch in table.items():
            for arch, (registers, size) in by_arch.items():
                into[f"{name}, sm_{arch}: registers"] = registers
                into[f"{name}, sm_{arch}: bytes of code"] = size
    named = [("instructions a value", instructions)]
    if machine:
        named.append(("machine instructions a value, sm_90", machine))
    for kind, counts in named:
        for table, into in ((budgets[kind], limits), (counts, costs)):
            into.update({f"{what}: {kind}": count for what, count in table.items()})
    for what in sorted(set(limits) | set(costs)):
        if what not in costs:
            yield f"{what}: in the budgets, but no longer there"
        elif what not in limits:
            yield f"{what}: {costs[what]}, but the budgets have no such line"
        elif costs[what] > 1.05 * limits[what]:
            yield f"{what}: {costs[what]}, more than 5 % above {limits[what]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("lint", help=lint.__doc__)
    command.add_argument("--ptxrun", required=True)
    command.add_argument("ptx", nargs="+", help="PTX files, and objects that hold PTX")
    command.set_defaults(run=lint, spills_of=[])
    command = commands.add_parser("cost", help=cost.__doc__)
    for name, text in (("ptxas", "the assembler"), ("demangler", "c++filt"), ("program", "what to count"),
                       ("runtime", "libcudart_ptxrun.so"), ("version", "of nvcc"), ("budgets", "a JSON file")):
        command.add_argument("--" + name, required=True, help=text)
    command.add_argument("--nvdisasm", help="the disassembler; without it machine instructions are not counted")
    command.add_argument("--update", action="store_true", help="write the budgets anew")
    command.add_argument("--spills-of", nargs="+", default=[], help="PTX of kernels without budgets, which must not spill")
    command.add_argument("ptx", nargs="+", help="PTX files, and objects that hold PTX")
    command.set_defaults(run=cost)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        args.folder = folder
        args.ptx = list(ptx_files(args.ptx, folder))
        args.spills_of = list(ptx_files(args.spills_of, folder))
        sys.exit(args.run(args))


if __name__ == "__main__":
    main()
