// Opens many damaged copies of HDF5 and MATLAB files and reads a few frames of those that open. The program must live,
// say one line for each refusal, and lose neither files nor memory; what becomes of the reader process is counted.
//   test_mutations N [--seed S] [--reader PROGRAM] [--only K FILE] [FOLDER...]
// --only writes file K of the same campaign as FILE, opens nothing else and says how long that took.
// prints open files and memory on the way, then {files, opened, refused, reader died, hung}; exit status 1 when a rule
// was broken.
#include <matio.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/reader_process.h"
#include "support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using echoloop::Recording;

constexpr std::uintmax_t kMostBytes = 4U << 20;  // bigger files only slow the campaign down
constexpr std::size_t kHead = 4096;              // where most of a file's structure lies
constexpr std::size_t kLookEvery = 1000;         // files between two lines about this process

class Mutator {
 public:
  Mutator(std::vector<std::string> fixtures, unsigned seed) : fixtures_(std::move(fixtures)), random_(seed) {}

  std::string next() {
    std::string bytes = any_of(fixtures_);
    const std::size_t n = 1 + below(3);
    for (std::size_t k = 0; k < n && !bytes.empty(); ++k) mutate(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  const std::string& any_of(const std::vector<std::string>& list) { return list[below(list.size())]; }
  std::size_t place(const std::string& bytes) {
    return below(3) == 0 ? below(bytes.size()) : below(std::min(bytes.size(), kHead));
  }

  void mutate(std::string& bytes) {
    const std::size_t at = place(bytes), length = std::min(bytes.size() - at, 1 + below(256));
    switch (below(6)) {
      case 0:
        for (std::size_t k = 0, n = 1 + below(16); k < n; ++k) {
          char& byte = bytes[place(bytes)];
          byte = static_cast<char>(byte ^ (1 << below(8)));
        }
        return;
      case 1:
        bytes.resize(below(4) == 0 ? at : bytes.size() - std::min(bytes.size() - 1, below(bytes.size() / 4 + 2)));
        return;
      case 2: {
        const std::string& other = below(2) == 0 ? any_of(fixtures_) : bytes;
        bytes.replace(at, length, std::string(other, below(other.size()), 1 + below(512)));
        return;
      }
      case 3: {
        const std::size_t kind = below(3);
        for (std::size_t k = 0; k < length; ++k) {
          bytes[at + k] = static_cast<char>(kind == 0 ? 0 : kind == 1 ? 255 : below(256));
        }
        return;
      }
      default:
        return edit_size(bytes);
    }
  }

  // A number of 2, 4 or 8 bytes where one might lie.
  void edit_size(std::string& bytes) {
    const std::size_t size = std::size_t{2} << below(3);
    if (bytes.size() < size) return;
    const std::size_t at = std::min(place(bytes), bytes.size() - size) / 2 * 2;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    const std::uint64_t wanted[] = {
        0,           1,           value + 1,      value - 1,  2 * value,  ~value,       ~0ULL,
        0x7fffffffU, 0x80000000U, 0x100000000ULL, 1ULL << 62, 1ULL << 63, bytes.size(), bytes.size() - value,
        0xffffU};
    value = wanted[below(std::size(wanted))];
    std::memcpy(bytes.data() + at, &value, size);
  }

  std::vector<std::string> fixtures_;
  std::mt19937 random_;
};

std::string written_by_matio(const fs::path& path, mat_ft version, matio_compression compression) {
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  double samples[24], numbers[] = {20e6, 5e6, 0.3e-3, 1540};
  for (int k = 0; k < 24; ++k) samples[k] = k;
  std::size_t dims[] = {4, 3, 2}, one[] = {1, 1};
  matvar_t* const rf = Mat_VarCreate("RF", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, samples, 0);
  const char* names[] = {"fs", "fc", "pitch", "c"};
  matvar_t* const param = Mat_VarCreateStruct("param", 2, one, names, 4);
  for (int k = 0; k < 4; ++k) {
    Mat_VarSetStructFieldByName(param, names[k], 0,
                                Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, numbers + k, 0));
  }
  for (matvar_t* const variable : {rf, param}) {
    Mat_VarWrite(file, variable, compression);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  return echoloop::testing::read_text(path);
}

std::vector<std::string> find_fixtures(const fs::path& scratch, const std::vector<fs::path>& folders) {
  std::vector<std::string> fixtures;
  for (int k = 0; k < 4; ++k) {
    fixtures.push_back(written_by_matio(scratch / std::to_string(k), k < 2 ? MAT_FT_MAT5 : MAT_FT_MAT73,
                                        k % 2 == 0 ? MAT_COMPRESSION_NONE : MAT_COMPRESSION_ZLIB));
  }
  const std::set<std::string> kinds = {".mat", ".hdf5", ".h5", ".uff"};
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && kinds.contains(entry.path().extension().string()) &&
          entry.file_size() <= kMostBytes) {
        fixtures.push_back(echoloop::testing::read_text(entry.path()));
      }
    }
  }
  return fixtures;
}

