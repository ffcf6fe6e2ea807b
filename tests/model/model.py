#!/usr/bin/env python3
"""A model of rivus that shares no code with it: the values of docs/spec.md, in exact integer arithmetic.

  model.py --selftest     compare the model with published answers and with this machine's arithmetic
  model.py --check FILE   the same, then recompute every digest in FILE (tools/frozen_digests.inc);
                          exit 1 when one differs
  model.py --freeze FILE  write FILE, which must not exist
"""

import argparse
import os
import re
import sys

import selftest
from ieee import bf16, f16, f32, f64
from values import (CHUNK, M32, M64, REALS, Stream, below, bernoulli, chunks, combine, digest, dot_chunk, dot_v1,
                    exact_sum, histogram, integer, l2_norm, layer_norm, matmul_v1, partial_bytes, place_of_block,
                    product_v1, scan_v1, scatter, shuffle, softmax, sum_chunk, sum_of_16_bits, sum_v1, uniform,
                    uniform_ab, uniform_oc, uniform_oo)

SMALL = 4099
LARGE = 70001  # enough for several threads


def row_stream(name):
    return Stream(0x123456789ABCDEF0).child("verify").child(name)


def windows(name, size):
    """Stream, first element and count: where fills could go wrong."""
    s = row_stream(name)
    return [
        (s, 0, size),
        (s, 12345677, 1021),
        (s, 2**33 - 257, 515),  # block 2^32 of 64-bit elements
        (s, 2**34 - 258, 519),  # block 2^32 of 32-bit elements
        (s, 2**64 - 1003, 1003),
        (Stream(M64).lane(2**63 + 5), 7, 611),
    ]


def extra_window(name):
    """Of the further parameter sets of a row."""
    return row_stream(name), 3, 269


def edge_words(width, precision):
    """Words at which a step of some distribution changes its course, or ties in a rounding."""
    words = []
    for k in range(width):
        words += [2**k - 1, 2**k, 2**k + 1, 2**width - 2**k - 1, 2**width - 2**k]
    for k in range(precision, width):
        words += [2**k + 2**(k - precision), 2**k + 3 * 2**(k - precision)]
    for eighth in range(8):
        words += [(eighth << (width - 3)) + d for d in (-1, 0, 1)]
    return [w & ((1 << width) - 1) for w in words]


