#!/usr/bin/env python3
"""Saves the file of an own method again and again while a sender streams: method_soak.py PROGRAM OUT.json [--saves N]
[--rate HZ] [-- ARGUMENTS ...]

A window (a display is needed) gets frames of a sender at RATE under the policy block; each save differs by one comment
and is waited for until an image made with it is on screen. Times from the save to that image, and memory, descriptors,
threads, mappings and temporary folders of the viewer. Ends with status 1 if a frame was lost, a save was not used, or
memory of the last tenth lies more than 2 % and 4 MB above that of the second tenth, or if descriptors, threads or folders
grew. ARGUMENTS go to the viewer (default: --backend cpu).
"""
import argparse
import hashlib
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from live_soak import take_time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 120
MOST_GROWTH, MOST_GROWTH_MB = 0.02, 4.0


def look(pid):
    seen = {}
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            key, _, value = line.partition(":")
            if key in ("VmRSS", "RssAnon", "VmSize"):
                seen[key] = int(value.split()[0]) / 1024
            if key == "Threads":
                seen["threads"] = int(value)
    with open(f"/proc/{pid}/maps") as maps:
        seen["mappings"] = len(maps.readlines())
    seen["descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
    seen["folders"] = len(os.listdir(os.environ["TMPDIR"]))
    return seen


def paced(frames, rate_hz):
    begun, n = time.monotonic(), 0
    while True:
        take_time(max(0.0, begun + n / rate_hz - time.monotonic()))
        yield frames[n % len(frames)]
        n += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--saves", type=int, default=500)
    parser.add_argument("--rate", type=float, default=50.0)
    given, arguments = parser.parse_known_args()
    arguments = [word for word in arguments if word != "--"] or ["--backend", "cpu"]
    os.environ["ECHOLOOP_PROGRAM"] = given.program
    os.environ["MALLOC_ARENA_MAX"] = "1"
    os.environ["MALLOC_TRIM_THRESHOLD_"] = "0"
    import echoloop_viewer as el
    import numpy
    folder = tempfile.TemporaryDirectory()
    os.environ["XDG_CONFIG_HOME"] = folder.name
    os.environ["TMPDIR"] = str(pathlib.Path(folder.name, "temporary"))
    os.mkdir(os.environ["TMPDIR"])
    file = pathlib.Path(folder.name, "used.h")
    good = (ROOT / "assets" / "methods" / "wiener.h").read_text()
    file.write_text(good)
    shape = (1, 64, 1024)
    acquisition = el.Acquisition({"axes": ["transmit", "element", "time"], "shape": list(shape), "dtype": "int16",
                                  "fs_hz": 20e6, "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0,
                                  "t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}]})
    frames = numpy.random.default_rng(1).integers(-2000, 2000, (8, *shape)).astype("int16")
    viewer = el.show(paced(frames, given.rate), acquisition,
                     arguments=["--policy", "block", "--history-mb", "32", "--method", str(file), "--width", "1024",
                                "--height", "640", *arguments], grid_nx=96, grid_nz=128)
    pid = viewer.call("hello")["pid"]

    def use(text):
        """Seconds from the save to an image made with it."""
        sha = hashlib.sha256(text.encode()).hexdigest()
        other = file.with_suffix(".new")
        other.write_text(text)
        begun = time.monotonic()
        other.replace(file)
        while viewer.get().get("own_method", {}).get("sha256") != sha:
            if time.monotonic() > begun + PATIENCE_S:
                sys.exit(f"a save was not used: {viewer.call('messages')[:3]}")
            take_time(0.005)
        viewer.call("wait", timeout_s=PATIENCE_S)
        return time.monotonic() - begun

    use(good + "// first\n")
    take_time(5.0)  # headers are precompiled
    times, rows, lost = [], [], 0
    for i in range(given.saves):
        times.append(use(good + f"// save {i}\n"))
        rows.append(look(pid))
        if i % 50 == 49:
            print(i + 1, f"p50 {statistics.median(times):.2f} s", rows[-1], f"load {os.getloadavg()[0]:.1f}", flush=True)
    counts = viewer.counts()
    report = viewer.call("report")
    viewer.close()
    lost = counts["dropped"] + report["frames"].get("sequence_gaps", 0) + report.get("scanner", {}).get("lost", 0)
    tenth = max(1, len(rows) // 10)
    problems = [f"{lost} frames lost"] if lost else []
    for key in rows[0]:
        before = min(row[key] for row in rows[tenth:2 * tenth] or rows)
        after = min(row[key] for row in rows[-tenth:])
        if key in ("threads", "descriptors", "folders", "mappings"):
            grown = after > before
        else:
            grown = key != "VmSize" and after > before * (1 + MOST_GROWTH) and after > before + MOST_GROWTH_MB
        if grown:
            problems.append(f"{key}: {before:.1f} to {after:.1f}")
    times.sort()
    result = {"saves": len(times), "p50_s": statistics.median(times), "p95_s": times[int(0.95 * (len(times) - 1))],
              "sent": viewer.counts_sent, "counts": counts, "first": rows[0], "last": rows[-1], "problems": problems,
              "load": os.getloadavg()}
    pathlib.Path(given.out).write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
