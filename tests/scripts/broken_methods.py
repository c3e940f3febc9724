#!/usr/bin/env python3
"""Mutations of the example methods, each through the command line: broken_methods.py PROGRAM [--count N] [--seed N]
[--window N] [--few] [--backend cpu|cuda] [--table FILE]

Each mutant is one that compiles and runs (status 0, nothing on stderr), or one line on stderr that names the file: with
status 2 if it is refused before the stream, 1 if it fails in a frame. --window N: every N-th of them is also saved into
the file that a window uses (a display is needed): the last good method stays, and the images go on. --few: eight of
them, one of each kind of fault. Ends with status 1 if one of them did anything else; prints a table of outcomes.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "assets" / "methods").glob("*.h"))
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"[^\"\n]*\"|//[^\n]*|::|->|[-+*/<>=!&|]=?|[^\s\w]")
LIMIT_S = 120
PATIENCE_S = 90
RUN = ["--headless", "--frames", "2", "--grid=-8:8:70,5:35:61"]
SOURCE = "sim:cyst,probe=L128"
LARGE = 10 << 20  # bytes


def take_time(seconds):
    time.sleep(seconds)


def code_tokens(text):
    return [m for m in TOKEN.finditer(text) if not m.group().startswith("//")]


def edit_token(make):
    """A mutation that replaces one token of the code by make(its text, random)."""
    def mutate(text, rng):
        at = rng.choice(code_tokens(text))
        return text[:at.start()] + make(at.group(), rng) + text[at.end():]
    return mutate


def swap(pairs):
    """A mutation that replaces one place of one of the words."""
    def mutate(text, rng):
        there = [(m.start(), a, b) for a, b in pairs for m in re.finditer(rf"(?<!\w){re.escape(a)}(?!\w)", text)]
        if not there:
            return text.replace("{", "{{", 1)
        at, a, b = rng.choice(there)
        return text[:at] + b + text[at + len(a):]
    return mutate


def first_line(lines):
    """Puts one of the lines before the file."""
    return lambda text, rng: rng.choice(lines) + "\n" + text


def in_pixel(statements):
    """Puts one of the statements at the start of a function of the method, after `float` and channels are known."""
    def mutate(text, rng):
        places = [m.end() for m in re.finditer(r"\) const \{\n", text)]
        at = rng.choice(places)
        return text[:at] + "    " + rng.choice(statements) + "\n" + text[at:]
    return mutate


def in_result(values):
    """Adds one of the values to what a function of the method returns."""
    def mutate(text, rng):
        value = rng.choice(values)
        if "return {sum, 1.0f}" in text:
            return text.replace("return {sum, 1.0f}", f"return {{sum, {value}}}")
        return re.sub(r"return ([^;{}]+);(?=\n  \}\n\n  template)", rf"return \1 + ({value});", text)
    return mutate


DEEP = ("template <int n> struct Deep {{ static constexpr int value = Deep<n + 1>::value{more}; }};\n"
        "inline constexpr int kDeep = Deep<0>::value;")
RECURSION = ("inline float deep(volatile int n) { volatile char block[4096]; block[n % 9] = 1; "
             "return deep(n + block[n % 9]) + block[1]; }")


def before_struct(declaration, statement=""):
    def mutate(text, rng):
        text = text.replace("namespace echoloop {", "namespace echoloop {\n" + declaration, 1)
        return in_pixel([statement])(text, rng) if statement else text
    return mutate


def choice(*mutations):
    return lambda text, rng: rng.choice(mutations)(text, rng)


PUNCTUATION = list(";,(){}[]<>=+-*/&|^%!~?:.#@\\\"'`")
KINDS = {
    "syntax": choice(edit_token(lambda t, r: ""), edit_token(lambda t, r: t + " " + t),
                     edit_token(lambda t, r: t + r.choice(PUNCTUATION)), lambda t, r: t[:r.randrange(len(t))],
                     lambda t, r: t.replace("}", "", 1), lambda t, r: t.replace(";", "", 1)),
    "name": edit_token(lambda t, r: t[:-1] + "qz" if t[0].isalpha() else t + "q"),
    "type": choice(swap([("float", "std::string"), ("int", "void"), ("float", "double*"), ("Complex", "float"),
                         ("MethodPixel", "int"), ("auto", "const char*"), ("float", "Complex"), ("const", "")])),
    "operator": swap([("+", "-"), ("*", "/"), ("<", "<="), ("<", ">"), ("1.0f", "0.0f"), ("0.0f", "1e30f"), ("=", "+="),
                      ("half", "1000000"), ("0", "-1"), ("true", "false"), ("false", "true")]),
    "include": choice(first_line(['#include "not_there.h"', "#include <not_there>", '#include "/etc/passwd"',
                                  '#include "/"', '#include "/dev/zero"', '#include __FILE__', "#include",
                                  '#include "method.h"', "#include <torch/torch.h>"])),
    "preprocessor": first_line(["#error no", "#if 1", "#endif", "#define float double*", "#define run_method other",
                                "#define ECHO_HD", "#define Adaptive", "#line 0 \"\"", "#pragma GCC poison Complex",
                                "#define R(x) x x\n#define S(x) R(R(R(R(R(x)))))\nS(S(S(S(int a;))))"]),
    "templates": choice(before_struct(DEEP.format(more="")), before_struct(DEEP.format(more=" + Deep<n + 2>::value")),
                        before_struct("constexpr int forever() { int i = 0; while (true) i ^= 1; return i; }\n"
                                      "inline constexpr int kForever = forever();"),
                        before_struct("inline char huge[1LL << 40];"),
                        before_struct("constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
                                      "inline constexpr int kLong = f(60);")),
    "loop": in_pixel(["for (volatile int i = 0;; i = i + 1) {}", "while (true) { asm volatile(\"\"); }",
                      "for (volatile float x = 1.0f; x != 0.0f;) x = x * 0.5f + 1.0f;"]),
    "outside": in_pixel(["volatile float* p = nullptr; if (p[7] > 1.0f) return {};",
                         "*reinterpret_cast<volatile int*>(16) = 1;",
                         "{ volatile float a[4] = {}; volatile int i = 1 << 28; a[i] = a[i] + 1.0f; }",
                         "reinterpret_cast<void (*)()>(1)();"]),
    "channel": lambda t, r: swap([("element(e)", "element(e - 100000000)"), ("transmit(t)", "transmit(t + 100000000)"),
                                  ("n_elements()", "n_elements() * 100000000"),
                                  ("+= samples", "+= 1e30f"), ("+= samples", "= 0.0f / 0.0f * samples")])(
                                      r.choice([text_of("delay_and_sum.h"), text_of("late.h")]), r),
    "nan": in_result(["0.0f / 0.0f * fabsf(float(ECHO_ZERO))", "1.0f / float(ECHO_ZERO)", "sqrtf(-1.0f - ECHO_ZERO)",
                      "powf(-1.0f, 0.5f)", "1e38f * 1e38f"]),
    "recursion": before_struct(RECURSION, "{ volatile float d = deep(3); d = d + 1.0f; }"),
    "end": in_pixel(["__builtin_abort();", "__builtin_trap();", "throw 1;", "asm volatile(\"ud2\");",
                     "{ volatile int z = 0; z = 1 / z; }"]),
    "start": choice(
        before_struct("struct AtStart { AtStart() { for (volatile int i = 0;; i = i + 1) {} } };\n"
                      "inline AtStart at_start;"),
        before_struct("struct AtStart { AtStart() { __builtin_abort(); } };\ninline AtStart at_start;"),
        before_struct("struct AtStart { AtStart() { *(volatile int*)8 = 1; } };\ninline AtStart at_start;"),
        before_struct("struct AtStart { AtStart() { throw 1; } };\ninline AtStart at_start;"),
        before_struct("struct AtEnd { ~AtEnd() { *(volatile int*)8 = 1; } };\ninline AtEnd at_end;")),
    "parameter": choice(before_struct('ECHO_PARAMETER(a, "", 1, 0, 0, "")'), before_struct('ECHO_PARAMETER(a, "", 0, 1)'),
                        before_struct('ECHO_PARAMETER(1a, "", 0, 1, 0, "")'),
                        before_struct('ECHO_PARAMETER(b, "", 0, 1, 2, "")'),
                        before_struct('ECHO_PARAMETER(c, "", 0, 0.0 / 0.0, 0, "")'),
                        before_struct('ECHO_PARAMETER(d, 3, 0, 1, 0, "")'),
                        before_struct('ECHO_PARAMETER(e, "", 0, 1, 0, "")\nECHO_PARAMETER(e, "", 0, 1, 0, "")'),
                        before_struct("\n".join(f'ECHO_PARAMETER(p{i}, "", 0, 1, 0, "")' for i in range(9)))),
    "form": choice(swap([("run(", "(void)("), ("MethodTag<Adaptive::own>", "MethodTag<Adaptive::phase>"),
                         ("run_method", "run_other"), ("operator()", "call"), ("Sums", "Totals"), ("weight", "wait"),
                         ("add", "sum")]),
                   lambda t, r: t.replace("template <class Run>", "static", 1),
                   before_struct("float missing(float x);", "if (missing(1.0f) > 2.0f) return {};")),
    "bytes": choice(lambda t, r: "\0" * 100, lambda t, r: t.replace("\n", "\r\n"), lambda t, r: "\ufeff" + t,
                    lambda t, r: "".join(chr(r.randrange(1, 255)) for _ in range(3000)),
                    lambda t, r: "int " + "a" * 200000 + ";", lambda t, r: "(" * 20000, lambda t, r: t * 2,
                    lambda t, r: t.replace("\n", " "), lambda t, r: "/*" + t),
    "large": choice(lambda t, r: "\n" * LARGE + t, lambda t, r: t + "//" + "x" * LARGE,
                    lambda t, r: "int a;\n" * (LARGE // 7)),
    "empty": choice(lambda t, r: "", lambda t, r: " \n\t\n"),
    "file": None,
}
FILES = ["directory", "none", "link to none", "pipe", "vanishes", "twice", "unreadable", "device"]
# Statuses that a kind may end with.
ALLOWED = {"large": {2}, "empty": {2}}


def text_of(name):
    return (ROOT / "assets" / "methods" / name).read_text()


class Mutant:
    def __init__(self, number, kind, rng):
        self.number, self.kind = number, kind
        self.text = text_of(rng.choice(EXAMPLES).name)
        self.file_kind = FILES[number // len(KINDS) % len(FILES)] if kind == "file" else ""
        if kind == "file":
            return
        for _ in range(20):  # until the mutation applies
            changed = KINDS[kind](self.text, rng).replace("ECHO_ZERO", "0.0f")
            if changed != self.text:
                break
        self.text = changed

    def save(self, path):
        """Writes the mutant, whatever lies there."""
        remove(path)
        path.unlink(missing_ok=True)
        if self.file_kind == "directory":
            path.mkdir()
        elif self.file_kind == "link to none":
            path.symlink_to(path.with_name("nothing.h"))
        elif self.file_kind == "device":
            path.symlink_to("/dev/zero")
        elif self.file_kind == "pipe":
            os.mkfifo(path)
        elif self.file_kind != "none":
            if self.file_kind == "twice":
                path.write_text(self.text + "\nint x = ;\n")
            path.write_text(self.text, encoding="utf-8")
            if self.file_kind == "unreadable":
                path.chmod(0)



def remove(path):
    if path.is_dir() and not path.is_symlink():
        path.rmdir()


def mutants(count, seed):
    kinds = list(KINDS)
    return [Mutant(i, kinds[i % len(kinds)], random.Random(f"{seed} {i}")) for i in range(count)]


def run_one(program, backend, mutant, path):
    """What is wrong with the run, or nothing; its outcome."""
    mutant.save(path)
    words = [program, SOURCE, *RUN, "--backend", backend, "--method", str(path)]
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             errors="replace")
    if mutant.file_kind == "vanishes":
        take_time(0.05)
        path.unlink()
    try:
        err = child.communicate(timeout=LIMIT_S)[1]
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return f"no end within {LIMIT_S} s", "no end"
    lines = err.splitlines()
    if child.returncode not in ALLOWED.get(mutant.kind, {0, 1, 2}):
        return f"status {child.returncode}: {err[:300]}", "other status"
    if child.returncode == 0:
        return ("lines: " + err[:300] if lines else ""), "valid"
    if len(lines) != 1 or str(path) not in lines[0] or len(lines[0]) > 1000 or not lines[0].isprintable():
        return f"status {child.returncode}, {len(lines)} lines: {err[:600]!r}", "other lines"
    if child.returncode == 1:
        return "", "failed in a frame"
    located = re.search(re.escape(str(path)) + r":\d+: ", lines[0])
    return "", "refused with its line" if located else "refused: " + reason(lines[0], path)


def reason(line, path):
    text = line[line.index(str(path)) + len(str(path)):].lstrip(": ")
    for words in ("no number", "outside", "took more than", "aborted", "ended its process", "compiler", "method took"):
        if words in text:
            return words
    return "other" if len(text) > 60 else re.sub(r"[\d.]+", "N", text)


class Window:
    """A viewer with a window, whose method is a file."""

    def __init__(self, program, backend, folder):
        os.environ["ECHOLOOP_PROGRAM"] = program
        os.environ["XDG_CONFIG_HOME"] = str(folder)
        import echoloop_viewer as el
        self.file = folder / "used.h"
        self.good = text_of("wiener.h")
        self.file.write_text(self.good)
        self.viewer = el.Viewer.start(SOURCE, "--backend", backend, "--policy", "block", "--history-mb", "64",
                                      "--method", str(self.file), "--width", "1024", "--height", "640",
                                      timeout=120, depth_max_m=0.03, grid_nx=48, grid_nz=64)
        self.until(lambda: self.used() == digest(self.good))

    def used(self):
        return self.viewer.get().get("own_method", {}).get("sha256")

    def errors(self):
        return [m["text"] for m in self.viewer.call("messages") if m["severity"] == "error" and not m["resolved"]]

    def until(self, holds):
        end = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > end:
                return False
            take_time(0.02)
        return True

    def save(self, mutant):
        """What is wrong after the mutant has been saved and the good file again, or nothing; its outcome."""
        before = self.used()
        mutant.save(self.file)
        if mutant.file_kind == "vanishes":
            take_time(0.1)
            self.file.unlink(missing_ok=True)
        wanted = digest(mutant.text)
        seen = self.until(lambda: self.errors() or self.used() == wanted)
        outcome = "refused" if self.errors() else "used"
        problem = "" if seen else "neither used nor refused"
        if any("\n" in line for line in self.errors()):
            problem = "several lines: " + str(self.errors())
        if outcome == "refused" and "delay-and-sum" in self.errors()[0]:
            outcome = "failed in the stream"
        elif outcome == "refused" and self.used() != before:
            problem = "the last good one is not in use"
        self.viewer.call("wait", images=3, timeout_s=PATIENCE_S)  # raises: no images
        remove(self.file)
        self.file.unlink(missing_ok=True)
        self.file.write_text(self.good)
        if not self.until(lambda: self.used() == digest(self.good) and not self.errors()):
            problem = problem or "the good file is not used again: " + str(self.errors())
        return problem, outcome

    def close(self):
        counts = self.viewer.counts()
        self.viewer.close()
        return counts


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def print_table(title, outcomes):
    print(title)
    for kind in KINDS:
        if outcomes[kind]:
            print(f"  {kind:13}" + ", ".join(f"{n} {what}" for what, n in sorted(outcomes[kind].items())))
    total = collections.Counter()
    for counter in outcomes.values():
        total += counter
    print("  all          " + ", ".join(f"{n} {what}" for what, n in total.most_common()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--window", type=int, default=0)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--only", help="kinds, with commas")
    parser.add_argument("--write", help="folder: the mutants are written, and not run")
    given = parser.parse_args()
    list_ = mutants(given.count, given.seed)
    if given.few:
        first = {kind: next(m for m in list_ if m.kind == kind) for kind in KINDS}
        list_ = [first[kind] for kind in ("syntax", "type", "include", "templates", "outside", "nan", "large", "empty")]
    if given.only:
        list_ = [m for m in list_ if m.kind in given.only.split(",")]
    if given.write:
        for mutant in list_:
            pathlib.Path(given.write, f"{mutant.number:03}_{mutant.kind}.h").write_text(mutant.text)
        return 0
    wrong, outcomes, lock = [], collections.defaultdict(collections.Counter), threading.Lock()
    rest = iter(list_)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def work():
            while True:
                with lock:
                    mutant = next(rest, None)
                if mutant is None:
                    return
                place = folder / str(mutant.number)
                place.mkdir()
                problem, outcome = run_one(given.program, given.backend, mutant, place / "mine.h")
                with lock:
                    outcomes[mutant.kind][outcome] += 1
                    if problem:
                        wrong.append((mutant, problem))
                        print(f"{mutant.number} {mutant.kind} {mutant.file_kind}: {problem}", flush=True)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print_table("command line", outcomes)
        if given.window:
            used = collections.defaultdict(collections.Counter)
            window = Window(given.program, given.backend, folder)
            for mutant in (m for m in list_ if (m.number + m.number // len(KINDS)) % given.window == 0):
                problem, outcome = window.save(mutant)
                used[mutant.kind][outcome] += 1
                if problem:
                    wrong.append((mutant, problem))
                    print(f"window: {mutant.number} {mutant.kind} {mutant.file_kind}: {problem}", flush=True)
            counts = window.close()
            print_table("window", used)
            print(f"window: {counts['processed']} frames, {counts['dropped']} dropped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
