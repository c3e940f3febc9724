#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/opening/open_source.h"
#include "app/options/preset.h"
#include "app/options/terminal.h"
#include "app/outputs/measure_image.h"
#include "app/outputs/output_files.h"
#include "app/stream/choose_backend.h"
#include "backend/sound_speed.h"
#include "core/error.h"
#include "gui/overlay/measure_marks.h"
#include "gui/state/mark_shape.h"
#include "history/export.h"
#include "history/json_text.h"

namespace echoloop {
namespace {

// Of all regions among the marks; empty: there are none.
std::vector<std::uint32_t> region_pixels(const Marks& marks, const Grid& grid) {
  std::vector<std::uint32_t> all;
  bool any = false;
  for (const Mark& mark : marks.list) {
    if (!is_region(mark.kind)) continue;
    any = true;
    const RegionPixels pixels = pixels_in(region_of(mark), grid);
    std::vector<std::uint32_t> joined;
    std::ranges::set_union(all, pixels.index, std::back_inserter(joined));
    all = std::move(joined);
  }
  if (any && all.empty()) throw Error("--marks", "no pixel of the image lies in the regions", "regions in the image");
  return all;
}

nlohmann::json curve_json(const SoundSpeedCurve& curve) {
  if (curve.phi.empty()) return nullptr;
  return {
      {"phi", curve.phi}, {"peak_m_s", curve.peak_m_s}, {"prominence", curve.prominence}, {"warnings", curve.warnings}};
}

void say(const char* axis, const SoundSpeedCurve& curve) {
  if (curve.phi.empty()) return;
  print_out("Speed of sound over {}: {:.1f} m/s, prominence {:.1f} %\n", axis, curve.peak_m_s,
            100.0 * curve.prominence);
  for (const std::string& warning : curve.warnings) print_error("Warning: {}: {}\n", axis, warning);
}

}  // namespace

int run_find_sound_speed(const Options& options) {
  require_outputs(options);
  require_no_other_output(options.files, "--find-sound-speed");
  const Marks marks = marks_of(options);
  const ChosenBackend chosen = choose_backend(options.backend);
  const OpenedSource opened = open_source(options.source, options.facts);
  const Acquisition& acquisition = *opened.info.acquisition;
  const ImagingParams params = given_params(options, default_params(acquisition), acquisition);
  check_params(acquisition, params);
  FrameStamp stamp;
  stamp.source_index = options.frames > 0 ? options.frames - 1 : 0;
  const std::optional<KeptFrame> frame = frame_again(*opened.source, stamp);
  if (!frame) {
    throw Error(options.source, fmt::format("frame {} cannot be read again", stamp.source_index + 1),
                "a recording or a phantom, and a frame within it");
  }
  SoundSpeedTask task{.acquisition = opened.info.acquisition,
                      .params = params,
                      .grid = sound_speed_grid(params, acquisition),
                      .pixels = {},
                      .speeds_m_s = speeds_around(params.formation.sound_speed_m_s)};
  task.pixels = region_pixels(marks, task.grid);
  if (options.preset.preset != nullptr) {
    const std::string why = why_not_whole(*options.preset.preset, acquisition);
    if (!why.empty()) print_error("{}\n", why);
  }
  const SoundSpeedResult found = find_sound_speed(*chosen.backend, task, frame->frame);
  const nlohmann::json json = {{"source", options.source},
                               {"frame", stamp.source_index},
                               {"assumed_m_s", params.formation.sound_speed_m_s},
                               {"f_number", search_f_number(params)},
                               {"image_f_number", params.formation.f_number},
                               {"pixels", task.pixels.empty() ? task.grid.pixels() : task.pixels.size()},
                               {"region", task.pixels.empty() ? "image" : "marks"},
                               {"speed_m_s", task.speeds_m_s},
                               {"elements", curve_json(found.elements)},
                               {"transmits", curve_json(found.transmits)}};
  write_text(options.files["--find-sound-speed"], json_text(json, 2) + "\n");
  if (const std::string note = search_f_number_note(params); !note.empty()) print_out("{}\n", note);
  say("elements", found.elements);
  say("transmits", found.transmits);
  return 0;
}

}  // namespace echoloop
