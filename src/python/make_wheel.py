"""make_wheel.py BUILD_FOLDER OUT_FOLDER: a wheel of the installed program and the Python package.

The wheel carries the libraries that they need but those of the C and C++ runtime and of the GPU driver. Its tag,
manylinux_2_N, is computed: glibc 2.N has every version of a symbol that a file in the wheel asks for.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

METADATA = """Metadata-Version: 2.1
Name: echoloop-viewer
Version: {version}
Summary: A viewer for live ultrasound cineloops, and its beamformer
License: MIT
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy ; extra == 'arrays'
Provides-Extra: farm
Requires-Dist: adios2 ; extra == 'farm'
Requires-Dist: distributed ; extra == 'farm'
Provides-Extra: notebook
Requires-Dist: matplotlib ; extra == 'notebook'
Provides-Extra: zea
Requires-Dist: zea ; extra == 'zea'
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: echoloop\nRoot-Is-Purelib: false\nTag: {tag}\n"
LIBRARIES = pathlib.Path("libexec/echoloop/libs")  # below the prefix
FALLBACK = "fallback"  # folder in LIBRARIES
FONTS = pathlib.Path("/usr/share/fonts/opentype/inter")
# Libraries that every system of the tag has, and those of a GPU driver.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+|GL|GLX|EGL|OpenGL|GLdispatch|cuda|nvidia.*"
                    r"|cu(dart|fft|blas|solver|rand|sparse).*))\.so.*")
# Libraries that the system's OpenGL driver uses too: those of the system, where it has them.
SHARED_WITH_DRIVER = re.compile(r"lib(X|xcb|bsd|md\.|expat).*")
# DCMTK converts XML with it, which the program never asks for: 33 MB with the tables of ICU.
LEFT_OUT = re.compile(r"libxml2\.so.*")
# Newest GLIBCXX_3.4.N that manylinux_2_M allows (auditwheel's policy).
LIBSTDCXX = ((28, 31), (29, 34), (30, 35), (33, 39))


def lowest_glibc(versions):
    """Lowest N of glibc 2.N, at least 17, on whose systems all of the versions of symbols are defined."""
    lowest = 17
    for name in versions:
        if match := re.fullmatch(r"GLIBC_2\.(\d+)(\.\d+)?", name):
            lowest = max(lowest, int(match[1]))
        elif name == "GLIBC_ABI_DT_RELR":
            lowest = max(lowest, 36)
        elif match := re.fullmatch(r"GLIBCXX_3\.4\.(\d+)", name):
            allowed = [glibc for newest, glibc in LIBSTDCXX if int(match[1]) <= newest]
            if not allowed:
                raise SystemExit(f"make_wheel.py: {name} is newer than the newest known, GLIBCXX_3.4.{LIBSTDCXX[-1][0]}; "
                                 "an older compiler is needed, or a new row of LIBSTDCXX")
            lowest = max(lowest, allowed[0])
    return lowest


def place(name):
    """Folder of a needed library in the wheel, below LIBRARIES; None: not in it."""
    if SYSTEM.fullmatch(name) or LEFT_OUT.fullmatch(name):
        return None
    return FALLBACK if SHARED_WITH_DRIVER.fullmatch(name) else "."


def output(*command):
    return subprocess.run([str(each) for each in command], check=True, capture_output=True, text=True).stdout


def is_elf(file):
    return file.is_file() and not file.is_symlink() and file.open("rb").read(4) == b"\x7fELF"


def needed(file):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-dW", file))


def asked_versions(file):
    return set(re.findall(r"\b(?:GLIBC|GLIBCXX)_[\w.]+", output("readelf", "-VW", file)))


def loaded(programs):
    """Files, by name, of the libraries that this system's loader finds for the programs."""
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", *programs), re.MULTILINE))


def libraries_of(programs):
    """Files, by name, of all libraries that the programs load and the wheel holds."""
    files, queue, found = {}, list(programs), loaded(programs)
    while queue:
        for name in needed(queue.pop()):
            if place(name) is None or name in files:
                continue
            if name not in found:
                raise SystemExit(f"make_wheel.py: {name} not found; expected a library of this system")
            files[name] = pathlib.Path(found[name]).resolve()
            queue.append(files[name])
    return files


def without(file, name, folder):
    """Gives the library `file` an empty one in place of library `name`: its symbols exist, calls of them abort."""
    defined = re.findall(r" \d+ (\w+)(?:@\S+)?$", output("readelf", "-W", "--dyn-syms", loaded([file])[name]), re.MULTILINE)
    symbols = {}
    for symbol, version in re.findall(r" UND (\w+)(?:@(\S+))?", output("readelf", "-W", "--dyn-syms", file)):
        if symbol in defined:
            symbols.setdefault(version, set()).add(symbol)
    empty = f"libecholoop_no_{name[3:].split('.')[0]}.so"
    with tempfile.TemporaryDirectory() as scratch:
        source, script = pathlib.Path(scratch) / "empty.c", pathlib.Path(scratch) / "versions"
        names = sorted(set().union(*symbols.values()))
        source.write_text("".join(f"void {each}(void) {{ __builtin_trap(); }}\n" for each in names))
        script.write_text("".join(f"{version} {{ {'; '.join(sorted(each))}; }};\n" for version, each in symbols.items() if version))
        output("cc", "-shared", "-fPIC", "-nostdlib", "-s", source, f"-Wl,--version-script={script},-soname={empty}", "-o",
               folder / empty)
    output("patchelf", "--replace-needed", name, empty, file)