std::string open_and_read(const fs::path& path) {
  try {
    const Recording recording = echoloop::open_recording(path);
    std::vector<std::byte> frame(recording.reader ? recording.acquisition->frame_bytes() : 0);
    echoloop::FrameMemory slot{.bytes = frame, .owner = nullptr, .kind = echoloop::HostMemory::pageable};
    unsigned sum = 0;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(recording.frame_count, 3); ++k) {
      if (recording.reader) recording.reader->read(k, slot);
      for (const std::byte b : recording.reader ? std::span<const std::byte>(frame) : recording.frame(k)) {
        sum += static_cast<unsigned>(b);
      }
    }
    return sum == 1 ? "opened " : "opened";  // the sum is used
  } catch (const echoloop::Error& error) {
    const std::string line = error.what();
    if (line.find('\n') != line.npos || line.size() > 1500 || line.find("; accepted: ") == line.npos) {
      std::printf("not one line: %s\n", line.c_str());
      return "broken";
    }
    if (line.find("its reader stopped") != line.npos) return "reader died" + line.substr(path.string().size(), 32);
    if (line.find("in time") != line.npos) return "hung";
    if (line.find("its reader") != line.npos) return "said nonsense";
    return "refused";
  }
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

int open_only(const fs::path& path, const std::string& bytes) {
  echoloop::testing::write_text_file(path, bytes);
  const auto begin = std::chrono::steady_clock::now();
  try {
    std::printf("opened: %s", echoloop::open_recording(path).format.c_str());
  } catch (const echoloop::Error& error) {
    std::printf("%s", error.what());
  }
  std::printf(" (%.2f s)\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n_files = 200;
  unsigned seed = 1;
  std::size_t only = 0;
  fs::path only_file;
  std::vector<fs::path> folders;
  echoloop::reader_settings().program = ECHO_READER;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--seed" && k + 1 < argc) {
      seed = static_cast<unsigned>(std::stoul(argv[++k]));
    } else if (word == "--reader" && k + 1 < argc) {
      echoloop::reader_settings().program = argv[++k];
    } else if (word == "--only" && k + 2 < argc) {
      only = std::stoul(argv[++k]);
      only_file = argv[++k];
    } else if (k == 1) {
      n_files = std::stoul(word);
    } else {
      folders.emplace_back(word);
    }
  }
  const echoloop::testing::TemporaryFolder scratch;
  Mutator mutator(find_fixtures(scratch.path(), folders), seed);
  if (!only_file.empty()) {
    for (std::size_t k = 0; k < only; ++k) mutator.next();
    return open_only(only_file, mutator.next());
  }
  std::map<std::string, std::size_t> outcomes;
  std::size_t files_before = 0, bytes_before = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < n_files; ++k) {
    const fs::path path = scratch / ("file" + std::to_string(k));
    echoloop::testing::write_text_file(path, mutator.next());
    const std::string outcome = open_and_read(path);
    ++outcomes[outcome];
    if (outcome.starts_with("reader died") || outcome == "hung" || outcome == "broken") {
      std::printf("file %zu: %s\n", k, outcome.c_str());
    }
    fs::remove(path);
    if (k % kLookEvery == kLookEvery - 1) {
      std::printf("after %zu: open files %zu, memory %zu kB\n", k + 1, open_files(), resident_bytes() >> 10);
      std::fflush(stdout);
    }
    if (k == n_files / 2) files_before = open_files(), bytes_before = resident_bytes();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const bool grew = open_files() != files_before || resident_bytes() > bytes_before + (std::size_t{16} << 20);
  std::printf("files %zu in %.1f s (%.0f a second)\n", n_files, seconds, static_cast<double>(n_files) / seconds);
  for (const auto& [outcome, n] : outcomes) std::printf("%s %zu\n", outcome.c_str(), n);
  std::printf("open files %zu, then %zu; memory %zu kB, then %zu kB\n", files_before, open_files(), bytes_before >> 10,
              resident_bytes() >> 10);
  return grew || outcomes.contains("broken") ? 1 : 0;
}
