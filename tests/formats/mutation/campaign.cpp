// Opens many damaged copies of files of every format, and presets (mutator.h). The program must live, say one line for
// each refusal, and lose neither files nor memory; what becomes of the reader process is counted, which must need
// neither more than 512 MB nor more than 10 s.
//   test_mutations N [--viewer] [--seed S] [--reader PROGRAM] [--only K FILE] [FOLDER...]
// Without --viewer each file is opened and a few of its frames are read. With it (20,000 files: half an hour) each is
// dropped on the window of one running program, which draws all the time (offscreen, on the CPU), shows a picture of
// each file that opens, and goes on with the one before when it does not.
// FOLDER: damages the recordings in it as well as those made here. --only writes file K of the same campaign as FILE,
// opens nothing else and says how long that took.
// Prints what the process holds on the way, then how many files came to which end; exit status 1 when a rule was
// broken.
#include "formats/mutation/campaign.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <span>
#include <vector>

#include "app/preset.h"
#include "core/error.h"
#include "formats/mutation/process_size.h"
#include "formats/reader_process.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookEvery = 1000;  // files between two lines about this process
#if defined(ECHO_SANITIZED)
constexpr std::size_t kMostMemory = std::size_t{4} << 30;  // with a sanitizer's own
#else
constexpr std::size_t kMostMemory = std::size_t{512} << 20;
#endif
constexpr std::size_t kFramesInMemory = std::size_t{128} << 20;
constexpr double kMostSeconds = 10.0;
constexpr std::array kKindNames{"HDF5", "MATLAB 5", "npy", "npz", "pickle", "preset"};

// Of the largest reader process so far, with the frames that it shares.
std::size_t largest_child() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<std::size_t>(used.ru_maxrss) << 10;
}

std::string open_preset(const fs::path& path) {
  try {
    ImagingParams params;
    for (const std::string& setting : preset_settings(read_preset(path))) set_from_text(params, setting);
    return "opened";
  } catch (const Error& error) {
    return outcome_of(error.what(), path);
  } catch (const std::exception& error) {
    std::printf("%s: no line of ours: %s\n", path.c_str(), error.what());
    return "broken";
  }
}

std::string open_and_read(const fs::path& path) {
  try {
    const Recording recording = open_recording(path);
    std::vector<std::byte> frame(recording.reader ? recording.acquisition->frame_bytes() : 0);
    FrameMemory slot{.bytes = frame, .owner = nullptr, .kind = HostMemory::pageable};
    unsigned sum = 0;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(recording.frame_count, 3); ++k) {
      if (recording.reader) recording.reader->read(k, slot);
      for (const std::byte b : recording.reader ? std::span<const std::byte>(frame) : recording.frame(k)) {
        sum += static_cast<unsigned>(b);
      }
    }
    return sum == 1 ? "opened " : "opened";  // the sum is used
  } catch (const Error& error) {
    return outcome_of(error.what(), path);
  }
}

