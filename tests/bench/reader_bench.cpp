// Cost of reading through the reader process: frames per second, and computing time per frame, of a recording in the
// page cache, in this process and through the other one, by each of the three ways. Frames go through a ring into a
// history of `history` MiB, as in the program; without one (0) the ring's one or two slots in use stay in the
// processor's cache if this process reads into them. This program is its own reader process.
//   echoloop_reader_bench FOLDER [frames] [MiB a frame] [pairs of turns] [history]   generated files, in FOLDER
//   echoloop_reader_bench FILE [pairs of turns] [history]                 a real one, streamed through HDF5 or matio
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "formats/base/format_table.h"
#include "formats/open_recording.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"
#include "reader_bench_stream.h"

namespace echoloop {
namespace {

constexpr std::size_t kStart = 4096;  // offset of frame 0: after a page with the HDF5 signature
constexpr int kElements = 128;

// Contiguous frames, float32; the size of a frame is the first number after the signature. Read by pread(), as
// libraries do with contiguous samples.
LibraryRecording open_raw(const OpenRequest& request) {
  const std::string name = request.path.filename().string();
  if (name != "in-place" && name != "in-memory" && name != "streamed") return open_library_recording(request);
  std::uint64_t frame_bytes = 0;
  std::copy_n(request.bytes().data() + 8, 8, reinterpret_cast<std::byte*>(&frame_bytes));
  Acquisition a;
  a.probe = make_linear_probe("made up", kElements, 0.3e-3);
  a.transmits.resize(1);
  a.n_samples = static_cast<int>(frame_bytes / kElements / sizeof(float));
  a.sampling_hz = 20e6;
  a.center_hz = 5e6;
  LibraryRecording recording;
  recording.acquisition = std::make_shared<const Acquisition>(a);
  recording.frame_count = (request.bytes().size() - kStart) / frame_bytes;
  recording.format = "raw";
  for (std::uint64_t k = 0; request.path.filename() == "in-place" && k < recording.frame_count; ++k) {
    recording.frame_offsets.push_back(kStart + k * frame_bytes);
  }
  const auto file = std::shared_ptr<const int>(new int(::open(request.path_to_open.c_str(), O_RDONLY | O_CLOEXEC)),
                                               [](const int* fd) { ::close(*fd), delete fd; });
  recording.read_frame = [file, frame_bytes](std::uint64_t index, std::span<std::byte> out) {
    const auto at = static_cast<off_t>(kStart + index * frame_bytes);
    if (::pread(*file, out.data(), out.size(), at) != static_cast<ssize_t>(out.size())) std::abort();
  };
  return recording;
}

void write_file(const std::filesystem::path& path, std::uint64_t frames, std::uint64_t frame_bytes) {
  std::ofstream file(path, std::ios::binary);
  std::vector<char> piece(kStart);
  std::copy_n("\x89HDF\r\n\x1a\n", 8, piece.begin());
  std::copy_n(reinterpret_cast<const char*>(&frame_bytes), 8, piece.begin() + 8);
  file.write(piece.data(), kStart);
  piece.assign(frame_bytes, 'x');
  for (std::uint64_t k = 0; k < frames; ++k) file.write(piece.data(), static_cast<std::streamsize>(frame_bytes));
}

class ReadHere final : public FrameStream {
 public:
  explicit ReadHere(LibraryRecording recording) : recording_(std::move(recording)) {}
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    recording_.read_frame(index, slot.bytes);
    return slot.bytes;
  }
  FrameMemory allocate(std::size_t bytes) override {
    const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
    return {.bytes = *memory, .owner = memory, .kind = HostMemory::pageable};
  }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& /*allocate*/) override {}

 private:
  LibraryRecording recording_;
};