def edge_windows(width):
    """One block each whose words are edges."""
    edges = edge_words(width, 24 if width == 32 else 53)
    result = []
    for j in range(len(edges)):
        at = (j, 7 * j + 3, 11 * j + 5, 13 * j + 1)
        chosen = [edges[a % len(edges)] for a in at[:128 // width]]
        block = chosen if width == 32 else [half for w in chosen for half in (w & M32, w >> 32)]
        s, b = place_of_block(block, 2**64 // len(chosen))
        result.append((s, b * len(chosen), len(chosen)))
    return result


EDGE_WINDOWS = {width: edge_windows(width) for width in (32, 64)}


def joined(values, size):
    mask = (1 << 8 * size) - 1
    return b"".join((v & mask).to_bytes(size, "little") for v in values)


def fill_row(size, count, draws):
    """A row of fills: the first draw over all windows, others over the extra window, all over the edges.

    A draw is the width of its words and a function of stream, first element and count.
    """
    def compute(name):
        parts = []
        for k, (width, function) in enumerate(draws):
            chosen = [extra_window(name)] if k else windows(name, count)
            parts += [joined(function(*w), size) for w in chosen + EDGE_WINDOWS[width]]
        return b"".join(parts)
    return compute


def bits_row(width):
    return fill_row(width // 8, LARGE, [(width, lambda s, first, n: s.bits(width, first, n))])


def real_row(f, count, function, parameters=((),)):
    def draw(literals):
        values = [f.literal(x) for x in literals]
        return f.width, lambda s, first, n: function(*values, s, first, n)
    return fill_row(f.bytes, count, [draw(p) for p in parameters])


def with_format(f, function):
    return lambda *arguments: function(f, *arguments)


def integer_row(width, count, bounds):
    def draw(lo, hi):
        return 32 if hi - lo <= 2**20 else 64, lambda s, first, n: integer(lo, hi, s, first, n)
    return fill_row(width // 8, count, [draw(*b) for b in bounds])


UNIFORM_AB = {
    f32: [("-0x1.333334p-2", "0x1.11999ap4"), ("0x1p0", "0x1.000006p0"), ("0x1p24", "0x1.000004p24"),
          ("-0x1p0", "0x0p0"), ("-0x1p-3", "-0x0p0"), ("-0x0p0", "0x1p0"),
          ("-0x1.fffffep126", "0x1.fffffep126"), ("-0x1.8p-148", "0x1.4p-147"), ("0x1.fffffep-1", "0x1p0")],
    f64: [("-0x1.3333333333333p-2", "0x1.119999999999ap4"), ("0x1p0", "0x1.0000000000003p0"),
          ("0x1p53", "0x1.0000000000002p53"), ("-0x1p0", "0x0p0"), ("-0x1p-3", "-0x0p0"), ("-0x0p0", "0x1p0"),
          ("-0x1.fffffffffffffp1022", "0x1.fffffffffffffp1022"), ("-0x1.8p-1073", "0x1.4p-1072"),
          ("0x1.fffffffffffffp-1", "0x1p0")],
}
NORMAL_MS = {
    f32: [("-0x1.59999ap1", "0x1.99999ap-4"), ("0x0p0", "0x1p-140"), ("0x1.c363ccp127", "0x1.2ced32p126"),
          ("0x1.4p2", "0x0p0"), ("0x0p0", "0x0p0"), ("-0x0p0", "0x0p0"), ("-0x0p0", "0x1p0")],
    f64: [("-0x1.599999999999ap1", "0x1.999999999999ap-4"), ("0x0p0", "0x1p-1070"),
          ("0x1.c363cbf21f28ap1023", "0x1.2ced32a16a1b1p1022"), ("0x1.4p2", "0x0p0"), ("0x0p0", "0x0p0"),
          ("-0x0p0", "0x0p0"), ("-0x0p0", "0x1p0")],
}
EXPONENTIAL_RATE = {
    f32: [("0x1.333334p-2",), ("0x1.8p127",), ("0x1p-127",), ("0x1.99999ap3",)],
    f64: [("0x1.3333333333333p-2",), ("0x1.8p1023",), ("0x1p-1023",), ("0x1.999999999999ap3",)],
}
# The last four begin with two digits that an element of an edge window has as well.
PROBABILITIES = ["0x1.3333333333333p-2", "0x0p0", "0x1p0", "0x1p-1", "0x1p-33", "0x1.fffffffffffffp-34",
                 "0x1.fffffffep-1", "0x1.ffffffff8p-1", "0x1.fffffffefp-1", "0x1.fffffffffffffp-1", "0x1p-32",
                 "0x1.999999999999ap-4", "0x1.12e0be826d695p-30", "0x1.19799812dea11p-40", "0x1p-1074",
                 "0x1.c4003c1p-33", "0x1.c4003c1000001p-33", "0x1.c4003c11a7a93p-33", "0x1.c4003c11a7a94p-33"]


def bernoulli_row(name):
    def draw(text):
        m, e = f64.hex(text)
        p = (m, 1 << -e) if e < 0 else (m << e, 1)
        return 32, lambda s, first, n: bernoulli(p, s, first, n)
    return fill_row(1, LARGE, [draw(p) for p in PROBABILITIES])(name)


BOUNDS = [1, 2, 3, 1000, 2**20 - 1, 2**20, 2**20 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**63 + 1,
          3 * 2**62, 2**64 - 1, 2**64]


def below_row(name):
    s = row_stream(name)
    values = []
    for n in BOUNDS:
        values += [below(s, i, n) for i in range(100)]
        values += [below(s, i, n) for i in range(2**64 - 20, 2**64)]
    return joined(values, 8)


def shuffle_row(name):
    values = []
    for n in (0, 1, 2, 3, 10, 1000, 5000):
        values += shuffle(list(range(n)), row_stream(name).child(n))
    return joined(values, 4)


SEEDS = [0, 1, 42, 2**32, 2**63, 2**64 - 1]
NUMBERS = [0, 1, 2, 17, 2**32 - 1, 2**32, 2**63, 2**64 - 1, -1]
NAMES = ["", "0", "1", "17", "017", "00", "+1", "-1", "1.0", "1e3", " 1", "18446744073709551615",
         "18446744073709551616", "99999999999999999999", "100000000000000000000", "a", "ab", "abc", "abcd",
         "dropout", "init/conv1.weight", "elevenbytes", "twelve bytes", "thirteenbytes",
         "twenty-three bytes long", "twenty-four bytes long!!", "twenty-five bytes long!!!", "größe", "重み/層",
         " a name with spaces ", "a\0b",
         "a name that is much longer than any twelve bytes, and which has one hundred and some bytes in all: "
         "0123456789"]
LANES = [0, 1, 2**32, 2**63 + 5, 2**64 - 1]


def tree_row(_):
    streams = []
    for seed in SEEDS:
        root = Stream(seed)
        streams.append(root)
        streams += [root.child(i) for i in NUMBERS]
        streams += [root.child(n) for n in NAMES]
        streams += [root.child("lanes").lane(j) for j in LANES]
        streams += [root.redraw(t) for t in (1, 2, 128)]
    s = Stream(7)
    for i in range(1000):
        s = s.child(i).child("next")
        streams.append(s)
    return b"".join(t.bytes() + joined(t.words(2, 3), 4) for t in streams)


LENGTHS = [0, 1, 2, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049, 3 * 2048 + 17]
LONG = 2048 * 2048 + 3 * 2048 + 17
PERIOD = 7 * 2048


def specials(f):
    """Vectors with zeros, infinities, NaNs and overflow."""
    one, inf, nan, sign = f.one, f.infinity, f.nan, f.sign
    largest, least = inf - 1, 1
    return [
        [sign], [sign] * 70, [0, sign], [sign] * 2049, [inf, one], [one, sign | inf], [inf, sign | inf],
        [nan | 5, one], [sign | nan | 1], [inf | 1], [largest, largest], [sign | largest] * 33,
        [largest] * 16 + [sign | largest] * 16, [least] * 100, [one, sign | one],
        [one] * 2048 + [sign | one] * 2048,
    ]


def inputs(f, name):
    s = row_stream(name)
    x = uniform_ab(f, f.sign | f.one, f.one, s.child("x"), 0, PERIOD)
    y = REALS[f].normal(s.child("y"), 0, PERIOD)
    return x, y


def repeated(results, last):
    """The chunk results of LONG elements that repeat every PERIOD elements, the last chunk being partial."""
    whole = LONG // 2048
    return [results[c % len(results)] for c in range(whole)] + [last]


def sum_row(f):
    def compute(name):
        x, _ = inputs(f, name)
        values = [sum_v1(f, x[:n]) for n in LENGTHS]
        values += [sum_v1(f, x[1:1 + n]) for n in LENGTHS]
        rest = LONG % 2048
        at = LONG // 2048 * 2048 % PERIOD
        results = [sum_chunk(f, c) for c in chunks(x)]
        values.append(combine(f, repeated(results, sum_chunk(f, x[at:at + rest]))))
        values += [sum_v1(f, v) for v in specials(f)]
        return joined(values, f.bytes)
    return compute


def dot_row(f):
    def compute(name):
        x, y = inputs(f, name)
        values = [dot_v1(f, x[:n], y[:n]) for n in LENGTHS]
        values += [dot_v1(f, x[1:1 + n], y[2:2 + n]) for n in LENGTHS]
        rest = LONG % 2048
        at = LONG // 2048 * 2048 % PERIOD
        results = [dot_chunk(f, a, b) for a, b in zip(chunks(x), chunks(y))]
        values.append(combine(f, repeated(results, dot_chunk(f, x[at:at + rest], y[at:at + rest]))))
        for v in specials(f):
            values.append(dot_v1(f, v, [f.one] * len(v)))
            values.append(dot_v1(f, v, [0] * len(v)))
            values.append(dot_v1(f, [f.sign | f.one] * len(v), v))
        return joined(values, f.bytes)
    return compute


SHAPES = [(1, 1, 1), (5, 0, 3), (3, 5, 7), (17, 33, 29), (64, 40, 48), (9, 300, 19), (1, 257, 33),
          (33, 64, 1)]
BIG_SHAPE = (203, 577, 191)  # rows of a repeat every 11, columns of b every 13


def matmul_row(f):
    def compute(name):
        x, y = inputs(f, name)
        values = []
        # Row-major x times row-major y, then both stored column by column.
        for m, k, n in SHAPES:
            a = [x[i * k:(i + 1) * k] for i in range(m)]
            b = [y[j:k * n:n] for j in range(n)]
            for row in matmul_v1(f, a, b):
                values += row
            a = [x[i:m * k:m] for i in range(m)]
            b = [y[j * k:(j + 1) * k] for j in range(n)]
            for row in matmul_v1(f, a, b):
                values += row
        m, k, n = BIG_SHAPE
        c = matmul_v1(f, [x[i * k:(i + 1) * k] for i in range(11)], [y[j * k:(j + 1) * k] for j in range(13)])
        for i in range(m):
            values += [c[i % 11][j % 13] for j in range(n)]
        for v in specials(f):
            values.append(matmul_v1(f, [v], [[f.one] * len(v)])[0][0])
            values.append(matmul_v1(f, [v], [[0] * len(v)])[0][0])
        # Other blocks: of one step, of no power of two, and one for all.
        for block in (1, 3, 100, 600):
            values.append(matmul_v1(f, [x[:577]], [y[:577]], block)[0][0])
        return joined(values, f.bytes)
    return compute


def factors(f, name):
    """So near to 1 that a product of thousands is a number."""
    return uniform_ab(f, f.literal("0x1.cp-1"), f.literal("0x1.2p0"), row_stream(name).child("f"), 0, PERIOD)


def product_row(f):
    def compute(name):
        x = factors(f, name)
        values = [product_v1(f, x[:n]) for n in LENGTHS]
        values += [product_v1(f, x[1:1 + n]) for n in LENGTHS]
        values += [product_v1(f, v) for v in specials(f)]
        return joined(values, f.bytes)
    return compute


def narrow_sum_row(f):
    def compute(name):
        x, _ = inputs(f32, name)
        x = [f32.converted(b, f) for b in x]
        values = [sum_of_16_bits(f, x[at:at + n]) for at in (0, 1) for n in LENGTHS]
        values += [sum_of_16_bits(f, v) for v in specials(f)]
        return joined(values, f.bytes)
    return compute


def l2_norm_row(f):
    def compute(name):
        g = f64 if f is f64 else f32
        x, y = ([g.converted(b, f) for b in v] for v in inputs(g, name))
        # Whose squares overflow.
        large = [f.infinity - 1 - (b & (f.infinity >> 4)) for b in x[:64]]
        values = [l2_norm(f, v[:n]) for v in (x, y) for n in LENGTHS]
        values += [l2_norm(f, v) for v in specials(f) + [large]]
        return joined(values, f.bytes)
    return compute


def scan_row(f):
    def compute(name):
        x, _ = inputs(f, name)
        a = factors(f, name)
        values = []
        for n in (0, 1, 33, 2049, 3 * 2048 + 17):
            values += scan_v1(f, x[:n], f.add_bits)
            values += scan_v1(f, x[:n], f.add_bits, 0)
            values += scan_v1(f, a[:n], f.mul_bits)
            values += scan_v1(f, a[:n], f.mul_bits, f.one)
        for v in specials(f):
            values += scan_v1(f, v, f.add_bits)
            values += scan_v1(f, v, f.mul_bits, f.one)
        # The last value of each chunk of LONG elements that repeat every PERIOD elements, some blocks long.
        totals = [scan_v1(f, c, f.add_bits)[-1] for c in chunks(x)]
        at = block = None
        for c in range(LONG // CHUNK):
            if c and c % 512 == 0:
                block, at = values[-1], None
            at = totals[c % len(totals)] if at is None else f.add_bits(at, totals[c % len(totals)])
            values.append(at if block is None else f.add_bits(block, at))
        return joined(values, f.bytes)
    return compute


def contributions(name):
    s = row_stream(name).child("ids")
    return integer(0, 97, s, 0, 5000), [3] * 2049 + [0, 96, 3]


def index_add_row(f):
    def compute(name):
        x, y = inputs(f, name)
        out = y[:97]
        for ids in contributions(name):
            out = scatter(f, out, ids, x)
        return joined(out + scatter(f, [f.sign, f.infinity, 0], [0, 1, 1, 2], [f.sign, f.one, f.infinity | f.sign, f.sign]),
                      f.bytes)
    return compute


def segment_sum_row(f):
    def compute(name):
        x, _ = inputs(f, name)
        values = []
        for ids in contributions(name):
            values += scatter(f, [0] * 97, ids, x)
        return joined(values, f.bytes)
    return compute


def histogram_row(f):
    def compute(name):
        x, _ = inputs(f, name)
        counts = []
        half = f.one - (1 << f.fraction_bits)
        for bins in (1, 7, 100, 1000):
            counts += histogram([f.converted(b, f64) for b in x[:3000]], f64.sign | f64.one, f64.one, bins)
            counts += histogram([f.converted(b, f64) for b in x[:3000]], f.converted(f.sign | half, f64), 0, bins)
        for bins in (100, 997):
            ends = [f64.encode((i, 0)) for i in range(bins + 1)]
            counts += histogram(ends, 0, ends[-1], bins)
        if f is f64:
            large = [f.mul_bits(b, f.literal("0x1p1022")) for b in x[:3000]]
            counts += histogram(large, f.literal("-0x1p1022"), f.literal("0x1p1022"), 100)
        return joined(counts, 8)
    return compute


def exact_sum_row(f):
    def compute(name):
        x, y = inputs(f, name)
        values = [exact_sum(f, x[:n]) for n in LENGTHS]
        values += [exact_sum(f, v) for v in specials(f)]
        # What cancels, but for a small rest.
        rest = [f.mul_bits(b, f.literal("0x1p-60")) for b in y[:100]]
        values.append(exact_sum(f, x + rest + [b ^ f.sign for b in x]))
        return joined(values, f.bytes)
    return compute


COLUMNS = (1, 5, 33, 2049)


def softmax_row(f):
    def compute(name):
        _, y = inputs(f, name)
        return joined([b for n in COLUMNS for b in softmax(f, y[:n])], f.bytes)
    return compute


def layer_norm_row(f):
    def compute(name):
        x, y = inputs(f, name)
        values = []
        for n in COLUMNS:
            normalised, mean, reciprocal = layer_norm(f, y[:n], x[:n], x[n:2 * n], f.literal("0x1p-20"))
            values += normalised + [mean, reciprocal]
        return joined(values, f.bytes)
    return compute


CUTS = ((0, 5000), (5000, 5100), (100, 2048), (2048, 4096), (1000, 14000), (6 * 2048, 6 * 2048 + 1), (77, 77))


def partial_row(f):
    def compute(name):
        x, y = inputs(f, name)
        data = b""
        for a, b in CUTS:
            for kind in ("sum", "l2_norm", "product", "dot") + (("argmax",) if b > a else ()):
                data += partial_bytes(f, kind, a, x[a:b], y[a:b] if kind == "dot" else ())
        return data
    return compute


EXP_RANGES = {f32: [("-0x1.a8p6", "0x1.68p6"), ("-0x1p-1", "0x1p-1"), ("-0x1p-20", "0x1p-20")],
              f64: [("-0x1.78p9", "0x1.64p9"), ("-0x1p-1", "0x1p-1"), ("-0x1p-40", "0x1p-40")]}


def exp_row(f):
    def compute(name):
        s = row_stream(name)
        x = []
        for a, b in EXP_RANGES[f]:
            x += uniform_ab(f, f.literal(a), f.literal(b), s, 0, 2000)
        largest, smallest = (f.encode(c) for c in REALS[f].exp_constants[:2])
        for b in (0, 1, f.one, f.infinity - 1, f.infinity, f.nan | 5, f.infinity | 1):
            x += [b, f.sign | b]
        for edge in (largest, smallest):
            x += [edge - 1, edge, edge + 1]
        return joined([REALS[f].exp(b) for b in x], f.bytes)
    return compute


def table():
    both = (("f32", f32), ("f64", f64))
    rows = [("bits/u32", bits_row(32)), ("bits/u64", bits_row(64))]

    def reals(name, make):
        rows.extend((name + "/" + type_name, make(f)) for type_name, f in both)

    reals("uniform", lambda f: real_row(f, LARGE, with_format(f, uniform)))
    reals("uniform-ab", lambda f: real_row(f, SMALL, with_format(f, uniform_ab), UNIFORM_AB[f]))
    reals("uniform-oc", lambda f: real_row(f, SMALL, with_format(f, uniform_oc)))
    reals("uniform-oo", lambda f: real_row(f, SMALL, with_format(f, uniform_oo)))
    reals("normal", lambda f: real_row(f, LARGE, REALS[f].normal))
    reals("normal-ms", lambda f: real_row(f, SMALL, REALS[f].normal_ms, NORMAL_MS[f]))
    reals("exponential", lambda f: real_row(f, LARGE, REALS[f].exponential))
    reals("exponential-rate", lambda f: real_row(f, SMALL, REALS[f].exponential_rate, EXPONENTIAL_RATE[f]))
    rows.append(("bernoulli/u8", bernoulli_row))
    # 2^32 mod 1048321 and 2^64 mod (2^63 + 1) are large, so that many words are refused.
    rows += [
        ("randint/i32", integer_row(32, LARGE, [
            (-1000, 1047321), (0, 1), (-5, 2**20 - 5), (-2**31, -2**31 + 3)])),
        ("randint-wide/i32", integer_row(32, SMALL, [
            (-2**31, 2**31 - 1), (0, 2**20 + 1), (-3 * 2**29, 3 * 2**29)])),
        ("randint/i64", integer_row(64, SMALL, [
            (-7, 1048314), (2**63 - 3, 2**63 - 1), (-2**63, -2**63 + 2**20)])),
        ("randint-wide/i64", integer_row(64, SMALL, [
            (-2**63, 2**62), (-2**63, 1), (-2**63, 2**63 - 1), (0, 2**40)])),
        ("randint/u32", integer_row(32, SMALL, [
            (0, 6), (5, 2**32 - 1), (2**32 - 2, 2**32 - 1)])),
        ("randint/u64", integer_row(64, SMALL, [
            (0, 10), (0, 2**64 - 1), (2**63 - 1, 2**64 - 1), (2**64 - 9, 2**64 - 1)])),
        ("below/u64", below_row),
        ("shuffle/u32", shuffle_row),
        ("stream/tree", tree_row),
    ]
    reals("sum", sum_row)
    reals("dot", dot_row)
    reals("matmul", matmul_row)
    reals("exp", exp_row)
    narrow = (("f16", f16), ("bf16", bf16))
    reals("product", product_row)
    rows.extend(("sum/" + type_name, narrow_sum_row(f)) for type_name, f in narrow)
    rows.extend(("l2-norm/" + type_name, l2_norm_row(f)) for type_name, f in narrow + both)
    reals("scan", scan_row)
    reals("index-add", index_add_row)
    reals("segment-sum", segment_sum_row)
    reals("histogram", histogram_row)
    reals("exact-sum", exact_sum_row)
    reals("softmax", softmax_row)
    reals("layer-norm", layer_norm_row)
    reals("partial", partial_row)
    return rows


def compute(progress):
    for name, row in table():
        value = digest(row(name))
        if progress:
            print(name, value, flush=True)
        yield name, value


def freeze(path):
    if os.path.exists(path):
        sys.exit("model.py: %s exists. A frozen digest is never regenerated to make a test pass; to break "
                 "values on purpose, delete the file by hand and say so under \"Values\" in CHANGELOG.md." % path)
    lines = ['{"%s", "%s"},\n' % row for row in compute(True)]
    with open(path, "x", encoding="ascii") as out:
        out.write("// Written once, by model.py --freeze; never regenerated to make a test pass.\n")
        out.writelines(lines)
    return 0


def check(path):
    try:
        with open(path, encoding="ascii") as file:
            frozen = re.findall(r'^\{"(.*)", "([0-9a-f]{32})"\},$', file.read(), re.M)
    except OSError as error:
        sys.exit("model.py: cannot read %s: %s" % (path, error.strerror))
    computed = list(compute(False))
    wrong = 0
    if [name for name, _ in frozen] != [name for name, _ in computed]:
        print("the rows of %s are not those of the model" % path)
        wrong += 1
    frozen = dict(frozen)
    for name, value in computed:
        if frozen.get(name) != value:
            print("%s: model %s, file %s" % (name, value, frozen.get(name, "(none)")))
            wrong += 1
    print("%d digests compared, %d differences" % (len(computed), wrong))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description="An independent model of rivus's values.")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--selftest", action="store_true", help="check the model itself")
    group.add_argument("--check", metavar="FILE", help="recompute the digests in FILE")
    group.add_argument("--freeze", metavar="FILE", help="write FILE, which must not exist")
    options = parser.parse_args()
    if options.selftest:
        return selftest.run()
    if options.freeze:
        return selftest.run() or freeze(options.freeze)
    return selftest.run() or check(options.check)


if __name__ == "__main__":
    sys.exit(main())
