#!/usr/bin/env python3
"""Kills senders of one viewer for a long time and watches the viewer: live_soak.py PROGRAM OUT.json [--address ADDRESS]
[--seconds S] [--reconnects N] [-- ARGUMENTS ...]

One sender after the other connects, sends 60 frames at least, and is killed (SIGKILL, some after a SIGSTOP, some while
they write a frame). Two of three describe the frames of the sender before, the others frames of another depth; one in 20
is `PROGRAM send sim:heart`. Resident memory (anonymous, shared), locked memory, descriptors and threads of the viewer
are read before the kills of senders with the same frames. Every row of the table is one minute: of memory the lowest
value, as the stream before may not be gone yet, and of the others the highest. This script ends with status 1 if memory
of the last tenth of the time lies more than 2 % and 2 MB above that of the second tenth, if descriptors or threads grew,
or if the report's sums do not hold. ARGUMENTS go to the viewer (default: --headless --policy drop-oldest); ADDRESS may
be live:tcp:127.0.0.1:PORT.
"""
import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "senders"))
import echoloop  # noqa: E402

MOST_GROWTH, MOST_GROWTH_MB = 0.02, 2.0
FRAMES_BEFORE_KILL = 60
RATE_HZ = 200
PATIENCE_S = 60.0
MEMORY = {"VmRSS": "resident_mb", "RssAnon": "anonymous_mb", "RssShmem": "shared_mb", "VmLck": "locked_mb",
          "VmPin": "pinned_mb", "Threads": "threads"}
# Free memory goes back to the system at once: what the C library keeps after a peak is no leak.
GIVE_BACK = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
GROWING = ("resident_mb", "anonymous_mb", "shared_mb", "locked_mb", "pinned_mb")


def take_time(seconds):
    time.sleep(seconds)


def description(n_samples):
    return {"axes": ["transmit", "element", "time"], "shape": [1, 64, n_samples], "dtype": "int16", "fs_hz": 20e6,
            "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin",
            "tx": [{"kind": "plane", "angle_rad": 0}]}


def look(pid):
    """Memory, threads and descriptors of a process now; None when it has ended."""
    seen = {}
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                key, _, value = line.partition(":")
                if key in MEMORY:
                    number = int(value.split()[0])
                    seen[MEMORY[key]] = number if key == "Threads" else number / 1024
        seen["descriptors"] = len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return None
    return seen


def send_until_killed(address, n_samples, ready):
    """A sender process: one byte to `ready` when its frames are taken."""
    frame = bytearray(random.randbytes(64 * n_samples * 2))
    sender = echoloop.Sender(description(n_samples), address, name="soak", timeout=PATIENCE_S)
    sent = 0
    while True:
        sent += sender.send(frame, timeout=1.0) == echoloop.OK
        if sent == FRAMES_BEFORE_KILL:
            os.write(ready, b"1")
            sent += 1
        take_time(1 / RATE_HZ)


def start_sender(options, n_samples):
    """(process id, descriptor that a byte comes to, or None for the program's own sender)."""
    if n_samples is None:
        return subprocess.Popen([options.program, "send", "sim:heart", "--to", options.address, "--rate", "50"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid, None
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(readable)
        try:
            send_until_killed(options.address, n_samples, writable)
        finally:
            os._exit(1)
    os.close(writable)
    return pid, readable


def run_one(options, number, chance):
    """One sender from its start to its death; False when no frame of it was taken."""
    n_samples = None if number % 20 == 19 else 512 if number % 3 else 768
    pid, readable = start_sender(options, n_samples)
    if readable is None:
        take_time(1.0)
        taken = True
    else:
        taken = bool(select.select([readable], [], [], PATIENCE_S)[0]) and os.read(readable, 1) == b"1"
        os.close(readable)
    seen = look(options.viewer)
    take_time(chance.random() * 0.02)
    if chance.random() < 0.2:
        os.kill(pid, signal.SIGSTOP)
        take_time(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return taken, seen if n_samples == 512 else None


def summary(rows):
    """The lowest values of memory, the highest of descriptors and threads."""
    if not rows:
        return None
    return {key: (min if key in GROWING else max)(row[key] for row in rows) for key in rows[0] if key != "s"}


def judge(report, first, last):
    frames = report["frames"]
    problems = []
    if frames["produced"] != frames["processed"] + frames["dropped"] + frames["overrun"] + frames["in_flight"]:
        problems.append("the counts do not add up")
    if frames["next_sequence"] - frames["first_sequence"] != (
            frames["produced"] - frames["duplicates"] + frames["lost_at_sender"] + frames["stale"] + frames["missing"]):
        problems.append("the sequence numbers do not add up")
    for key in GROWING:
        if last[key] - first[key] > max(MOST_GROWTH * first[key], MOST_GROWTH_MB):
            problems.append(f"{key} grew from {first[key]:.1f} to {last[key]:.1f}")
    for key in ("descriptors", "threads"):
        if last[key] > first[key]:
            problems.append(f"{key} grew from {first[key]} to {last[key]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--address", default="live:soak")
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--reconnects", type=int, default=1000)
    own, given = sys.argv[1:], []
    if "--" in own:
        own, given = own[:own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        path = os.path.join(folder, "report.json")
        command = [options.program, options.address, *(given or ["--headless", "--policy", "drop-oldest"]), "--report", path]
        viewer = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **GIVE_BACK})
        options.viewer = viewer.pid
        chance, begin, rows, minute = random.Random(18), time.monotonic(), [], 0
        killed = silent = 0
        while time.monotonic() - begin < options.seconds or killed < options.reconnects:
            taken, seen = run_one(options, killed, chance)
            killed += 1
            silent += not taken
            if viewer.poll() is not None:
                raise SystemExit(f"live_soak.py: the viewer ended with status {viewer.returncode} after {killed} senders")
            if seen is not None:
                rows.append({"s": time.monotonic() - begin, **seen})
            if time.monotonic() - begin >= 60 * (minute + 1):
                now = summary([row for row in rows if row["s"] >= 60 * minute])
                minute += 1
                print(f"| {minute} min | {killed} senders | " +
                      " | ".join(f"{key} {value:.1f}" for key, value in (now or {}).items()) + " |", flush=True)
            take_time(max(0.0, begin + killed * options.seconds / options.reconnects - time.monotonic()))
        seconds = time.monotonic() - begin
        viewer.send_signal(signal.SIGTERM)
        viewer.wait(60)
        with open(path) as file:
            report = json.load(file)
    first = summary([row for row in rows if 0.1 * seconds <= row["s"] <= 0.2 * seconds])
    last = summary([row for row in rows if row["s"] >= 0.9 * seconds])
    problems = judge(report, first, last) if first and last else ["the run was too short to see its memory"]
    if silent:
        problems.append(f"no frame was taken of {silent} senders")
    with open(options.out, "w") as file:
        json.dump({"seconds": round(seconds, 1), "senders": killed, "frames": report["frames"], "first": first,
                   "last": last, "problems": problems, "samples": rows}, file, indent=1)
        file.write("\n")
    print(f"| {seconds:.0f} s | {killed} senders killed | {report['frames']['processed']} frames | {first} -> {last} | "
          f"{'; '.join(problems) or 'ok'} |")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
