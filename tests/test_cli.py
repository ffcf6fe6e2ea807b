"""Tests of the command `rivus` from outside: python3 test_cli.py PATH/TO/rivus"""

import ast
import errno
import json
import math
import os
import platform
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None

RIVUS = ""
COMMANDS = ["draw", "id", "sum", "dot", "train", "verify", "env", "ops"]
FORMATS = {"u8": "B", "u32": "I", "u64": "Q", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
COMBINATIONS = [
    ("bits", "u32", []),
    ("bits", "u64", []),
    ("uniform", "f32", []),
    ("uniform", "f64", []),
    ("uniform", "f32", ["-3", "1e-3"]),
    ("uniform", "f64", ["-3", "1e-3"]),
    ("uniform-oc", "f32", []),
    ("uniform-oc", "f64", []),
    ("uniform-oo", "f32", []),
    ("uniform-oo", "f64", []),
    ("normal", "f32", []),
    ("normal", "f64", []),
    ("normal", "f32", ["-0.1", "1e-40"]),
    ("normal", "f64", ["1e300", "0"]),
    ("exponential", "f32", []),
    ("exponential", "f64", []),
    ("exponential", "f32", ["0.1"]),
    ("bernoulli", "u8", ["0.25"]),
    ("randint", "i32", ["-2147483648", "2147483647"]),
    ("randint", "i64", ["-6", "7"]),
    ("randint", "u32", ["0", "0xffffffff"]),
    ("randint", "u64", ["010", "18446744073709551615"]),
]


def run(*arguments, environment=None, **options):
    return subprocess.run(
        [RIVUS, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        # More threads than cores must not wait for each other in a loop.
        env={"OMP_WAIT_POLICY": "passive", **os.environ, **(environment or {})},
        timeout=60,
        **options,
    )


def output(*arguments, **options):
    result = run(*arguments, **options)
    assert result.returncode == 0 and result.stderr == b"", (arguments, result.returncode, result.stderr)
    return result.stdout


def draw_arguments(dist, dtype, parameters):
    return ["draw", "--dist", dist, "--dtype", dtype, *(word for x in parameters for word in ("--param", x))]


def values(dtype, data):
    return list(struct.unpack(f"<{len(data) // struct.calcsize(FORMATS[dtype])}{FORMATS[dtype]}", data))


def draw(dist, dtype, parameters, *arguments):
    return values(dtype, output(*draw_arguments(dist, dtype, parameters), "--raw", *arguments))


def instruction_sets():
    return json.loads(output("env"))["isa"]["available"]


def threefry(counter, key):
    """Threefry-4x32-20 of Salmon et al. 2011."""
    mask = 0xFFFFFFFF
    rotations = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)]
    k = [*key, 0x1BD11BDA ^ key[0] ^ key[1] ^ key[2] ^ key[3]]
    x = [(c + s) & mask for c, s in zip(counter, k)]
    for r in range(20):
        for (a, b), n in zip(((0, 1), (2, 3)) if r % 2 == 0 else ((0, 3), (2, 1)), rotations[r % 8]):
            x[a] = (x[a] + x[b]) & mask
            x[b] = ((x[b] << n | x[b] >> (32 - n)) & mask) ^ x[a]
        if r % 4 == 3:
            s = r // 4 + 1
            x = [(v + k[(s + i) % 5]) & mask for i, v in enumerate(x)]
            x[3] = (x[3] + s) & mask
    return x


def child(stream, component):
    """The child of (key, nonce) that one component of a path, in bytes, names."""

    def hashed(stream, words, tag):
        o = threefry([*words, tag], [w for half in stream for w in (half & 0xFFFFFFFF, half >> 32)])
        return (o[0] | o[1] << 32, o[2] | o[3] << 32)

    if re.fullmatch(rb"0|[1-9][0-9]{0,19}", component) and int(component) < 2**64:
        number = int(component)
        return hashed(stream, [number & 0xFFFFFFFF, number >> 32, 0], 1)
    while len(component) > 12:
        stream = hashed(stream, struct.unpack("<3I", component[:12]), 2)
        component = component[12:]
    return hashed(stream, struct.unpack("<3I", component.ljust(12, b"\0")), 0x100 + len(component))


def rounded(x, digits):
    """A Fraction to the nearest float of so many binary digits."""
    if x == 0:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (exponent + 1 - digits)
    return round(x / step) * step


def sum_v1(terms, digits, add=lambda lane, term: lane + term):
    """The fixed order, in exact arithmetic with one rounding a step. No signed zeros."""
    results = []
    for start in range(0, len(terms), 2048):
        chunk = terms[start : start + 2048]
        lanes = [Fraction(0)] * 32
        for i, term in enumerate(chunk):
            lanes[i % 32] = rounded(add(lanes[i % 32], term), digits)
        for half in (16, 8, 4, 2, 1):
            lanes = [rounded(lanes[i] + lanes[i + half], digits) for i in range(half)]
        results.append(lanes[0])
    while len(results) > 1:
        pairs = [rounded(a + b, digits) for a, b in zip(results[::2], results[1::2])]
        results = pairs + results[len(results) - len(results) % 2 :]
    return results[0]


def npy(data, descr="'<f4'", shape="(3,)", version=(1, 0), dictionary=None, length=None):
    if dictionary is None:
        dictionary = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"
    dictionary = dictionary.encode("latin-1")
    size = struct.pack("<H" if version[0] == 1 else "<I", len(dictionary) if length is None else length)
    return b"\x93NUMPY" + bytes(version) + size + dictionary + data


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def expect_error(self, arguments, code, mentions, **options):
        with self.subTest(arguments=arguments):
            result = run(*arguments, **options)
            message = result.stderr.decode()
            self.assertEqual(result.returncode, code, message)
            self.assertEqual(result.stdout, b"")
            self.assertRegex(message, r"\Arivus: [^\n]+\n\Z")
            for text in mentions:
                self.assertIn(text, message)


