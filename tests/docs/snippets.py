"""The programs on a page, and whether they print what it shows.

  snippets.py extract PAGE FOLDER   write N.cu or N.cpp, and N.txt, for each ```cuda or ```cpp block and the
                                    block of output after it
  snippets.py run PROGRAM [OUTPUT]  run a program, and compare what it prints with a file

Where there is no GPU, programs run in the CUDA runtime that RIVUS_TEST_CUDART names. Without either, run exits with 77.
"""

import ctypes
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path


def extract(page, folder):
    text = Path(page).read_text(encoding="utf-8")
    programs = re.findall(r"^```(?:cuda|cpp)\n.*?^```\n", text, re.M | re.S)
    pairs = re.findall(r"^```(cuda|cpp)\n(.*?)^```\n```\n(.*?)^```\n", text, re.M | re.S)
    if not pairs or len(pairs) != len(programs):
        sys.exit(f"{page}: {len(programs)} programs, {len(pairs)} of them with their output")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for number, (language, program, output) in enumerate(pairs):
        files[folder / f"{number}.{'cu' if language == 'cuda' else 'cpp'}"] = program
        files[folder / f"{number}.txt"] = output
    for old in folder.iterdir():
        if old not in files:
            old.unlink()
    for file, content in files.items():
        # A file that stays as it was is not compiled again.
        if not file.exists() or file.read_text(encoding="utf-8") != content:
            file.write_text(content, encoding="utf-8")


def has_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def run(program, expected=None):
    environment = dict(os.environ)
    if not has_gpu():
        stand_in = environment.get("RIVUS_TEST_CUDART")
        if not stand_in:
            print(f"{program} not run: no GPU here, and no runtime to take its place")
            sys.exit(77)
        environment.update(LD_PRELOAD=stand_in, PTXRUN_APPROX="1")
    result = subprocess.run([program], env=environment, stdout=subprocess.PIPE, timeout=120, check=False, text=True)
    print(result.stdout, end="")
    if result.returncode != 0:
        sys.exit(f"{program}: exit code {result.returncode}")
    if expected:
        shown = Path(expected).read_text(encoding="utf-8")
        if shown != result.stdout:
            sys.stdout.writelines(difflib.unified_diff(shown.splitlines(True), result.stdout.splitlines(True), "page", "program"))
            sys.exit(f"{program} does not print what the page shows")


ACTIONS = {"extract": extract, "run": run}
if len(sys.argv) < 3 or sys.argv[1] not in ACTIONS:
    sys.exit(__doc__)
ACTIONS[sys.argv[1]](*sys.argv[2:])
