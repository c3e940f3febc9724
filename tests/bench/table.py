#!/usr/bin/env python3
"""Prints recorded figures (record.py) as the README's table: table.py RECORD.json..."""
import json
import sys

print("| case | what | input | memory | streams | frames/s | latency p50 / p99, ms |\n|---|---|---|---|---|---|---|")
for path in sys.argv[1:]:
    with open(path) as file:
        record = json.load(file)
    print(f'| **{record["machine"]}** | {record["date"]}, revision {record["revision"]} | | | | | |')
    for r in record["results"]:
        shown = f', {r["shown"] / r["seconds"]:.0f} shown' if r["shown"] else ""
        print(f'| {r["case"]} | {r["what"]} | {r["input"]} | {r["host_memory"]} | {r["streams"]} | '
              f'{r["frames_per_second"]:.0f}{shown} | {r["p50_ms"]:.2f} / {r["p99_ms"]:.2f} |')
