#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"
#include "formats/base/library_recording.h"
#include "formats/sandbox/message_channel.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"
#include "transport/message_stream.h"

namespace echoloop {
namespace {

constexpr std::size_t kAlignment = 64, kPage = 4096;
constexpr std::size_t kAhead = std::size_t{16} << 20;  // bytes: frames in the processor's cache are read fastest
constexpr std::size_t kFewestRuns = 4, kMostRuns = 8;  // one lent to the caller, the others being read
constexpr std::uint64_t kLongestRun = 256;             // frames

std::size_t stride_of(std::size_t frame_bytes) { return (frame_bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::size_t run_length(std::size_t frame_bytes, std::uint64_t n_frames) {
  const std::uint64_t longest = reader_settings().read_ahead ? std::min(kLongestRun, n_frames) : 1;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(reader_settings().run_bytes / frame_bytes, 1, longest));
}

std::size_t cell_count(std::size_t frame_bytes, std::size_t run) {
  return reader_settings().read_ahead ? run * std::clamp(kAhead / (run * frame_bytes), kFewestRuns, kMostRuns) : 1;
}

// Returns the arena's size: half of the free memory; the history uses a quarter at most by default.
std::size_t arena_bytes(const std::string& what, std::size_t needed, std::size_t frame_bytes) {
  const std::size_t most = free_host_memory() / 2;
  if (2 * needed > most) {
    throw Error(what, "frames of " + std::to_string(frame_bytes >> 20) + " MiB",
                "frames of which the memory of this machine can hold " + std::to_string(4 * kFewestRuns));
  }
  return most;
}

// Returns the time limit, longer for large files: one frame may use chunks that fill most of the file.
std::chrono::milliseconds frame_patience(std::size_t file_bytes) {
  constexpr auto kMost = std::chrono::milliseconds(60'000);
  constexpr std::size_t kBytesPerMs = 20'000;
  const auto patience = reader_settings().frame_patience;
  return std::max(patience, std::min(kMost, patience + std::chrono::milliseconds(file_bytes / kBytesPerMs)));
}

}  // namespace

StreamedFrames::StreamedFrames(const OpenRequest& request, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                               std::uint64_t n_frames, ReadFrames life)
    : what_(request.what()),
      frame_bytes_(frame_bytes),
      n_frames_(n_frames),
      run_(run_length(frame_bytes, n_frames)),
      ahead_(cell_count(frame_bytes, run_)),
      patience_(frame_patience(request.bytes().size())),
      child_(std::move(child)),
      stop_(request.stop),
      cells_(life == ReadFrames::kept ? static_cast<std::size_t>(n_frames) : ahead_) {
  const std::size_t needed = cells_.size() * stride_of(frame_bytes_);
  if (life == ReadFrames::kept) {
    kept_ = child_->share(needed);
    lent_ = std::vector<std::atomic<const std::byte*>>(static_cast<std::size_t>(n_frames));
    fill_cells({.bytes = kept_->bytes(), .owner = kept_, .kind = HostMemory::pageable});
  } else {
    arena_ = std::make_shared<FrameArena>(child_->share(arena_bytes(what_, needed, frame_bytes_)));
    fill_cells(arena_->allocate(needed));
  }
  for (std::size_t k = cells_.size(); k-- > 0;) free_.push_back(k);
  ask_ahead(0);
  take_answer(0);  // after a frame request the process survives the end of the opening thread
}

// Gives each cell its part of `all`, with its own owner that keeps the whole.
void StreamedFrames::fill_cells(const FrameMemory& all) {
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    cells_[k].memory = {.bytes = all.bytes.subspan(k * stride_of(frame_bytes_), frame_bytes_),
                        .owner = std::make_shared<std::shared_ptr<const void>>(all.owner),
                        .kind = all.kind};
  }
}

void StreamedFrames::read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) {
  if (kept_ != nullptr) return;
  const FrameMemory all = allocate(cells_.size() * stride_of(frame_bytes_));
  if (!arena_->holds(all.bytes)) return;
  const std::scoped_lock lock(mutex_);
  stop_ = {};
  try {
    while (!asked_.empty()) take_answer(n_frames_);
  } catch (const std::exception&) {
    return;  // the process is gone: reading the next frame reports it
  }
  for (std::size_t k = 0; k < cells_.size(); ++k)
    if (cells_[k].state == State::ready) release(k);
  fill_cells(all);
  ask_ahead(next_);
}

bool StreamedFrames::is_ready(std::uint64_t frame) const {
  const auto found = has_.find(frame);
  return found != has_.end() && cells_[found->second].state == State::ready;
}

void StreamedFrames::release(std::size_t cell) {
  has_.erase(cells_[cell].frame);
  if (cells_[cell].state == State::ready) --n_ready_;
  cells_[cell].state = State::free;
  free_.push_back(cell);
}

// Frees the cells of ready frames that are not needed soon after `index`.
void StreamedFrames::release_unwanted(std::uint64_t index) {
  if (kept_ != nullptr) return;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const bool wanted = (cells_[k].frame + n_frames_ - index) % n_frames_ < cells_.size();
    if (cells_[k].state == State::ready && !wanted) release(k);
  }
}

