// What reading through the reader process costs: frames a second of a recording in the page cache, in this process and
// through the other one, by each of the three ways. This program is its own reader process.
//   echoloop_reader_bench FOLDER [frames] [MiB a frame]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "formats/reader_main.h"
#include "formats/reader_process.h"

namespace echoloop {
namespace {

constexpr std::size_t kStart = 4096;  // where frame 0 begins: after a page that says HDF5
constexpr int kElements = 128;

// Frames one after another, float32; the size of a frame is the first number after the signature. Read by pread(),
// which is what a library does with samples that lie in one piece.
LibraryRecording open_raw(const OpenRequest& request) {
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

template <class Action>
double seconds_of(Action&& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t touched = 0;
void touch(std::span<const std::byte> frame) {  // as a consumer would: every cache line
  for (std::size_t k = 0; k < frame.size(); k += 64) touched += static_cast<std::uint64_t>(frame[k]);
}

void play(const Recording& recording, std::vector<std::vector<std::byte>>& slots) {
  for (std::uint64_t k = 0; k < recording.frame_count; ++k) {
    std::vector<std::byte>& slot = slots[k % slots.size()];
    if (recording.read) recording.read(k, slot);
    touch(recording.read ? slot : recording.frame(k));
  }
}

void measure(const std::filesystem::path& path, std::uint64_t frames, std::uint64_t frame_bytes) {
  constexpr int kRuns = 5;
  write_file(path, frames, frame_bytes);
  const bool in_place = path.filename() == "in-place";
  reader_settings().memory_budget = path.filename() == "streamed" ? 1 : std::size_t{1} << 40;
  double here_open = 1e9, here_play = 1e9, there_open = 1e9, there_play = 1e9;
  std::vector<std::vector<std::byte>> slots(8, std::vector<std::byte>(frame_bytes));
  for (int run = 0; run < kRuns; ++run) {
    const OpenRequest request{
        .path = path, .file = MappedFile::open(path), .path_to_open = path, .progress = {}, .stop = {}};
    Recording here;
    here_open = std::min(here_open, seconds_of([&] {
                           const LibraryRecording raw = open_raw(request);
                           here = {};
                           here.acquisition = raw.acquisition;
                           here.frame_count = raw.frame_count;
                           if (in_place) {
                             here.frame = [&](std::uint64_t k) {
                               return request.file->lend("here", kStart + k * frame_bytes, frame_bytes);
                             };
                           } else if (path.filename() == "streamed") {
                             here.read = raw.read_frame;
                           } else {
                             const auto memory = MemoryBlock::allocate("memory", frames * frame_bytes);
                             for (std::uint64_t k = 0; k < frames; ++k)
                               raw.read_frame(k, memory->bytes().subspan(k * frame_bytes, frame_bytes));
                             here.frame = [memory, frame_bytes](std::uint64_t k) {
                               return std::span<const std::byte>(memory->bytes()).subspan(k * frame_bytes, frame_bytes);
                             };
                           }
                         }));
    here_play = std::min(here_play, seconds_of([&] { play(here, slots); }));
    here = {};
    Recording there;
    there_open = std::min(there_open, seconds_of([&] { there = open_recording(path); }));
    there_play = std::min(there_play, seconds_of([&] { play(there, slots); }));
  }
  const double n = static_cast<double>(frames);
  std::printf("%-10s open %7.1f ms here, %7.1f ms there; play %8.1f frames/s here, %8.1f there (%+.1f %%)\n",
              path.filename().c_str(), 1e3 * here_open, 1e3 * there_open, n / here_play, n / there_play,
              100.0 * (here_play / there_play - 1.0));
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  using namespace echoloop;
  if (is_reader_process(argc, argv)) return run_reader_process(argv, open_raw);
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const std::uint64_t frames = argc > 2 ? std::stoull(argv[2]) : 128, mib = argc > 3 ? std::stoull(argv[3]) : 4;
  for (const char* const way : {"in-place", "in-memory", "streamed"}) {
    measure(folder / way, frames, mib << 20);
    std::filesystem::remove(folder / way);
  }
  return touched == 1 ? 1 : 0;
}
