#!/usr/bin/env python3
"""Runs the program flat out for a long time and watches it: soak.py PROGRAM OUT.json [--seconds S] [-- ARGUMENTS ...]

The source waits for a slot (`--policy block --rate max`), so every frame must be processed: one that is lost, or memory
that grows by more than 2 %, ends this script with status 1. One row of a table is printed: frames, frames a second,
lost, memory, latency at the beginning and at the end. ARGUMENTS go to the program and may name a source (default: the
cyst phantom, headless); with a window leave out --headless: `-- sim:cyst`, then the latency to the picture on screen is
measured too. What is excluded: warm-up, the first tenth of the time and at least 15 s (half of a short run's time);
phantoms keep each state of their motion when it comes for the first time. The program tells the latencies of its last
thousands of frames, so those of the beginning come from a short run before.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

MOST_GROWTH = 0.02
WINDOW = 0.1  # of the time after warm-up and at the end, in which memory is averaged


def warm_s(seconds):
    return max(0.1 * seconds, min(15.0, 0.5 * seconds))


def resident_mb(pid):
    """Resident memory of a process, MB; None when it has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def device_mb(pid):
    """Memory of a process on NVIDIA devices, MB; None without the tool that tells."""
    query = ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
    try:
        lines = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    used = [cells[1] for cells in (line.split(", ") for line in lines) if cells[0] == str(pid)]
    return sum(float(mb) for mb in used if mb.isdigit()) if used else None


def watch(command, seconds, every_s):
    """Runs the command to its end; [(seconds since the start, resident MB, device MB or None)]."""
    samples = []
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while child.poll() is None:
            resident = resident_mb(child.pid)
            if resident is not None:
                samples.append((time.monotonic() - begin, resident, device_mb(child.pid)))
            if time.monotonic() - begin > seconds * 1.5 + 120:
                raise SystemExit(f"soak.py: the program did not end after {seconds} s")
            try:
                child.wait(every_s)
            except subprocess.TimeoutExpired:
                pass
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait(30)
    return child.returncode, samples


def growth(samples, column, seconds):
    """(MB just after warm-up, MB at the end, growth as a fraction); None when it was never measured."""
    def mean(begin_s, end_s):
        seen = [s[column] for s in samples if begin_s <= s[0] <= end_s and s[column] is not None]
        return sum(seen) / len(seen) if seen else None

    first = mean(warm_s(seconds), warm_s(seconds) + WINDOW * seconds)
    last = mean((1 - WINDOW) * seconds, seconds)
    if first is None or last is None:
        return None
    return first, last, (last - first) / first if first > 0 else 0.0


def judge(report, memory, device):
    frames = report["frames"]
    problems = []
    for count in ("dropped", "overrun", "errors", "sequence_gaps"):
        if frames[count]:
            problems.append(f"{frames[count]} {count}")
    if frames["produced"] != frames["processed"] + frames["in_flight"]:
        problems.append("the counts do not add up")
    if frames["processed"] == 0:
        problems.append("no frame was processed")
    if memory is None:
        problems.append("the run was too short to see its memory")
    for what, grown in (("host", memory), ("device", device)):
        if grown is not None and grown[2] > MOST_GROWTH:
            problems.append(f"{what} memory grew by {100 * grown[2]:.1f} %")
    return problems


def run(options, seconds, folder):
    """(report, samples of memory) of one run of the program."""
    path = os.path.join(folder, "report.json")
    command = [options.program, *(options.arguments or ["sim:cyst", "--headless"]), "--policy", "block",
               "--rate", "max", "--duration", str(seconds), "--report", path]
    status, samples = watch(command, seconds, options.every or min(1.0, seconds / 200))
    if status != 0 or not os.path.exists(path):
        raise SystemExit(f"soak.py: the program ended with status {status}")
    with open(path) as file:
        return json.load(file), samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--every", type=float, default=None, help="seconds between looks at the memory")
    own, given = sys.argv[1:], []
    if "--" in own:
        own, given = own[:own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    options.arguments = given
    with tempfile.TemporaryDirectory() as folder:
        begin, _ = run(options, warm_s(options.seconds), folder)
        report, samples = run(options, options.seconds, folder)
    seconds = report["seconds"]
    memory, device = growth(samples, 1, seconds), growth(samples, 2, seconds)
    problems = judge(report, memory, device)
    row = {"source": report["source"], "backend": report["backend"], "device": report["device"],
           "machine": platform.machine(), "seconds": round(seconds, 1), "frames": report["frames"],
           "frames_per_second": round(report["frames_per_second"], 1),
           "latency_begin_ms": begin["latency_ms"], "latency_ms": report["latency_ms"],
           "latency_shown_begin_ms": begin["latency_shown_ms"], "latency_shown_ms": report["latency_shown_ms"],
           "display": report.get("display"), "host_mb": memory, "device_mb": device,
           "problems": problems, "samples": [[round(s[0], 2), *s[1:]] for s in samples]}
    with open(options.out, "w") as file:
        json.dump(row, file, indent=1)
        file.write("\n")
    lost = report["frames"]["dropped"] + report["frames"]["overrun"]
    host = f"{memory[0]:.1f} -> {memory[1]:.1f} MB ({100 * memory[2]:+.2f} %)" if memory else "unknown"
    latency = " | ".join(f"{p} {begin['latency_ms'][p]:.2f} -> {report['latency_ms'][p]:.2f} ms"
                         for p in ("p50", "p99"))
    print(f"| {row['source']} | {row['backend']} ({row['device']}) | {seconds:.0f} s | "
          f"{report['frames']['processed']} frames | {row['frames_per_second']} /s | {lost} lost | {host} | "
          f"{latency} | {'; '.join(problems) or 'ok'} |")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
