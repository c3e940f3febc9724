#!/usr/bin/env bash
# wheel_test.sh WHEEL [ROOT]: what the wheel installs works without PATH: in a fresh environment, or, as root, in ROOT,
# a bare system such as `debootstrap --variant=minbase bookworm ROOT` makes; there Python is tested if it is installed.
set -euo pipefail
wheel=$(realpath "$1") root=${2:-}
place=$(mktemp -d ${root:+"$root/tmp/wheel.XXXXXX"})
trap 'rm -rf "$place"' EXIT
at=${place#"${root%/}"}  # as its programs see it
python3 -m venv "$place/env" || { echo "no environment for Python; Debian's package is python3-venv"; exit 1; }
"$place/env/bin/python" -m pip install --quiet --no-deps --no-compile "$wheel"
numpy=yes
if [[ -z $root ]]; then "$place/env/bin/python" -m pip install --quiet numpy || numpy=no; fi

inside() {
  local command=(/usr/bin/env -i PATH= HOME="$at" "$@")
  if [[ -z $root ]]; then (cd / && "${command[@]}"); return; fi
  # shellcheck disable=SC2016
  unshare --mount bash -c 'root=$1; shift; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; exec chroot "$root" "$@"' \
    - "$root" "${command[@]}"
}

failed=0
# try NAME [FILE]... -- ARGUMENTS: the program ends well and leaves the files.
try() {
  local name=$1 files=() file start=$EPOCHREALTIME result=works said
  shift
  while [[ $1 != -- ]]; do files+=("$1"); shift; done
  shift
  said=$(inside "$@" 2>&1) || result="FAILED: $(tail -n 1 <<<"$said")"
  for file in "${files[@]}"; do [[ -s $place/$file || $result != works ]] || result="FAILED: no $file"; done
  if [[ $result != works ]]; then failed=1; fi
  LC_ALL=C printf '%-34s %s, %.2f s\n' "$name" "$result" "$((${EPOCHREALTIME/./} - ${start/./}))e-6"
}

program=$at/env/bin/echoloop
run=("$program" sim:cyst --headless --backend cpu --frames 2)
try "start" -- "$program" --version
try "image of a phantom" i.npy -- "${run[@]}" --image-out "$at/i.npy"
try "PNG" i.png -- "${run[@]}" --png "$at/i.png"
for kind in png svg pdf; do try "figure, $kind" "figure.$kind" -- "${run[@]}" --figure "$at/figure.$kind"; done
try "DICOM" i.dcm -- "${run[@]}" --dicom "$at/i.dcm"
try "recording as UFF" r.uff -- "${run[@]}" --record "$at/r.uff"
try "recording as zea" r.hdf5 -- "${run[@]}" --record "$at/r.hdf5"
for kind in uff hdf5; do
  try "reader, $kind" "$kind.npy" -- "$program" "$at/r.$kind" --headless --backend cpu --frames 1 --image-out "$at/$kind.npy"
done
cat >"$place/package.py" <<'PYTHON'
import sys
import echoloop_viewer as el
print(el.list_devices()[-1]["name"])
if sys.argv[2] == "yes":
    recording = el.open(sys.argv[1] + "/r.uff")
    assert el.beamform(recording[0], recording.acquisition, device="cpu").std() > 0
    with el.Viewer.start("sim:cyst", headless=True) as viewer:
        viewer.set(f_number=2)
PYTHON
python=$at/env/bin/python
if [[ -n $root ]]; then
  python=/usr/bin/python3
  if [[ ! -x $root$python ]]; then echo "Python is not installed: the package is not tested"; exit $failed; fi
  inside $python -c "import numpy" 2>/dev/null || numpy=no
fi
package=$(echo "$place"/env/lib/python3*/site-packages/echoloop_viewer)
try "package (NumPy: $numpy)" -- /usr/bin/env PYTHONPATH="${package#"${root%/}"}/.." "$python" "$at/package.py" "$at" $numpy
exit $failed
