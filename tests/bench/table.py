#!/usr/bin/env python3
"""Prints recorded figures as tables: table.py summary|bench|memory|flow|methods|costs RECORD.json... of record.py, or of
`echoloop bench` alone. README.md has the costs, assets/manual/performance.md summary and methods, results/README.md
the others."""
import json
import sys

HIDDEN = ("upload", "envelope", "compress", "memory", "method")
BEYOND = ("flow", "structure")  # cases that have a table of their own


def number(row, key, form):
    return form.format(row[key]) if key in row else ""


def bench_row(r):
    what = r["what"]
    if r["recipe"] == "course":
        what = "course pipeline"
    elif what == "copy":
        what = f'copy, {r["host_memory"]}'
    elif what == "latency":
        what = f'latency, {r["rate_hz"] / 1000:g} kHz'
    elif "code" in r:
        what = f'das, code for {r["code"]} ({r["of_9_0"]:.2f} of 9.0)'
    elif what == "present":
        what = "pipeline and window"
        if "window" in r:
            what += f', {r["window"][0]} x {r["window"][1]} ({r["of_pipeline"]:.3f} of the pipeline)'
    elif what == "recording":
        what = f'recording ({r["gigabytes_per_second"]:.2f} GB/s, {r["of_disk"]:.2f} of blocks written alone)'
    elif what == "cineloop":
        what = f'cineloop of {r["bytes"] * 1e-9:.1f} GB, .{r["container"]} ({r["share"]:.3f} of in memory)'
    of_plain = number(r, "of_plain", " ({:.0f} x fp32)")
    rate = number(r, "frames_per_second", "{:.0f}")
    if r.get("shown"):
        rate += f', {r["shown"] / r["seconds"]:.0f} shown'
    if r["what"] == "present":
        rate += number(r, "shown_per_second", ", {:.0f} shown")
    ms = number(r, "p50_ms", "{:.3f}") if r["what"] in ("condition", "das") else ""
    latency = ""
    if what.startswith("latency") or "window" in r["what"]:
        latency = f'{r["p50_ms"]:.2f} / {r["p99_ms"]:.2f}'
    cells = (r["case"], what, r["input"], r.get("precision", ""), f'{r["f_number"]:g}', ms,
             number(r, "gds", "{:.1f}") + of_plain, number(r, "rel_l2", "{:.1e}"), rate,
             number(r, "of_copy", "{:.3f}"), latency)
    return "| " + " | ".join(cells) + " |"


def bench(records):
    print("| case | measurement | input | precision | F | ms | GDS/s | error to float64 | frames/s | relative to copy "
          "| latency p50 / p99, ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for record in records:
        print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} |' + " |" * 9)
        for r in record["results"]:
            if r["case"] not in BEYOND and r["what"] not in HIDDEN and not r["what"].startswith("timeline"):
                print(bench_row(r))


def summary(records):
    """One line a case: analytic recipe, the machine's fastest precision, the larger F-number of the two measured."""
    print("| case | input | F | conditioning, ms | summation, ms | GDS/s | frames/s | relative to copy "
          "| latency p50 / p99, ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    for record in records:
        print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} |' + " |" * 7)
        rows = [r for r in record["results"] if r.get("recipe") == "analytic" and r["what"] != "memory"
                and "code" not in r]
        cases = {}
        for r in rows:
            cases.setdefault((r["case"], r["input"]), []).append(r)
        for (case, kind), of_case in cases.items():
            f_number = max(r["f_number"] for r in of_case)
            precision = "fp16" if any(r.get("precision") == "fp16" for r in of_case) else "fp32"
            found = {r["what"]: r for r in of_case if (r["f_number"], r.get("precision")) == (f_number, precision)}
            if not {"condition", "das", "pipeline"} <= found.keys():
                continue
            latency = found.get("latency")
            cells = (case, kind, f"{f_number:g}", number(found["condition"], "p50_ms", "{:.3f}"),
                     number(found["das"], "p50_ms", "{:.3f}"), number(found["das"], "gds", "{:.0f}" if found["das"]["gds"] > 100 else "{:.1f}"),
                     number(found["pipeline"], "frames_per_second", "{:.0f}"),
                     number(found["pipeline"], "of_copy", "{:.3f}"),
                     f'{latency["p50_ms"]:.2f} / {latency["p99_ms"]:.2f}' if latency else "")
            print("| " + " | ".join(cells) + " |")


