"""Prints what JAX draws in many cases, one a line: operation, arguments, "|", digest, first values.

test_jax has a selection of them, and reads all from the file that RIVUS_TEST_JAX_CASES names:

    JAX_PLATFORMS=cpu python jax_cases.py > cases && RIVUS_TEST_JAX_CASES=cases test_jax

Needs JAX; nothing of rivus.
"""
import random

import jax
import numpy as np

choose = random.Random(20240229)


def digest(values):
    """Of words as uint64: the sum of (word ^ i * 0x9E3779B97F4A7C15) * (2 i + 1), modulo 2^64."""
    words = np.asarray(values).astype(np.uint64)
    i = np.arange(words.size, dtype=np.uint64)
    return int(((words ^ i * np.uint64(0x9E3779B97F4A7C15)) * (np.uint64(2) * i + np.uint64(1))).sum(dtype=np.uint64))


def show(operation, *arguments, values):
    x = np.asarray(values).reshape(-1)
    words = x.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize])
    print(operation, *arguments, "|", digest(words), *(int(w) for w in words[:3]))


def some_key():
    words = choose.choice([(0, 0), (0, 42), (choose.getrandbits(32), choose.getrandbits(32)),
                           (2**32 - 1, 2**32 - 1), (0, choose.getrandbits(32))])
    return words, jax.random.wrap_key_data(np.array(words, dtype=np.uint32))


print("version", jax.__version__, "|", 0)
SEEDS = [0, 1, 42, -1, -5, 2**31, 2**32 - 1, 2**32, 2**40 + 7, 2**63 - 1, -2**63]
SEEDS += [choose.getrandbits(64) - 2**63 for _ in range(50)]
for x64 in (False, True):
    jax.config.update("jax_enable_x64", x64)
    for seed in SEEDS:
        show("key" if x64 else "key32", seed, values=jax.random.key_data(jax.random.key(seed)))
        assert (jax.random.PRNGKey(seed) == jax.random.key_data(jax.random.key(seed))).all()
    for layout in ("partitionable", "original"):
        jax.config.update("jax_threefry_partitionable", layout == "partitionable")
        for trial in range(50):
            words, key = some_key()
            data = choose.choice([0, 1, 2**32 - 1, choose.getrandbits(32)])
            show("fold_in", layout, *words, data, values=jax.random.key_data(jax.random.fold_in(key, data)))
        for n in (1, 2, 3, 4, 5, 10, 101, 10007):
            for trial in range(4):
                words, key = some_key()
                show("split", layout, *words, n, values=jax.random.key_data(jax.random.split(key, n)))
        shapes = [(), (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (9,), (15,), (101,), (3, 5), (2, 3, 7), (64, 33),
                  (99991,)]
        if not x64:
            shapes = [(3,), (101,), (1000003,)]
        for shape in shapes:
            n = int(np.prod(shape))
            for trial in range(2):
                words, key = some_key()
                for width in (8, 16, 32, 64):
                    if width < 64 or x64:
                        show("bits", width, layout, *words, n,
                             values=jax.random.bits(key, shape, dtype=f"uint{width}"))
                for width in (32, 64):
                    if width < 64 or x64:
                        show("uniform", width, layout, *words, n,
                             values=jax.random.uniform(key, shape, dtype=f"float{width}"))