// Requests `count` frames from `first` on into free cells.
void StreamedFrames::ask(std::uint64_t first, std::uint64_t count) {
  FrameRun run{.first = first, .offsets = {}};
  std::vector<std::size_t> cells;
  for (std::uint64_t frame = first; frame < first + count; ++frame) {
    const std::size_t cell = free_.back();
    free_.pop_back();
    cells_[cell].state = State::asked;
    cells_[cell].frame = frame;
    has_[frame] = cell;
    cells.push_back(cell);
    run.offsets.push_back(offset_of(cells_[cell]));
  }
  n_asked_ += cells.size();
  asked_.push_back(std::move(cells));
  child_->send(MessageKind::read_frames, encode_run(run), patience());
}

std::uint64_t StreamedFrames::offset_of(const Cell& cell) const {
  const std::span<const std::byte> bytes = cell.memory.bytes;
  return kept_ ? static_cast<std::uint64_t>(bytes.data() - kept_->bytes().data()) : arena_->offset_of(bytes);
}

ReaderChild::Patience StreamedFrames::patience() const { return {std::chrono::steady_clock::now() + patience_, stop_}; }

// Requests the frames from `index` on while cells are free, in full runs: fewer only if `index` itself is missing.
void StreamedFrames::ask_ahead(std::uint64_t index) {
  if (index != next_) release_unwanted(index);
  next_ = index;
  if (has_.contains(index) && room() < run_) return;
  const std::uint64_t n_wanted = std::min<std::uint64_t>(ahead_, n_frames_);
  std::uint64_t first = 0, count = 0;  // of the run being collected
  const auto send = [&] {
    if (count > 0) ask(first, count);
    count = 0;
  };
  for (std::uint64_t k = 0; k < n_wanted && room() > count; ++k) {
    const std::uint64_t frame = (index + k) % n_frames_;
    const bool missing = !has_.contains(frame);
    if (count == run_ || !missing || frame == 0) send();
    if (!missing) continue;
    if (count++ == 0) first = frame;
  }
  send();
}

// Waits for the answer to the oldest request. If a run could not be read, requests the needed frame alone; frames that
// could not be read ahead are requested again when needed.
void StreamedFrames::take_answer(std::uint64_t for_frame) {
  const std::vector<std::size_t> cells = asked_.front();
  const ReaderMessage message = child_->receive(patience());
  if (message.kind == MessageKind::refused) {
    asked_.pop_front();
    n_asked_ -= cells.size();
    const bool needed =
        std::any_of(cells.begin(), cells.end(), [&](std::size_t cell) { return cells_[cell].frame == for_frame; });
    for (const std::size_t cell : cells) release(cell);
    if (needed && cells.size() == 1) throw decode_refusal(message.payload, what_);
    if (needed) ask(for_frame, 1);
    return;
  }
  if (message.kind != MessageKind::frames_ready || decode_run(message.payload).first != cells_[cells[0]].frame)
    throw BadMessage("an unrequested frame");
  asked_.pop_front();
  n_asked_ -= cells.size();
  n_ready_ += cells.size();
  for (const std::size_t cell : cells) {
    cells_[cell].state = State::ready;
    if (kept_ == nullptr) continue;
    const auto offset = static_cast<std::size_t>(offset_of(cells_[cell])), page = offset / kPage * kPage;
    kept_->make_resident(page, offset - page + frame_bytes_);
    lent_[static_cast<std::size_t>(cells_[cell].frame)] = cells_[cell].memory.bytes.data();
  }
}