def carry_libraries(prefix):
    """Copies the libraries of the programs below `prefix`, and tells all of them where they are."""
    programs = [each for each in prefix.rglob("*") if is_elf(each) and needed(each)]
    files = libraries_of(programs)
    libraries = prefix / LIBRARIES
    (libraries / FALLBACK).mkdir(parents=True)
    systems = f"/usr/lib/{platform.machine()}-linux-gnu:/usr/lib64:/usr/lib"
    for name, file in files.items():
        copy = libraries / place(name) / name
        shutil.copyfile(file, copy)
        copy.chmod(0o755)
        output("patchelf", "--set-rpath",
               f"{systems}:$ORIGIN" if place(name) == FALLBACK else f"$ORIGIN:{systems}:$ORIGIN/{FALLBACK}", copy)
        for other in filter(LEFT_OUT.fullmatch, needed(copy)):
            without(copy, other, libraries)
    for program in programs:
        up = os.path.relpath(libraries, program.parent)
        if program.name == "libecholoop_native.so":  # in lib/python3.N/site-packages/echoloop_viewer, or with pip --target
            up = f"../../../../{LIBRARIES}:$ORIGIN/../{LIBRARIES}"
        output("patchelf", "--set-rpath", f"$ORIGIN/{up}", program)
    return files.values()


def add_notices(prefix, files):
    """Appends the licences of the packages of `files`, as Debian keeps them, to those of the program."""
    owners, packages = {}, {}
    paths = [path for file in files for path in (str(file), str(file).replace("/usr/lib", "/lib", 1))]
    said = subprocess.run(["dpkg-query", "-S", *paths], capture_output=True, text=True)
    for line in said.stdout.splitlines():
        package, file = line.split(": ")
        owners[os.path.realpath(file)] = package.split(":")[0]
    for file in files:
        packages.setdefault(owners.get(str(file), f"the package of {file.name}"), []).append(file.name)
    with (prefix / "share/doc/echoloop/copyright").open("a", encoding="utf-8") as copyright_file:
        for package, names in sorted(packages.items()):
            notice = pathlib.Path("/usr/share/doc") / package / "copyright"
            if not notice.is_file():
                print(f"make_wheel.py: no licence text of {package}: the wheel may not be passed on", file=sys.stderr)
                continue
            text = notice.read_text(encoding="utf-8", errors="replace")
            copyright_file.write(f"\n{package}: {', '.join(sorted(names))}\n\n{text}")


def main(build, out):
    missing = [each for each in ("patchelf", "readelf", "cc") if shutil.which(each) is None]
    if missing:
        raise SystemExit(f"make_wheel.py: {', '.join(missing)} not found; Debian's packages: patchelf, binutils, gcc")
    version = output(build / "echoloop", "--version").split()[1]
    name = f"echoloop_viewer-{version}"
    out.mkdir(parents=True, exist_ok=True)
    for older in out.glob("echoloop_viewer-*.whl"):  # or build/wheel/*.whl names two
        older.unlink()
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder)
        output("cmake", "--install", build, "--component", "echoloop", "--strip", "--prefix", prefix)
        (prefix / "libexec/echoloop/echoloop-bench").unlink()  # as large as the program; of a build
        files = list(carry_libraries(prefix))
        fonts = prefix / "share/echoloop/fonts"
        fonts.mkdir()
        for font in filter(pathlib.Path.is_file, (FONTS / "Inter-Regular.otf", FONTS / "Inter-SemiBold.otf")):
            shutil.copy(font, fonts)
            files.append(font)
        add_notices(prefix, files)
        versions = set().union(*(asked_versions(each) for each in prefix.rglob("*") if is_elf(each)))
        tag = f"py3-none-manylinux_2_{lowest_glibc(versions)}_{platform.machine()}"
        file = out / f"{name}-{tag}.whl"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
            write(wheel, prefix, name, {"METADATA": METADATA.format(version=version), "WHEEL": WHEEL.format(tag=tag)})
    print(file)


def write(wheel, prefix, name, infos):
    record = []

    def put(path, data, executable=False):
        info = zipfile.ZipInfo(path)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100755 if executable else 0o100644) << 16  # a regular file, or pip drops the bits
        wheel.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(data)}")

    package = prefix / "lib" / "echoloop" / "python"
    for each in sorted(prefix.rglob("*")):
        if not each.is_file():
            continue
        executable = each.stat().st_mode & 0o100 != 0
        if package in each.parents:
            put(str(each.relative_to(package)), each.read_bytes(), executable)
        else:  # below the prefix of the environment: bin/echoloop, share/echoloop ...
            put(f"{name}.data/data/{each.relative_to(prefix)}", each.read_bytes(), executable)
    for each, text in infos.items():
        put(f"{name}.dist-info/{each}", text.encode())
    record.append(f"{name}.dist-info/RECORD,,")
    wheel.writestr(f"{name}.dist-info/RECORD", "\n".join(record) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
