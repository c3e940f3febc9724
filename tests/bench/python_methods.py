#!/usr/bin/env python3
"""Times of the example methods in Python: python_methods.py PROGRAM [--backend cuda] [--grid 256x512] [--seconds 3] [NAME...]

Each example runs in a process of its own and is used without a window under `block`; those whose packages are absent are
named. Prints p50 and p95 from the finished input to the pixels, frames/s, and of the course's kernels the largest
difference to `--recipe course` above -60 dB. Ends with status 1 if an example failed or that difference is 1e-3 dB or
more. PYTHONPATH: the folder of echoloop_viewer.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "assets" / "examples"
OF_FILE = {"methods": ("wiener", "wiener_numba", "delay_and_sum", "segment"),
           "course_methods": ("course", "numba_plain", "numba_nearest", "numba_constant", "cuda_plain", "cuda_nearest",
                              "cuda_constant"),
           "networks": ("smoothing", "onnx_smoothing", "aperture")}
LIMIT_DB = 1e-3


def run(options, *arguments):
    """The program's lines on stderr if its status is not 0."""
    columns, rows = options.grid.split("x")
    words = [options.program, options.source, "--headless", "--backend", options.backend, "--history-mb", "0", "--set",
             f"grid_nx={columns},grid_nz={rows},reference_db=60,f_number=0,precision=fp32", "--policy", "block",
             "--rate", "max", *arguments]
    child = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return child.stderr.strip() if child.returncode else ""


def run_with(options, file, name, *arguments):
    """As run(), with an example that is offered to the program."""
    code = f"import sys; sys.argv[1:] = ['{name}']; import runpy; runpy.run_path('{file}', run_name='__main__')"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as example:
        try:
            return run(options, "--method", f"python:{name}", "--wait-method", "60", *arguments)
        finally:
            example.kill()


def levels(file):
    values = np.load(file)
    return values - values.max()


def row(options, folder, file, name, expected):
    """Columns of the table; RuntimeError with the program's line."""
    difference = ""
    if expected is not None:
        if why := run_with(options, file, name, "--frames", "2", "--image-out", f"{folder}/image.npy"):
            raise RuntimeError(why)
        most = np.abs(levels(f"{folder}/image.npy") - expected)[expected > -60].max()
        if not most < LIMIT_DB:
            raise RuntimeError(f"differs by {most:.2g} dB from the recipe course; expected less than {LIMIT_DB:g} dB")
        difference = f"{most:.1e} dB"
    if why := run_with(options, file, name, "--duration", options.seconds, "--report", f"{folder}/report.json"):
        raise RuntimeError(why)
    report = json.loads(pathlib.Path(folder, "report.json").read_text("utf-8"))
    times = report["python_method"]
    return f"{times['p50_ms']:.2f}, {times['p95_ms']:.2f} ms | {report['frames_per_second']:.0f} | {difference}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--source", default="sim:cyst,probe=L128")
    parser.add_argument("--grid", default="256x512")
    parser.add_argument("--seconds", default="3")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        course = f"{folder}/course.npy"
        if why := run(options, "--frames", "2", "--recipe", "course", "--image-out", course):
            sys.exit(why)
        print("| example | p50, p95 | frames/s | difference |\n|---|---|---|---|", flush=True)
        for file, names in OF_FILE.items():
            path = EXAMPLES / f"{file}.py"
            words = [sys.executable, "-c", f"import runpy; print('names', *runpy.run_path('{path}'))"]
            seen = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            present = seen.rpartition("names ")[2].split()
            for name in names:
                if options.names and name not in options.names:
                    continue
                if name not in present:
                    print(f"| {name} | not here |", flush=True)
                    continue
                try:
                    cells = row(options, folder, path, name, levels(course) if file == "course_methods" else None)
                except RuntimeError as why:
                    failed += 1
                    cells = why
                print(f"| {name} | {cells} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