def memory(records):
    print("| host memory | streams | frames/s | t_t, ms | t_p, ms | period, ms | t_t + t_p | max(t_t, t_p) |")
    print("|---|---|---|---|---|---|---|---|")
    for record in records:
        for r in record["results"]:
            if (r["what"], r["input"]) != ("memory", "float32"):
                continue
            t = r["timing_ms"]
            print(f'| {r["host_memory"]} | {r["streams"]} | {r["frames_per_second"]:.0f} | {t["t_t"]:.3f} | '
                  f'{t["t_p"]:.3f} | {t["period"]:.3f} | {t["predicted_serial"]:.3f} | {t["predicted_overlap"]:.3f} |')


def flow_row(r):
    size = f'{r["nx"]} x {r["nz"]}' if "nx" in r else ""
    beside = number(r, "frames_per_second", "{:.0f}") + number(r, "off_frames_per_second", " of {:.0f}")
    if "of_off" in r:
        beside += f' ({100 * (r["of_off"] - 1):+.1f} %)'
    cells = (f'{r["case"]}, {r["what"]}', size, number(r, "frames", "{}"), number(r, "new_frames", "{}"),
             number(r, "p50_ms", "{:.2f}"), number(r, "decompose_ms", "{:.2f}"),
             number(r, "pictures_per_second", "{:.0f}"), beside)
    return "| " + " | ".join(cells) + " |"


def flow(records):
    print("| measurement | pixels | frames | new frames | ms | decomposition, ms | flow images/s | frames/s, relative to off |")
    print("|---|---|---|---|---|---|---|---|")
    for record in records:
        print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} |' + " |" * 6)
        for r in record["results"]:
            if r["case"] in BEYOND:
                print(flow_row(r))


METHODS = {  # name, image, source
    "coherence": ("Coherence factor", "DAS times coherent over total energy; strength 0 is the Wiener post-filter",
                  "Mallart, Fink 1994; Nilsen, Holm 2010"),
    "generalized": ("Generalised coherence factor", "DAS times the share of the lowest spatial frequencies",
                    "Li, Li 2003"),
    "phase": ("Phase coherence", "DAS times the agreement of phases", "Camacho et al. 2009"),
    "p_das": ("p-DAS", "roots of the amplitudes, summed", "Polichetti et al. 2018"),
    "slsc": ("SLSC", "mean correlation of near elements", "Lediju et al. 2011"),
    "minimum_variance": ("Minimum variance", "Capon weights of the aperture", "Synnevag et al. 2009")}


def methods(records):
    """A method's summation, by turns with plain delay-and-sum on the same frame in the same precision."""
    print("| method | over | weights | summation, ms | plain delay-and-sum, ms | ratio | share of the same executor |")
    print("|---|---|---|---|---|---|---|")
    for record in records:
        rows = [r for r in record["results"] if r["what"] == "method"]
        if rows:
            own = {**record, **rows[0]}  # rows of another run have its date and revision
            print(f'| **{record["machine"]}** | {own["date"]}, revision {own["revision"]} |' + " |" * 5)
        for r in rows:
            name = METHODS.get(r["method"], ("Delay-and-sum in the same executor",))[0]
            if r["precision"] == "fp16":
                name += ", half precision"
            cells = (name, r["axis"], r["order"].replace("_", " "), f'{r["p50_ms"]:.3f}',
                     f'{r["das_p50_ms"]:.4f}', f'{r["p50_ms"] / r["das_p50_ms"]:.1f}',
                     number(r, "share_same_executor", "{:.2f}"))
            print("| " + " | ".join(cells) + " |")


def cost(record, method):
    """Over elements, each transmit where the method can: summation, and its ratio to plain delay-and-sum."""
    rows = [r for r in record["results"]
            if r["what"] == "method" and (r["method"], r["axis"], r["precision"]) == (method, "elements", "fp32")]
    rows.sort(key=lambda r: r["order"] != "each_transmit")
    return f'{rows[0]["p50_ms"]:.2f} ms, {rows[0]["p50_ms"] / rows[0]["das_p50_ms"]:.1f} x DAS' if rows else ""


def costs(records):
    """What each method is, and its cost on every machine that was recorded with methods."""
    records = [record for record in records if any(r["what"] == "method" for r in record["results"])]
    names = [record["machine"].split(",")[0].replace("CUDA: NVIDIA ", "").replace(": ", ", ") for record in records]
    print("| method | image | source | " + " | ".join(f"cost, {name}" for name in names) + " |")
    print("|---|---|---|" + "---|" * len(names))
    for method, (_, image, source) in METHODS.items():
        print("| " + " | ".join([method, image, source] + [cost(record, method) for record in records]) + " |")


def main():
    records = []
    for path in sys.argv[2:]:
        with open(path) as file:
            records.append(json.load(file))
    {"summary": summary, "memory": memory, "bench": bench, "flow": flow, "methods": methods,
     "costs": costs}[sys.argv[1]](records)


if __name__ == "__main__":
    main()
