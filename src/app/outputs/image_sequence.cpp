#include "app/outputs/image_sequence.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "app/options/terminal.h"
#include "app/outputs/provenance.h"
#include "core/units.h"
#include "history/export.h"
#include "history/growing_npy.h"
#include "history/json_text.h"
#include "history/npy_text.h"

namespace echoloop {
namespace {

FrameMemory pageable(std::size_t bytes) {
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  return {.bytes = *memory, .owner = memory, .kind = HostMemory::pageable};
}

// 0 to 255 over the dynamic range below 0 dB, rounded as std::lround does, of which compilers make no vectors.
std::byte level8(float level_db, float range_db) {
  const float level = 1.0f + level_db / range_db;
  const float scaled = level > 0.0f ? 255.0f * std::min(level, 1.0f) : 0.0f;
  const int below = static_cast<int>(scaled);
  return static_cast<std::byte>(below + (scaled - static_cast<float>(below) >= 0.5f ? 1 : 0));
}

}  // namespace

ImageSequence::ImageSequence(const std::filesystem::path& file, ImageValues values, const Grid& grid)
    : values_(values),
      bytes_(grid.pixels() * (values == ImageValues::float32 ? sizeof(float) : 1)),
      memory_(pageable(bytes_)) {
  recorder_.begin({.frame_bytes = bytes_, .frame_rate_hz = 0.0, .allocate = pageable, .lend = nullptr});
  recorder_.start(make_growing_npy(file, {.type = values == ImageValues::float32 ? "<f4" : "|u1",
                                          .shape = std::to_string(grid.nz) + ", " + std::to_string(grid.nx),
                                          .bytes = bytes_}),
                  bytes_);
}

void ImageSequence::take(const Image& image) {
  const std::span<const float> levels_db = image.host();
  if (values_ == ImageValues::float32 || levels_db.size() != bytes_) {
    if (memory_.bytes.size() != levels_db.size_bytes()) memory_ = pageable(levels_db.size_bytes());
    std::memcpy(memory_.bytes.data(), levels_db.data(), levels_db.size_bytes());
  } else {
    const auto range_db = static_cast<float>(image.params.display.dynamic_range_db);
    std::transform(levels_db.begin(), levels_db.end(), memory_.bytes.begin(),
                   [range_db](float level_db) { return level8(level_db, range_db); });
  }
  while (!recorder_.ready({.now_ns = now_ns()})) std::this_thread::sleep_for(std::chrono::microseconds(200));
  if (recorder_.status().frames == 0 && first_.acquired_ns == 0) first_ = image.stamp;
  last_ = image.stamp;
  RfFrame frame{.stamp = image.stamp, .samples = memory_.bytes};
  frame.stamp.acquired_ns = now_ns();
  memory_ = recorder_.offer(frame, std::move(memory_));
}

int ImageSequence::finish(const EndedImages& run, RunTotals& totals) {
  recorder_.finish();
  const RecorderStatus ended = recorder_.status();
  if (!ended.problem.empty()) {
    print_error("echoloop: {}\n", recording_text(ended));
    ++totals.errors;
    return 1;
  }
  if (ended.frames == 0) return 0;
  if (const Image* last = run.last; last != nullptr) {
    nlohmann::json about = image_json(run.backend, run.named, *last);
    const bool complete = first_.sequence == 0 && last_.sequence + 1 == ended.frames;
    const std::string type = values_ == ImageValues::float32 ? "" : " --images-type uint8";
    about.erase("command");  // of the last image
    about.erase("command_missing");
    add_command(about,
                repeat_frames({.source = run.named,
                               .acquisition = last->acquisition,
                               .frames = ended.frames,
                               .params = &last->params,
                               .complete = complete}),
                run.backend, "--images-out images.npy" + type);
    if (run.doubts != nullptr) about["doubts"] = doubts_json(*run.doubts);
    about["file"] = ended.path.filename().string();
    about["order"] =
        std::string("image[frame]") +
        (last->grid.polar() ? "[i_radius][i_line]: (frame, r, angle), " : "[iz][ix]: (frame, z, x), ") +
        (values_ == ImageValues::float32 ? "float32 dB" : "uint8: 0 to 255 over the dynamic range below 0 dB");
    about["grid"] = grid_json(last->grid);
    about["parameters"] = params_json(last->params);
    about["frames"] = {{"count", ended.frames}, {"first", frame_json(first_)}, {"last", frame_json(last_)}};
    write_text(std::filesystem::path(ended.path).replace_extension(".json"), json_text(about, 1) + "\n");
  }
  print_out("{}\n", recording_text(ended));
  return 0;
}

}  // namespace echoloop
