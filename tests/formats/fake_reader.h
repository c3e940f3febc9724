// Files that make the stand-in for the reader process (stand_in/main.cpp) behave or misbehave.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "formats/sandbox/reader_child.h"
#include "formats/stand_in/made_up.h"
#include "formats/support.h"
#include "support/waiting.h"

namespace echoloop::test {

// Limits recordings to a megabyte of memory during its lifetime, so that frames are streamed one by one, with short
// timeouts.
class FakeReader {
 public:
  FakeReader() : kept_(reader_settings()) {
    reader_settings() = {.program = kept_.program,
                         .memory_budget = std::size_t{1} << 20,
                         .run_bytes = 1,
                         .opening_patience = std::chrono::milliseconds(10'000),
                         .frame_patience = std::chrono::milliseconds(2000)};
  }
  ~FakeReader() { reader_settings() = kept_; }
  FakeReader(const FakeReader&) = delete;
  FakeReader& operator=(const FakeReader&) = delete;

  // Returns a file that requests `role`: a HDF5 signature and room for the frames in place.
  [[nodiscard]] std::filesystem::path file(const std::string& role) const {
    std::string content = "\x89HDF\r\n\x1a\n";
    content.resize(kFakeFileStart, '.');
    for (std::uint64_t frame = 0; frame < kFakeFrames; ++frame) {
      std::vector<float> values(2 * kFakeSamples);
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = fake_value(frame, k);
      content += packed(values);
    }
    return folder_.write(role, content);
  }

 private:
  ReaderSettings kept_;
  TemporaryFolder folder_;
};

inline std::vector<std::byte> read_frame(const Recording& recording, std::uint64_t index,
                                         const std::stop_token& stop = {}) {
  std::vector<std::byte> frame(recording.acquisition->frame_bytes());
  FrameMemory slot{.bytes = frame, .owner = nullptr, .kind = HostMemory::pageable};
  const std::span<const std::byte> read = recording.reader->read(index, slot, stop);
  return {read.begin(), read.end()};
}

// Returns true if a reader process of this program is waiting.
inline bool a_reader_waits() {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::string stat;
    std::ifstream file(process.path() / "stat");
    if (!std::getline(file, stat)) continue;
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(") ") + 2)));
    std::string state;
    pid_t parent = 0;
    if (rest >> state >> parent && parent == ::getpid() && state == "S") return true;
  }
  return false;
}

// Waits until a thread that opens or reads a recording and its reader process both wait in several polls in a row.
inline void wait_for_standstill(pid_t thread) {
  constexpr int kLooks = 20;
  int still = 0;
  echoloop::testing::wait_until([&] {
    still = echoloop::testing::is_waiting(thread) && a_reader_waits() ? still + 1 : 0;
    return still == kLooks;
  });
}

}  // namespace echoloop::test