class Usage(CommandTest):
    def test_help(self):
        for command in [None, *COMMANDS]:
            with self.subTest(command=command):
                text = output(*([command] if command else []), "--help").decode()
                self.assertIn("Usage: rivus " + (command or ""), text)
                self.assertIn("Example", text)
        everything = output("--help").decode()
        for command in COMMANDS:
            self.assertRegex(everything, rf"(?m)^  {command}  +\w")

    def test_help_says_defaults_and_ranges(self):
        text = output("draw", "--help").decode()
        for option in "seed path dist dtype param first count threads isa device hex raw npy".split():
            self.assertIn("--" + option, text)
        for phrase in ("default: 0", "default: bits", "0 to 2^64-1", "1 to 1024", "mean stddev (default 0 1)"):
            self.assertIn(phrase, text)

    def test_version(self):
        self.assertRegex(output("--version").decode(), r"\Arivus \d+\.\d+\.\d+\n\Z")

    def test_no_command(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"Usage: rivus", result.stderr)

    def test_bad_usage(self):
        one = ["draw", "--count", "1"]
        lacking = [n for n in ("avx2", "avx512", "neon") if n not in instruction_sets()]
        cases = [
            (["frobnicate"], ["'frobnicate'", "draw, id, sum"]),
            (["--frobnicate"], ["--frobnicate"]),
            (["draw"], ["--count", "required"]),
            (["draw", "--count"], ["--count"]),
            ([*one, "--frobnicate"], ["--frobnicate"]),
            ([*one, "stray"], ["stray"]),
            ([*one, "--count", "2"], ["--count"]),
            ([*one, "id"], ["id"]),
            (["draw", "--count", "-1"], ["--count", "'-1'", "18446744073709551615"]),
            (["draw", "--count", "1e6"], ["--count", "'1e6'"]),
            (["draw", "--count", "18446744073709551616"], ["--count", "'18446744073709551616'"]),
            ([*one, "--first", "2.0"], ["--first", "'2.0'"]),
            ([*one, "--first", "0x"], ["--first", "'0x'"]),
            ([*one, "--first", "0x-1"], ["--first", "'0x-1'"]),
            ([*one, "--first", "1 "], ["--first", "'1 '"]),
            (["draw", "--count", "2", "--first", "18446744073709551615"], ["--first", "18446744073709551615", "2"]),
            (["draw", "--count", "18446744073709551615", "--first", "2"], ["--first", "--count"]),
            ([*one, "--seed", "-1"], ["--seed", "'-1'"]),
            ([*one, "--seed", "99999999999999999999"], ["--seed", "'99999999999999999999'"]),
            ([*one, "--seed", "0x10000000000000000"], ["--seed", "'0x10000000000000000'"]),
            ([*one, "--seed", "12x"], ["--seed", "'12x'"]),
            ([*one, "--seed", "+1"], ["--seed", "'+1'"]),
            ([*one, "--seed", ""], ["--seed", "''"]),
            ([*one, "--threads", "0"], ["--threads", "'0'", "1 to 1024"]),
            ([*one, "--threads", "-3"], ["--threads", "'-3'"]),
            ([*one, "--threads", "1025"], ["--threads", "'1025'"]),
            ([*one, "--isa", "mmx"], ["--isa", "'mmx'"]),
            ([*one, "--isa", lacking[0]], ["--isa", lacking[0], "scalar"]),
            ([*one, "--path", "a//b"], ["--path", "'a//b'", "empty"]),
            ([*one, "--path", "/a"], ["--path", "'/a'", "empty"]),
            ([*one, "--path", "a/"], ["--path", "'a/'", "empty"]),
            ([*one, "--path", "/"], ["--path", "'/'", "empty"]),
            ([*one, "--path", ""], ["--path", "''", "empty"]),
            ([*one, "--dist", "cauchy"], ["--dist", "'cauchy'", "uniform-oc", "randint"]),
            ([*one, "--dist", "uniform", "--dtype", "u32"], ["--dtype", "uniform", "f32, f64", "'u32'"]),
            ([*one, "--dtype", ""], ["--dtype", "u32, u64", "''"]),
            ([*one, "--dtype", "f32"], ["--dtype", "bits", "u32, u64", "'f32'"]),
            ([*one, "--dist", "bernoulli", "--param", "0.5", "--dtype", "f32"], ["--dtype", "u8", "'f32'"]),
            ([*one, "--hex", "--raw"], ["--hex", "--raw"]),
            ([*one, "--raw", "--npy", "x"], ["--raw", "--npy"]),
            ([*one, "--hex", "--npy", "x"], ["--hex", "--npy"]),
            ([*one, "--npy", ""], ["--npy", "''"]),
            (["id", "--path", "a//b"], ["--path", "'a//b'"]),
            (["id", "--seed", "1.5"], ["--seed", "'1.5'"]),
            (["id", "stray"], ["stray"]),
            (["sum"], ["FILE"]),
            (["sum", "a.npy", "b.npy"], ["b.npy"]),
            (["dot", "a.npy"], ["FILE2"]),
            (["dot", "a.npy", "b.npy", "c.npy"], ["c.npy"]),
            (["sum", "a.npy", "--threads", "x"], ["--threads", "'x'"]),
            (["sum", "a.npy", "--isa", lacking[0]], ["--isa", lacking[0]]),
            (["env", "stray"], ["stray"]),
            (["verify", "--filter", "no such case"], ["no such case"]),
        ]
        for arguments, mentions in cases:
            self.expect_error(arguments, 2, mentions, cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), [])

    def test_parameters_out_of_domain(self):
        cases = [
            ("bits", "u32", ["1"], ["none", "1 given"]),
            ("uniform-oc", "f32", ["0", "1"], ["none", "2 given", "0 1"]),
            ("uniform", "f32", ["1"], ["a b", "1 given"]),
            ("uniform", "f32", ["0", "1", "2"], ["a b", "3 given"]),
            ("uniform", "f32", ["1", "1"], ["(b)", "1", "greater than a"]),
            ("uniform", "f32", ["nan", "1"], ["(a)", "nan"]),
            ("uniform", "f32", ["0", "inf"], ["(b)", "inf"]),
            ("uniform", "f32", ["-3e38", "3e38"], ["(b)", "3e+38"]),
            ("uniform", "f32", ["1", "1.00000001"], ["(b)", "greater than a"]),
            ("uniform", "f64", ["0", "1e309"], ["(b)", "'1e309'", "f64"]),
            ("uniform", "f64", ["0", "one"], ["(b)", "'one'"]),
            ("uniform", "f64", ["0", "1,5"], ["(b)", "'1,5'"]),
            ("uniform", "f64", ["0", ""], ["(b)", "''"]),
            ("normal", "f32", ["0", "-1"], ["(stddev)", "-1"]),
            ("normal", "f32", ["0", "1e39"], ["(stddev)", "'1e39'", "f32"]),
            ("normal", "f64", ["-inf", "1"], ["(mean)", "-inf"]),
            ("normal", "f64", ["0"], ["mean stddev", "1 given"]),
            ("exponential", "f32", ["0"], ["(rate)", "0"]),
            ("exponential", "f64", ["-0.5"], ["(rate)", "-0.5"]),
            ("exponential", "f32", ["1e-40"], ["(rate)", "1e-40"]),
            ("exponential", "f64", ["nan"], ["(rate)", "nan"]),
            ("bernoulli", "u8", [], ["(p)", "0 given"]),
            ("bernoulli", "u8", ["1.5"], ["(p)", "1.5"]),
            ("bernoulli", "u8", ["-0.1"], ["(p)", "-0.1"]),
            ("bernoulli", "u8", ["nan"], ["(p)", "nan"]),
            ("randint", "i64", [], ["(lo hi)", "0 given"]),
            ("randint", "i64", ["5"], ["(lo hi)", "1 given"]),
            ("randint", "i64", ["5", "5"], ["(hi)", "5", "greater than lo"]),
            ("randint", "i64", ["0", "9223372036854775808"], ["(hi)", "'9223372036854775808'"]),
            ("randint", "i32", ["-2147483649", "0"], ["(lo)", "'-2147483649'", "-2147483648"]),
            ("randint", "i32", ["0", "0xffffffff"], ["(hi)", "'0xffffffff'"]),
            ("randint", "u32", ["-1", "1"], ["(lo)", "'-1'"]),
            ("randint", "u32", ["0", "4294967296"], ["(hi)", "'4294967296'"]),
            ("randint", "u64", ["0", "1.5"], ["(hi)", "'1.5'"]),
        ]
        for dist, dtype, parameters, mentions in cases:
            for form in ([], ["--npy", "x.npy"]):
                arguments = [*draw_arguments(dist, dtype, parameters), "--count", "10", *form]
                self.expect_error(arguments, 2, ["--param", *mentions], cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), [])

    def test_unknown_instruction_set_in_the_environment(self):
        data = self.file("x.npy", npy(bytes(12)))
        for arguments in (["draw", "--count", "1"], ["sum", data], ["dot", data, data]):
            self.expect_error(arguments, 2, ["RIVUS_ISA", "'mmx'"], environment={"RIVUS_ISA": "mmx"})


