// Replacement of the reader process (fake_reader.h) for tests: the file's name selects how to behave or misbehave.
// Other files are read as by the real one.
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"
#include "formats/stand_in/breakouts.h"
#include "formats/stand_in/lies.h"
#include "formats/stand_in/made_up.h"
#include "support/take_time.h"

namespace echoloop {
namespace {

using test::kFakeFrames;
using test::kFakeSamples;

AcquisitionPtr fake_acquisition() {
  Acquisition a;
  a.probe = make_linear_probe("made up", 2, 0.3e-3);
  a.transmits.resize(1);
  a.n_samples = kFakeSamples;
  a.sampling_hz = 20e6;
  a.center_hz = 5e6;
  a.assumptions = {"nothing"};
  return std::make_shared<const Acquisition>(a);
}

// Returns a recording of frames that are each a 40th of this machine's memory, at most 7.5 GiB.
LibraryRecording huge_frames() {
  const auto installed = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE));
  const std::size_t line = sizeof(float) * static_cast<std::size_t>(kMaxSamples);
  const std::size_t lines = std::clamp<std::size_t>(installed / 40 / line, 1, 120);
  Acquisition a = *fake_acquisition();
  a.probe = make_linear_probe("made up", static_cast<int>(lines), 0.3e-3);
  a.n_samples = kMaxSamples;
  return {.acquisition = std::make_shared<const Acquisition>(a),
          .frame_count = 100,
          .format = "made up",
          .frame_offsets = {},
          .described_file = {},
          .read_frame = [](std::uint64_t, std::span<std::byte>) {}};  // zeros
}

void write_frame(std::uint64_t index, std::span<std::byte> out) {
  std::vector<float> values(2 * kFakeSamples);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = test::fake_value(index, k);
  std::memcpy(out.data(), values.data(), out.size());
}

LibraryRecording fake_recording() {
  return {.acquisition = fake_acquisition(),
          .frame_count = kFakeFrames,
          .format = "made up",
          .frame_offsets = {},
          .described_file = {},
          .read_frame = write_frame};
}

LibraryRecording in_place() {
  LibraryRecording recording = fake_recording();
  const std::size_t frame_bytes = recording.acquisition->frame_bytes();
  for (std::uint64_t frame = 0; frame < kFakeFrames; ++frame)
    recording.frame_offsets.push_back(test::kFakeFileStart + frame * frame_bytes);
  return recording;
}

void compute_for(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds)) {
  }
}

[[noreturn]] void crash() {
  ::signal(SIGSEGV, SIG_DFL);  // without a sanitizer's report
  void* const page = ::mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
  ::_exit(9);
}

// Returns a recording that works until frame 5.
LibraryRecording until_frame_5(const std::function<void()>& then) {
  LibraryRecording recording = fake_recording();
  recording.read_frame = [then](std::uint64_t index, std::span<std::byte> out) {
    if (index == 5) then();
    write_frame(index, out);
  };
  return recording;
}

LibraryRecording play(const OpenRequest& request) {
  const std::string role = request.path.filename().string();
  if (role == "in-memory" || role == "streamed") return fake_recording();
  if (role == "in-place") return in_place();
  if (role == "huge-frames") return huge_frames();
  if (role == "crash-opening") crash();
  if (role == "exit-opening") ::_exit(3);
  if (role == "hang-opening") test::hang();
  if (role == "busy-for-300-ms") {
    compute_for(0.3);
    return fake_recording();
  }
  if (role == "busy-for-ever") compute_for(1e9);
  if (role == "takes-real-time") {
    ::alarm(1);
    test::hang();
  }
  if (role == "takes-computing-time") {
    rlimit computing{};
    ::getrlimit(RLIMIT_CPU, &computing);
    computing.rlim_cur = 1;  // seconds
    ::setrlimit(RLIMIT_CPU, &computing);
    compute_for(1e9);
  }
  if (role == "aborts-opening") std::abort();
  if (role == "crash-frame-5") return until_frame_5(crash);
  if (role == "hang-frame-5") return until_frame_5(test::hang);
  if (role == "refuse-frame-5") {
    return until_frame_5([&] { throw Error("frame 5", "damaged", "an undamaged one"); });
  }
  if (role == "bad-sector-5") {
    return until_frame_5([&] { throw UnreadableFrame("frame 5", "unreadable", "a sound disk"); });
  }
  if (role == "bad-sector-of-many") {  // too many to be read on opening
    Acquisition a = *fake_acquisition();
    a.n_samples = 4096;
    LibraryRecording recording = fake_recording();
    recording.acquisition = std::make_shared<const Acquisition>(a);
    recording.frame_count = 1000;
    recording.frame_by_frame = true;
    recording.read_frame = [](std::uint64_t index, std::span<std::byte> out) {
      if (index == 5) throw UnreadableFrame("frame 5", "unreadable", "a sound disk");
      std::ranges::fill(out, std::byte{1});
    };
    return recording;
  }
  if (role == "no-memory") throw std::bad_alloc();
  if (role == "takes-memory") {  // more than a small file can need, as a size in a damaged file may request
    constexpr std::size_t kTooMuch = std::size_t{400} << 20;
    const std::vector<char> memory(kTooMuch, 'x');
    throw Error("frame 5", std::to_string(memory[5]) + " bytes", "less memory");
  }
  if (role == "slow") {
    LibraryRecording recording = fake_recording();
    recording.read_frame = [](std::uint64_t index, std::span<std::byte> out) {
      testing::take_time(std::chrono::milliseconds(60));
      write_frame(index, out);
    };
    return recording;
  }
  if (role == "escape") test::try_to_get_out(request);
  test::tell_lie(role, in_place());
  return open_library_recording(request);
}

// Lists as a library does with damaged metadata.
std::string list(const OpenRequest& request) {
  if (request.path.filename() == "lists-for-ever") compute_for(1e9);
  return library_outline(request);
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  if (echoloop::is_sandbox_question(argc, argv)) return echoloop::answer_sandbox_question(0);
  if (!echoloop::is_reader_process(argc, argv)) return 2;
  return echoloop::run_reader_process(argc, argv, echoloop::play, echoloop::list, echoloop::library_map);
}
