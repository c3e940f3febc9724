#!/usr/bin/env python3
"""Measures the program on this machine and records what it showed: record.py PROGRAM OUT.json [--revision REV] ...

The record is that of `echoloop bench`, and behind its rows those of whole runs of the program, each taken from its own
report: on the demo phantom in its window, where there is a display; on frames of the GPU short course's size (S1: 3
transmits x 128 elements x 8183 samples at 100 MHz, 256 x 512 pixels, F 1), where numpy is there, flat out with every
kind of host memory and both arrangements of streams, with the timeline open and closed by turns, and on cineloops of
S1 and S2 of --cineloop-bytes, by turns with ones of 1 GB, which are in page-locked memory much sooner. What is excluded:
making the noise recording, start-up, the first frames' allocations (a run lasts some seconds).
"""
import argparse
import json
import os
import subprocess
import tempfile

S1_GRID = "--grid=-15:15:256,20:50:512"


def make_s1(folder):
    """Band-limited noise as 16 frames of S1, int16 and float32, each .npy with its sidecar."""
    import numpy as np

    rng = np.random.default_rng(1)
    rf = rng.standard_normal((16, 3, 128, 8183), dtype=np.float32)
    spectrum = np.fft.rfft(rf, axis=-1)
    f = np.fft.rfftfreq(rf.shape[-1], 1 / 100e6)
    rf = np.fft.irfft(spectrum * ((f > 3e6) & (f < 7e6)), rf.shape[-1], axis=-1).astype(np.float32)
    rf *= 8000 / np.abs(rf).max()
    sidecar = {"axes": ["frame", "transmit", "element", "time"], "fs_hz": 100e6, "fc_hz": 5e6, "c_m_s": 1540,
               "t_zero": "origin", "t0_s": 0, "pitch_m": 0.298e-3, "n_elements": 128, "frame_rate_hz": 1000,
               "tx": [{"kind": "plane", "angle_rad": a} for a in (-0.1745, 0, 0.1745)]}
    files = {}
    for name, samples in (("int16", rf.astype(np.int16)), ("float32", rf)):
        path = os.path.join(folder, f"s1_{name}.npy")
        np.save(path, samples)
        with open(path[:-4] + ".json", "w") as out:
            json.dump({"file": os.path.basename(path), **sidecar}, out)
        files[name] = path
    return files


# transmits, samples, sampling frequency, band and centre in Hz, pitch in m, angle of the last plane wave in rad, grid
CINELOOPS = {"S1": (3, 8183, 100e6, (3e6, 7e6), 5e6, 0.298e-3, 0.1745, S1_GRID),
             "S2": (75, 1536, 20.832e6, (2.6e6, 7.8e6), 5.208e6, 0.3e-3, 0.2793, "--grid=-19:19:387,5:45:609")}


def make_cineloop(folder, case, n_bytes):
    """Band-limited noise of a few frames, again and again: an int16 .npy of that many bytes, with its sidecar."""
    import numpy as np

    n_tx, n_samples, fs, band, fc, pitch, angle, _ = CINELOOPS[case]
    spectrum = np.fft.rfft(np.random.default_rng(1).standard_normal((8, n_tx, 128, n_samples), dtype=np.float32))
    f = np.fft.rfftfreq(n_samples, 1 / fs)
    rf = np.fft.irfft(spectrum * ((f > band[0]) & (f < band[1])), n_samples)
    rf = (8000 / np.abs(rf).max() * rf).astype(np.int16)
    frames = n_bytes // rf[0].nbytes
    path = os.path.join(folder, f"{case}_{frames}.npy")
    out = np.lib.format.open_memmap(path, "w+", np.int16, (frames,) + rf.shape[1:])
    for i in range(frames):
        out[i] = rf[i % len(rf)]
    out.flush()
    with open(path[:-4] + ".json", "w") as sidecar:
        json.dump({"file": os.path.basename(path), "axes": ["frame", "transmit", "element", "time"], "fs_hz": fs,
                   "fc_hz": fc, "c_m_s": 1540, "t_zero": "origin", "t0_s": 0, "pitch_m": pitch, "n_elements": 128,
                   "frame_rate_hz": 1000, "tx": [{"kind": "plane", "angle_rad": a}
                                                 for a in np.linspace(-angle, angle, n_tx)]}, sidecar)
    return path