int open_only(const fs::path& path, const Mutant& mutant) {
  write_mutant(path, mutant);
  if (mutant.kind == FileKind::preset) return std::puts(open_preset(path).c_str()) < 0 ? 1 : 0;
  const auto begin = std::chrono::steady_clock::now();
  try {
    std::printf("opened: %s", open_recording(path).format.c_str());
  } catch (const Error& error) {
    std::printf("%s", error.what());
  }
  std::printf(" (%.2f s)\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}

}  // namespace

std::string outcome_of(const std::string& line, const fs::path& file) {
  if (line.find('\n') != line.npos || line.size() > 1500 || !line.starts_with(file.string()) ||
      (line.find("; expected ") == line.npos && line.find(" is out of range (") == line.npos)) {
    std::printf("not one line: %s\n", line.c_str());
    return "broken";
  }
  if (line.find("the reader process stopped") != line.npos)
    return "reader died" + line.substr(file.string().size(), line.find(';') - file.string().size());
  if (line.find("in time") != line.npos) return "hung";
  if (line.find("the reader process") != line.npos) return "invalid message";
  return "refused";
}

fs::path description_of(const fs::path& file) { return file.string() + ".json"; }

void write_mutant(const fs::path& file, const Mutant& mutant) {
  write_text_file(file, mutant.bytes);
  if (!mutant.description.empty()) write_text_file(description_of(file), mutant.description);
}

void remove_mutant(const fs::path& file) {
  fs::remove(file);
  fs::remove(description_of(file));
}

int run_reader_campaign(Campaign campaign) {
  std::map<std::string, std::size_t> outcomes;
  ProcessSize before;
  std::size_t largest = 0, too_slow = 0;
  double slowest_s = 0.0;
  reader_settings().memory_budget = kFramesInMemory;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds_since = [](auto then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
  };
  for (std::size_t k = 0; k < campaign.n_files; ++k) {
    const fs::path path = campaign.scratch / ("file" + std::to_string(k));
    const Mutant mutant = campaign.mutator.next();
    write_mutant(path, mutant);
    const auto opening = std::chrono::steady_clock::now();
    const std::string outcome = mutant.kind == FileKind::preset ? open_preset(path) : open_and_read(path);
    const double seconds = seconds_since(opening);
    ++outcomes[std::string(kKindNames[static_cast<std::size_t>(mutant.kind)]) + ": " + outcome];
    const bool dead = outcome.starts_with("reader died") || outcome == "hung" || outcome == "broken";
    if (dead || seconds > kMostSeconds || (largest <= kMostMemory && largest_child() > kMostMemory)) {
      std::printf("file %zu: %s (%.1f s, %zu MB)\n", k, outcome.c_str(), seconds, largest_child() >> 20);
    }
    too_slow += seconds > kMostSeconds ? 1 : 0;
    slowest_s = std::max(slowest_s, seconds);
    largest = largest_child();
    remove_mutant(path);
    if (k % kLookEvery == kLookEvery - 1) {
      std::printf("after %zu: %s\n", k + 1, to_text(process_size()).c_str());
      std::fflush(stdout);
    }
    if (k == campaign.n_files / 2) before = process_size();
  }
  const ProcessSize after = process_size();
  const double seconds = seconds_since(begin);
  std::printf("files %zu in %.1f s (%.0f a second); the slowest %.2f s, the largest reader process %zu MB\n",
              campaign.n_files, seconds, static_cast<double>(campaign.n_files) / seconds, slowest_s, largest >> 20);
  bool broken = too_slow > 0 || largest > kMostMemory;
  for (const auto& [outcome, n] : outcomes) {
    std::printf("%s %zu\n", outcome.c_str(), n);
    broken = broken || outcome.ends_with(": broken") || outcome.ends_with(": hung");
  }
  std::printf("half way: %s\nat the end: %s\n", to_text(before).c_str(), to_text(after).c_str());
  return has_grown(before, after) || broken ? 1 : 0;
}

namespace {

int run(int argc, char** argv) {
  std::size_t n_files = 200;
  unsigned seed = 1;
  std::size_t only = 0;
  bool viewer = false;
  fs::path only_file, reader;  // empty: that of the program
  std::vector<fs::path> folders;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--seed" && k + 1 < argc) {
      seed = static_cast<unsigned>(std::stoul(argv[++k]));
    } else if (word == "--reader" && k + 1 < argc) {
      reader = argv[++k];
    } else if (word == "--only" && k + 2 < argc) {
      only = std::stoul(argv[++k]);
      only_file = argv[++k];
    } else if (word == "--viewer") {
      viewer = true;
    } else if (k == 1) {
      n_files = std::stoul(word);
    } else {
      folders.emplace_back(word);
    }
  }
  reader_settings().program = reader.empty() ? ECHO_PROGRAM_READER : reader;
  const TemporaryFolder scratch;
  const std::vector<Fixture> fixtures = find_fixtures(scratch.path(), folders);
  const fs::path recording = scratch / "recording.uff";
  write_text_file(recording, fixtures.front().bytes);
  std::printf("seed %u, %zu undamaged files\n", seed, fixtures.size());
  Campaign campaign{n_files, scratch.path(), Mutator(fixtures, seed)};
  if (!only_file.empty()) {
    for (std::size_t k = 0; k < only; ++k) campaign.mutator.next();
    return open_only(only_file, campaign.mutator.next());
  }
#if defined(ECHO_HAVE_GUI)
  if (viewer) return run_viewer_campaign(std::move(campaign), recording);
#else
  if (viewer) return 2;
#endif
  return run_reader_campaign(std::move(campaign));
}

}  // namespace
}  // namespace echoloop::testing

int main(int argc, char** argv) { return echoloop::testing::run(argc, argv); }
