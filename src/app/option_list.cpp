#include "app/option_list.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace echoloop {
namespace {

std::string injection_help() {
  std::string text = "Faults on purpose:";
  for (const InjectionSpec& spec : injection_specs()) {
    text += fmt::format(" {} [{}]", spec.key, spec.unit);
  }
  return text;
}

void add_run_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_option("source", o.source, "A recording, or sim:points, sim:cyst, sim:flow, sim:heart (default)");
  app.add_flag("--headless", o.headless, "No window; the same pipeline, for the limits given below");
  app.add_option("--frames", t.n_frames, "Stop after N processed frames")->type_name("N");
  app.add_option("--duration", o.duration_s, "Stop after S seconds")->type_name("S");
  app.add_option("--backend", t.backend, "auto, cuda or cpu");
  app.add_option("--recipe", t.recipe, "analytic or course");
}

void add_stream_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_option("--rate", t.rate, "Frames a second, or max")->type_name("HZ");
  app.add_flag("--loop,!--no-loop", o.stream.loop, "Start a recording again at its end (default)");
  app.add_option("--policy", t.policy, "When all slots are in use: block, error, drop-oldest, drop-newest");
  app.add_option("--pace", o.stream.pace_ms, "The source rests so many ms after each frame")->type_name("MS");
  app.add_option("--inject", t.inject, injection_help())->type_name("KEY=VALUE,...");
  app.add_option("--history-mb", t.history_mb,
                 "Memory for looking back, MB; default: a quarter of what is free, at "
                 "most 4000; without a window: 0")
      ->type_name("MB");
  app.add_option("--slots", o.stream.slots, "Slots of the ring, 2 to 64")->type_name("N");
  app.add_option("--lanes", o.stream.lanes, "Frames in flight, 1 to 4")->type_name("N");
  app.add_option("--streams", t.streams, "overlap or serial");
  app.add_option("--host-memory", t.memory, "pageable, pinned, write-combined or mapped");
}

void add_parameter_options(CLI::App& app, OptionTexts& t) {
  app.add_option("--preset", t.preset, "Parameters from a TOML file")->type_name("FILE");
  app.add_option("--set", t.sets,
                 "A parameter, or what the file does not say (center_hz, frame_rate_hz, ...), in SI units; repeatable")
      ->type_name("KEY=VALUE");
  app.add_flag("--list-params", t.list_params, "All parameters with unit, range and meaning");
  app.add_option("--grid", t.grid, "Pixels, X0:X1:NX,Z0:Z1:NZ in millimetres, end points included")->type_name("GRID");
}

void add_output_options(CLI::App& app, Options& o) {
  app.add_option("--image-out", o.image_out, "Last image: float32 dB [nz][nx], with a .json beside it")
      ->type_name("F.npy");
  app.add_option("--flow-out", o.flow_out,
                 "Last flow picture: float32 [2][nz][nx], power in dB and velocity in m/s (positive: towards the "
                 "probe), with a .json beside it; needs --set flow=power, velocity or low_rank (then [3], the newest "
                 "frame from the kept components in dB)")
      ->type_name("F.npy");
  app.add_option("--structure-out", o.structure_out,
                 "Last picture's background level and objects (area, place, mean level), with their labels in a .npy "
                 "beside it: int32 [nz][nx]; needs --set structure=bright or dark")
      ->type_name("F.json");
  app.add_option("--sonogram-out", o.sonogram_out,
                 "The gate's newest 2048 spectra: float32 dB [column][velocity], with time and velocity axes, envelope "
                 "and mean in a .json beside it; needs --set gate=on")
      ->type_name("F.npy");
  app.add_option("--png", o.png, "Last image as displayed, 8 bit")->type_name("F.png");
  app.add_option("--png16", o.png16, "Last image's levels, 16 bit gray: the dynamic range below 0 dB on 0 to 65535")
      ->type_name("F.png");
  app.add_option("--screenshot", o.screenshot, "The whole window")->type_name("F.png");
  app.add_option("--video", o.video,
                 "Film of every processed picture (with a window: of those that encoding can follow) with scale and "
                 "caption, .mp4, .webm or .mkv; plays at the recording's frame rate, slower above 60 Hz")
      ->type_name("F.mp4");
  app.add_option("--record", o.record, "Every frame from the start to the end, raw, as UFF (HDF5)")->type_name("F.uff");
  app.add_option("--report", o.report, "What happened, as JSON")->type_name("F.json");
  app.add_option("--trace", o.trace, "The newest 16384 timed spans as a Chrome/Perfetto trace")->type_name("F.json");
  app.add_option("--csv", o.csv, "The newest 16384 timed spans: frame,stage,lane,start_ns,end_ns")->type_name("F.csv");
}

void add_window_options(CLI::App& app, Options& o, OptionTexts& t) {
  app.add_flag("--interop,!--no-interop", o.interop, "CUDA-OpenGL interop where it works (default)");
  app.add_option("--scale", o.ui_scale, "Size of the interface; 0 = the monitor's")->type_name("S");
  app.add_option("--width", o.width, "Window width, pixels")->type_name("N");
  app.add_option("--height", o.height, "Window height, pixels")->type_name("N");
  app.add_flag("--json", o.json, "info: as JSON");
  app.add_flag("--version", t.version, "Version in one line");
}

}  // namespace

void add_options(CLI::App& app, Options& o, OptionTexts& t) {
  add_run_options(app, o, t);
  add_stream_options(app, o, t);
  add_parameter_options(app, t);
  add_output_options(app, o);
  add_window_options(app, o, t);
  app.footer(
      "Phantoms take settings: sim:NAME,probe=L128,angles_deg=-10/0/10,noise_db=-30,attenuation_db_cm_mhz=0.3,\n"
      "rate_hz=100,sound_speed_m_s=1480,seed=7; sim:flow also peak_mm_s=250,pulsation=0,angle_deg=15,radius_mm=2.6,\n"
      "motion_mm_s=5 (blood on the axis; 0 = steady; vessel downwards to the right; tissue, up and down once a "
      "second)\n\nCommands:\n  echoloop info FILE [--json]   what a recording "
      "holds\n  echoloop bench [CASE...]      how fast this machine is\n\nA file named 'info' opens as ./info.");
}

}  // namespace echoloop
