"""Prints what PyTorch draws on a CPU in many cases, one a line: operation, arguments, "|", digest, first values.

test_pytorch has a selection of them, and reads all from the file that RIVUS_TEST_PYTORCH_CASES names:

    python pytorch_cases.py > cases && RIVUS_TEST_PYTORCH_CASES=cases test_pytorch

Needs PyTorch, for the keys one that has torch.func._random with randint; nothing of rivus.
"""
import random

import numpy as np
import torch
import torch.func._random as keyed

choose = random.Random(20240229)


def digest(values):
    """Of words as uint64: the sum of (word ^ i * 0x9E3779B97F4A7C15) * (2 i + 1), modulo 2^64."""
    words = np.asarray(values).astype(np.uint64)
    i = np.arange(words.size, dtype=np.uint64)
    return int(((words ^ i * np.uint64(0x9E3779B97F4A7C15)) * (np.uint64(2) * i + np.uint64(1))).sum(dtype=np.uint64))


def words_of(tensor):
    x = tensor.reshape(-1).numpy()
    return x.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize]).astype(np.uint64)


def show(operation, *arguments, values):
    words = np.concatenate([words_of(t) for t in values])
    print(operation, *arguments, "|", digest(words), *(int(w) for w in words[:3]))


def generator(seed):
    return torch.Generator().manual_seed(seed)


def some_seed():
    return choose.choice([0, 1, 7, 42, choose.getrandbits(32), choose.getrandbits(64)])


print("version", torch.__version__, "|", 0)

for trial in range(50):
    seed = some_seed()
    n = choose.choice([1, 2, 15, 16, 17, 1000])
    for name, dtype in (("float", torch.float32), ("double", torch.float64)):
        g = generator(seed)
        show("rand", name, seed, n, values=[torch.rand(n, generator=g, dtype=dtype), torch.rand(3, generator=g)])
    for name in ("int8", "uint8", "int16", "int32", "int64", "float32", "float64"):
        g = generator(seed)
        x = torch.empty(n, dtype=getattr(torch, name)).random_(generator=g)
        show("random_", name, seed, n, values=[x, torch.rand(3, generator=g)])
for n in (100000, 1000003):
    show("rand", "float", 5, n, values=[torch.rand(n, generator=(g := generator(5))), torch.rand(3, generator=g)])

for trial in range(400):
    seed = some_seed()
    n = choose.choice([1, 3, 16, 1000])
    name = choose.choice(["uint8", "int16", "int32", "int64"])
    limits = torch.iinfo(getattr(torch, name))
    bits = limits.bits
    size = choose.choice([1, 2, 10, 1 << 28, (1 << 28) - 1, 1 << 32, (1 << 32) - 1, (1 << 31) + 5, (1 << 63) - 1,
                          choose.randrange(1, 1 << choose.randrange(1, bits + 1))])
    size = min(size, limits.max - limits.min)
    low = choose.randrange(limits.min, limits.max - size + 1)
    g = generator(seed)
    x = torch.randint(low, low + size, (n,), generator=g, dtype=getattr(torch, name))
    show("randint", name, seed, low, low + size, n, values=[x, torch.rand(3, generator=g)])

for trial in range(200):
    seed, offset = some_seed(), choose.choice([0, 0, 1, choose.getrandbits(64), 2**64 - 1, 2**32 - 1])
    key = torch.tensor([seed, offset], dtype=torch.uint64)
    n = choose.choice([1, 2, 5, 101])
    assert keyed.key(seed).tolist() == [seed, 0]
    show("key_split", seed, offset, n, values=[keyed.split(key, n)])
    data = choose.choice([0, 1, choose.getrandbits(64)])
    show("key_fold_in", seed, offset, data, values=[keyed.fold_in(key, data)])
    for width in (8, 16, 32, 64):
        show("key_bits", width, seed, offset, n, values=[keyed.bits(key, n, dtype=getattr(torch, f"uint{width}"))])
    for name, dtype in (("float", torch.float32), ("double", torch.float64)):
        show("key_uniform", name, seed, offset, n, values=[keyed.uniform(key, n, dtype=dtype)])
    name = choose.choice(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
    limits = torch.iinfo(getattr(torch, name))
    size = choose.randrange(1, 1 << choose.randrange(1, (limits.bits if limits.bits != 32 else 28) + 1))
    size = min(size, limits.max - limits.min)
    low = choose.randrange(limits.min, limits.max - size + 1)
    x = keyed.randint(key, n, low=low, high=low + size, dtype=getattr(torch, name))
    show("key_randint", name, seed, offset, low, low + size, n, values=[x])