// Opens the recording without the other process, by the same means.
Recording open_here(const OpenRequest& request) {
  const LibraryRecording raw = open_raw(request);
  const std::size_t frame_bytes = raw.acquisition->frame_bytes();
  Recording here;
  here.acquisition = raw.acquisition;
  here.frame_count = raw.frame_count;
  if (!raw.frame_offsets.empty()) {
    here.frame = [file = request.file, offsets = raw.frame_offsets, frame_bytes](std::uint64_t k) {
      return file->lend("here", offsets.at(k), frame_bytes);
    };
  } else if (request.path.filename() != "in-memory") {
    here.reader = std::make_shared<ReadHere>(raw);
  } else {
    const auto memory = MemoryBlock::allocate("memory", here.frame_count * frame_bytes);
    for (std::uint64_t k = 0; k < here.frame_count; ++k)
      raw.read_frame(k, memory->bytes().subspan(k * frame_bytes, frame_bytes));
    here.frame = [memory, frame_bytes](std::uint64_t k) {
      return std::span<const std::byte>(memory->bytes()).subspan(k * frame_bytes, frame_bytes);
    };
  }
  return here;
}

// Returns the reader process started by this one and still running; 0 if there is none.
pid_t reader_process() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(thread.path() / "children");
    if (pid_t child = 0; file >> child) return child;
  }
  return 0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Measures in turns, alternating the order of each pair, so that other load affects both equally. Reports the median of
// the pairs' ratios, and the range that holds the true one in 95 of 100 cases (order statistics).
void measure(const std::filesystem::path& path, std::size_t n_pairs, std::size_t history_bytes) {
  reader_settings().memory_budget = path.filename() == "in-memory" ? std::size_t{1} << 40 : 1;
  const OpenRequest request{
      .path = path, .file = MappedFile::open(path), .path_to_open = path, .progress = {}, .stop = {}};
  Recording there = open_recording(path);
  std::array streams{std::make_unique<Stream>(open_here(request), history_bytes, 0),
                     std::make_unique<Stream>(std::move(there), history_bytes, reader_process())};
  const std::uint64_t frames = std::max<std::uint64_t>(streams[0]->frame_count() / 2, 16);
  std::array<std::vector<double>, 2> rates, computing_us;
  std::vector<double> gains, costs;  // percent
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    for (const std::size_t who : {pair % 2, 1 - pair % 2}) {
      const Turn turn = streams[who]->play(frames);
      rates[who].push_back(turn.frames_per_second);
      computing_us[who].push_back(turn.computing_us);
    }
    gains.push_back(100.0 * (rates[1].back() / rates[0].back() - 1.0));
    costs.push_back(100.0 * (computing_us[1].back() / computing_us[0].back() - 1.0));
  }
  std::sort(gains.begin(), gains.end());
  const double n = static_cast<double>(n_pairs), beside = 0.98 * std::sqrt(n);  // 1.96 standard deviations, of n / 4
  const auto at = [&](double place) { return gains[static_cast<std::size_t>(std::clamp(place, 0.0, n - 1.0))]; };
  std::printf(
      "%-10s history %4zu MiB: %8.1f frames/s here, %8.1f through the reader process: %+.1f %% (%+.1f to %+.1f, "
      "%zu pairs); computing %.1f and %.1f us a frame: %+.1f %%\n",
      path.filename().c_str(), history_bytes >> 20, median(rates[0]), median(rates[1]), at(n / 2), at(n / 2 - beside),
      at(n / 2 + beside), n_pairs, median(computing_us[0]), median(computing_us[1]), median(costs));
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  using namespace echoloop;
  if (is_reader_process(argc, argv)) return run_reader_process(argc, argv, open_raw);
  reader_settings().program = "/proc/self/exe";
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const auto number = [&](int at, double otherwise) { return argc > at ? std::stod(argv[at]) : otherwise; };
  const auto history = [&](int at) { return static_cast<std::size_t>(number(at, 256)) << 20; };
  if (!std::filesystem::is_directory(folder)) {
    measure(folder, static_cast<std::size_t>(number(2, 21)), history(3));
    return 0;
  }
  const auto frames = static_cast<std::uint64_t>(number(2, 128));
  const auto pairs = static_cast<std::size_t>(number(4, 51));
  for (const char* const way : {"in-place", "in-memory", "streamed"}) {
    write_file(folder / way, frames, static_cast<std::uint64_t>(number(3, 4.0) * (1 << 20)) / 4096 * 4096);
    measure(folder / way, pairs, history(5));
    std::filesystem::remove(folder / way);
  }
  return 0;
}