class Streams(CommandTest):
    def test_id_of_a_root(self):
        for text, seed in (("0", 0), ("18446744073709551615", 2**64 - 1), ("0xFfFfFfFfFfFfFfFf", 2**64 - 1),
                           ("0x2a", 42), ("010", 10), ("0x00000000000000000000001", 1)):
            with self.subTest(seed=text):
                self.assertEqual(output("id", "--seed", text), f"{seed:016x} {0:016x}\n".encode())
        self.assertEqual(output("id"), output("id", "--seed", "0"))

    def test_id_of_a_path(self):
        paths = ["dropout", "0", "17", "017", "+1", "18446744073709551615", "18446744073709551616", "init/conv1.weight/3",
                 "twelve bytes", "thirteen byte", "a path with spaces/and more", "grüße/世界/🎲", " ", ".", "-5", "[a,b]",
                 "a" * 100]
        seen = set()
        for path in paths:
            for seed in (0, 42, 2**64 - 1):
                with self.subTest(path=path, seed=seed):
                    stream = (seed, 0)
                    for component in path.encode().split(b"/"):
                        stream = child(stream, component)
                    line = output("id", "--seed", str(seed), "--path=" + path)
                    self.assertEqual(line, b"%016x %016x\n" % stream)
                    seen.add(line)
        self.assertEqual(len(seen), 3 * len(paths))

    def test_bytes_that_are_not_utf8(self):
        line = output("id", "--path", b"\xff\xfe")
        self.assertEqual(line, b"%016x %016x\n" % child((0, 0), b"\xff\xfe"))

    def test_draws_differ_by_seed_and_path(self):
        lines = [output("draw", "--count", "2", *where)
                 for where in ([], ["--seed", "1"], ["--path", "0"], ["--path", "00"], ["--path", "0/0"])]
        self.assertEqual(len(set(lines)), len(lines))
        self.assertEqual(output("draw", "--count", "2", "--seed", "0"), lines[0])


