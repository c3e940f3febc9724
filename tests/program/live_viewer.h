// Viewer of a scanner in its own process, and Python senders run by the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "program/started_program.h"
#include "support/environment_variable.h"
#include "test_paths.h"

namespace echoloop::live_test {

using namespace testing;

inline const std::filesystem::path kSenders = std::filesystem::path(ECHO_SOURCE_DIR) / "src" / "senders";

struct Viewer {
  explicit Viewer(const Words& words, const std::string& address = "live:test")
      : runtime("XDG_RUNTIME_DIR", folder.path().string()) {
    program = std::make_unique<StartedProgram>(
        joined({address, "--headless", "--backend", "cpu", "--report", report.string()}, words), folder);
  }
  [[nodiscard]] nlohmann::json frames() const { return nlohmann::json::parse(read_text(report))["frames"]; }
  void expect_sums() const {
    const nlohmann::json f = frames();
    const auto n = [&f](const char* key) { return f[key].get<std::uint64_t>(); };
    EXPECT_EQ(n("produced"), n("processed") + n("dropped") + n("overrun") + n("in_flight"));
    EXPECT_EQ(n("next_sequence") - n("first_sequence"),
              n("produced") - n("duplicates") + n("lost_at_sender") + n("stale") + n("missing"));
  }

  TemporaryFolder folder;
  std::filesystem::path report = folder / "report.json";
  testing::Variable runtime;
  std::unique_ptr<StartedProgram> program;
};

inline int run_python(const std::string& code) {
  const std::string command = "PYTHONPATH='" + kSenders.string() + "' python3 -c \"" + code + "\"";
  return std::system(command.c_str());
}

inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null").c_str()) == 0;
}

inline const std::string kSmall =
    "import array\nfrom echoloop import Sender\n"
    "scan = {'axes': ['transmit', 'element', 'time'], 'shape': [1, 8, 256], 'dtype': 'int16', 'fs_hz': 20e6,"
    " 'fc_hz': 5e6, 'c_m_s': 1540, 'pitch_m': 3e-4, 't0_s': 0, 't_zero': 'origin', 'device_hz': 1e6,"
    " 'tx': [{'kind': 'plane', 'angle_rad': 0}]}\n"
    "frame = array.array('h', range(2048))\n";

}  // namespace echoloop::live_test
