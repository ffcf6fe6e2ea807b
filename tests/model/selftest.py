"""The model against published answers, and its arithmetic against this machine's."""

import math
import random
import struct
from fractions import Fraction

from ieee import f32, f64
from values import (REALS, Stream, bernoulli, philox4x32_10, philox4x32_10_inverse, place_of_block,
                    threefry4x32_20)

ONES = (0xFFFFFFFF,) * 4
PI_COUNTER = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
PI_KEY = (0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89)


def words(text):
    return tuple(int(w, 16) for w in text.split())


def known_answers():
    """Salmon et al.'s vectors, and the 10000th value of C++26's philox4x32."""
    zeros = (0,) * 4
    yield philox4x32_10(*zeros, 0, 0) == words("6627e8d5 e169c58d bc57ac4c 9b00dbd8")
    yield philox4x32_10(*ONES, *ONES[:2]) == words("408f276d 41c83b0e a20bc7c6 6d5451fd")
    yield philox4x32_10(*PI_COUNTER, *PI_KEY[:2]) == words("d16cfe09 94fdcceb 5001e420 24126ea1")
    yield philox4x32_10_inverse(*philox4x32_10(*PI_COUNTER, *PI_KEY[:2]), *PI_KEY[:2]) == PI_COUNTER
    yield threefry4x32_20(*zeros, *zeros) == words("9c6ca96a e17eae66 fc10ecd4 5256a7d8")
    yield threefry4x32_20(*ONES, *ONES) == words("2a881696 57012287 f6c7446e a16a6732")
    yield threefry4x32_20(*PI_COUNTER, *PI_KEY) == words("59cd1dbb b8879579 86b5d00c ac8b6d84")
    # The engine's default seed is 20111115, its counter begins at 0: word 9999 of that root stream.
    yield Stream(20111115).words(9999, 1)[0] == 1955073260


def patterns(f, random_bits, count):
    """Bit patterns near all edges."""
    edges = [0, 1, 2, f.fraction_mask, f.fraction_mask + 1, f.one - 1, f.one, f.one + 1, f.infinity - 1]
    for _ in range(count):
        if random_bits.random() < 0.2:
            b = random_bits.choice(edges)
        elif random_bits.random() < 0.5:
            b = f.one + random_bits.randrange(-4 << f.fraction_bits, 4 << f.fraction_bits)
        else:
            b = random_bits.randrange(f.infinity)
        yield b | (f.sign if random_bits.random() < 0.5 else 0)


def to_float(f, b):
    return struct.unpack("<f" if f is f32 else "<d", b.to_bytes(f.bytes, "little"))[0]


def from_float(f, x):
    if f is f32:
        try:
            return int.from_bytes(struct.pack("<f", x), "little")
        except OverflowError:
            return f.infinity | (f.sign if x < 0 else 0)
    return int.from_bytes(struct.pack("<d", x), "little")


def nearest(f, exact):
    """The bits of the format's number nearest to a Fraction, by comparison with its neighbours."""
    sign, exact = (f.sign, -exact) if exact < 0 else (0, exact)
    low, high = 0, f.infinity
    largest = Fraction(f.decode(f.infinity - 1)[0]) * 2 ** f.decode(f.infinity - 1)[1]

    def value(b):
        m, e = f.decode(b)
        return Fraction(m) * Fraction(2) ** e

    if exact > largest + (largest - value(f.infinity - 2)):
        return sign | f.infinity
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) <= exact else (low, middle)
    below, above = exact - value(low), value(high) - exact  # decode takes infinity for 2^(emax + 1)
    if below < above or (below == above and low % 2 == 0):
        return sign | low
    return sign | high


def arithmetic():
    generator = random.Random(1)
    for f in (f32, f64):
        for a, b in zip(patterns(f, generator, 4000), patterns(f, generator, 4000)):
            x, y = to_float(f, a), to_float(f, b)
            # f32 through f64: rounding twice is innocuous for +, *, / and sqrt.
            yield f.add_bits(a, b) == from_float(f, x + y)
            # a product is an fma with a zero of its own sign
            yield f.fma_bits(a, b, (a ^ b) & f.sign) == from_float(f, x * y)
            if b & ~f.sign and a & ~f.sign:
                try:
                    quotient = x / y
                except OverflowError:
                    quotient = math.copysign(math.inf, x) * math.copysign(1, y)
                yield same_magnitude_bits(f, f.div(f.decode(a), f.decode(b)), from_float(f, quotient))
            if not a & f.sign:
                yield f.encode(f.sqrt(f.decode(a))) == from_float(f, math.sqrt(x))
        for a, b, c in zip(*(patterns(f, generator, 1500) for _ in range(3))):
            if generator.random() < 0.5:  # cancellation
                c = f.fma_bits(a, b, 0) ^ f.sign
                if not f.is_finite(c):
                    continue
            exact = Fraction(*fraction(f, a)) * Fraction(*fraction(f, b)) + Fraction(*fraction(f, c))
            r = f.fma_bits(a, b, c)
            if exact:
                yield r == nearest(f, exact)
            else:
                yield r & ~f.sign == 0
    yield f32.literal("-0x1.8p1") == from_float(f32, -3.0)
    yield f64.literal("0x1.999999999999ap-4") == from_float(f64, 0.1)