void StreamedFrames::wait_for(std::uint64_t index) {
  try {
    ask_ahead(index);
    while (!is_ready(index)) {
      if (!has_.contains(index)) {
        release_unwanted(index);
        ask_ahead(index);
      }
      if (!is_ready(index)) take_answer(index);
    }
  } catch (const BadMessage& bad) {
    throw child_->give_up(std::string("sent an invalid message (") + bad.what() + ")");
  }
}

std::span<const std::byte> StreamedFrames::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  if (index < lent_.size()) {  // without a lock: another read may be waiting
    if (const std::byte* const lent = lent_[static_cast<std::size_t>(index)]) return {lent, frame_bytes_};
  }
  const std::scoped_lock lock(mutex_);
  stop_ = stop;
  const bool has_room = kept_ != nullptr || slot.bytes.size() >= frame_bytes_;
  if (index >= n_frames_ || !has_room) throw std::out_of_range("frame index");
  wait_for(index);
  const std::size_t cell = has_.at(index);
  if (kept_ != nullptr) {
    next_ = (index + 1) % n_frames_;
    ask_ahead(next_);
    if (n_ready_ == cells_.size()) child_.reset();
    return cells_[cell].memory.bytes;
  }
  if (slot.owner != nullptr && slot.bytes.size() == frame_bytes_ && arena_->holds(slot.bytes))
    std::swap(cells_[cell].memory, slot);
  else
    std::memcpy(slot.bytes.data(), cells_[cell].memory.bytes.data(), frame_bytes_);
  release(cell);
  next_ = (index + 1) % n_frames_;
  if (ahead_ > 1) ask_ahead(next_);
  return slot.bytes.first(frame_bytes_);
}

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
  for (const std::uint64_t offset : opened.frame_offsets)
    if (offset % value_bytes != 0 || frame_bytes > file_bytes || offset > file_bytes - frame_bytes)
      throw BadMessage("a frame outside the file");
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
  array.properties = request.properties;
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
  recording.tracks = std::move(opened.tracks);
  recording.named = std::move(opened.named);
  recording.contents = std::make_shared<const SourceContents>(std::move(opened.contents));
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

Error invalid_messages(const OpenRequest& request, const BadMessage& bad) {
  return {request.what(), std::string("the reader process sent an invalid message (") + bad.what() + ")",
          "an undamaged file", "probably a library failed on damaged content"};
}

}  // namespace

Recording open_in_reader_process(const OpenRequest& request) {
  try {
    return open_with(request, std::make_unique<ReaderChild>(request));
  } catch (const BadMessage& bad) {
    throw invalid_messages(request, bad);
  }
}

namespace {

// Calls `ask` with a reader process for the task; its invalid messages become an Error.
template <class Ask>
auto with_reader(const OpenRequest& request, ReaderTask task, const Ask& ask) {
  try {
    ReaderChild child(request, task);
    return ask(child);
  } catch (const BadMessage& bad) {
    throw invalid_messages(request, bad);
  }
}

}  // namespace

std::string outline_in_reader_process(const OpenRequest& request) {
  return with_reader(request, ReaderTask::outline, [&](ReaderChild& child) {
    return decode_outline(wait_for(child, request, MessageKind::outline, 0.0, 1.0).payload);
  });
}

MapValues map_in_reader_process(const OpenRequest& request, const MapRequest& wanted) {
  return with_reader(request, ReaderTask::map, [&](ReaderChild& child) {
    child.send(MessageKind::read_map, encode_map_request(wanted),
               {std::chrono::steady_clock::now() + opening_patience(request.bytes().size()), request.stop});
    return decode_map(wait_for(child, request, MessageKind::map, 0.0, 1.0).payload, wanted);
  });
}

}  // namespace echoloop
