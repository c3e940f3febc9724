#!/usr/bin/env bash
# What ./run does on machines that this one is not: packages missing, not offered, no sudo, no network, a build that
# fails. The package tools, cmake and ninja are stand-ins that note how they are called; nothing is installed.
# shellcheck disable=SC2016  # the stand-ins expand their own arguments
set -euo pipefail
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
n_failed=0

# A machine with nothing but these on its PATH.
new_machine() {
  rm -rf "${box:?}"/*
  mkdir -p "$box/bin" "$box/tree"
  cp "$source_root/run" "$box/tree/"
  local tool
  for tool in bash env grep cat mkdir dirname tail awk nproc rm ls; do ln -s "$(command -v "$tool")" "$box/bin/$tool"; done
  stand_in id 'echo 0'
  stand_in dpkg-query 'for p in "${@:4}"; do if [[ " $(cat '"$box"'/missing) " != *" $p "* ]]; then printf "%s=installed " "$p"; fi; done'
  stand_in apt-cache 'if [[ " $(cat '"$box"'/not-offered) " == *" $2 "* ]]; then echo "  Candidate: (none)"; else echo "  Candidate: 1.0"; fi'
  stand_in apt-get 'echo "apt-get $*" >>'"$box/calls"
  stand_in cmake 'echo "cmake $*" >>'"$box/calls; mkdir -p build; : >build/build.ninja"
  stand_in ninja 'echo "[1/2] compiling"; echo "ninja $*" >>'"$box/calls"
  mkdir -p "$box/tree/build"
  printf '#!/usr/bin/env bash\necho "echoloop <$*>"\n' >"$box/tree/build/echoloop"
  chmod +x "$box/tree/build/echoloop"
  : >"$box/missing"; : >"$box/not-offered"; : >"$box/calls"
}
stand_in() { printf '#!/usr/bin/env bash\n%s\n' "$2" >"$box/bin/$1"; chmod +x "$box/bin/$1"; }

# run ARGS...: sets status, out, err and calls.
run() {
  status=0
  (cd / && PATH=$box/bin "$box/tree/run" "$@") >"$box/out" 2>"$box/err" </dev/null || status=$?
  out=$(cat "$box/out") err=$(cat "$box/err") calls=$(cat "$box/calls")
}
expect() {  # expect WHAT CONDITION...
  if ! [[ $2 ]]; then
    n_failed=$((n_failed + 1))
    printf 'FAILED: %s\n  status %s\n  out: %s\n  err: %s\n  calls: %s\n' "$1" "$status" "$out" "$err" "$calls"
  fi
}
yes_if() { if "$@"; then echo yes; fi; }
contains() { [[ $1 == *"$2"* ]]; }
lines() { printf '%s' "$1" | grep -c '' || true; }

new_machine
run --set "f_number=1 5" sim:points
expect "all there: the program runs with the arguments" "$(yes_if test "$out" = 'echoloop <--set f_number=1 5 sim:points>')"
expect "all there: nothing is said" "$(yes_if test -z "$err")"
expect "all there: no apt-get" "$(contains "$calls" apt-get || echo yes)"
expect "the first time it configures" "$(yes_if contains "$calls" 'cmake --preset release')"
: >"$box/calls"
run
expect "the second time it does not configure" "$(contains "$calls" cmake || echo yes)"
expect "the second time ninja still looks" "$(yes_if contains "$calls" 'ninja -C')"

new_machine
echo "libfmt-dev ccache" >"$box/missing"
run
expect "missing packages are installed" "$(yes_if contains "$calls" 'install --no-install-recommends libfmt-dev ccache')"
expect "and then it runs" "$(yes_if test "$out" = 'echoloop <>')"

new_machine
echo "libkissfft-dev fonts-inter" >"$box/missing"
echo "libkissfft-dev fonts-inter" >"$box/not-offered"
run
expect "what CMake can fetch is left to it" "$(yes_if contains "$err" 'no package libkissfft-dev: CMake will fetch')"
expect "with the tools for that" "$(yes_if contains "$calls" 'install --no-install-recommends git ')"
expect "and then it runs" "$(yes_if test "$out" = 'echoloop <>')"
: >"$box/calls"
run
expect "what is not offered is not looked for again" "$(contains "$calls" apt-get || echo yes)"

new_machine
echo "libmatio-dev" >"$box/missing"
echo "libmatio-dev" >"$box/not-offered"
run
expect "a needed package that is not offered ends it in one line" "$(yes_if test "$status $(lines "$err")" = '1 1')"
expect "that names it" "$(yes_if contains "$err" 'offers libmatio-dev')"

new_machine
stand_in id 'echo 1000'
echo "cmake" >"$box/missing"
run
expect "no root, no sudo: one line" "$(yes_if test "$status $(lines "$err")" = '1 1')"
expect "that says what to type" "$(yes_if contains "$err" 'as root: apt-get install --no-install-recommends cmake')"
echo "fonts-inter" >"$box/missing"
run
expect "no root, no sudo, only comfort missing: it runs" "$(yes_if test "$out" = 'echoloop <>')"
stand_in sudo 'if [[ $1 != -v ]]; then echo sudo >>'"$box/calls"'; exec "$@"; fi'
echo "cmake" >"$box/missing"
run
expect "with sudo, sudo installs" "$(yes_if contains "$calls" $'sudo\napt-get -y -o DPkg::Lock::Timeout=300 install')"
stand_in sudo 'exit 1'
run
expect "sudo refuses: one line" "$(yes_if test "$status $(lines "$err")" = '1 1')"

new_machine
echo "cmake" >"$box/missing"
stand_in apt-get 'echo "E: Unable to fetch some archives"; exit 100'
run
expect "no network: status 1" "$(yes_if test "$status" = 1)"
expect "no network: apt-get's own word" "$(yes_if contains "$err" 'E: Unable to fetch some archives')"

new_machine
stand_in ninja 'echo "[1/2] x"; echo "FAILED: a.o"; echo "a.cpp:1: error: no"; exit 1'
run
expect "a failed build shows the error" "$(yes_if contains "$err" 'a.cpp:1: error: no')"
expect "and starts nothing" "$(yes_if test "$status$out" = 1)"

if ((n_failed > 0)); then exit 1; fi
echo "all passed"
