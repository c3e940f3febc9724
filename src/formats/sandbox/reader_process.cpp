#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"
#include "formats/base/library_recording.h"
#include "formats/sandbox/message_channel.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"
#include "formats/sandbox/streamed_frames.h"
#include "transport/payload.h"

namespace echoloop {
namespace {

constexpr double kOpened = 0.3;      // fraction of the progress for opening; the remainder is for reading the frames
constexpr double kLeastStep = 1e-4;  // minimum change of the progress
constexpr std::size_t kMaxBudget = std::size_t{2} << 30;
constexpr std::uint64_t kMostKept = 65536;  // frames: limit of the bookkeeping per frame
constexpr auto kMostPatience = std::chrono::milliseconds(60'000);
constexpr std::size_t kBytesPerMs = 20'000;  // slow disk: a library may read the whole file before the first message

std::size_t memory_budget() {
  const std::size_t wanted = reader_settings().memory_budget;
  return wanted > 0 ? wanted : std::min(free_host_memory() / 4, kMaxBudget);
}

std::chrono::milliseconds opening_patience(std::size_t file_bytes) {
  const auto patience = reader_settings().opening_patience + unpacking_time(file_bytes);
  return std::max(patience, std::min(kMostPatience, patience + std::chrono::milliseconds(file_bytes / kBytesPerMs)));
}

// Returns the files next to the recording, or in it, that an error may name.
std::vector<std::string> other_names(const OpenRequest& request) {
  std::vector<std::string> names;
  for (const SidecarFile& sidecar : request.sidecars) names.push_back(sidecar.path.string());
  if (request.folder == nullptr) return names;
  for (const FolderFile& file : request.folder->files) names.push_back(file.path.string());
  return names;
}

// Waits for `wanted` and maps progress to from..to.
ReaderMessage wait_for(ReaderChild& child, const OpenRequest& request, MessageKind wanted, double from, double to) {
  const auto patience = opening_patience(request.bytes().size());
  double done = -1.0;
  auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    ReaderMessage message = child.receive({deadline, request.stop});
    if (message.kind == wanted || (wanted == MessageKind::opened && message.kind == MessageKind::described))
      return message;
    if (message.kind == MessageKind::refused)
      throw decode_refusal(message.payload, request.what(), other_names(request));
    if (message.kind == MessageKind::no_sandbox) {
      throw NoSandbox(request.what(), "neither seccomp nor Landlock here, which confine the reader process",
                      "a Linux kernel with one of them",
                      "for a file of known origin: --unsandboxed on the command line");
    }
    if (message.kind != MessageKind::progress) throw BadMessage("an unrequested answer");
    const double fraction = decode_number(message.payload);
    if (!(fraction >= done + kLeastStep && fraction <= 1.0)) continue;  // also if NaN
    done = fraction;
    deadline = std::chrono::steady_clock::now() + patience;
    request.advance(from + (to - from) * fraction);
  }
}

Recording lend_from_file(const OpenRequest& request, LibraryRecording opened, Recording recording) {
  const std::size_t frame_bytes = opened.acquisition->frame_bytes();
  const std::size_t value_bytes = bytes_per_value(opened.acquisition->sample_type);
  const std::size_t file_bytes = request.bytes().size();
  for (const std::uint64_t offset : opened.frame_offsets) {
    if (offset % value_bytes != 0 || frame_bytes > file_bytes || offset > file_bytes - frame_bytes) {
      throw BadMessage("a frame outside the file");
    }
  }
  recording.owner = request.file;
  recording.frame = [file = request.file, offsets = std::move(opened.frame_offsets), frame_bytes,
                     what = request.what()](std::uint64_t index) -> std::span<const std::byte> {
    return file->lend(what, static_cast<std::size_t>(offsets.at(index)), frame_bytes);
  };
  return recording;
}

// Limits a recording on a disk with bad sectors to its first frames.
void keep_first_frames(Recording& recording, double count) {
  if (!(count >= 1.0 && count < static_cast<double>(recording.frame_count) && count == std::floor(count)))
    throw BadMessage("an invalid number of frames");
  Acquisition acquisition = *recording.acquisition;
  acquisition.assumptions.push_back("only the first " + std::to_string(static_cast<std::uint64_t>(count)) + " of " +
                                    std::to_string(recording.frame_count) +
                                    " frames can be read: the disk returns an error");
  recording.acquisition = std::make_shared<const Acquisition>(std::move(acquisition));
  recording.frame_count = static_cast<std::uint64_t>(count);
  if (!recording.scanner.times_s.empty()) recording.scanner.times_s.resize(static_cast<std::size_t>(count));
}

Recording read_into_memory(const OpenRequest& request, ReaderChild& child, std::size_t frame_bytes,
                           Recording recording) {
  const std::size_t total = frame_bytes * static_cast<std::size_t>(recording.frame_count);
  const std::shared_ptr<SharedMemory> memory = child.share(total);
  child.send(MessageKind::read_all, {},
             {std::chrono::steady_clock::now() + opening_patience(request.bytes().size()), request.stop});
  const ReaderMessage ready = wait_for(child, request, MessageKind::all_ready, kOpened, 1.0);
  if (!ready.payload.empty()) keep_first_frames(recording, decode_number(ready.payload));
  memory->make_resident(0, total);
  recording.memory =
      std::span<const std::byte>(memory->bytes()).first(frame_bytes * static_cast<std::size_t>(recording.frame_count));
  recording.owner = memory;
  recording.frame = [memory, frame_bytes,
                     n = recording.frame_count](std::uint64_t index) -> std::span<const std::byte> {
    if (index >= n) throw std::out_of_range("frame index");
    return std::span<const std::byte>(memory->bytes())
        .subspan(static_cast<std::size_t>(index) * frame_bytes, frame_bytes);
  };
  return recording;
}

// Returns a recording whose frames are read on first demand, and kept.
Recording keep_frames(const OpenRequest& request, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                      Recording recording) {
  const auto frames =
      std::make_shared<StreamedFrames>(request, std::move(child), frame_bytes, recording.frame_count, ReadFrames::kept);
  recording.memory = frames->memory();
  recording.owner = frames;
  recording.frame = [frames](std::uint64_t index) {
    FrameMemory none;
    return frames->read(index, none, {});
  };
  recording.reader = frames;
  return recording;
}

enum class Reading { at_once, kept, passed };

Reading reading_of(const OpenRequest& request, const LibraryRecording& opened, std::size_t frame_bytes) {
  const std::uint64_t n = opened.frame_count;
  const bool fits = n <= memory_budget() / frame_bytes, one = n == 1;
  const bool single = opened.frame_by_frame && !reader_settings().read_ahead;
  if (!fits || ((request.few_frames || single) && !one)) return Reading::passed;
  const bool waits = opened.frame_by_frame && !one && n > reader_settings().at_once_bytes / frame_bytes;
  return waits && n <= kMostKept ? Reading::kept : Reading::at_once;
}

// Opens the array described by the JSON file of `request`; one level only, as an array describes nothing.
Recording open_described(const OpenRequest& request, const std::string& name) {
  if (!request.sidecars.empty()) throw BadMessage("a description that is described");
  OpenRequest array = request_for(request.path.parent_path() / name, request.progress, request.stop);
  array.few_frames = request.few_frames;
  array.sidecars = {{request.path, request.file}};
  return open_in_reader_process(array);
}

Recording open_with(const OpenRequest& request, std::unique_ptr<ReaderChild> child) {
  const ReaderMessage message = wait_for(*child, request, MessageKind::opened, 0.0, kOpened);
  if (message.kind == MessageKind::described) return open_described(request, decode_name(message.payload));
  LibraryRecording opened = decode_opened(message.payload, request.what());
  Recording recording;
  recording.acquisition = opened.acquisition;
  recording.frame_count = opened.frame_count;
  recording.format = opened.format;
  recording.scanner = std::move(opened.scanner);
  recording.named = std::move(opened.named);
  recording.name = plain_text(request.path.filename().string());
  const std::size_t frame_bytes = opened.acquisition->frame_bytes();
  if (!opened.frame_offsets.empty()) {
    recording = lend_from_file(request, std::move(opened), std::move(recording));
  } else {
    switch (reading_of(request, opened, frame_bytes)) {
      case Reading::at_once:
        recording = read_into_memory(request, *child, frame_bytes, std::move(recording));
        break;
      case Reading::kept:
        recording = keep_frames(request, std::move(child), frame_bytes, std::move(recording));
        break;
      case Reading::passed:
        recording.reader = std::make_shared<StreamedFrames>(request, std::move(child), frame_bytes, opened.frame_count);
        break;
    }
  }
  request.advance(1.0);
  return recording;
}

}  // namespace

Recording open_in_reader_process(const OpenRequest& request) {
  try {
    return open_with(request, std::make_unique<ReaderChild>(request));
  } catch (const BadMessage& bad) {
    throw Error(request.what(), std::string("the reader process sent an invalid message (") + bad.what() + ")",
                "an undamaged file", "probably a library failed on damaged content");
  }
}

std::string outline_in_reader_process(const OpenRequest& request) {
  try {
    ReaderChild child(request, ReaderTask::outline);
    return decode_outline(wait_for(child, request, MessageKind::outline, 0.0, 1.0).payload);
  } catch (const BadMessage& bad) {
    throw Error(request.what(), std::string("the reader process sent an invalid message (") + bad.what() + ")",
                "an undamaged file", "probably a library failed on damaged content");
  }
}

}  // namespace echoloop
