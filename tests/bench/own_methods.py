#!/usr/bin/env python3
"""Time of own methods, image by image, in turn with what they are compared with.

tests/bench/own_methods.py [--backend cpu|cuda] [--runs 5] [--program build/echoloop] [steps] [copies]
  steps   delay-and-sum in five steps and the short course's kernels (assets/methods), in ms per frame and ns per pixel
  copies  an unchanged copy of each built-in method: its time relative to the built-in one, median of the runs
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIES = {"coherence": "coherence.h", "generalized": "generalized_coherence.h", "phase": "phase_coherence.h",
          "p_das": "p_das.h", "slsc": "slsc.h", "minimum_variance": "minimum_variance.h"}
WIDTH, HEIGHT = 256, 256


def beamform_ms(args, words):
    """Median time of the sum of a frame, by the program's report."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        subprocess.run([args.program, "sim:points,probe=L128", "--headless", "--backend", args.backend, "--frames",
                        str(args.frames), "--grid", f"-19:19:{WIDTH},5:45:{HEIGHT}", "--set", "precision=fp32",
                        "--rate", "max", "--report", report, *words], check=True, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text())["stages"]["beamform"]["p50_ms"]


def steps(args):
    files = sorted((ROOT / "assets/methods").glob("das_*.h")) + sorted((ROOT / "assets/methods").glob("course_*.h"))
    cases = {"built-in": [], **{file.stem: ["--method", file] for file in files}}
    times = {name: [] for name in cases}
    for _ in range(args.runs):
        for name, words in cases.items():
            times[name].append(beamform_ms(args, words))
    for name, runs in times.items():
        ms = statistics.median(runs)
        print(f"{name:20} {ms:9.3f} ms a frame {1e6 * ms / (WIDTH * HEIGHT):9.2f} ns a pixel", flush=True)


def copies(args):
    for method, header in COPIES.items():
        pairs = []
        for _ in range(args.runs):
            built_in = beamform_ms(args, ["--set", f"adaptive={method}"])
            pairs.append((built_in, beamform_ms(args, ["--method", ROOT / "src/dsp/methods" / header])))
        ratios = [own / built_in for built_in, own in pairs]
        print(f"{method:20} {statistics.median(b for b, _ in pairs):9.3f} ms, own {statistics.median(ratios):6.3f} times"
              f" ({min(ratios):.3f} to {max(ratios):.3f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="steps, copies; default: both")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--program", default=ROOT / "build/echoloop")
    args = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, backend {args.backend}, {args.runs} runs")
    for name in args.what or ["steps", "copies"]:
        {"steps": steps, "copies": copies}[name](args)


if __name__ == "__main__":
    main()
