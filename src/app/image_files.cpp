#include "app/image_files.h"

#include <functional>
#include <optional>

#include "app/outputs/measured_values.h"
#include "app/outputs/stored_maps.h"
#include "core/error.h"
#include "core/own_method.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/overlay/transfer_function.h"
#include "history/export.h"
#include "version.h"

#if defined(ECHO_HAVE_GUI)
#include "app/options/folders.h"
#include "app/session_file.h"
#include "app/stats_collector.h"
#include "gui/viewer.h"
#endif

namespace echoloop {

std::filesystem::path method_source_file(const std::filesystem::path& image, const ImagingParams& params) {
  const FormationParams& f = params.formation;
  if (f.adaptive != Adaptive::own || f.own == nullptr) return {};
  return std::filesystem::path(image).replace_extension(f.own->process != nullptr ? ".method.py" : ".method.h");
}

void write_method_source(const std::filesystem::path& image, const ImagingParams& params) {
  if (const std::filesystem::path file = method_source_file(image, params); !file.empty())
    write_text(file, params.formation.own->source);
}

void write_image_files(const ImagedRun& run, const Image& image, const ImageA* a, FileWriter& writer) {
  const OutputFiles& files = run.options.files;
  for (const char* const option : kImageFiles)
    if (run.options.method_source && !files[option].empty())
      writer([&] { write_method_source(files[option], image.params); });
  const auto wants = [&](const char* option, const std::function<void(const std::filesystem::path&)>& write) {
    if (const std::filesystem::path& file = files[option]; !file.empty()) writer([&] { write(file); });
  };
  wants("--image-out", [&](const auto& file) {
    nlohmann::json about = image_json(run.backend, run.named, image);
    if (run.doubts != nullptr) add_doubts(about, *run.doubts);
    write_image_npy(file, image, about);
  });
  wants("--map-out", [&](const auto& file) { write_map(file, map_on_image(run.info, run.options.map, image), image); });
  wants("--difference-out",
        [&](const auto& file) { write_difference(file, map_on_image(run.info, run.options.map, image), image); });
  wants("--png", [&](const auto& file) {
    ImageOverlays over;
    over.map = map_overlay(map_over_image(run.info, run.options.map, image), run.options.map, image);
    write_picture(file, image, image.params, {}, over);
  });
  wants("--png16", [&](const auto& file) {
    write_levels(file, image, run.named, command_text(run.backend, run.named, image, kLevelsOption));
  });
  if (!wants_measures(files, run.marks) && files["--figure"].empty()) return;
  PointsAgain again;
  if (wants_measures(files, run.marks)) again = {.session = &run.session, .kept = frame_again(run.source, image.stamp)};
  const Measured measured = measure_image(image, run.marks, again);
  const MeasuredRun b{measured, run.marks, run.backend, run.named, run.doubts};
  std::optional<Measured> measured_a;
  std::optional<MeasuredRun> of_a;
  if (a != nullptr) {
    measured_a = measure_image(a->image, run.marks, {.session = &run.session, .kept = a->kept});
    const bool same = a->image.acquisition == image.acquisition;
    of_a.emplace(
        MeasuredRun{*measured_a, run.marks, run.backend, a->named, same ? run.doubts : nullptr, a->frame_count});
  }
  const MeasuredRun* const run_a = of_a ? &*of_a : nullptr;
  wants("--measurements", [&](const auto& file) { write_measurements(file, b, run_a); });
  wants("--figure", [&](const auto&) { write_last_figure(run.options, run.info, run.live, image, b, {a, run_a}); });
}

void write_levels(const std::filesystem::path& path, const Image& image, const std::string& source,
                  const std::string& command) {
  write_png16(path, image,
              {{"Source", whole_name(source)},
               {"Version", kVersion},
               {"Frame", std::to_string(numbers_of(source).of(image.stamp))},
               {"Parameters", json_text(params_json(image.params))},
               {"Command", command}});
}

void write_picture(const std::filesystem::path& path, const Image& image, const ImagingParams& display,
                   const Marks& marks, const ImageOverlays& over) {
  const FlowImage* const flow = over.flow;
  const bool low_rank = flow != nullptr && display.color_flow.mode == FlowMode::low_rank;
  const bool overlay = flow != nullptr && !low_rank;
  const Image shown = low_rank ? low_rank_image(image, *flow) : image;
  RgbImage picture = render_rgb(shown, display.display);
  if (overlay) draw_flow_in(picture, shown, *flow, display);
  if (over.map != nullptr) draw_map_in(picture, {0, 0, picture.width, picture.height}, shown.grid, *over.map);
  ImageSampler(display, EndsAt::centres).draw_mask(picture, {0, 0, picture.width, picture.height}, shown);
  ImageOverlays labelled = over;
  labelled.mask = shown_mask(shown, display.display);
  const Mirrored mirrored = display.display.mirrored;
  if (mirrored == Mirrored::on) mirror(picture, {0, 0, picture.width, picture.height});
  draw_marks_in(picture, shown.grid, marks, labelled, mirrored);
  if (overlay) add_flow_scale(picture, *flow, display);
  write_png(path, picture.width, picture.height, picture.rgb);
}

#if defined(ECHO_HAVE_GUI)

void write_screenshot(const ImagedRun& run, const Image& image, const TimingTrace& trace, const RunTotals& totals) {
  const WindowOptions& options = run.window;
  const Session& session = run.session;
  WindowState state;
  state.params = image.params;
  state.defaults = default_params(*run.info.acquisition);
  state.stream = session.stream();
  state.source = run.info;
  state.marks = run.marks;
  state.Edits::map = run.options.map;
  state.Model::map = map_over_image(run.info, run.options.map, image);
  state.device.backend = run.backend.name();
  state.device.name = run.backend.device();
  state.presets.list = preset_views(PresetStore(share_folder() / "assets" / "presets", own_presets_folder()),
                                    image.params, run.info.acquisition.get());
  state.notices.formation_warning = formation_warning(*run.info.acquisition, image.params);
  state.timeline_wanted = true;
  StatsCollector().update(state, session, trace, 1);
  if (totals.seconds > 0.0) {
    state.numbers.processed_fps = static_cast<double>(state.numbers.counts.processed) / totals.seconds;
    state.numbers.bytes_per_second = state.numbers.processed_fps * static_cast<double>(session.frame_bytes());
  }
  // Over all frames, as in the report: no window has shown any.
  state.numbers.latency.recent = trace.recent_latency(Latency::ready);
  state.numbers.latency.since_start = trace.summarize_latency(Latency::ready);
  update_run_state(state, session, {.on_gpu = run.backend.name() == "CUDA"});

  run.live.images.back() = image;  // published again: the window shows new ones
  run.live.images.publish();
  Commands commands;  // none is executed
  Viewer viewer({.width = options.width,
                 .height = options.height,
                 .surface = SurfaceKind::offscreen,
                 .interop = Interop::off,
                 .shader_dir = share_folder() / "shaders",
                 .settings_file = {},
                 .ui_scale = options.ui_scale,
                 .vsync = false},
                commands, run.live);
  // The first frame computes the layout, the later ones draw its final state.
  for (int i = 0; i < 3; ++i) viewer.frame(state);
  const RgbImage picture = viewer.screenshot();
  write_png(run.options.files["--screenshot"], picture.width, picture.height, picture.rgb);
}

#else

void write_screenshot(const ImagedRun& run, const Image&, const TimingTrace&, const RunTotals&) {
  throw Error("--screenshot " + run.options.files["--screenshot"].string(), "this program was built without a window",
              "--png");
}

#endif

}  // namespace echoloop