def cineloops(folder, options, rows, save):
    """Rows of cineloops of --cineloop-bytes, .npy and .uff, each by turns with one that fits into memory."""
    for case, (*_, grid) in CINELOOPS.items():
        short = make_cineloop(folder, case, 1000 << 20)
        files = {"npy": make_cineloop(folder, case, options.cineloop_bytes)}
        files["uff"] = files["npy"][:-4] + ".uff"
        run(options.program, [files["npy"], grid, "--headless", "--no-loop", "--rate", "max", "--policy", "block",
                              "--record", files["uff"]], folder)
        for container, path in files.items():
            figures = {"long": [], "short": []}
            for _ in range(3):
                for length, file in (("short", short), ("long", path)):
                    figures[length].append(run(options.program, [
                        file, grid, "--set", "f_number=1", "--headless", "--rate", "max", "--lanes", options.lanes,
                        "--duration", options.seconds], folder))
            middle = {k: sorted(v, key=lambda r: r["frames_per_second"])[1] for k, v in figures.items()}
            long, in_memory = middle["long"], middle["short"]["frames_per_second"]
            rows.append({"case": case, "what": "cineloop", "input": "int16", "container": container,
                         "bytes": os.path.getsize(path), "f_number": 1, "recipe": "analytic", "precision": long["parameters"]["precision"],
                         "backend": long["backend"],
                         "host_memory": long["host_memory"], "host_memory_bytes": long.get("host_memory_bytes", 0),
                         "seconds_a_run": float(options.seconds),
                         "frames_per_second": round(long["frames_per_second"], 1),
                         "in_memory_frames_per_second": round(in_memory, 1),
                         "share": round(long["frames_per_second"] / in_memory, 3)})
            print(json.dumps(rows[-1]), flush=True)
            save()
        for file in (short, *files.values()):
            os.remove(file)


def other_code(files):
    """Rows of the tuned delay-and-sum as compiled for other compute capabilities, from records of echoloop_das_bench on
    one machine, NAME=FILE with the names 9.0, 8.0 and 7.5: of each case the form that plans choose."""
    chosen = {}
    for name, path in (f.split("=", 1) for f in files):
        with open(path) as file:
            for r in json.load(file)["results"]:
                if r["what"] == "das" and r["precision"] == "fp16":
                    chosen.setdefault(name, {}).setdefault(r["case"], r)
    reference = chosen.pop("9.0", {})
    rows = []
    for name, cases in chosen.items():
        for case, r in cases.items():
            rows.append({"case": case.removesuffix("F1"), "what": "das", "code": name, "input": r["input"],
                         "recipe": "analytic", "precision": "fp16", "f_number": r["f_number"], "p50_ms": r["ms_hot"],
                         "gds": round(r["gds"] * r["ms_cold"] / r["ms_hot"], 1), "rel_l2": r["rel_l2"],
                         "of_9_0": round(reference[case]["ms_hot"] / r["ms_hot"], 3), "note": r["note"]})
    return rows


def run(program, arguments, folder, environment=None):
    report = os.path.join(folder, "report.json")
    subprocess.run([program, *arguments, "--report", report], check=True, stdout=subprocess.DEVNULL, timeout=120,
                   env={**os.environ, **(environment or {})})
    with open(report) as file:
        return json.load(file)


def bench(folder, options):
    """The record of `echoloop bench`, run now or, in as many files as there were runs, earlier: that of the first file,
    with the rows of the others, which keep their date and revision."""
    files = options.bench
    if not files:
        files = [os.path.join(folder, "bench.json")]
        subprocess.run([options.program, "bench", "--seconds", options.bench_seconds, "--revision", options.revision,
                        "--json", files[0]], check=True, timeout=3600)
    records = []
    for path in files:
        with open(path) as file:
            records.append(json.load(file))
    rows = list(records[0]["results"])
    for record in records[1:]:
        rows += [{**row, "date": record["date"], "revision": record["revision"]} for row in record["results"]]
    return {**records[0], "results": rows}


