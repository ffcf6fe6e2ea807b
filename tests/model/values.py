"""Streams, distributions and reductions, one element at a time, from docs/spec.md alone."""

from ieee import f32, f64

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF


# Section 1: words and streams.

def philox4x32_10(x0, x1, x2, x3, k0, k1):
    for _ in range(10):
        p = 0xD2511F53 * x0
        q = 0xCD9E8D57 * x2
        x0, x1, x2, x3 = q >> 32 ^ x1 ^ k0, q & M32, p >> 32 ^ x3 ^ k1, p & M32
        k0 = k0 + 0x9E3779B9 & M32
        k1 = k1 + 0xBB67AE85 & M32
    return x0, x1, x2, x3


def philox4x32_10_inverse(x0, x1, x2, x3, k0, k1):
    """The counter of a block."""
    for r in range(9, -1, -1):
        y0, y2 = x3 * INVERSE_0 & M32, x1 * INVERSE_1 & M32
        x1 = x0 ^ 0xCD9E8D57 * y2 >> 32 ^ k0 + r * 0x9E3779B9 & M32
        x3 = x2 ^ 0xD2511F53 * y0 >> 32 ^ k1 + r * 0xBB67AE85 & M32
        x0, x2 = y0, y2
    return x0, x1, x2, x3


INVERSE_0 = pow(0xD2511F53, -1, 1 << 32)
INVERSE_1 = pow(0xCD9E8D57, -1, 1 << 32)

# Of two successive rounds each: the rotations of words (1, 3), then of words (3, 1).
THREEFRY_ROTATIONS = ((10, 26, 11, 21), (13, 27, 23, 5), (6, 20, 17, 11), (25, 10, 18, 20))


def threefry4x32_20(x0, x1, x2, x3, k0, k1, k2, k3):
    keys = (k0, k1, k2, k3, 0x1BD11BDA ^ k0 ^ k1 ^ k2 ^ k3)
    x0, x1, x2, x3 = x0 + k0 & M32, x1 + k1 & M32, x2 + k2 & M32, x3 + k3 & M32
    for pair in range(10):
        a, b, c, d = THREEFRY_ROTATIONS[pair % 4]
        x0 = x0 + x1 & M32
        x1 = (x1 << a | x1 >> (32 - a)) & M32 ^ x0
        x2 = x2 + x3 & M32
        x3 = (x3 << b | x3 >> (32 - b)) & M32 ^ x2
        x0 = x0 + x3 & M32
        x3 = (x3 << c | x3 >> (32 - c)) & M32 ^ x0
        x2 = x2 + x1 & M32
        x1 = (x1 << d | x1 >> (32 - d)) & M32 ^ x2
        if pair % 2:
            i = pair // 2 + 1
            x0 = x0 + keys[i % 5] & M32
            x1 = x1 + keys[(i + 1) % 5] & M32
            x2 = x2 + keys[(i + 2) % 5] & M32
            x3 = x3 + keys[(i + 3) % 5] + i & M32
    return x0, x1, x2, x3


def place_of_block(block, blocks):
    """A stream, and which of its first `blocks` blocks has these words: Philox is a bijection."""
    key = 0
    while True:
        c = philox4x32_10_inverse(*block, key, 0)
        b = c[0] | c[1] << 32
        if b < blocks:
            return Stream(key, c[2] | c[3] << 32), b
        key += 1


