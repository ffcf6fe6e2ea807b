"""IEEE 754 binary32 and binary64 in integers: every operation is exact, then rounded once to nearest even.

A finite number is a pair (m, e), meaning m * 2^e. Bit patterns, which also carry infinities, NaNs and the
sign of zero, are ints; the functions on them end in _bits.
"""

from math import isqrt


class Format:
    def __init__(self, width, precision):
        self.width = width
        self.p = precision
        self.fraction_bits = precision - 1
        self.sign = 1 << (width - 1)
        self.bias = (1 << (width - precision - 1)) - 1
        self.quantum = 2 - self.bias - precision  # exponent of the smallest positive number
        self.fraction_mask = (1 << self.fraction_bits) - 1
        self.infinity = ((1 << (width - precision)) - 1) << self.fraction_bits
        self.nan = self.infinity | 1 << (self.fraction_bits - 1)
        self.one = self.bias << self.fraction_bits
        self.bytes = width // 8
        p, quantum = self.p, self.quantum

        # The hot operations, as closures: attribute look-ups would double their cost.
        def rounded(m, e):
            k = m.bit_length() - p
            if e + k < quantum:
                k = quantum - e
            if k <= 0:
                return m, e
            return (m + (1 << (k - 1)) - 1 + (m >> k & 1)) >> k, e + k

        def fma(a, b, c):
            am, ae = a
            bm, be = b
            m, e = c
            d = ae + be - e
            if d >= 0:
                m += am * bm << d
            else:
                m = am * bm + (m << -d)
                e += d
            k = m.bit_length() - p
            if e + k < quantum:
                k = quantum - e
            if k <= 0:
                return m, e
            return (m + (1 << (k - 1)) - 1 + (m >> k & 1)) >> k, e + k

        self.rounded = rounded
        self.fma = fma

    def mul(self, a, b):
        return self.rounded(a[0] * b[0], a[1] + b[1])

    def add(self, a, b):
        return self.fma(a, (1, 0), b)

    def sub(self, a, b):
        return self.fma((-1, 0), b, a)

    def div(self, a, b):
        (m, e), (n, f) = a, b
        if n < 0:
            m, n = -m, -n
        k = max(0, self.p + 3 + n.bit_length() - m.bit_length())
        q, r = divmod(abs(m) << k, n)
        q = q << 1 | (r != 0)  # a bit that stands for all that follow
        return self.rounded(-q if m < 0 else q, e - f - k - 1)

    def sqrt(self, a):
        m, e = a
        k = max(0, 2 * self.p + 6 - m.bit_length())
        k += (e - k) & 1
        m <<= k
        r = isqrt(m)
        return self.rounded(r << 1 | (r * r != m), (e - k) // 2 - 1)

    def polynomial(self, x, coefficients):
        """c0 + c1 x + c2 x^2 + ... by Horner's rule, an fma a step."""
        fma = self.fma
        r = coefficients[-1]
        for c in coefficients[-2::-1]:
            r = fma(r, x, c)
        return r

    # Bit patterns.
    def is_nan(self, b):
        return b & ~self.sign > self.infinity

    def is_finite(self, b):
        return b & ~self.sign < self.infinity

    def decode(self, b):
        exponent = (b & ~self.sign) >> self.fraction_bits
        m = b & self.fraction_mask
        if exponent:
            m |= 1 << self.fraction_bits
            exponent -= 1
        return (-m if b & self.sign else m), exponent + self.quantum

    def encode(self, x, negative_zero=False):
        """The bits of a number that the format can hold, and infinity for one too large."""
        m, e = x
        if m == 0:
            return self.sign if negative_zero else 0
        sign = self.sign if m < 0 else 0
        m = abs(m)
        k = max(self.quantum, e + m.bit_length() - self.p) - e
        if k > 0:
            if m & ((1 << k) - 1):
                raise ValueError("not a number of this format")
            m >>= k
        else:
            m <<= -k
        b = m + ((e + k - self.quantum) << self.fraction_bits)
        return sign | min(b, self.infinity)

    def fma_bits(self, a, b, c):
        if self.is_finite(a) and self.is_finite(b) and self.is_finite(c):
            x, y, z = self.decode(a), self.decode(b), self.decode(c)
            r = self.fma(x, y, z)
            if r[0]:
                return self.encode(r)
            if x[0] and y[0]:  # a zero that is exact is +0; one that was rounded keeps its sign
                exact = self.exact_sign(x, y, z)
                return self.sign if exact < 0 else 0
            if z[0] == 0:
                return (a ^ b) & c & self.sign
            return 0
        product_sign = (a ^ b) & self.sign
        zero_by_infinity = any(
            u & ~self.sign == 0 and v & ~self.sign == self.infinity for u, v in ((a, b), (b, a)))
        if self.is_nan(a) or self.is_nan(b) or self.is_nan(c) or zero_by_infinity:
            return self.nan
        if self.is_finite(a) and self.is_finite(b):
            return c
        if not self.is_finite(c) and c & self.sign != product_sign:
            return self.nan
        return product_sign | self.infinity

    @staticmethod
    def exact_sign(x, y, z):
        d = x[1] + y[1] - z[1]
        return (x[0] * y[0] << max(d, 0)) + (z[0] << max(-d, 0))

    def add_bits(self, a, b):
        return self.fma_bits(a, self.one, b)

    def mul_bits(self, a, b):
        return self.fma_bits(a, b, (a ^ b) & self.sign)

    def div_bits(self, a, b):
        sign = (a ^ b) & self.sign
        x, y = a & ~self.sign, b & ~self.sign
        if self.is_nan(a) or self.is_nan(b) or (x == y and x in (0, self.infinity)):
            return self.nan
        if x == self.infinity or y == 0:
            return sign | self.infinity
        if x == 0 or y == self.infinity:
            return sign
        return self.encode(self.div(self.decode(a), self.decode(b)), bool(sign))

    def sqrt_bits(self, a):
        if self.is_nan(a) or (a & self.sign and a != self.sign):
            return self.nan
        return a if a in (0, self.sign, self.infinity) else self.encode(self.sqrt(self.decode(a)))

    def converted(self, b, to):
        """The bits in the format `to`, rounded once."""
        if self.is_nan(b):
            return to.nan
        sign = to.sign if b & self.sign else 0
        if not self.is_finite(b):
            return sign | to.infinity
        return to.encode(to.rounded(*self.decode(b)), bool(sign))

    def canonical(self, b):
        return self.nan if self.is_nan(b) else b

    def key(self, b):
        """Ascends with the values: -0 below +0, NaN above all."""
        if self.is_nan(b):
            return self.sign - 1
        return -(b & ~self.sign) - 1 if b & self.sign else b

    def next_below(self, b):
        if b & ~self.sign == 0:
            return self.sign | 1
        return b + 1 if b & self.sign else b - 1

    def hex(self, text):
        """The pair that a hexadecimal literal spells; it must be exact in the format."""
        m, e = hex_pair(text)
        self.encode((m, e))
        return m, e

    def literal(self, text):
        """The bits that a hexadecimal literal spells; -0x0p0 keeps its sign."""
        return self.encode(self.hex(text), text.startswith("-"))


def hex_pair(text):
    sign = -1 if text.startswith("-") else 1
    digits, _, exponent = text.lstrip("-")[2:].partition("p")
    whole, _, fraction = digits.partition(".")
    return sign * int(whole + fraction, 16), int(exponent) - 4 * len(fraction)


f16 = Format(16, 11)
bf16 = Format(16, 8)
f32 = Format(32, 24)
f64 = Format(64, 53)
