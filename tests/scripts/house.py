#!/usr/bin/env python3
"""Measures the size and the coupling of src/: house.py [ROOT] [--json].

Lines and files of all languages; share of lines that only frame a file (head comment, includes, pragma, namespace
lines, blank lines between them); translation units that see a header, by the graph of includes; files that name a
shared type; functions above 60 lines, by the indentation that clang-format gives. Nothing is compiled.
"""
import json
import pathlib
import re
import sys

CODE = {".h", ".cpp", ".cu", ".cuh"}
HEADERS = ["core/params.h", "core/acquisition.h"]
SHARED = ["Model", "Edits", "WindowState", "Options"]
WRITABLE = re.compile(r"(?<!const )\b(?:Edits|WindowState)&")  # of the window: panels write Edits, the program both
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
FRAME = re.compile(r"^(#include\b.*|#pragma once|(inline )?namespace\b.*\{|\}\s*// namespace.*|using namespace .*)$")
LONG = 60


def frame_lines(text):
    """Head comment (up to the first line of code), includes, namespaces, and the blank lines beside these."""
    lines = text.splitlines()
    n, head, blank_before = 0, True, False
    for line in lines:
        blank = not line.strip()
        framed = bool(FRAME.match(line)) or (head and (line.startswith("//") or blank))
        if framed:
            n += 1
        elif blank and blank_before:
            n += 1
        if head and not (line.startswith("//") or blank or FRAME.match(line)):
            head = False
        blank_before = framed
    return n


def long_functions(path, text):
    """(file, line, length) of top-level blocks that end in a brace at the first column and are no type or namespace."""
    found, start = [], None
    for i, line in enumerate(text.splitlines(), 1):
        if start is None and line and not line[0].isspace() and line.rstrip().endswith("{"):
            kind = re.match(r"(class|struct|enum|union|namespace|inline namespace|extern)\b", line)
            table = line.rstrip().endswith("= {") or line.rstrip().endswith("{{") or line.rstrip().endswith("{{{")
            start = (i, not kind and not table)
        elif start is not None and line.startswith("}"):
            if start[1] and i - start[0] + 1 > LONG:
                found.append((path, start[0], i - start[0] + 1))
            start = None
        elif start is not None and re.match(r"(namespace\b.*\{)", line):
            start = None
    return found


def measure(root):
    src = root / "src"
    files = [p for p in sorted(src.rglob("*")) if p.is_file()]
    texts = {str(p.relative_to(src)): p.read_text(errors="replace") for p in files}
    code = {p: t for p, t in texts.items() if pathlib.PurePath(p).suffix in CODE}
    uses = {p: [q for q in INCLUDE.findall(t) if q in code] for p, t in code.items()}
    units = [p for p in code if p.endswith((".cpp", ".cu"))]

    def sees(unit, header):
        todo, seen = [unit], set()
        while todo:
            for q in uses[todo.pop()]:
                if q == header:
                    return True
                if q not in seen:
                    seen.add(q)
                    todo.append(q)
        return False

    lines = sum(t.count("\n") for t in texts.values())
    n_code = sum(t.count("\n") for t in code.values())
    frames = sum(frame_lines(t) for t in code.values())
    users = {}
    for p in code:
        for q in uses[p]:
            users.setdefault(q, set()).add(p)

    def others(header):  # but for the file of its own name
        return {u for u in users.get(header, ()) if u.rsplit(".", 1)[0] != header.rsplit(".", 1)[0]}

    long = [f for p, t in code.items() for f in long_functions(p, t)]
    return {
        "lines": lines,
        "files": len(texts),
        "code_lines": n_code,
        "code_files": len(code),
        "frame_share": round(frames / n_code, 4),
        "frame_lines_per_file": round(frames / len(code), 1),
        "files_under_60_lines": sum(t.count("\n") < 60 for t in code.values()),
        "headers_with_one_user": sum(p.endswith((".h", ".cuh")) and len(others(p)) == 1 for p in code),
        "units": len(units),
        "units_that_see": {h: sum(sees(u, h) for u in units) for h in HEADERS if h in code},
        "files_that_name": {w: sum(bool(re.search(rf"\b{w}\b", t)) for t in code.values()) for w in SHARED},
        "files_that_write_edits": sum(bool(WRITABLE.search(t)) for t in code.values()),
        "longest_file": max((t.count("\n"), p) for p, t in code.items()),
        "functions_above_60_lines": sorted(long, key=lambda f: -f[2]),
    }


def main():
    args = [a for a in sys.argv[1:] if a != "--json"]
    root = pathlib.Path(args[0]) if args else pathlib.Path(__file__).resolve().parents[2]
    result = measure(root)
    if "--json" in sys.argv:
        print(json.dumps(result, indent=1))
        return
    for key, value in result.items():
        print(f"{key}: {len(value)} {value[:5]}" if key.startswith("functions") else f"{key}: {value}")


if __name__ == "__main__":
    main()
