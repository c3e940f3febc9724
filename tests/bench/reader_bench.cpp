// What reading through the reader process costs: frames a second of a recording in the page cache, in this process and
// through the other one, by each of the three ways. This program is its own reader process.
//   echoloop_reader_bench FOLDER [frames] [MiB a frame] [pairs of turns]   made-up files, in FOLDER meanwhile
//   echoloop_reader_bench FILE [pairs of turns]                            a real one, streamed through HDF5 or matio
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "core/frame_ring.h"
#include "formats/reader_main.h"
#include "formats/reader_process.h"
#include "source/replay.h"

namespace echoloop {
namespace {

constexpr std::size_t kStart = 4096;  // where frame 0 begins: after a page that says HDF5
constexpr int kElements = 128;

// Frames one after another, float32; the size of a frame is the first number after the signature. Read by pread(),
// which is what a library does with samples that lie in one piece.
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

std::uint64_t touched = 0;
void touch(std::span<const std::byte> frame) {  // as a consumer would: every cache line
  for (std::size_t k = 0; k < frame.size(); k += 64) touched += static_cast<std::uint64_t>(frame[k]);
}

class ReadHere final : public FrameStream {
 public:
  explicit ReadHere(LibraryRecording recording) : recording_(std::move(recording)) {}
  void read(std::uint64_t index, FrameMemory& slot) override { recording_.read_frame(index, slot.bytes); }
  FrameMemory allocate(std::size_t bytes) override {
    const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
    return {.bytes = *memory, .owner = memory, .kind = HostMemory::pageable};
  }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& /*allocate*/) override {}

 private:
  LibraryRecording recording_;
};

// The recording as it would be without the other process, opened by the same means.
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

std::vector<FrameMemory> make_slots(Source& source) {
  std::vector<FrameMemory> slots(8);
  for (FrameMemory& slot : slots) slot = source.allocate(source.acquisition()->frame_bytes());
  return slots;
}

// Frames a second of one turn, as the program takes them: a thread puts them into the slots of a ring, another one
// takes them out. What the last turn left in caches and read ahead is used up before the clock starts.
double play(Source& source, std::uint64_t& next, std::uint64_t n_frames) {
  const std::uint64_t before = 12 + (std::size_t{17} << 20) / source.acquisition()->frame_bytes();
  FrameRing ring(make_slots(source), RingPolicy::block);
  std::jthread producer([&] {
    for (std::uint64_t k = 0; k < before + n_frames; ++k, next = (next + 1) % source.frame_count()) {
      FrameRing::WriteLease lease = ring.begin_write(k);
      const std::span<const std::byte> samples = source.produce_in(next, lease.frame_memory());
      lease.publish({.sequence = k, .source_index = next, .acquired_ns = 0, .time_s = 0.0}, samples);
    }
  });
  std::chrono::steady_clock::time_point begin;
  for (std::uint64_t k = 0; k < before + n_frames; ++k) {
    if (k == before) begin = std::chrono::steady_clock::now();
    const auto lease = ring.begin_read(std::chrono::hours(1));
    touch(lease->frame().samples);
  }
  return static_cast<double>(n_frames) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Turn by turn, the order changing with every pair, so that what else the machine does falls on both alike. The median
// of the pairs' ratios, and the range that holds the true one in 95 of 100 cases (order statistics).
void measure(const std::filesystem::path& path, std::size_t n_pairs) {
  reader_settings().memory_budget = path.filename() == "in-memory" ? std::size_t{1} << 40 : 1;
  const OpenRequest request{
      .path = path, .file = MappedFile::open(path), .path_to_open = path, .progress = {}, .stop = {}};
  const std::array sources{make_replay(open_here(request)), make_replay(open_recording(path))};
  const std::uint64_t frames = std::max<std::uint64_t>(sources[0]->frame_count() / 2, 16);
  std::array<std::vector<double>, 2> rates;
  std::vector<double> gains;
  std::array<std::uint64_t, 2> next{};
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    for (const std::size_t who : {pair % 2, 1 - pair % 2}) {
      rates[who].push_back(play(*sources[who], next[who], frames));
    }
    gains.push_back(100.0 * (rates[1].back() / rates[0].back() - 1.0));
  }
  for (std::vector<double>* const values : {&gains, &rates[0], &rates[1]}) std::sort(values->begin(), values->end());
  const double n = static_cast<double>(n_pairs), beside = 0.98 * std::sqrt(n);  // 1.96 standard deviations, of n / 4
  const auto at = [&](double place) { return gains[static_cast<std::size_t>(std::clamp(place, 0.0, n - 1.0))]; };
  std::printf("%-10s %8.1f frames/s here, %8.1f through the reader process: %+.1f %% (%+.1f to %+.1f, %zu pairs)\n",
              path.filename().c_str(), rates[0][n_pairs / 2], rates[1][n_pairs / 2], at(n / 2), at(n / 2 - beside),
              at(n / 2 + beside), n_pairs);
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  using namespace echoloop;
  if (is_reader_process(argc, argv)) return run_reader_process(argv, open_raw);
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  if (!std::filesystem::is_directory(folder)) {
    measure(folder, argc > 2 ? std::stoull(argv[2]) : 21);
    return 0;
  }
  const std::uint64_t frames = argc > 2 ? std::stoull(argv[2]) : 128;
  const double mib = argc > 3 ? std::stod(argv[3]) : 4.0;
  const std::size_t pairs = argc > 4 ? std::stoull(argv[4]) : 51;
  for (const char* const way : {"in-place", "in-memory", "streamed"}) {
    write_file(folder / way, frames, static_cast<std::uint64_t>(mib * (1 << 20)) / 4096 * 4096);
    measure(folder / way, pairs);
    std::filesystem::remove(folder / way);
  }
  return touched == 1 ? 1 : 0;
}