class Stream:
    def __init__(self, key, nonce=0):
        self.key = key
        self.nonce = nonce

    def bytes(self):
        return self.key.to_bytes(8, "little") + self.nonce.to_bytes(8, "little")

    def lane(self, j):
        return Stream(self.key, self.nonce + j & M64)

    def hashed(self, a, b, c, tag):
        o = threefry4x32_20(a, b, c, tag, self.key & M32, self.key >> 32, self.nonce & M32, self.nonce >> 32)
        return Stream(o[0] | o[1] << 32, o[2] | o[3] << 32)

    def number(self, i):
        return self.hashed(i & M32, i >> 32, 0, 1)

    def redraw(self, t):
        return self.hashed(t, 0, 0, 3)

    def absorb(self, data):
        """The keyed hash of a byte string in pieces of 12."""
        s = self
        last = max(0, (len(data) - 1) // 12 * 12)
        for at in range(0, last, 12):
            s = s.hashed(*piece(data[at:at + 12]), 2)
        return s.hashed(*piece(data[last:]), 0x100 + len(data) - last)

    def child(self, name):
        if isinstance(name, int):
            return self.number(name & M64)
        data = name.encode() if isinstance(name, str) else name
        value = decimal(data)
        return self.absorb(data) if value is None else self.number(value)

    def words(self, first, count):
        result = []
        key = self.key & M32, self.key >> 32
        nonce = self.nonce & M32, self.nonce >> 32
        for b in range(first >> 2, (first + count + 3) >> 2):
            result += philox4x32_10(b & M32, b >> 32, *nonce, *key)
        skipped = first & 3
        return result[skipped:skipped + count]

    def bits(self, width, first, count):
        """Elements first .. first + count - 1 as words of 32 or 64 bits."""
        if width == 32:
            return self.words(first, count)
        w = self.words(2 * first, 2 * count)
        return [lo | hi << 32 for lo, hi in zip(w[::2], w[1::2])]


def piece(data):
    data = data.ljust(12, b"\0")
    return tuple(int.from_bytes(data[i:i + 4], "little") for i in (0, 4, 8))


def decimal(data):
    if not data or any(c not in b"0123456789" for c in data) or (len(data) > 1 and data[:1] == b"0"):
        return None
    value = int(data)
    return value if value <= M64 else None


def digest(data):
    s = Stream(0).absorb(data)
    return "%016x%016x" % (s.key, s.nonce)


# Section 3: distributions. Each returns the bit patterns of elements first .. first + count - 1.

def uniform(f, s, first, count):
    return [f.encode((w >> (f.width - f.p), -f.p)) for w in s.bits(f.width, first, count)]


def uniform_oc(f, s, first, count):
    return [f.encode(((w >> (f.width - f.p)) + 1, -f.p)) for w in s.bits(f.width, first, count)]


def uniform_oo(f, s, first, count):
    return [f.encode((2 * (w >> (f.width - f.p + 1)) + 1, -f.p)) for w in s.bits(f.width, first, count)]


def uniform_ab(f, a, b, s, first, count):
    width = f.encode(f.sub(f.decode(b), f.decode(a)))
    end = f.decode(b)
    result = []
    for u in uniform(f, s, first, count):
        x = f.fma_bits(width, u, a)
        if not f.is_finite(x) or f.sub(f.decode(x), end)[0] >= 0:
            x = f.next_below(b)
        result.append(x)
    return result


def bernoulli(p, s, first, count):
    """p is a number in [0, 1] as a fraction of integers (numerator, denominator), the latter a power of two."""
    numerator, denominator = p
    digits = []  # of p in base 2^32, up to the last that is not zero; 1 is the one digit 2^32
    while numerator:
        digit, numerator = divmod(numerator << 32, denominator)
        digits.append(digit)

    def event(i, w):
        for t, digit in enumerate(digits):
            if t:
                w = s.redraw(t).words(i, 1)[0]
            if w != digit:
                return w < digit
        return False  # what p has no more digits for is not below it

    return [int(event(first + j, w)) for j, w in enumerate(s.words(first, count))]


def below(s, i, n):
    """Uniform on [0, n), 1 <= n <= 2^64."""
    width = 32 if n <= 1 << 20 else 64
    refused = (1 << width) % n
    m = s.bits(width, i, 1)[0] * n
    t = 0
    while t < 128 and m & ((1 << width) - 1) < refused:
        t += 1
        m = s.redraw(t).bits(width, i, 1)[0] * n
    return m >> width


def integer(lo, hi, s, first, count):
    n = hi - lo
    width = 32 if n <= 1 << 20 else 64
    mask = (1 << width) - 1
    refused = (1 << width) % n
    result = []
    for j, w in enumerate(s.bits(width, first, count)):
        m = w * n
        result.append(lo + (m >> width if m & mask >= refused else below(s, first + j, n)))
    return result


def shuffle(items, s):
    for i in range(len(items) - 1, 0, -1):
        j = below(s, i, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


class Reals:
    """-ln u, the sine and cosine of a turn, and exp, in the steps of docs/spec.md."""

    def __init__(self, f, ln2, log_terms, sin_terms, cos_terms, exp_constants, exp_terms):
        self.f = f
        self.minus_ln2 = f.hex(ln2)
        self.minus_ln2 = (-self.minus_ln2[0], self.minus_ln2[1])
        self.log_terms = [[f.hex(c) for c in chain] for chain in log_terms]
        self.sin_terms = [f.hex(c) for c in sin_terms]
        self.cos_terms = [f.hex(c) for c in cos_terms]
        self.exp_constants = [f.hex(c) for c in exp_constants]
        self.exp_terms = [f.hex(c) for c in exp_terms]

    def log1p(self, t):
        f = self.f
        t2 = f.mul(t, t)
        q = f.polynomial(t if len(self.log_terms) == 1 else t2, self.log_terms[0])
        if len(self.log_terms) == 2:
            q = f.fma(f.polynomial(t2, self.log_terms[1]), t, q)
        return f.fma(q, t2, t)

    def signed_fraction(self, w, half):
        """RN(signed w) * 2^-width + 2^-half, rounded."""
        f = self.f
        if w >> (f.width - 1):
            w -= 1 << f.width
        return f.fma(f.rounded(w, 0), (1, -f.width), (1, -half))

    def minus_log(self, w):
        f = self.f
        g = self.signed_fraction(w, f.width + 1)
        u = g if g[0] > 0 else f.add((1, 0), g)
        # u = m * 2^e with m in [3/4, 3/2).
        e = u[1] + u[0].bit_length() - 1
        if 2 * u[0] >= 3 << (u[0].bit_length() - 1):
            e += 1
        if w >= 3 << (f.width - 2):
            t = g
        else:
            t = f.sub((u[0], u[1] - e), (1, 0))
        m, k = self.log1p(t)
        return f.fma((e, 0), self.minus_ln2, (-m, k))

    def sin_cos(self, w):
        f = self.f
        top = f.width - 1
        mask = (1 << f.width) - 1
        g = self.signed_fraction(w << 2 & mask, f.width - 1)
        a = w + (1 << (top - 2)) & mask
        b = w + (3 << (top - 2)) & mask
        z = f.mul(g, g)
        sin = f.mul(f.polynomial(z, self.sin_terms), g)
        cos = f.fma(f.polynomial(z, self.cos_terms), z, (1, 0))
        if a >> (top - 1) & 1:
            sin, cos = cos, sin
        return (-sin[0] if a >> top else sin[0], sin[1]), (-cos[0] if b >> top else cos[0], cos[1])

    def standard_exponential(self, s, first, count):
        return [self.minus_log(w) for w in s.bits(self.f.width, first, count)]

    def standard_normal(self, s, first, count):
        f = self.f
        start = first & ~1
        w = s.bits(f.width, start, (first + count + 1 & ~1) - start)
        result = []
        for radius, angle in zip(w[::2], w[1::2]):
            m, e = self.minus_log(radius)
            r = f.sqrt((2 * m, e))
            sin, cos = self.sin_cos(angle)
            result += (f.mul(r, sin), f.mul(r, cos))
        return result[first & 1:(first & 1) + count]

    def exponential(self, s, first, count):
        return [self.f.encode(x) for x in self.standard_exponential(s, first, count)]

    def exponential_rate(self, rate, s, first, count):
        f = self.f
        scale = f.encode(f.div((1, 0), f.decode(rate)))
        return [f.fma_bits(f.encode(x), scale, 0) for x in self.standard_exponential(s, first, count)]

    def normal(self, s, first, count):
        return [self.f.encode(x) for x in self.standard_normal(s, first, count)]

    def normal_ms(self, mean, stddev, s, first, count):
        f = self.f
        return [f.fma_bits(stddev, f.encode(z), mean) for z in self.standard_normal(s, first, count)]

    def exp(self, b):
        f = self.f
        if f.is_nan(b):
            return f.nan
        largest, smallest, log2e, minus_ln2_hi, minus_ln2_lo = self.exp_constants
        if not f.is_finite(b):
            return 0 if b & f.sign else f.infinity
        x = f.decode(b)
        if f.sub(x, largest)[0] > 0:
            return f.infinity
        if f.sub(smallest, x)[0] > 0:
            return 0
        # The integer nearest x * log2e, ties to even.
        m, e = x[0] * log2e[0], x[1] + log2e[1]
        n = m << e if e >= 0 else (m + (1 << (-e - 1)) - 1 + (m >> -e & 1)) >> -e
        r = f.fma((n, 0), minus_ln2_hi, x)
        r = f.fma((n, 0), minus_ln2_lo, r)
        y = f.fma(f.polynomial(r, self.exp_terms), f.mul(r, r), r)
        m, e = f.add((1, 0), y)
        return f.encode(f.rounded(m, e + n))


REALS = {
    f32: Reals(
        f32, "0x1.62e43p-1",
        [["-0x1.000016p-1", "0x1.5555d8p-2", "-0x1.ffdc3p-3", "0x1.99248ep-3", "-0x1.58a3c8p-3",
          "0x1.32d6ap-3", "-0x1.eccaecp-4", "0x1.b8277p-5"]],
        ["0x1.921fb6p0", "-0x1.4abbecp-1", "0x1.466b2p-4", "-0x1.2f5992p-8"],
        ["-0x1.3bd3ap0", "0x1.03b132p-2", "-0x1.4ea1aep-6"],
        ["0x1.62e42ep6", "-0x1.9fe368p6", "0x1.715476p0", "-0x1.62e43p-1", "0x1.05c61p-29"],
        ["0x1p-1", "0x1.555556p-3", "0x1.55551ap-5", "0x1.1110f6p-7", "0x1.6d110ap-10", "0x1.a0f86cp-13"]),
    f64: Reals(
        f64, "0x1.62e42fefa39efp-1",
        [["-0x1p-1", "-0x1.fffffffffeb67p-3", "-0x1.555555559badfp-3", "-0x1.00000051bfc6ep-3",
          "-0x1.999950dbcafdap-4", "-0x1.556122f1079cfp-4", "-0x1.23adeec376deep-4", "-0x1.07421d4f1e9b9p-4",
          "-0x1.c07ce8715fd77p-5", "-0x1.31830e40338c2p-7"],
         ["0x1.55555555558fdp-2", "0x1.999999990575p-3", "0x1.2492496554b57p-3", "0x1.c71c573ff692bp-4",
          "0x1.745fc7b05827ep-4", "0x1.3af793d2d06d3p-4", "0x1.109b3a3cb969bp-4", "0x1.02d44cf79c6a4p-4",
          "0x1.0c277cd6e6fc2p-5"]],
        ["0x1.921fb54442d18p0", "-0x1.4abbce625be09p-1", "0x1.466bc67754fffp-4", "-0x1.32d2ccdfe9424p-8",
         "0x1.50782d5f14825p-13", "-0x1.e2fe76fdffd29p-19", "0x1.e357ef99eaea7p-25"],
        ["-0x1.3bd3cc9be45dep0", "0x1.03c1f081b5a65p-2", "-0x1.55d3c7e3c2d7bp-6", "0x1.e1f5067b057f8p-11",
         "-0x1.a6d1e6b52f418p-16", "0x1.f9c840cb5822cp-22", "-0x1.b14b5b3e5d2d7p-28"],
        ["0x1.62e42fefa39efp9", "-0x1.74910d52d3052p9", "0x1.71547652b82fep0", "-0x1.62e42fefa39efp-1",
         "-0x1.abc9e3b39803fp-56"],
        ["0x1p-1", "0x1.5555555555556p-3", "0x1.5555555555555p-5", "0x1.11111111109b3p-7",
         "0x1.6c16c16c167e1p-10", "0x1.a01a01a7c41d5p-13", "0x1.a01a01a47b054p-16", "0x1.71de0dae63bb3p-19",
         "0x1.27e4e1f48534fp-22", "0x1.af38a9b0ec855p-26", "0x1.1f66df7fca49fp-29"]),
}


# Section 4: reductions, on bit patterns.

LANES = 32
CHUNK = 2048


def fold(lanes, op):
    half = LANES // 2
    while half:
        lanes = [op(lanes[l], lanes[l + half]) for l in range(half)]
        half //= 2
    return lanes[0]


def tree(leaves, op):
    """tree/v1, as it is defined; of at least one leaf."""
    n = len(leaves)
    if n == 1:
        return leaves[0]
    m = 1 << (n - 1).bit_length() - 1
    return op(tree(leaves[:m], op), tree(leaves[m:], op))


def chunks(x):
    return [x[i:i + CHUNK] for i in range(0, len(x), CHUNK)]


def sum_chunk(f, x):
    lanes = (list(x[:LANES]) + [f.sign] * LANES)[:LANES]
    for i in range(LANES, len(x)):
        lanes[i % LANES] = f.add_bits(lanes[i % LANES], x[i])
    return fold(lanes, f.add_bits)


def dot_chunk(f, x, y):
    lanes = [f.sign] * LANES
    for i in range(len(x)):
        lanes[i % LANES] = f.fma_bits(x[i], y[i], lanes[i % LANES])
    return fold(lanes, f.add_bits)


def product_chunk(f, x):
    lanes = [f.one] * LANES
    for i in range(len(x)):
        lanes[i % LANES] = f.mul_bits(lanes[i % LANES], x[i])
    return fold(lanes, f.mul_bits)


def combine(f, results):
    return f.canonical(tree(results, f.add_bits)) if results else 0


def sum_v1(f, x):
    return combine(f, [sum_chunk(f, c) for c in chunks(x)])


def dot_v1(f, x, y):
    return combine(f, [dot_chunk(f, a, b) for a, b in zip(chunks(x), chunks(y))])


def product_v1(f, x):
    return f.canonical(tree([product_chunk(f, c) for c in chunks(x)], f.mul_bits)) if x else f.one


def l2_norm(f, x):
    if f is not f64:
        x = [f.converted(b, f64) for b in x]
    return f64.converted(f64.sqrt_bits(dot_v1(f64, x, x)), f)


def sum_of_16_bits(f, x):
    return f32.converted(sum_v1(f32, [f.converted(b, f32) for b in x]), f)


BLOCK = 128


def matmul_v1(f, a, b, block=BLOCK):
    """a: rows of bit patterns; b: columns of bit patterns. Rows of the product."""
    def element(row, column):
        leaves = []
        for k in range(0, len(row), block):
            acc = 0
            for x, y in zip(row[k:k + block], column[k:k + block]):
                acc = f.fma_bits(x, y, acc)
            leaves.append(acc)
        return combine(f, leaves)
    return [[element(row, column) for column in b] for row in a]


SCAN_ROWS = 64
SCAN_CHUNKS = 512


class Level:
    """Of a scan: values are added to the last one before the unit began, which is not there in the first."""

    def __init__(self):
        self.carry = None
        self.last = None

    def value(self, v, op):
        self.last = v if self.carry is None else op(self.carry, v)
        return self.last

    def next_unit(self):
        self.carry = self.last


def scan_v1(f, x, op, exclusive_first=None):
    """The values by their definition, level by level; exclusive from `exclusive_first` on."""
    y = []
    row, chunk, block = Level(), Level(), Level()
    v = None
    for i, b in enumerate(x):
        if i and i % LANES == 0:
            row.next_unit()
            if i % (LANES * SCAN_ROWS) == 0:
                chunk.next_unit()
                row = Level()
                if i % (LANES * SCAN_ROWS * SCAN_CHUNKS) == 0:
                    block.next_unit()
                    chunk = Level()
        v = b if i % LANES == 0 else op(v, b)
        y.append(f.canonical(block.value(chunk.value(row.value(v, op), op), op)))
    return y if exclusive_first is None else ([exclusive_first] + y)[:len(x)]


def scatter(f, out, ids, x):
    out = list(out)
    for d, b in zip(ids, x):
        out[d] = f.canonical(f.add_bits(out[d], b))
    return out


def histogram(x, lo, hi, bins):
    """Of bits of f64."""
    f, counts = f64, [0] * bins
    width = f.decode(f.add_bits(hi, lo ^ f.sign))
    scale = -64 if width[1] + width[0].bit_length() > 900 else 0
    number = f.rounded(bins, 0)
    def place(b):
        return f.key(0 if b == f.sign else b)

    for b in x:
        if f.is_nan(b) or not place(lo) <= place(b) <= place(hi):
            continue
        d = f.decode(f.add_bits(b, lo ^ f.sign))
        m, e = f.div(f.mul((d[0], d[1] + scale), number), (width[0], width[1] + scale))
        counts[min(m << e if e >= 0 else m >> -e, bins - 1)] += 1
    return counts


def exact_sum(f, x):
    """Of finite numbers and infinities."""
    if any(f.is_nan(b) for b in x) or (f.infinity in x and f.infinity | f.sign in x):
        return f.nan
    for b in (f.infinity, f.infinity | f.sign):
        if b in x:
            return b
    total = sum(m << e - f.quantum for m, e in map(f.decode, x))
    if total == 0:
        return f.sign if x and all(b == f.sign for b in x) else 0
    return f.encode(f.rounded(total, f.quantum))


def softmax(f, x):
    largest = max(x, key=f.key)
    e = [REALS[f].exp(f.add_bits(b, largest ^ f.sign)) for b in x]
    total = sum_v1(f, e)
    return [f.div_bits(b, total) for b in e]


def layer_norm(f, x, weight, bias, epsilon):
    n = f.encode((len(x), 0))
    mean = f.div_bits(sum_v1(f, x), n)
    d = [f.add_bits(b, mean ^ f.sign) for b in x]
    variance = f.div_bits(dot_v1(f, d, d), n)
    r = f.div_bits(f.one, f.sqrt_bits(f.add_bits(variance, epsilon)))
    return [f.fma_bits(f.mul_bits(b, r), w, c) for b, w, c in zip(d, weight, bias)], mean, r


# Partial results: their bytes.

KINDS = {"sum": 0, "l2_norm": 3, "product": 5, "dot": 9, "argmax": 12}


def partial_bytes(f, kind, first, x, y=()):
    """Of elements first, first + 1, ... of a whole."""
    end = first + len(x)
    head = min(-first % CHUNK, len(x))
    tail = max(first + head, end // CHUNK * CHUNK) - first
    g = f64 if kind == "l2_norm" else f
    wide = [f.converted(b, f64) for b in x] if g is not f else x
    values = []
    if kind == "argmax":
        head = tail = len(x)
        best = max(range(len(x)), key=lambda i: f.key(x[i]))
        values = [first + best, f.key(x[best]) & M64]
        raw = []
    else:
        def leaf(i):
            a = wide[i:i + CHUNK]
            if kind == "sum":
                return sum_chunk(f, a)
            if kind == "product":
                return product_chunk(f, a)
            return dot_chunk(g, a, a if kind == "l2_norm" else y[i:i + CHUNK])

        leaves = [leaf(i) for i in range(head, tail, CHUNK)]
        op = f.mul_bits if kind == "product" else g.add_bits
        at, rest = (first + head) // CHUNK, leaves
        while rest:
            size = min(at & -at if at else 1 << 62, 1 << len(rest).bit_length() - 1)
            values.append(g.converted(tree(rest[:size], op), f64))
            at, rest = at + size, rest[size:]
        raw = list(x[:head]) + list(x[tail:]) + list(y[:head]) + list(y[tail:])
    p = f.p
    body = b"rvp\x01" + bytes((p, KINDS[kind], 0, 0)) + b"".join(
        v.to_bytes(8, "little") for v in (first, len(x), 0))
    body += b"".join(v.to_bytes(8, "little") for v in values) + b"".join(v.to_bytes(f.bytes, "little") for v in raw)
    return body + bytes.fromhex(digest(body))[:8][::-1]