def row(report, case, what, input_type, bench_rows):
    parameters = report["parameters"]
    timing = report["timing_ms"]
    # What was asked for, where the machine has it: the bench has found out.
    half = any(r.get("precision") == "fp16" for r in bench_rows)
    precision = parameters["precision"] if half and parameters["recipe"] == "analytic" else "fp32"
    result = {"case": case, "what": what, "input": input_type, "precision": precision,
              "f_number": parameters["f_number"], "recipe": parameters["recipe"],
              "backend": report["backend"], "streams": report["streams"], "lanes": report["lanes"],
              "host_memory": report["host_memory"],
              "frames_per_second": round(report["frames_per_second"], 1), "shown": report["frames"]["shown"],
              "dropped": report["frames"]["dropped"], "seconds": round(report["seconds"], 2),
              "p50_ms": round(report["latency_ms"]["p50"], 3), "p99_ms": round(report["latency_ms"]["p99"], 3),
              "timing_ms": {k: round(v, 4) for k, v in timing.items()},
              "stages_p50_ms": {k: round(v["p50_ms"], 4) for k, v in report["stages"].items()}}
    if "display" in report:
        figures = ("interop", "frame_ms", "texture_ms", "device_wait_ms", "interval_ms")
        result["display"] = {k: report["display"][k] for k in figures}
    return result


def panels(folder, open_or_folded):
    """A settings folder in which the window's Timeline panel is open or folded."""
    home = os.path.join(folder, open_or_folded)
    os.makedirs(os.path.join(home, "echoloop"), exist_ok=True)
    with open(os.path.join(home, "echoloop", "window"), "w") as file:
        file.write(f"panel_timeline = {open_or_folded}\n")
    return {"XDG_CONFIG_HOME": home}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--revision", default="")
    parser.add_argument("--seconds", default="4", help="of each run")
    parser.add_argument("--bench-seconds", default="0.3", help="of each figure of echoloop bench")
    parser.add_argument("--bench", nargs="*", default=[], help="records of echoloop bench, instead of running it")
    parser.add_argument("--das-bench", nargs="*", default=[], metavar="CODE=FILE",
                        help="records of echoloop_das_bench compiled for 9.0, 8.0 and 7.5")
    parser.add_argument("--lanes", default="3", help="of the runs that compare kinds of memory")
    parser.add_argument("--cineloop-bytes", type=int, default=4 << 30, help="of each long cineloop; 0: none")
    parser.add_argument("--only-cineloops", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = {"results": []} if options.only_cineloops else bench(folder, options)
        record.setdefault("settings", {})["seconds_a_run"] = float(options.seconds)
        rows = record["results"]
        rows += other_code(options.das_bench)

        def save():  # after each run: a machine may be taken back at any time
            with open(options.out, "w") as out:
                json.dump(record, out, indent=1, sort_keys=True)
                out.write("\n")

        save()
        if options.only_cineloops:
            cineloops(folder, options, rows, save)
            return

        def measure(case, what, input_type, *arguments, environment=None):
            report = run(options.program, [*arguments, "--duration", options.seconds], folder, environment)
            rows.append(row(report, case, what, input_type, rows))
            save()
            r = rows[-1]
            t = r["timing_ms"]
            print(f'{r["case"]:5} {r["what"]:17} {r["input"]:8} {r["host_memory"]:14} {r["streams"]:8} '
                  f'{r["frames_per_second"]:9.1f} fps  p50 {r["p50_ms"]:7.3f} p99 {r["p99_ms"]:7.3f} ms  '
                  f't_t {t["t_t"]:.4f} t_p {t["t_p"]:.4f} period {t["period"]:.4f} sum {t["predicted_serial"]:.4f} '
                  f'max {t["predicted_overlap"]:.4f}  shown {r["shown"]}', flush=True)

        if os.environ.get("DISPLAY"):
            measure("demo", "in the window", "int16", "sim:heart,probe=L64", "--rate", "max")
            measure("demo", "in the window, 50 Hz", "int16", "sim:heart,probe=L64")
        try:
            files = make_s1(folder)
        except ImportError:
            files = {}
        for name, path in files.items():
            s1 = [path, S1_GRID, "--set", "f_number=1"]
            for memory in ("pageable", "pinned", "write-combined", "mapped"):
                for streams in ("serial", "overlap"):
                    measure("S1", "memory", name, *s1, "--headless", "--rate", "max", "--host-memory", memory,
                            "--streams", streams, "--lanes", options.lanes)
            for state in ("folded", "open") * 5 if os.environ.get("DISPLAY") else ():
                measure("S1", f"timeline {state}", name, *s1, "--rate", "max", "--lanes", options.lanes,
                        environment=panels(folder, state))
        if files and options.cineloop_bytes > 0:
            cineloops(folder, options, rows, save)


if __name__ == "__main__":
    main()
