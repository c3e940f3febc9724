#!/usr/bin/env python3
"""Times of the example methods in Python: python_methods.py PROGRAM [--backend cuda] [--grid 256x512] [--seconds 3] [NAME...]

Each example runs in a process of its own and is used without a window under `block`; those whose packages are absent are
named. Prints p50 and p95 from the finished input to the pixels (`channels`: of a piece of rows), p50 of the function,
frames/s, and of the course's functions the largest difference to `--recipe course` above -60 dB. Ends with status 1 if an
example failed or that difference is 1e-3 dB or more. PYTHONPATH: the folder of echoloop_viewer.
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


def offered(file, name):
    """A process that offers an example to one program after the other."""
    code = f"import runpy\nseen = runpy.run_path('{file}')\nwhile True: seen['{name}'].run()"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def levels(file):
    values = np.load(file)
    return values - values.max()


def row(options, folder, name, expected):
    """Cells of the table; RuntimeError with the program's line."""
    use = "--method", f"python:{name}", "--wait-method", "60"
    if why := run(options, *use, "--frames", "2", "--image-out", f"{folder}/image.npy"):  # compiles, too
        raise RuntimeError(why)
    difference = ""
    if expected is not None:
        most = np.abs(levels(f"{folder}/image.npy") - expected)[expected > -60].max()
        if not most < LIMIT_DB:
            raise RuntimeError(f"differs by {most:.2g} dB from the recipe course; expected less than {LIMIT_DB:g} dB")
        difference = f"{most:.1e} dB"
    if why := run(options, *use, "--duration", options.seconds, "--report", f"{folder}/report.json"):
        raise RuntimeError(why)
    report = json.loads(pathlib.Path(folder, "report.json").read_text("utf-8"))
    times = report["python_method"]
    return (f"{times['p50_ms']:.2f}, {times['p95_ms']:.2f} ms | {times['function_p50_ms']:.2f} ms | "
            f"{report['frames_per_second']:.0f} | {difference}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--source", default="sim:cyst,probe=L128")
    parser.add_argument("--grid", default="256x512")
    parser.add_argument("--seconds", default="3")
    options = parser.parse_intermixed_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        course = f"{folder}/course.npy"
        if why := run(options, "--frames", "2", "--recipe", "course", "--image-out", course):
            sys.exit(why)
        print("| example | p50, p95 | function | frames/s | difference |\n|---|---|---|---|---|", flush=True)
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
                example = offered(path, name)
                try:
                    cells = row(options, folder, name, levels(course) if file == "course_methods" else None)
                except RuntimeError as why:
                    failed += 1
                    cells = why
                finally:
                    example.kill()
                    example.wait()
                print(f"| {name} | {cells} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