class Draws(CommandTest):
    def test_published_words(self):
        # Random123's known answer for philox4x32-10 at counter 0, key 0.
        self.assertEqual(output("draw", "--count", "4", "--hex"), b"6627e8d5\ne169c58d\nbc57ac4c\n9b00dbd8\n")
        self.assertEqual(output("draw", "--dtype", "u64", "--count", "2", "--hex"),
                         b"e169c58d6627e8d5\n9b00dbd8bc57ac4c\n")

    def test_distributions_agree_with_their_words(self):
        n, where = 3000, ["--seed", "9", "--path", "words", "--count", "3000"]
        w32, w64 = draw("bits", "u32", [], *where), draw("bits", "u64", [], *where)
        for dtype, words, bits, digits in (("f32", w32, 32, 24), ("f64", w64, 64, 53)):
            step = 2.0**-digits
            self.assertEqual(draw("uniform", dtype, [], *where), [(w >> bits - digits) * step for w in words])
            self.assertEqual(draw("uniform-oc", dtype, [], *where), [((w >> bits - digits) + 1) * step for w in words])
            self.assertEqual(draw("uniform-oo", dtype, [], *where),
                             [(2 * (w >> bits - digits + 1) + 1) * step for w in words])
            turn = 2 * math.pi
            z = draw("normal", dtype, ["3", "0.5"], *where)
            for p in range(0, n, 2):
                # Whichever half of the words u comes from, the angle alone fixes the ratio of the pair.
                angle = turn * (words[p + 1] + 0.5) * 2.0**-bits
                s, c = (z[p] - 3) / 0.5, (z[p + 1] - 3) / 0.5
                self.assertAlmostEqual(s * math.cos(angle), c * math.sin(angle), delta=1e-5)
                self.assertGreater(s * math.sin(angle) + c * math.cos(angle), -1e-5)
        self.assertEqual(draw("bernoulli", "u8", ["0.25"], *where), [int(w < 2**30) for w in w32])
        self.assertEqual(draw("bernoulli", "u8", ["1"], *where), [1] * n)
        self.assertEqual(draw("bernoulli", "u8", ["0"], *where), [0] * n)
        for dtype in ("i32", "i64", "u32", "u64"):
            self.assertEqual(draw("randint", dtype, ["3", "0x403"], *where), [3 + (w * 1024 >> 32) for w in w32])
        self.assertEqual(draw("randint", "i64", ["-4611686018427387904", "4611686018427387904"], *where),
                         [(w >> 1) - 2**62 for w in w64])

    def test_exponential_is_minus_log(self):
        where = ["--seed", "5", "--count", "3000"]
        for dtype, bits in (("f32", 32), ("f64", 64)):
            words = draw("bits", "u32" if bits == 32 else "u64", [], *where)
            for x, w in zip(draw("exponential", dtype, ["2"], *where), words):
                # The word as a signed number: u = f above 0, 1 + f below.
                f = (w - (2**bits if w >> bits - 1 else 0) + 0.5) * 2.0**-bits
                expected = (-math.log(f) if f > 0 else -math.log1p(f)) / 2
                self.assertAlmostEqual(x / expected, 1, delta=2.0**-20)

    def test_default_types(self):
        for dist, dtype, parameters in (("bits", "u32", []), ("uniform", "f32", []), ("uniform-oc", "f32", []),
                                        ("uniform-oo", "f32", []), ("normal", "f32", []), ("exponential", "f32", []),
                                        ("bernoulli", "u8", ["0.5"]), ("randint", "i64", ["0", "9"])):
            arguments = draw_arguments(dist, dtype, parameters)
            short = arguments[:3] + arguments[5:]
            self.assertEqual(output(*arguments, "--count", "50"), output(*short, "--count", "50"))

    def test_forms_agree(self):
        for dist, dtype, parameters in COMBINATIONS:
            with self.subTest(dist=dist, dtype=dtype, parameters=parameters):
                base = [*draw_arguments(dist, dtype, parameters), "--seed", "77", "--count", "1001"]
                raw = output(*base, "--raw")
                size = struct.calcsize(FORMATS[dtype])
                self.assertEqual(len(raw), 1001 * size)

                text = output(*base).decode()
                self.assertEqual(text.count("\n"), 1001)
                read = float if dtype[0] == "f" else int
                numbers = [read(line) for line in text.splitlines()]
                self.assertEqual(struct.pack(f"<1001{FORMATS[dtype]}", *numbers), raw)

                digits = output(*base, "--hex").decode().splitlines()
                self.assertTrue(all(re.fullmatch(rf"[0-9a-f]{{{2 * size}}}", line) for line in digits))
                self.assertEqual(b"".join(bytes.fromhex(line)[::-1] for line in digits), raw)

                path = self.folder / "x.npy"
                self.assertEqual(output(*base, "--npy", str(path)), b"")
                self.check_npy(path, dtype, raw)

    def check_npy(self, path, dtype, raw):
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        end = 10 + struct.unpack("<H", data[8:10])[0]
        self.assertEqual(end % 64, 0)
        self.assertEqual(data[end - 1 : end], b"\n")
        size = struct.calcsize(FORMATS[dtype])
        descr = ("|" if size == 1 else "<") + dtype[0] + str(size)
        self.assertEqual(ast.literal_eval(data[10:end].decode()),
                         {"descr": descr, "fortran_order": False, "shape": (len(raw) // size,)})
        self.assertEqual(data[end:], raw)
        if numpy is not None:
            array = numpy.load(path)
            self.assertEqual((array.dtype.str, array.shape, array.tobytes()), (descr, (len(raw) // size,), raw))

    def test_decimals_are_shortest(self):
        for line in output("draw", "--dist", "normal", "--dtype", "f64", "--count", "2000").decode().splitlines():
            self.assertEqual(self.digits(line), self.digits(repr(float(line))))
        for line in output("draw", "--dist", "normal", "--dtype", "f32", "--count", "2000").decode().splitlines():
            value = struct.pack("<f", float(line))
            fewer = f"{float(line):.{max(len(self.digits(line)) - 2, 0)}e}"
            self.assertLessEqual(len(self.digits(line)), 9)
            if len(self.digits(line)) > 1:
                self.assertNotEqual(struct.pack("<f", float(fewer)), value)

    @staticmethod
    def digits(text):
        return text.lower().split("e")[0].lstrip("-").replace(".", "").strip("0")

    def test_pieces_join_to_the_whole(self):
        for dist, dtype, parameters in COMBINATIONS:
            base = [*draw_arguments(dist, dtype, parameters), "--seed", "3", "--path", "pieces", "--raw"]
            for origin in (0, 2**32 - 1001, 2**64 - 2050):
                with self.subTest(dist=dist, dtype=dtype, origin=origin):
                    whole = output(*base, "--first", str(origin), "--count", "2050")
                    cuts = [0, 1, 4, 9, 1000, 2050]
                    pieces = [output(*base, "--first", hex(origin + a), "--count", str(b - a))
                              for a, b in zip(cuts, cuts[1:])]
                    self.assertEqual(b"".join(pieces), whole)

    def test_more_than_one_buffer(self):
        # The command works in pieces of 4 MiB.
        whole = output("draw", "--dtype", "u64", "--count", "1200001", "--raw")
        self.assertEqual(len(whole), 8 * 1200001)
        for first in (524287, 524288, 1048576, 1200000):
            self.assertEqual(output("draw", "--dtype", "u64", "--first", str(first), "--count", "1", "--raw"),
                             whole[8 * first : 8 * first + 8])
        path = self.folder / "x.npy"
        output("draw", "--dtype", "u64", "--count", "1200001", "--npy", str(path))
        self.check_npy(path, "u64", whole)
        text = output("draw", "--dtype", "u64", "--count", "1200001")
        self.assertEqual([int(line) for line in text.split()], values("u64", whole))

    def test_threads_and_instruction_sets_change_nothing(self):
        for dist, dtype, parameters in COMBINATIONS:
            base = [*draw_arguments(dist, dtype, parameters), "--seed", "11", "--raw", "--count"]
            expected = output(*base, "100003", "--threads", "1", "--isa", "scalar")
            for isa in instruction_sets():
                for threads in ("1", "2", "5"):
                    with self.subTest(dist=dist, dtype=dtype, isa=isa, threads=threads):
                        self.assertEqual(output(*base, "100003", "--isa", isa, "--threads", threads), expected)
            with self.subTest(dist=dist, dtype=dtype, environment=True):
                self.assertEqual(output(*base, "100003"), expected)
                self.assertEqual(output(*base, "100003", environment={"RIVUS_ISA": "scalar"}), expected)

    def test_ends_of_the_index(self):
        self.assertEqual(output("draw", "--count", "0"), b"")
        self.assertEqual(output("draw", "--count", "0", "--first", "18446744073709551615", "--raw"), b"")
        self.assertEqual(len(output("draw", "--count", "1", "--first", "0xffffffffffffffff", "--raw")), 4)
        path = self.folder / "x.npy"
        output("draw", "--count", "0", "--dist", "normal", "--npy", str(path))
        self.check_npy(path, "f32", b"")


class Outputs(CommandTest):
    @staticmethod
    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

    def test_closed_pipe_ends_quietly(self):
        for form in (["--raw"], [], ["--hex"]):
            with self.subTest(form=form):
                start = time.monotonic()
                process = subprocess.Popen([RIVUS, "draw", "--count", "5000000000", "--threads", "2", *form],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=self.little_memory)
                data = process.stdout.read(1000000)
                process.stdout.close()
                errors = process.stderr.read()
                process.stderr.close()
                self.assertEqual((len(data), process.wait(), errors), (1000000, 128 + signal.SIGPIPE, b""))
                self.assertLess(time.monotonic() - start, 10)

    def test_memory_does_not_grow_with_the_count(self):
        result = run("draw", "--count", "300000000", "--threads", "2", "--raw", stdout=subprocess.DEVNULL,
                     preexec_fn=self.little_memory)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            print("test_cli: writing to a full device not tested: no /dev/full here")
            return
        for arguments in (["draw", "--count", "5"], ["id"], ["env"], ["--version"], ["--help"]):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                result = run(*arguments, stdout=full)
                self.assertEqual(result.returncode, 1)
                self.assertIn(b"standard output", result.stderr)

    def test_file_that_cannot_be_written(self):
        (self.folder / "directory").mkdir()
        os.mkfifo(self.folder / "fifo")
        before = sorted(os.listdir(self.folder))
        for name in ("missing/x.npy", "directory", "fifo", "directory/"):
            self.expect_error(["draw", "--count", "5", "--npy", name], 1, [name, "cannot write"], cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(os.listdir(self.folder / "directory"), [])

    def test_failure_leaves_what_was_there(self):
        target = self.file("x.npy", b"precious")
        limit = 1 << 20
        self.expect_error(["draw", "--count", "1000000", "--npy", target], 1, [target, os.strerror(errno.EFBIG)],
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(os.listdir(self.folder), ["x.npy"])
        self.assertEqual(Path(target).read_bytes(), b"precious")

    def test_interruption_leaves_what_was_there(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                target = self.file("x.npy", b"precious")
                process = subprocess.Popen(
                    [RIVUS, "draw", "--dist", "normal", "--dtype", "f64", "--isa", "scalar", "--threads", "1", "--count",
                     "1000000000000", "--npy", target], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                deadline = time.monotonic() + 20
                while len(os.listdir(self.folder)) < 2 and time.monotonic() < deadline:
                    time.sleep(0.005)
                self.assertEqual(len(os.listdir(self.folder)), 2)
                process.send_signal(number)
                out, err = process.communicate(timeout=20)
                self.assertEqual((process.returncode, out, err), (128 + number, b"", b""))
                self.assertEqual(os.listdir(self.folder), ["x.npy"])
                self.assertEqual(Path(target).read_bytes(), b"precious")

    def test_file_is_replaced(self):
        target = self.file("target.npy", b"old")
        link = self.folder / "link.npy"
        link.symlink_to("target.npy")
        output("draw", "--count", "5", "--npy", str(link))
        self.assertTrue(link.is_symlink())
        self.assertEqual(Path(target).read_bytes()[:6], b"\x93NUMPY")
        output("draw", "--count", "5", "--npy", "name with spaces ü.npy", cwd=self.folder)
        self.assertEqual((self.folder / "name with spaces ü.npy").read_bytes(), Path(target).read_bytes())

    def test_replaced_file_keeps_its_mode(self):
        path = os.path.join(self.folder, "private.npy")
        with open(path, "wb"):
            pass
        os.chmod(path, 0o600)
        output("draw", "--count", "3", "--npy", path)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)

    def test_progress_on_a_terminal(self):
        terminal, side = pty.openpty()
        process = subprocess.Popen([RIVUS, "draw", "--count", "1000000000000", "--raw"], stdout=subprocess.PIPE,
                                   stderr=side, env={**os.environ, "TERM": "xterm"})
        os.close(side)
        shown = b""
        deadline = time.monotonic() + 20
        while b"%" not in shown and time.monotonic() < deadline:
            ready, _, _ = select.select([terminal, process.stdout], [], [], 1)
            if process.stdout in ready:
                os.read(process.stdout.fileno(), 1 << 20)
            if terminal in ready:
                shown += os.read(terminal, 4096)
        process.stdout.close()
        code = process.wait(timeout=20)
        try:
            while piece := os.read(terminal, 4096):
                shown += piece
        except OSError:  # How Linux ends a terminal whose other side is closed.
            pass
        os.close(terminal)
        self.assertEqual(code, 128 + signal.SIGPIPE)
        self.assertRegex(shown, rb"\A\rdraw \[[#.]+\] +\d+ %")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)


class Reductions(CommandTest):
    def hex(self, *arguments):
        return output(*arguments, "--hex").decode().strip()

    def test_sum_and_dot_in_their_order(self):
        for dtype, digits in (("f32", 24), ("f64", 53)):
            for n in (1, 31, 33, 2048, 2049, 11000):
                with self.subTest(dtype=dtype, n=n):
                    files, arrays = [], []
                    for seed in ("1", "2"):
                        files.append(str(self.folder / f"{seed}.npy"))
                        arguments = [*draw_arguments("normal", dtype, []), "--seed", seed, "--count", str(n)]
                        output(*arguments, "--npy", files[-1])
                        arrays.append([Fraction(x) for x in values(dtype, output(*arguments, "--raw"))])
                    total = sum_v1(arrays[0], digits)
                    product = sum_v1(list(zip(*arrays)), digits, lambda lane, xy: lane + xy[0] * xy[1])
                    for arguments, expected in ((["sum", files[0]], total), (["dot", *files], product)):
                        bits = struct.pack(">" + FORMATS[dtype], float(expected)).hex()
                        self.assertEqual(self.hex(*arguments), bits)
                        line = output(*arguments).decode()
                        self.assertEqual(struct.pack(">" + FORMATS[dtype], float(line)).hex(), bits)
                        for isa in instruction_sets():
                            self.assertEqual(self.hex(*arguments, "--isa", isa, "--threads", "3"), bits)

    def test_exact_sum_and_dot(self):
        for dtype, digits in (("f32", 24), ("f64", 53)):
            with self.subTest(dtype=dtype):
                files, arrays = [], []
                for seed in ("1", "2"):
                    files.append(str(self.folder / f"{seed}.npy"))
                    arguments = [*draw_arguments("normal", dtype, []), "--seed", seed, "--count", "70001"]
                    output(*arguments, "--npy", files[-1])
                    arrays.append([Fraction(x) for x in values(dtype, output(*arguments, "--raw"))])
                total, product = sum(arrays[0]), sum(x * y for x, y in zip(*arrays))
                for arguments, exact in ((["sum", files[0]], total), (["dot", *files], product)):
                    bits = struct.pack(">" + FORMATS[dtype], float(rounded(exact, digits))).hex()
                    for isa in instruction_sets():
                        for threads in ("1", "3"):
                            options = ["--exact", "--isa", isa, "--threads", threads]
                            self.assertEqual(self.hex(*arguments, *options), bits)
                    self.assertEqual(self.hex(*arguments, "--exact", "--device", "cpu"), bits)
        # The order of sum/v1 loses what --exact keeps.
        path = self.file("x.npy", npy(struct.pack("<4f", 1e30, 1, 1, -1e30), shape="(4,)"))
        self.assertEqual(output("sum", path), b"0\n")
        self.assertEqual(output("sum", path, "--exact"), b"2\n")

    def test_threads(self):
        path = str(self.folder / "x.npy")
        for dtype in ("f32", "f64"):
            output(*draw_arguments("normal", dtype, []), "--count", "700001", "--npy", path)
            for arguments in (["sum", path], ["dot", path, path]):
                results = {self.hex(*arguments, "--isa", isa, "--threads", threads)
                           for isa in instruction_sets() for threads in ("1", "2", "5")}
                self.assertEqual(len(results), 1)

    def test_accepted_files(self):
        data = struct.pack("<3f", 1.5, -2.25, 0.125)
        big = struct.pack(">3f", 1.5, -2.25, 0.125)
        cases = {
            "version 1.0": npy(data),
            "version 2.0": npy(data, version=(2, 0)),
            "version 3.0": npy(data, version=(3, 0)),
            "unaligned": npy(data, dictionary="{'descr':'<f4','fortran_order':False,'shape':(3,)}"),
            "other order": npy(data, dictionary='{ "shape" : ( 3 , ), "fortran_order": True, "descr": "<f4" }  \n'),
            "long integer": npy(data, shape="(3L,)"),
            "f64": npy(struct.pack("<3d", 1.5, -2.25, 0.125), descr="'<f8'"),
            "big-endian": npy(big, descr="'>f4'"),
            "big-endian f64": npy(struct.pack(">3d", 1.5, -2.25, 0.125), descr="'>f8'"),
            "padded": npy(data, dictionary=str({"descr": "<f4", "fortran_order": False, "shape": (3,)}) + 99 * " " + "\n"),
        }
        for name, content in cases.items():
            with self.subTest(name):
                self.assertEqual(output("sum", self.file("x.npy", content)), b"-0.625\n")
                with open(self.folder / "x.npy", "rb") as stdin:
                    result = subprocess.run(["cat", "/dev/stdin"], stdin=stdin, capture_output=True, check=True)
                    piped = subprocess.run([RIVUS, "sum", "/dev/stdin"], input=result.stdout, capture_output=True)
                    self.assertEqual((piped.returncode, piped.stdout), (0, b"-0.625\n"))

    def test_special_values(self):
        inf, nan = math.inf, math.nan
        for dtype, infinity, not_a_number in (("f32", "7f800000", "7fc00000"),
                                              ("f64", "7ff0000000000000", "7ff8000000000000")):
            form, descr = FORMATS[dtype], f"'<{dtype[0]}{int(dtype[1:]) // 8}'"
            for numbers, text, bits in (([], "0", "0" * len(infinity)), ([-0.0], "-0", "8" + "0" * (len(infinity) - 1)),
                                        ([1, inf], "inf", infinity), ([inf, -inf], "nan", not_a_number),
                                        ([nan, 1], "nan", not_a_number)):
                content = npy(struct.pack(f"<{len(numbers)}{form}", *numbers), descr=descr, shape=f"({len(numbers)},)")
                path = self.file("x.npy", content)
                with self.subTest(dtype=dtype, numbers=numbers):
                    self.assertEqual(output("sum", path).decode(), text + "\n")
                    self.assertEqual(self.hex("sum", path), bits)

    def test_whatever_numpy_reads(self):
        f32, f64 = struct.pack("<3f", 1, 2.5, 4), struct.pack("<3d", 1, 2.5, 4)
        f16 = struct.pack("<3e", 1, 2.5, 4)
        spaced = "{'descr':\r\n'<f4',\t'fortran_order': True,\f 'shape': (3,)}\r\n"
        for content in (npy(f32, descr="'f4'"), npy(f32, descr="'=f4'"), npy(f32, descr="'|f4'"), npy(f32, descr="'<f'"),
                        npy(f32, descr="'float32'"), npy(f64, descr="'<d'"), npy(f64, descr="'=f8'"),
                        npy(f64, descr="'f8'"), npy(f64, descr="'float64'"), npy(f16, descr="'<f2'"),
                        npy(f16, descr="'<e'"), npy(f16, descr="'float16'"), npy(struct.pack(">3e", 1, 2.5, 4), descr="'>f2'"),
                        npy(f32, dictionary=spaced), npy(f32, version=(2, 0)), npy(f32, version=(3, 0))):
            with self.subTest(content[:60]):
                path = self.file("x.npy", content)
                self.assertEqual(output("sum", path), b"7.5\n")
                self.assertEqual(output("sum", path, "--exact"), b"7.5\n")
                self.assertEqual(output("dot", path, path), b"23.25\n")
        for descr, data in (("'<f8'", f64[8:16]), ("'<f2'", f16[2:4])):
            self.assertEqual(output("sum", self.file("x.npy", npy(data, descr=descr, shape="()"))), b"2.5\n")
        self.assertEqual(output("sum", "--hex", self.file("x.npy", npy(f16, descr="'<f2'"))), b"4780\n")
        self.expect_error(["dot", self.file("x.npy", npy(f16, descr="'<f2'")), self.file("y.npy", npy(f64, descr="'<f8'"))],
                          1, ["f16", "f64"])

    def test_standard_input_and_output(self):
        draw = ["draw", "--dist", "normal", "--count", "100001", "--npy"]
        output(*draw, str(self.folder / "x.npy"))
        content = (self.folder / "x.npy").read_bytes()
        self.assertEqual(output(*draw, "-"), content)
        expected = output("sum", str(self.folder / "x.npy"))
        for stdin in (dict(input=content), dict(stdin=open(self.folder / "x.npy", "rb"))):
            with self.subTest(stdin.keys()):
                summed = subprocess.run([RIVUS, "sum", "-"], capture_output=True, check=True, **stdin)
                self.assertEqual(summed.stdout, expected)
                if "stdin" in stdin:
                    stdin["stdin"].close()
        broken = subprocess.run([RIVUS, "sum", "-"], input=content[:-1], capture_output=True)
        self.assertEqual((broken.returncode, broken.stdout), (1, b""))
        self.assertIn(b"standard input: truncated", broken.stderr)
        self.expect_error(["sum", ""], 2, ["FILE", "''"])
        self.expect_error(["dot", "-", ""], 2, ["FILE"])
        self.expect_error(["dot", "-", "-"], 2, ["FILE2", "once"])

    def test_malformed_files(self):
        data = bytes(12)
        good = npy(data)
        cases = {
            "empty": (b"", "empty"),
            "no magic": (b"PK\x03\x04 something", "not a NumPy file"),
            "text": (b"1.5\n2.5\n", "not a NumPy file"),
            "cut in the magic": (good[:4], "truncated within the magic"),
            "cut in the version": (good[:7], "truncated within the version"),
            "cut in the length": (good[:9], "truncated within the header's length"),
            "cut in the header": (good[:30], "truncated"),
            "cut in the data": (good[:-1], "truncated: the shape needs 12 bytes of data, 11 are there"),
            "no data": (good[:-12], "truncated"),
            "trailing bytes": (good + b"x", "1 bytes follow"),
            "version 0.0": (npy(data, version=(0, 0)), "version 0.0"),
            "version 1.1": (npy(data, version=(1, 1)), "version 1.1"),
            "version 9.0": (npy(data, version=(9, 0)), "version 9.0"),
            "header longer than the file": (npy(data, length=60000), "60000 bytes"),
            "header far too long": (npy(data, version=(2, 0), length=2**32 - 1), "4294967295 bytes"),
            "not a dictionary": (npy(data, dictionary="[1, 2]"), "malformed header"),
            "empty header": (npy(data, dictionary=""), "malformed header"),
            "empty dictionary": (npy(data, dictionary="{}"), "no key 'descr'"),
            "open dictionary": (npy(data, dictionary="{'descr': '<f4', "), "malformed header"),
            "open string": (npy(data, dictionary="{'descr': '<f4"), "malformed header"),
            "no shape": (npy(data, dictionary="{'descr': '<f4', 'fortran_order': False}"), "no key 'shape'"),
            "unknown key": (npy(data, dictionary="{'descr': '<f4', 'x': 1}"), "unknown key 'x'"),
            "key given twice": (npy(data, dictionary="{'descr': '<f4', 'descr': '<f4'}"), "'descr' given twice"),
            "order not a truth": (npy(data, dictionary="{'fortran_order': 0}"), "malformed header"),
            "text after": (npy(data, dictionary="{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x"), "malformed"),
            "NUL after": (npy(data, dictionary="{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}\0"), "malformed"),
            "shape a number": (npy(data, shape="3"), "malformed header"),
            "shape in brackets": (npy(data, shape="(3)"), "malformed header"),
            "shape negative": (npy(data, shape="(-3,)"), "malformed header"),
            "shape real": (npy(data, shape="(3.0,)"), "malformed header"),
            "shape without commas": (npy(data, shape="(3 4)"), "malformed header"),
            "two dimensions": (npy(data, shape="(3, 1)"), "shape (3, 1) has 2 dimensions"),
            "shape beyond 64 bits": (npy(data, shape="(18446744073709551616,)"), "too large"),
            "size beyond 64 bits": (npy(data, shape="(4611686018427387907,)"), "too large"),
            "shape far too large": (npy(data, shape="(1000000000000,)"), "truncated"),
            "i4": (npy(data, descr="'<i4'"), "dtype '<i4'"),
            "f16": (npy(data, descr="'<f16'"), "dtype '<f16'"),
            "no type": (npy(data, descr="''"), "dtype ''"),
            "order alone": (npy(data, descr="'='"), "dtype '='"),
            "two orders": (npy(data, descr="'<<f4'"), "dtype '<<f4'"),
            "objects": (npy(data, descr="'|O'"), "dtype '|O'"),
            "structure": (npy(data, descr="[('x', '<f4')]"), "structured"),
        }
        for name, (content, reason) in cases.items():
            with self.subTest(name):
                path = self.file("x y.npy", content)
                self.expect_error(["sum", path], 1, [path, reason])
                self.expect_error(["dot", path, path], 1, [path])
                # From a pipe, whose length nobody knows beforehand.
                piped = subprocess.run([RIVUS, "sum", "/dev/stdin"], input=content, capture_output=True)
                self.assertEqual((piped.returncode, piped.stdout), (1, b""))
                self.assertIn(b"/dev/stdin: ", piped.stderr)
        self.expect_error(["sum", "missing.npy"], 1, ["missing.npy", os.strerror(errno.ENOENT)], cwd=self.folder)
        self.expect_error(["sum", str(self.folder)], 1, [str(self.folder), os.strerror(errno.EISDIR)])

    def test_dot_of_unlike_files(self):
        a = self.file("a.npy", npy(bytes(12)))
        b = self.file("b.npy", npy(bytes(16), shape="(4,)"))
        c = self.file("c.npy", npy(bytes(24), descr="'<f8'"))
        self.expect_error(["dot", a, b], 1, [a, b, "3", "4"])
        self.expect_error(["dot", a, c], 1, [a, c, "f32", "f64"])
        self.expect_error(["dot", c, a], 1, [a, c, "f32", "f64"])


class Environment(CommandTest):
    def test_env(self):
        told = {"RIVUS_ISA": "scalar", "RIVUS_DETERMINISTIC": "warn", "OMP_NUM_THREADS": "3",
                "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
        environment = {k: v for k, v in os.environ.items() if k not in (*told, "OMP_DYNAMIC")}
        plain = json.loads(subprocess.run([RIVUS, "env"], env=environment, capture_output=True, check=True).stdout)
        self.assertEqual(list(plain), ["rivus", "contract", "compiler", "cpu", "isa", "threads", "system", "floating_point",
                                       "cuda", "variables"])
        self.assertEqual(f"rivus {plain['rivus']}\n", output("--version").decode())
        self.assertEqual(plain["contract"], 1)
        self.assertEqual(set(plain["compiler"]), {"name", "build_type", "flags"})
        self.assertRegex(plain["compiler"]["name"], r"(GCC|Clang) \d+")
        self.assertEqual(plain["cpu"]["architecture"], platform.machine())
        self.assertEqual(plain["isa"]["available"][0], "scalar")
        self.assertEqual(plain["isa"]["in_use"], plain["isa"]["available"][-1])
        self.assertEqual(plain["floating_point"], {"rounding": "to nearest", "flushes_subnormal_results": False,
                                                   "takes_subnormal_operands_for_zero": False})
        if plain["cuda"] is not None:
            self.assertEqual(list(plain["cuda"]), ["runtime", "driver", "kernel_module", "devices"])
        self.assertEqual(plain["variables"], dict.fromkeys(
            ["RIVUS_ISA", "RIVUS_DETERMINISTIC", "OMP_NUM_THREADS", "OMP_DYNAMIC", "CUBLAS_WORKSPACE_CONFIG"]))
        told_of = json.loads(subprocess.run([RIVUS, "env"], env={**environment, **told}, capture_output=True,
                                            check=True).stdout)
        self.assertEqual(told_of["variables"], {**plain["variables"], **told})
        self.assertEqual(told_of["isa"]["in_use"], "scalar")
        self.assertEqual(told_of["threads"], 3)

    def test_env_where_the_instruction_set_is_unknown(self):
        told = json.loads(output("env", environment={"RIVUS_ISA": "mmx"}))
        self.assertIsNone(told["isa"]["in_use"])
        self.assertIn("mmx", told["isa"]["error"])

    def test_verify(self):
        lines = output("verify", "--filter", "bits/u32").decode().splitlines()
        rows = [line for line in lines if "PASS" in line]
        for isa in instruction_sets():
            self.assertTrue(any(re.search(rf"\b{isa}\b", line) for line in rows), isa)
        self.assertFalse(any("FAIL" in line for line in lines))


class Operations(CommandTest):
    LEVELS = ["not_guaranteed", "run_to_run", "gpu_to_gpu", "everywhere"]

    def test_json(self):
        told = json.loads(output("ops", "--json"))
        names = [operation["name"] for operation in told]
        self.assertEqual(names, sorted(set(names)))
        self.assertLessEqual({"normal", "sum", "dot", "matmul"}, set(names))
        for operation in told:
            with self.subTest(operation["name"]):
                self.assertEqual(list(operation), ["name", "dtypes", "host", "cuda", "rule", "alternative"])
                self.assertTrue(operation["dtypes"])
                for side in ("host", "cuda"):
                    self.assertIn(operation[side], [*self.LEVELS, None])
                self.assertIn(operation["alternative"], [*names, None])

    def test_text(self):
        heading, *lines = output("ops").decode().splitlines()
        self.assertEqual(heading.split(), ["operation", "types", "host", "CUDA", "decided", "by", "alternative"])
        told = json.loads(output("ops", "--json"))
        self.assertEqual(len(lines), len(told))
        columns = [heading.index(word) for word in ("operation", "types", "host", "CUDA", "decided", "alternative")]
        for line, operation in zip(lines, told):
            cells = [line[begin:end].strip() for begin, end in zip(columns, [*columns[1:], None])]
            self.assertEqual(cells, [operation["name"], " ".join(operation["dtypes"]), operation["host"] or "-",
                                     operation["cuda"] or "-", operation["rule"], operation["alternative"] or ""])

    def test_page_is_current(self):
        page = Path(__file__).resolve().parent.parent / "docs" / "determinism.md"
        table = output("ops", "--markdown").decode()
        self.assertTrue(page.read_text(encoding="utf-8").endswith("\n\n" + table),
                        "docs/determinism.md has another table than `rivus ops --markdown`; run scripts/ops-page")
        self.assertEqual(table.count("\n| `"), len(json.loads(output("ops", "--json"))))

    def test_names_are_public(self):
        include = Path(__file__).resolve().parent.parent / "include" / "rivus"
        text = "\n".join(path.read_text(encoding="utf-8") for path in include.rglob("*.hpp"))
        for operation in json.loads(output("ops", "--json")):
            self.assertRegex(text, rf"\b{operation['name']}\b")

    def test_one_form_at_a_time(self):
        self.expect_error(["ops", "--json", "--markdown"], 2, ["--json", "--markdown"])


def device():
    """The environment in which the command finds a device, or why there is none."""
    told = run("draw", "--count", "1", "--device", "cuda")
    if told.returncode == 0:
        return {}
    stand_in = os.environ.get("RIVUS_TEST_CUDART")
    if stand_in and b"built without CUDA" not in told.stderr:
        return {"LD_PRELOAD": stand_in, "PTXRUN_APPROX": "1"}
    return told.stderr.decode().strip()


class Readme(CommandTest):
    def test_commands_of_the_readme(self):
        readme = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "README.md")
        with open(readme, encoding="utf-8") as file:
            block = file.read().split("## The command")[1].split("```")[1]
        commands = [line.split("#")[0].split() for line in block.splitlines() if line.startswith("rivus ")]
        self.assertGreaterEqual(len(commands), 5)
        with tempfile.TemporaryDirectory() as folder:
            for command in commands:
                # Training has tests of its own.
                if command[1] != "train":
                    output(*command[1:], cwd=folder)


class Device(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.device = device()
        if isinstance(cls.device, str):
            print(f"test_cli: nothing run on a device: {cls.device}")
            raise unittest.SkipTest(cls.device)

    def expect_same(self, *arguments):
        expected = output(*arguments)
        self.assertNotEqual(expected, b"")
        self.assertEqual(output(*arguments, "--device", "cpu"), expected)
        self.assertEqual(output(*arguments, "--device", "cuda", environment=self.device), expected)

    def test_draw(self):
        for dist, dtype, parameters in COMBINATIONS:
            for first in ("0", str(2**34 - 501), str(2**64 - 1003)):
                with self.subTest(dist=dist, dtype=dtype, parameters=parameters, first=first):
                    self.expect_same(*draw_arguments(dist, dtype, parameters), "--path", "a/7", "--seed", "0xfeedfeedfeed",
                                     "--first", first, "--count", "1003", "--hex")
        self.assertEqual(output("draw", "--count", "0", "--device", "cuda", environment=self.device), b"")

    def test_draw_of_more_than_one_buffer(self):
        arguments = ["draw", "--first", "5", "--count", str(2**20 + 77)]
        self.expect_same(*arguments, "--raw")
        for name in ("cpu", "cuda"):
            output(*arguments, "--npy", str(self.folder / name), "--device", name, environment=self.device)
        self.assertEqual((self.folder / "cpu").read_bytes(), (self.folder / "cuda").read_bytes())

    def test_sum_and_dot(self):
        for dtype in ("f32", "f64"):
            for n in (0, 1, 33, 2049, 300001):
                with self.subTest(dtype=dtype, n=n):
                    files = [str(self.folder / seed) for seed in "12"]
                    for seed, path in zip("12", files):
                        output(*draw_arguments("normal", dtype, []), "--seed", seed, "--count", str(n), "--npy", path)
                    self.expect_same("sum", files[0], "--hex")
                    self.expect_same("dot", *files, "--hex")
                    self.expect_same("sum", files[0], "--hex", "--exact")
                    self.expect_same("dot", *files, "--hex", "--exact")

    def test_verify(self):
        lines = output("verify", "--filter", "/f64", environment=self.device).decode().splitlines()
        rows = [line.split() for line in lines if " cuda " in line]
        self.assertEqual({row[-1] for row in rows}, {"PASS"})
        self.assertLessEqual({"uniform/f64", "normal-ms/f64", "sum/f64", "dot/f64", "matmul/f64", "scan/f64", "index-add/f64",
                              "histogram/f64", "softmax/f64"}, {row[0] for row in rows})
        self.assertIn("failed", lines[-1])
        self.assertIn(" 0 failed", lines[-1])

    def test_kernels_are_launched(self):
        if not self.device:
            print("test_cli: launches not counted: a device keeps no count of them")
            self.skipTest("a device keeps no count of launches")
        path = str(self.folder / "x.npy")
        output("draw", "--dist", "normal", "--count", "3000", "--npy", path)
        for arguments in (["draw", "--count", "9"], ["sum", path], ["dot", path, path]):
            told = run(*arguments, "--device", "cuda", environment={**self.device, "PTXRUN_TRACE": "1"})
            self.assertEqual(told.returncode, 0)
            self.assertIn(b"ptxrun: _ZN5rivus4cuda", told.stderr)


class NoDevice(CommandTest):
    def test_unknown_device(self):
        self.expect_error(["draw", "--count", "1", "--device", "gpu"], 2, ["--device", "'gpu'", "cpu, cuda"])

    def test_no_device(self):
        # Where there is one, the runtime is told to hide it.
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        path = str(self.folder / "x.npy")
        output("draw", "--dist", "normal", "--count", "3", "--npy", path)
        before = sorted(os.listdir(self.folder))
        for arguments in (["draw", "--count", "1"], ["draw", "--count", "1", "--npy", str(self.folder / "y.npy")],
                          ["sum", path], ["dot", path, path]):
            self.expect_error([*arguments, "--device", "cuda"], 1, ["--device cuda: ", "CUDA"], environment=hidden)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        told = output("verify", "--filter", "bits/u32", environment=hidden).decode()
        self.assertNotIn(" cuda ", told)
        self.assertRegex(told, r"(?m)^no rows for CUDA: [^\n]*CUDA")


class Result(unittest.TextTestResult):
    """Counts tests in which anything failed, however many of their parts did."""

    def bad(self):
        return {test.test_case.id() if hasattr(test, "test_case") else test.id()
                for test, _ in self.failures + self.errors}


def main():
    global RIVUS
    if len(sys.argv) < 2:
        sys.exit("usage: test_cli.py PATH/TO/rivus [TEST...]")
    RIVUS = os.path.abspath(sys.argv[1])
    if numpy is None:
        print("test_cli: files not read with NumPy as well: it is not installed")
    loader = unittest.defaultTestLoader
    here = sys.modules[__name__]
    suite = loader.loadTestsFromNames(sys.argv[2:], here) if sys.argv[2:] else loader.loadTestsFromModule(here)
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=Result).run(suite)
    failed = len(result.bad())
    skipped = f", {len(result.skipped)} skipped" if result.skipped else ""
    # A class skipped as a whole is not among those run.
    run_but_skipped = sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped)
    print(f"{result.testsRun - failed - run_but_skipped} passed, {failed} failed{skipped}")
    sys.exit(failed != 0)


main()
