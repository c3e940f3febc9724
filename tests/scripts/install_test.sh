#!/usr/bin/env bash
# install_test.sh BUILD_FOLDER: cmake --install puts the program, its data and its desktop entry where they belong, and
# the installed program starts.
set -euo pipefail
build=$1
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" --component echoloop >/dev/null
for file in libexec/echoloop/echoloop-reader share/echoloop/shaders share/echoloop/senders/echoloop.py share/echoloop/senders/echoloop_sender.h share/echoloop/senders/matlab/echoloop.c share/echoloop/senders/echoloop_arrus.py share/echoloop/assets/presets share/echoloop/assets/manual/README.md \
  share/echoloop/assets/readme/flow.png share/applications/echoloop.desktop \
  share/icons/hicolor/scalable/apps/echoloop.svg share/doc/echoloop/copyright; do
  [[ -e $prefix/$file ]] || { echo "not installed: $file"; exit 1; }
done
cd /
version=$("$prefix/bin/echoloop" --version)
echo "$version"
[[ $version != *"no reader program"* ]] || { echo "the installed program does not find its reader"; exit 1; }
if [[ -e $build/python/echoloop_viewer/libecholoop_native.so ]]; then  # not under a sanitizer
  found=$(PYTHONPATH=$prefix/lib/echoloop/python python3 -B -c "import echoloop_viewer; print(echoloop_viewer._native.program())")
  [[ $found == "$(realpath "$prefix")/bin/echoloop" ]] || { echo "the installed package finds '$found'"; exit 1; }
  command -v patchelf >/dev/null || { echo "no patchelf: the wheel is not tested"; exit 0; }
  wheel=$(python3 -B "$(dirname "${BASH_SOURCE[0]}")/../../src/python/make_wheel.py" "$build" "$prefix/wheel")
  python3 - "$wheel" <<'CHECK'
import sys, zipfile
modes = {each.filename.split("/data/")[-1]: each.external_attr >> 16 for each in zipfile.ZipFile(sys.argv[1]).infolist()}
for program in ("bin/echoloop", "libexec/echoloop/echoloop-reader"):
    assert modes.get(program) == 0o100755, f"{program} of the wheel has mode {modes.get(program)}"
assert "echoloop_viewer/libecholoop_native.so" in modes, "the wheel has no library"
assert "libexec/echoloop/libs/libz.so.1" in modes, "the wheel carries no libraries"
CHECK
fi