def same_magnitude_bits(f, pair, bits):
    return f.encode(pair, negative_zero=bool(bits & f.sign)) == bits


def fraction(f, b):
    m, e = f.decode(b)
    return (m << e, 1) if e >= 0 else (m, 1 << -e)


def functions():
    """The transcendental functions within a few units of the C library's: a slip in a coefficient shows."""
    for f, tolerance in ((f32, 2.0**-21), (f64, 2.0**-49)):
        reals, s = REALS[f], Stream(3)
        for w in s.bits(f.width, 0, 500) + [0, 1, (1 << f.width) - 1, 3 << (f.width - 2), 1 << (f.width - 1)]:
            fraction_of_word = Fraction(2 * w + 1, 2 << f.width)
            if 2 * fraction_of_word < 1:
                expected = -math.log(fraction_of_word)
            else:
                expected = -math.log1p(-float(1 - fraction_of_word))
            m, e = reals.minus_log(w)
            yield abs(math.ldexp(m, e) - expected) <= tolerance * expected
            sin, cos = reals.sin_cos(w)
            angle = 2 * math.pi * float(fraction_of_word)
            yield abs(math.ldexp(*sin) - math.sin(angle)) <= 2 * tolerance
            yield abs(math.ldexp(*cos) - math.cos(angle)) <= 2 * tolerance
        for x in (-80.25, -3.7, -0.01, 0.0, 0.3, 5.5, 88.0):
            y = to_float(f, reals.exp(from_float(f, x)))
            yield abs(y - math.exp(to_float(f, from_float(f, x)))) <= tolerance * y


def events():
    """Bernoulli draws against one comparison of fractions, at words that equal the first digits of p."""
    places = 34  # digits of the smallest p; a uniform that goes on after them is as much below p as its first ones

    def agree(p, s, i):
        u = sum(Fraction(s.redraw(t).words(i, 1)[0] if t else s.words(i, 1)[0], 1 << 32 * (t + 1))
                for t in range(places))
        return bernoulli(p.as_integer_ratio(), s, i, 1) == [int(u < Fraction(p))]

    generator = random.Random(2)
    fixed = [0.0, 1.0, 0.5, 0.1, 1e-9, 1e-12, math.ldexp(1, -32), math.ldexp(1, -33), math.ldexp(1, -1074),
             math.nextafter(1, 0), math.nextafter(math.ldexp(1, -32), 0)]
    for word in (0, 1, 2, 0xFFFFFFFF, 0x80000000, generator.getrandbits(32)):
        for lane in range(4):
            block = [generator.getrandbits(32) for _ in range(4)]
            block[lane] = word
            s, b = place_of_block(block, 2**62)
            i = 4 * b + lane
            yield s.words(i, 1) == [word]
            second = s.redraw(1).words(i, 1)[0]
            # All around the word alone, then around the word and the next digit as far as 53 bits reach.
            near = [math.ldexp(word + part, -32) for part in (0, 2**-21, 2**-20, 0.5, 1 - 2**-20, 1)]
            whole = word << 32 | second
            near += [math.ldexp(whole >> k << k, -64) for k in (0, 11, 12, 20)]
            near += [math.nextafter(p, side) for p in near for side in (0, 1)]
            for p in near + fixed:
                if 0 <= p <= 1:
                    yield agree(p, s, i)
    # Three digits: 0, then one of 32 bits, then one that 21 bits can express.
    for k in range(1 << 20):
        s, b = place_of_block((0, 1, 2, k), 2**62)
        second, third = (s.redraw(t).words(4 * b, 1)[0] for t in (1, 2))
        if second >> 31 == 1 and third & 0x7FF == 0:
            break
    whole = second << 32 | third
    for p, expected in ((whole, 0), (whole + 0x800, 1), (whole - 0x800, 0)):
        yield bernoulli((p, 1 << 96), s, 4 * b, 1) == [expected]
        yield agree(math.ldexp(p, -96), s, 4 * b)


def run():
    failed = 0
    for group in (known_answers, arithmetic, functions, events):
        results = list(group())
        bad = results.count(False)
        print("%s: %d checks, %d failed" % (group.__name__, len(results), bad))
        failed += bad
    return 1 if failed else 0
