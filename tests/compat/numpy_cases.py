"""Prints what NumPy draws in many cases, one a line: operation, arguments, "|", digest, first values.

test_numpy reads it. --few prints fewer cases. Needs NumPy; nothing of rivus.
"""
import random
import sys

import numpy as np

few = "--few" in sys.argv
choose = random.Random(20240229)
GOLDEN = 0x9E3779B97F4A7C15


def digest(values):
    """Of words as uint64: the sum of (word ^ i * GOLDEN) * (2 i + 1), modulo 2^64."""
    words = np.asarray(values).astype(np.uint64)
    i = np.arange(words.size, dtype=np.uint64)
    return int(((words ^ i * np.uint64(GOLDEN)) * (np.uint64(2) * i + np.uint64(1))).sum(dtype=np.uint64))


def words_of(x):
    x = np.atleast_1d(x)
    return x.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize])


def show(operation, *arguments, values):
    words = words_of(values)
    print(operation, *arguments, "|", digest(words), *(int(w) for w in words[:3]))


def some_seed():
    return choose.choice([0, 1, 42, choose.getrandbits(31), choose.getrandbits(32), choose.getrandbits(64)])


def bit_generator(name, seed):
    return {"philox": np.random.Philox, "pcg64": np.random.PCG64}[name](seed)


def limbs(x):
    return [x >> 64 * i & (1 << 64) - 1 for i in range(4)]


print("version", np.__version__, "|", 0)

for trial in range(20 if few else 200):
    bits = choose.choice([0, 8, 31, 32, 33, 64, 96, 127, 128, 129, 160, 256, 1000])
    entropy = choose.getrandbits(bits) if bits else 0
    key = tuple(choose.getrandbits(choose.choice([1, 8, 32, 40, 64])) for _ in range(choose.randrange(4)))
    n = choose.randrange(1, 12)
    sequence = np.random.SeedSequence(entropy, spawn_key=key)
    form = choose.choice([str, hex])
    where = (form(entropy), len(key), *key)
    show("seed_state32", n, *where, values=sequence.generate_state(n, np.uint32))
    show("seed_state64", n, *where, values=sequence.generate_state(n, np.uint64))
    first, then = choose.randrange(4), choose.randrange(1, 4)
    sequence.spawn(first)
    children = sequence.spawn(then)
    grandchild = children[-1].spawn(2)[1]
    show("seed_spawn", first, then, *where, values=grandchild.generate_state(4, np.uint32))
    words = [choose.getrandbits(32) for _ in range(choose.randrange(1, 9))]
    show("seed_words", len(words), *words, values=np.random.SeedSequence(words).generate_state(4, np.uint64))

for trial in range(20 if few else 200):
    key, counter = choose.getrandbits(128), choose.getrandbits(choose.choice([2, 64, 256]))
    if trial % 4 == 0:
        counter = (1 << choose.choice([64, 128, 192, 256])) - choose.randrange(1, 4)
    delta = choose.getrandbits(choose.choice([3, 64, 65, 256]))
    jumps = choose.randrange(1, 5)
    n = choose.randrange(1, 14)
    g = np.random.Philox(key=key, counter=counter)
    raw = [g.random_raw(n)]
    g.advance(delta)
    raw.append(g.random_raw(n))
    raw.append(g.jumped(jumps).random_raw(n))
    show("philox", key & (1 << 64) - 1, key >> 64, *limbs(counter), *limbs(delta), jumps, n,
         values=np.concatenate(raw))
    seed, delta = some_seed(), choose.getrandbits(choose.choice([3, 64, 65, 128]))
    g = np.random.PCG64(seed)
    raw = [g.random_raw(n)]
    g.advance(delta)
    raw.append(g.random_raw(n))
    raw.append(g.jumped(jumps).random_raw(n))
    show("pcg64", seed, *limbs(delta)[:2], jumps, n, values=np.concatenate(raw))

for name in ("philox", "pcg64"):
    for trial in range(10 if few else 100):
        seed, n = some_seed(), choose.choice([1, 2, 3, 5, 1000])
        g = np.random.Generator(bit_generator(name, seed))
        show("random", name, seed, n, values=g.random(n))
        show("random_float32", name, seed, n,
             values=np.random.Generator(bit_generator(name, seed)).random(n, dtype=np.float32))
        # Waiting halves outlive doubles and calls.
        g = np.random.Generator(bit_generator(name, seed))
        mixed = []
        for i in range(12):
            mixed.append(int(words_of(np.float32(g.random(dtype=np.float32)))[0]))
            mixed.append(int(words_of(g.random())[0]))
            mixed.append(int(g.integers(0, 1000)))
            mixed.append(int(g.integers(0, 10**12)))
            mixed.append(int(g.integers(-5, 100, dtype=np.int8)) & 255)
        show("mixed", name, seed, values=np.array(mixed, dtype=np.uint64))
        if trial % 4 == 0:
            n = choose.choice([1, 2, 3, 10, 1000])
            g = np.random.Generator(bit_generator(name, seed))
            show("permutation", name, seed, n, values=g.permutation(n))
            x = np.arange(n, dtype=np.int32) * 3
            g.shuffle(x)
            show("shuffle", name, seed, n, values=x)

    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        limits = np.iinfo(dtype)
        bits = limits.bits
        for trial in range(10 if few else 100):
            size = choose.choice([1, 2, 3, (1 << bits) - 1, 1 << bits, (1 << bits - 1) + 1,
                                  min(1 << bits, (1 << 32) + choose.randrange(-1, 3)),
                                  choose.randrange(1, (1 << choose.randrange(1, bits + 1)) + 1)])
            low = choose.randrange(int(limits.min), int(limits.max) - size + 2)
            last = low + size - 1
            n = choose.choice([1, 2, 3, 7, 1001])
            seed = some_seed()
            g = np.random.Generator(bit_generator(name, seed))
            if choose.randrange(2) and last < limits.max:
                x = g.integers(low, last + 1, size=n, dtype=dtype)
            else:
                x = g.integers(low, last, size=n, dtype=dtype, endpoint=True)
            # The word that follows shows how many were taken.
            after = np.array([g.integers(0, 2**32 - 1, dtype=np.uint32, endpoint=True)])
            x = words_of(x).astype(np.uint64)
            show("integers", name, seed, np.dtype(dtype).name, low, last, n,
                 values=np.concatenate([x, after.astype(np.uint64)]))
