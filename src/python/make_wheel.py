"""make_wheel.py BUILD_FOLDER OUT_FOLDER: a wheel of the installed program and the Python package, for this machine.

The libraries stay those of the system: the tag is linux_*, which package indexes do not accept.
"""
import base64
import hashlib
import pathlib
import platform
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


def main(build, out):
    program = build / "echoloop"
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    tag = f"py3-none-linux_{platform.machine()}"
    name = f"echoloop_viewer-{version}"
    file = out / f"{name}-{tag}.whl"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        prefix = pathlib.Path(folder)
        subprocess.run(["cmake", "--install", build, "--component", "echoloop", "--strip", "--prefix", prefix],
                       check=True, stdout=subprocess.DEVNULL)
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
        info = f"{name}.dist-info"
        put(f"{info}/METADATA", METADATA.format(version=version).encode())
        put(f"{info}/WHEEL", WHEEL.format(tag=tag).encode())
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    print(file)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
