// A disk that fails at any write of any file: the file is there as a whole, or it is not there, and one line says so.
// ECHOLOOP_FAULTS: how many calls of each file fail, one a run; without it a few, from the first to the last.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "program/started_program.h"
#include "support/uff_file.h"
#include "test_paths.h"

namespace echoloop::io_faults_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

struct Output {
  const char* option;
  const char* name;
  Words more = {};  // what else the option needs
  int frames = 6;
};

std::string name_of(const ::testing::TestParamInfo<Output>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return std::string(info.param.option).substr(2, 1) + std::to_string(info.index) + "_" + name;
}

struct Fault {
  long at = 0;  // 0: none
  const char* mode = "once";
};

struct FaultRun {
  int status = 0;
  std::string errors;
  long calls = 0;
};

FaultRun run_with(const Output& output, const Fault& fault, const TemporaryFolder& folder) {
  const TemporaryFolder beside;
  const Words words =
      joined({"sim:points", "--headless", "--backend", "cpu", "--rate", "max", "--grid", "-8:8:33,5:35:61", "--frames",
              std::to_string(output.frames), output.option, (folder / output.name).string()},
             output.more);
  const std::string count = (beside / "count").string();
  StartedProgram program(words, beside,
                         {"LD_PRELOAD=" ECHO_IO_FAULTS, "ECHO_FAULT_IN=" + folder.path().string(),
                          "ECHO_FAULT_AT=" + std::to_string(fault.at), std::string("ECHO_FAULT_MODE=") + fault.mode,
                          "ECHO_FAULT_COUNT=" + count});
  FaultRun run;
  run.status = program.end();
  run.errors = program.errors();
  run.calls = std::atol(read_text(count).c_str());
  return run;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.find(end, text.size() - end.size() - std::min<std::size_t>(8, text.size() - end.size())) !=
             std::string::npos;
}

// Bytes that the header says, with its own; 0: no header.
std::size_t npy_bytes(const std::string& text) {
  const std::size_t type = text.find("'descr': '"), at = text.find("'shape': ("), end = text.find('\n');
  if (type == std::string::npos || at == std::string::npos || end == std::string::npos) return 0;
  std::istringstream shape(text.substr(at + 10, text.find(')', at) - at - 10));
  std::size_t bytes = std::stoul(text.substr(type + 12));  // after "<i", "<f"
  for (std::string side; std::getline(shape, side, ',');) {
    if (side.find_first_not_of(' ') != std::string::npos) bytes *= std::stoul(side);
  }
  return end + 1 + bytes;
}

bool is_whole_npy(const std::string& text) { return !text.empty() && text.size() == npy_bytes(text); }

// The pixels are the last element, of a stated length.
bool is_whole_dicom(const std::string& text) {
  const std::size_t at = text.find(std::string("\xE0\x7F\x10\0OB\0\0", 8));
  std::uint32_t size = 0;
  if (at == std::string::npos || at + 12 > text.size()) return false;
  std::memcpy(&size, &text[at + 8], sizeof size);
  return at + 12 + size == text.size();
}

bool is_whole(const fs::path& file) {
  const std::string ending = file.extension(), text = read_text(file);
  if (ending == ".uff") return UffFile(file).is_open() && UffFile(file).frames() > 0;
  if (ending == ".json") return nlohmann::json::accept(text);
  if (ending == ".png") return ends_with(text, "IEND");
  if (ending == ".csv") return ends_with(text, "\n");
  if (ending == ".svg") return ends_with(text, "</svg>\n");
  if (ending == ".pdf") return ends_with(text, "%%EOF\n");
  if (ending == ".npy") return is_whole_npy(text);
  if (ending == ".mp4") return text.find("moov") != std::string::npos && text.find("mdat") != std::string::npos;
  if (ending == ".dcm") return is_whole_dicom(text);
  return !text.empty();
}

// Of the calls 1 to `calls`.
std::set<long> some_of(long calls) {
  const char* wanted = std::getenv("ECHOLOOP_FAULTS");
  const long most = std::min(calls, wanted != nullptr ? std::max(2L, std::atol(wanted)) : 4L);
  std::set<long> chosen;
  for (long i = 0; i < most; ++i) chosen.insert(1 + i * (calls - 1) / std::max(1L, most - 1));
  return chosen;
}

void expect_whole_or_nothing(const FaultRun& run, const TemporaryFolder& folder) {
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const fs::path file = entry.path();
    if (file.extension() == ".partial") {  // of a recording: can be read or repaired, and it is said
      EXPECT_NE(run.errors.find(file.string()), std::string::npos) << run.errors;
      if (file.stem().extension() == ".npy") {
        const std::string text = read_text(file);
        EXPECT_LE(npy_bytes(text), text.size());
        continue;
      }
      const testing::Ended repaired = testing::run_program({"repair", file.string()});
      const bool empty = repaired.err.find("no frames") != std::string::npos;
      EXPECT_TRUE(repaired.status == 0 || empty) << repaired.err;
      if (repaired.status == 0) {
        EXPECT_TRUE(is_whole(folder / "a.uff"));
      }
      continue;
    }
    EXPECT_TRUE(is_whole(file)) << file << ", " << fs::file_size(file) << " bytes";
  }
}

class FaultyDisk : public ::testing::TestWithParam<Output> {};

TEST_P(FaultyDisk, LeavesAWholeFileOrNone) {
#if defined(ECHO_SANITIZED)
  GTEST_SKIP() << "a sanitizer's runtime must be loaded first";
#endif
  const TemporaryFolder good;
  const FaultRun whole = run_with(GetParam(), {}, good);
  if (whole.errors.find("built without") != std::string::npos) GTEST_SKIP() << whole.errors;
  ASSERT_EQ(whole.status, 0) << whole.errors;
  ASSERT_TRUE(is_whole(good / GetParam().name));
  ASSERT_GT(whole.calls, 3) << "the faults are not where the file is";
  for (const char* mode : {"once", "lasting"}) {
    for (const long at : some_of(whole.calls)) {
      SCOPED_TRACE(std::string(mode) + ", call " + std::to_string(at) + " of " + std::to_string(whole.calls));
      const TemporaryFolder folder;
      const FaultRun run = run_with(GetParam(), {at, mode}, folder);
      EXPECT_LT(run.status, 128) << run.errors;
      expect_whole_or_nothing(run, folder);
      if (fs::exists(folder / GetParam().name)) continue;  // as a library may call once more, or without need
      EXPECT_NE(run.status, 0);
      EXPECT_NE(run.errors.find((folder / "a.").string()), std::string::npos) << run.errors;  // or the file beside it
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Program, FaultyDisk,
    ::testing::Values(Output{"--record", "a.uff"}, Output{"--raw-out", "a.npy"}, Output{"--image-out", "a.npy"},
                      Output{"--images-out", "a.npy"}, Output{"--png", "a.png"}, Output{"--png16", "a.png"},
                      Output{"--figure", "a.svg"}, Output{"--figure", "a.pdf"}, Output{"--video", "a.mp4"},
                      Output{"--dicom", "a.dcm"}, Output{"--report", "a.json"}, Output{"--trace", "a.json"},
                      Output{"--csv", "a.csv"}, Output{"--structure-out", "a.json", {"--set", "structure=bright"}},
                      Output{"--flow-out", "a.npy", {"--set", "flow=power", "--set", "flow_frames=16"}, 20},
                      Output{"--sonogram-out",
                             "a.npy",
                             {"--set", "gate=on", "--set", "sonogram_frames=16", "--set", "gate_z_m=0.02"},
                             20}),
    name_of);

}  // namespace
}  // namespace echoloop::io_faults_test
