#!/usr/bin/env bash
# readme_pictures.sh PROGRAM [NAME...]: takes the pictures of README.md and the manual anew, into assets/readme. Not a test:
# look at what it made. Needs Xvfb, xdotool and ImageMagick (import), and a machine that does nothing else, because
# frame rates and latencies are in the pictures. Without names: all of them.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "$1")
shift
wanted=("$@")
width=1600
height=900
for tool in Xvfb xdotool import; do
  command -v "$tool" >/dev/null || { echo "readme_pictures.sh: $tool is missing" >&2; exit 1; }
done

take_time() { sleep "$1"; }  # the pace of a user

point() { xdotool mousemove "$1" "$2"; }
click() { point "$1" "$2"; take_time 0.3; xdotool click 1; take_time 0.5; }

# Presses at $1 $2, moves to $3 $4 and lets go.
drag() {
  point "$1" "$2"; take_time 0.2
  xdotool mousedown 1; take_time 0.2
  point $((($1 + $3) / 2)) $((($2 + $4) / 2)); take_time 0.2
  point "$3" "$4"; take_time 0.2
  xdotool mouseup 1; take_time 0.4
}

# picture NAME SECONDS HANDS ARGUMENTS...: starts the program, runs the function HANDS in the window (if it is not
# empty), and takes the picture that many seconds after the start.
picture() {
  local name=$1 seconds=$2 hands=$3
  shift 3
  if ((${#wanted[@]} > 0)) && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  local folder screen viewer begin=$SECONDS
  folder=$(mktemp -d)
  Xvfb -displayfd 3 -screen 0 "${width}x${height}x24" -nolisten tcp +extension GLX 3>"$folder/display" 2>/dev/null &
  screen=$!
  until [[ -s $folder/display ]]; do take_time 0.1; done
  DISPLAY=:$(<"$folder/display")
  export DISPLAY XDG_CONFIG_HOME=$folder XDG_SESSION_TYPE=x11
  mkdir "$folder/echoloop"
  printf '%s\n' "$settings" >"$folder/echoloop/window"
  "$program" "$@" --width $width --height $height --scale 1 >"$folder/out" 2>&1 &
  viewer=$!
  take_time 4
  if [[ -n $hands ]]; then "$hands"; fi
  while ((SECONDS - begin < seconds)); do take_time 0.2; done
  import -window root "$root/assets/readme/$name.png"
  kill -TERM $viewer
  wait $viewer || true
  kill $screen
  cat "$folder/out" >&2
  rm -r "$folder"
}

# with KEY=VALUE...: the window's settings, beside that its tour has been seen.
with() {
  settings="toured = yes"
  local setting
  for setting in "$@"; do settings+=$'\n'"${setting%%=*} = ${setting#*=}"; done
}
left_folded=(panel_source=folded panel_formation=folded panel_display=folded)

over_the_septum() { point 700 300; }
over_the_vessel() { point 800 450; }
in_the_cyst() { point 692 400; }
beside_the_picture() { point 400 250; }

# Two circles of one size, in the cyst and beside it; then the inspector, which looks at the middle of the picture
# and lies right of it.
compare_cyst_and_background() {
  xdotool key n
  take_time 1
  click 510 62
  drag 475 379 513 379
  drag 600 385 638 385
  point 310 640
}

with
picture live 15 over_the_septum
with histogram=open
picture measure 24 compare_cyst_and_background sim:cyst --rate 8
with "${left_folded[@]}" panel_flow=open
picture flow 12 over_the_vessel sim:flow --set flow=velocity
with
picture doppler 60 beside_the_picture sim:flow,rate_hz=1000,peak_mm_s=60,angle_deg=30 --rate 100 --grid -6:6:33,10:26:121 \
  --set f_number=4 --set flow_angle_rad=1.047 --set gate=on --set gate_x_m=0 --set gate_z_m=0.018 \
  --set sonogram_baseline=-0.4
with "${left_folded[@]}" panel_flow=folded panel_objects=open
picture objects 20 in_the_cyst sim:cyst --rate 20 --set structure=dark
