#include "app/outputs/array_file.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "app/options/terminal.h"
#include "app/outputs/provenance.h"
#include "core/units.h"
#include "history/export.h"
#include "history/json_text.h"
#include "history/npy_text.h"

namespace echoloop {
namespace {

FrameMemory pageable(std::size_t bytes) {
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  return {.bytes = *memory, .owner = memory, .kind = HostMemory::pageable};
}

}  // namespace

ArrayFile::ArrayFile(const std::filesystem::path& file, NpyItems items) : memory_(pageable(items.bytes)) {
  const std::size_t bytes = items.bytes;
  recorder_.begin({.frame_bytes = bytes, .frame_rate_hz = 0.0, .allocate = pageable, .lend = nullptr});
  recorder_.start(make_growing_npy(file, std::move(items)), bytes);
}

std::span<std::byte> ArrayFile::room(std::size_t bytes) {
  if (memory_.bytes.size() != bytes) memory_ = pageable(bytes);
  return memory_.bytes;
}

void ArrayFile::put(const FrameStamp& stamp) {
  while (!recorder_.ready({.now_ns = now_ns()})) std::this_thread::sleep_for(std::chrono::microseconds(200));
  if (recorder_.status().frames == 0 && first_.acquired_ns == 0) first_ = stamp;
  last_ = stamp;
  RfFrame frame{.stamp = stamp, .samples = memory_.bytes};
  frame.stamp.acquired_ns = now_ns();
  memory_ = recorder_.offer(frame, std::move(memory_));
}

RecorderStatus ArrayFile::end() {
  recorder_.finish();
  return recorder_.status();
}

nlohmann::json ArrayFile::frames_json() const {
  return {{"count", status().frames}, {"first", frame_json(first_)}, {"last", frame_json(last_)}};
}

void ArrayFile::add_command(nlohmann::json& about, const EndedImages& run, const ImagingParams& params,
                            const std::string& option) const {
  const std::uint64_t frames = status().frames;
  set_command(about,
              {.backend = run.backend,
               .source = run.named,
               .acquisition = run.last->acquisition,
               .frames = frames,
               .params = &params,
               .complete = first_.sequence == 0 && last_.sequence + 1 == frames},
              option);
}

void ArrayFile::describe(nlohmann::json about) const {
  const std::filesystem::path file = status().path;
  about["file"] = file.filename().string();
  about["frames"] = frames_json();
  write_text(std::filesystem::path(file).replace_extension(".json"), json_text(about, 1) + "\n");
}

int say_ended(const RecorderStatus& ended, RunTotals& totals) {
  if (ended.problem.empty()) {
    if (ended.frames > 0) print_out("{}\n", recording_text(ended));
    return 0;
  }
  print_error("echoloop: {}\n", recording_text(ended));
  ++totals.errors;
  return 1;
}

}  // namespace echoloop
