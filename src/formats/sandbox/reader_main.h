// The reader process's side of open_in_reader_process(): main code of its program (reader.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/base/recording.h"
#include "formats/sandbox/reader_child.h"
#include "transport/frame_arena.h"

namespace echoloop {

using LibraryOpener = std::function<LibraryRecording(const OpenRequest&)>;

bool is_reader_process(int argc, char** argv);

// Opens the file passed by the viewer and answers its requests until the viewer ends. Returns the exit status: call it
// first in main(), with nothing after it. `open` selects the reader (format_table.h); tests have their own.
// `outline` returns the file's content, for outline_in_reader_process().
using LibraryOutline = std::function<std::string(const OpenRequest&)>;
// `map` reads a map, for map_in_reader_process().
using LibraryMap = std::function<MapValues(const OpenRequest&, const MapRequest&)>;
int run_reader_process(int argc, char** argv, const LibraryOpener& open, const LibraryOutline& outline = {},
                       const LibraryMap& map = {});

// Enters the sandbox and returns its active parts as exit status (reader_child.h). `linked`: kIsStaticProgram, or 0.
bool is_sandbox_question(int argc, char** argv);
int answer_sandbox_question(int linked);

// Rights that the reader process drops before it reads a file: unlimited memory and computing time, new files, the
// network, other processes, the rest of the file system. Restrictions that the kernel lacks are skipped, as the result
// shows. Called once, first, in a process of one thread. Internal to src/formats.
struct SandboxLimits {
  std::size_t memory_bytes = 0;  // heap
  std::size_t mapped_bytes = 0;  // additional mappings: files and shared memory
  std::vector<int> files = {};   // the only files that can be reopened
};

// Active restrictions.
struct SandboxParts {
  bool seccomp = false;     // only system calls needed for reading, checked by arguments
  bool landlock = false;    // no file but the recording
  bool namespaces = false;  // no network, no users; no paths except the open files
  bool processes = false;   // no process but itself
};

SandboxParts enter_reader_sandbox(const SandboxLimits& limits);

// Returns the path to reopen one of SandboxLimits::files from inside.
std::string path_in_sandbox(int file, const SandboxParts& parts);

// Ends this process unless called again within 90 s; stop_reader_alarm() while it waits for a command.
void start_reader_alarm();
void stop_reader_alarm();
// Ends this process after at most so many seconds of CPU time, unless start_reader_alarm() is called before.
void limit_computing(std::size_t seconds);

// Opens a recording in a separate process: a small program (reader.cpp) without any rights except to read this file
// (reader_sandbox.cpp) parses it, with libraries that are not safe on hostile files (HDF5, matio) and our own code.
// Frames are returned in one of four ways, none of them through the socket:
//   in place   stored in the file in the viewer's layout: the viewer maps the file and lends them; the process ends;
//   in memory  small enough for the budget: read once into shared memory, and lent from there; the process ends;
//   kept       of a format that reads single frames, and more than a few MB: the process continues, and reads each
//              frame on first demand into shared memory, lent from then on; it ends after the last frame;
//   streamed   the process continues and reads ahead, directly into the shared memory of the viewer's frames.
// A process that crashes, hangs or sends invalid data causes one Error; the viewer continues. Internal to src/formats.

// Throws Error. Opening thread; the threads of the Recording: see recording.h.
Recording open_in_reader_process(const OpenRequest& request);

// Returns the file's content, as JSON text (import/import.h). Throws Error.
std::string outline_in_reader_process(const OpenRequest& request);
// Returns frames of a map of the file. Throws Error.
MapValues map_in_reader_process(const OpenRequest& request, const MapRequest& wanted);

// Frames of a recording, read one after another by a reader process that continues to run. It reads ahead into pieces
// of shared memory. For a recording too large for memory (frame_arena.h) a frame is not copied: read() swaps its piece
// with the caller's memory, and a later frame is read into the latter. Other frames are kept: each is read once, on
// first demand, and lent; the process ends after the last of them. Each request and answer covers a run of small
// frames, or a large one, for low overhead. Any order is possible, in order is fast. Internal to src/formats.
enum class ReadFrames { passed, kept };

class StreamedFrames final : public FrameStream {
 public:
  StreamedFrames(const OpenRequest& request, std::unique_ptr<ReaderChild> child, std::size_t frame_bytes,
                 std::uint64_t n_frames, ReadFrames life = ReadFrames::passed);

  // Throws Error; also for every later frame once the process is gone.
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
  FrameMemory allocate(std::size_t bytes) override { return arena_ ? arena_->allocate(bytes) : FrameMemory{}; }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override;

  // Returns the memory of kept frames; empty otherwise.
  [[nodiscard]] std::span<const std::byte> memory() const { return kept_ ? kept_->bytes() : std::span<std::byte>(); }

 private:
  enum class State { free, asked, ready };
  struct Cell {
    FrameMemory memory;
    State state = State::free;
    std::uint64_t frame = 0;
  };

  void fill_cells(const FrameMemory& all);
  void release(std::size_t cell);
  void release_unwanted(std::uint64_t index);
  void ask_ahead(std::uint64_t index);
  void ask(std::uint64_t first, std::uint64_t count);
  void take_answer(std::uint64_t for_frame);
  void wait_for(std::uint64_t index);
  [[nodiscard]] bool is_ready(std::uint64_t frame) const;
  // Returns the number of frames that may be requested now; limited for kept frames, for short waits out of order.
  [[nodiscard]] std::size_t room() const {
    return kept_ ? std::min(free_.size(), ahead_ - std::min(ahead_, n_asked_)) : free_.size();
  }
  [[nodiscard]] std::uint64_t offset_of(const Cell& cell) const;
  [[nodiscard]] ReaderChild::Patience patience() const;

  const std::string what_;
  const std::size_t frame_bytes_;
  const std::uint64_t n_frames_;
  const std::size_t run_;    // frames per request
  const std::size_t ahead_;  // frames requested, or ready and needed soon
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  // All members below under mutex_, except the arena, which has its own.
  std::unique_ptr<ReaderChild> child_;
  std::stop_token stop_;                             // of the current read
  std::shared_ptr<FrameArena> arena_;                // frames that are passed
  std::shared_ptr<SharedMemory> kept_;               // all frames, if kept
  std::vector<std::atomic<const std::byte*>> lent_;  // each frame once it has been read; no lock
  std::vector<Cell> cells_;
  std::vector<std::size_t> free_;                       // cells without a frame
  std::unordered_map<std::uint64_t, std::size_t> has_;  // frame -> requested or ready cell
  std::deque<std::vector<std::size_t>> asked_;          // runs in the order of their requests
  std::size_t n_asked_ = 0, n_ready_ = 0;               // cells
  std::uint64_t next_ = 0;                              // frame after the last one read
};

}  // namespace echoloop
