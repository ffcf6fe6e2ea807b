#!/usr/bin/env python3
"""Measures NumPy's generators as peers of rivus_bench; writes JSON of the same shape to standard output."""

import argparse
import json
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit("bench/numpy_peers.py: this Python has no NumPy (Debian: python3-numpy, for /usr/bin/python3)")

SIZES = 16384, 268435456
GENERATORS = {"philox": numpy.random.Philox, "pcg64": numpy.random.PCG64, "sfc64": numpy.random.SFC64}


def cases(generator, out):
    """(distribution/dtype, bytes a value, fill(n)); in place where NumPy can, else in an array of its own."""
    f32, f64 = numpy.float32, numpy.float64
    yield "bits/u32", 4, lambda n: generator.integers(0, 2**32, n, dtype=numpy.uint32)
    yield "bits/u64", 8, lambda n: generator.integers(0, 2**64, n, dtype=numpy.uint64)
    yield "uniform/f32", 4, lambda n: generator.random(dtype=f32, out=out.view(f32)[:n])
    yield "uniform/f64", 8, lambda n: generator.random(dtype=f64, out=out.view(f64)[:n])
    yield "normal/f32", 4, lambda n: generator.standard_normal(dtype=f32, out=out.view(f32)[:n])
    yield "normal/f64", 8, lambda n: generator.standard_normal(dtype=f64, out=out.view(f64)[:n])
    yield "exponential/f32", 4, lambda n: generator.standard_exponential(dtype=f32, out=out.view(f32)[:n])
    yield "exponential/f64", 8, lambda n: generator.standard_exponential(dtype=f64, out=out.view(f64)[:n])
    yield "randint/i32", 4, lambda n: generator.integers(0, 1000, n, dtype=numpy.int32)
    # Through the uniforms, in pieces that fit a cache.
    scratch, result = numpy.empty(4096, f32), out.view(numpy.bool_)

    def bernoulli(n):
        for i in range(0, n, scratch.size):
            generator.random(dtype=f32, out=scratch)
            numpy.less(scratch, f32(0.3), out=result[i : i + scratch.size])

    yield "bernoulli/u8", 1, bernoulli


def measure(fill, n, min_time):
    """Seconds of processor time and of real time a call."""
    calls = 1
    while True:
        cpu, real = time.process_time(), time.perf_counter()
        for _ in range(calls):
            fill(n)
        cpu, real = time.process_time() - cpu, time.perf_counter() - real
        if cpu >= min_time:
            return cpu / calls, real / calls
        calls *= max(2, min(10, int(1.4 * min_time / max(cpu, 1e-9))))


def main():
    parser = argparse.ArgumentParser(prog="bench/numpy_peers.py", description=__doc__)
    parser.add_argument(
        "--min-time", metavar="S", type=float, default=0.05, help="seconds a repetition (default: 0.05)"
    )
    parser.add_argument(
        "--repetitions", metavar="N", type=int, default=3, help="repetitions of a case (default: 3)"
    )
    parser.add_argument(
        "--sizes",
        metavar="BYTES",
        type=int,
        nargs="+",
        choices=SIZES,
        default=SIZES,
        help="bytes to fill (default: 16384 268435456)",
    )
    options = parser.parse_args()
    if options.repetitions < 1:
        parser.error(f"--repetitions: {options.repetitions} is less than 1")

    out = numpy.ones(max(options.sizes), numpy.uint8)
    rows = []
    for name, kind in GENERATORS.items():
        for case, width, fill in cases(numpy.random.Generator(kind(42)), out):
            for size in options.sizes:
                for repetition in range(options.repetitions):
                    cpu, real = measure(fill, size // width, options.min_time)
                    rows.append(
                        {
                            "name": f"peer/numpy-{name}/{case}/{size}",
                            "run_type": "iteration",
                            "repetition_index": repetition,
                            "real_time": real * 1e9,
                            "cpu_time": cpu * 1e9,
                            "time_unit": "ns",
                            "bytes_per_second": size / cpu,
                        }
                    )
    json.dump({"context": {"numpy": numpy.__version__}, "benchmarks": rows}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
