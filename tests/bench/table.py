#!/usr/bin/env python3
"""Prints recorded figures as the README's tables: table.py figures|memory RECORD.json... of record.py, or
table.py bench RECORD.json... of `echoloop bench`."""
import json
import sys


def figures(records):
    print("| case | what | input | memory | streams | frames/s | latency p50 / p99, ms |\n|---|---|---|---|---|---|---|")
    for record in records:
        print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} | | | | | |')
        for r in record["results"]:
            if r["what"] == "pipeline" and r["host_memory"] in ("write-combined", "mapped"):
                continue  # in the other table
            if r["what"].startswith("timeline"):
                continue  # for comparison with each other only
            shown = f', {r["shown"] / r["seconds"]:.0f} shown' if r["shown"] else ""
            print(f'| {r["case"]} | {r["what"]} | {r["input"]} | {r["host_memory"]} | {r["streams"]} | '
                  f'{r["frames_per_second"]:.0f}{shown} | {r["p50_ms"]:.2f} / {r["p99_ms"]:.2f} |')


def memory(records):
    print("| host memory | streams | frames/s | t_t, ms | t_p, ms | period, ms | t_t + t_p | max(t_t, t_p) |")
    print("|---|---|---|---|---|---|---|---|")
    for record in records:
        for r in record["results"]:
            if (r["case"], r["what"], r["input"]) != ("S1", "pipeline", "float32"):
                continue
            t = r["timing_ms"]
            print(f'| {r["host_memory"]} | {r["streams"]} | {r["frames_per_second"]:.0f} | {t["t_t"]:.3f} | '
                  f'{t["t_p"]:.3f} | {t["period"]:.3f} | {t["predicted_serial"]:.3f} | {t["predicted_overlap"]:.3f} |')


def bench(records):
    print("| case | what | input | F | ms | GDS/s | error to float64 | frames/s |\n|---|---|---|---|---|---|---|---|")
    for record in records:
        print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} | | | | | | |')
        for r in record["results"]:
            if r["what"] not in ("condition", "das", "pipeline", "copy") or r["recipe"] != "analytic":
                continue
            gds = f'{r["gds"]:.1f}' if "gds" in r else ""
            error = f'{r["rel_l2"]:.1e}' if "rel_l2" in r else ""
            rate = f'{r["frames_per_second"]:.0f}' if "frames_per_second" in r else ""
            ms = f'{r["p50_ms"]:.2f}' if r["what"] in ("condition", "das") else ""
            print(f'| {r["case"]} | {r["what"]} | {r["input"]} | {r["f_number"]:g} | {ms} | {gds} | {error} | {rate} |')


def main():
    records = []
    for path in sys.argv[2:]:
        with open(path) as file:
            records.append(json.load(file))
    {"figures": figures, "memory": memory, "bench": bench}[sys.argv[1]](records)


if __name__ == "__main__":
    main()
