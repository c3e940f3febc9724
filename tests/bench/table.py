#!/usr/bin/env python3
"""Prints recorded figures as the README's tables: table.py bench|memory RECORD.json... of record.py, or of
`echoloop bench` alone."""
import json
import sys

HIDDEN = ("upload", "envelope", "compress")


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
    elif what == "present":
        what = "pipeline and window"
    of_plain = number(r, "of_plain", " ({:.0f} x fp32)")
    rate = number(r, "frames_per_second", "{:.0f}")
    if r.get("shown"):
        rate += f', {r["shown"] / r["seconds"]:.0f} shown'
    if r["what"] == "present":
        rate += number(r, "shown_per_second", ", {:.0f} shown")
    ms = number(r, "p50_ms", "{:.3f}") if what in ("condition", "das") else ""
    latency = ""
    if what.startswith("latency") or "window" in r["what"]:
        latency = f'{r["p50_ms"]:.2f} / {r["p99_ms"]:.2f}'
    cells = (r["case"], what, r["input"], r.get("precision", ""), f'{r["f_number"]:g}', ms,
             number(r, "gds", "{:.1f}") + of_plain, number(r, "rel_l2", "{:.1e}"), rate,
             number(r, "of_copy", "{:.3f}"), latency)
    return "| " + " | ".join(cells) + " |"


def bench(records):
    print("| case | what | input | precision | F | ms | GDS/s | error to float64 | frames/s | of the copy's "
          "| latency p50 / p99, ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for record in records:
        print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} |' + " |" * 9)
        for r in record["results"]:
            if r["what"] not in HIDDEN and r["what"] != "memory" and not r["what"].startswith("timeline"):
                print(bench_row(r))


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


def main():
    records = []
    for path in sys.argv[2:]:
        with open(path) as file:
            records.append(json.load(file))
    {"memory": memory, "bench": bench}[sys.argv[1]](records)


if __name__ == "__main__":
    main()
