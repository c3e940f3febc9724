// Opens many damaged copies of files of every format, and presets (mutator.h). The program must survive, print one line
// per refusal, and leak neither files nor memory; outcomes of the reader process are counted. More than 512 MB in a
// reader process or in the viewer, or more than 10 s for a file, violates a rule (--most-mb, --most-seconds: other
// limits, for sanitizers).
//   test_mutations N [--viewer | --drafts] [--seed S] [--first K] [--reader PROGRAM] [--most-mb M] [--most-seconds T]
//                  [--only K FILE] [FOLDER...]
// Without --viewer each file is opened and a few of its frames are read. With it (20,000 files: half an hour) each is
// dropped on the window of one running program, which draws all the time (offscreen, on the CPU), shows an image of
// each file that opens, and otherwise continues with the previous one. With --drafts each goes through the import
// assistant without its window (viewer_drafts.cpp). --first skips K files of the series.
// FOLDER: also damages the recordings in it. --only writes file K of the same campaign as FILE, opens nothing else and
// prints the duration.
// Prints the process's resources regularly, then the number of files per outcome; exit status 1 if a rule was violated.
#include "formats/mutation/campaign.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "app/options/preset.h"
#include "core/error.h"
#include "formats/mutation/process_size.h"
#include "formats/open_recording.h"
#include "formats/sandbox/reader_child.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookEvery = 1000;  // files between two lines about this process
constexpr std::size_t kFramesInMemory = std::size_t{128} << 20;
constexpr std::array kKindNames{"HDF5", "MATLAB 5", "npy", "npz", "pickle", "preset"};

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
    std::vector<std::byte> frame(recording.frame ? 0 : recording.acquisition->frame_bytes());
    FrameMemory slot{.bytes = frame, .owner = nullptr, .kind = HostMemory::pageable};
    unsigned sum = 0;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(recording.frame_count, 3); ++k) {
      for (const std::byte b : recording.frame ? recording.frame(k) : recording.reader->read(k, slot)) {
        sum += static_cast<unsigned>(b);
      }
    }
    std::size_t n_maps = 0;
    for (const StoredMap& map : recording.contents->maps) {
      if (!map.note.empty() || ++n_maps > 2) continue;
      sum += static_cast<unsigned>(read_map(path, {.map = map, .first = 0, .count = 1}).values.size());
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

Mutant next_recording(Mutator& mutator) {
  Mutant mutant = mutator.next();
  while (mutant.kind == FileKind::preset) mutant = mutator.next();
  return mutant;
}

void write_mutant(const fs::path& file, const Mutant& mutant) {
  write_text_file(file, mutant.bytes);
  if (!mutant.description.empty()) write_text_file(description_of(file), mutant.description);
}

void remove_mutant(const fs::path& file) {
  fs::remove(file);
  fs::remove(description_of(file));
}

std::size_t largest_child() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<std::size_t>(used.ru_maxrss) << 10;
}

int run_reader_campaign(Campaign campaign) {
  std::map<std::string, std::size_t> outcomes;
  ProcessSize before;
  std::size_t largest = 0, broken = 0;
  double slowest_s = 0.0;
  reader_settings().memory_budget = kFramesInMemory;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds_since = [](auto then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
  };
  for (std::size_t k = 0; k < campaign.n_files; ++k) {
    const fs::path path = campaign.scratch / ("file" + std::to_string(campaign.first + k));
    const Mutant mutant = campaign.mutator.next();
    write_mutant(path, mutant);
    const auto opening = std::chrono::steady_clock::now();
    const std::string outcome = mutant.kind == FileKind::preset ? open_preset(path) : open_and_read(path);
    const double seconds = seconds_since(opening);
    ++outcomes[std::string(kKindNames[static_cast<std::size_t>(mutant.kind)]) + ": " + outcome];
    const std::size_t largest_now = largest_child();
    const bool in_excess =
        seconds > campaign.limits.seconds || (largest_now > campaign.limits.memory_bytes && largest_now > largest);
    const bool breaks = in_excess || outcome == "hung" || outcome == "broken";
    if (breaks || outcome.starts_with("reader died")) {
      std::printf("file %zu: %s (%.1f s, largest reader process %zu MB)%s\n", campaign.first + k, outcome.c_str(),
                  seconds, largest_now >> 20, breaks ? ": breaks a rule" : "");
    }
    broken += breaks ? 1 : 0;
    slowest_s = std::max(slowest_s, seconds);
    largest = largest_now;
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
  for (const auto& [outcome, n] : outcomes) std::printf("%s %zu\n", outcome.c_str(), n);
  std::printf("half way: %s\nat the end: %s\nbroken rules %zu\n", to_text(before).c_str(), to_text(after).c_str(),
              broken);
  return has_grown(before, after) || broken > 0 ? 1 : 0;
}

namespace {

struct Words {
  Campaign campaign;
  unsigned seed = 1;
  bool viewer = false, drafts = false;
  std::size_t only = 0;
  fs::path only_file, reader;  // empty: the program's
  std::vector<fs::path> folders;
};

Words parse(const std::vector<std::string>& words) {
  Words w;
  Campaign& c = w.campaign;
  const std::map<std::string, std::function<void(const std::string&)>> options = {
      {"--seed", [&](const std::string& value) { w.seed = static_cast<unsigned>(std::stoul(value)); }},
      {"--first", [&](const std::string& value) { c.first = std::stoul(value); }},
      {"--reader", [&](const std::string& value) { w.reader = value; }},
      {"--most-mb", [&](const std::string& value) { c.limits.memory_bytes = std::stoul(value) << 20; }},
      {"--most-seconds", [&](const std::string& value) { c.limits.seconds = std::stod(value); }},
  };
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto option = options.find(words[k]);
    if (option != options.end() && k + 1 < words.size()) {
      option->second(words[++k]);
    } else if (words[k] == "--only" && k + 2 < words.size()) {
      w.only = std::stoul(words[++k]);
      w.only_file = words[++k];
    } else if (words[k] == "--viewer") {
      w.viewer = true;
    } else if (words[k] == "--drafts") {
      w.drafts = true;
    } else if (k == 0) {
      c.n_files = std::stoul(words[k]);
    } else {
      w.folders.emplace_back(words[k]);
    }
  }
  return w;
}

int run(Words words) {
  reader_settings().program = words.reader.empty() ? fs::path(ECHO_PROGRAM_READER) : words.reader;
  const TemporaryFolder scratch;
  const std::vector<Fixture> fixtures = find_fixtures(scratch.path(), words.folders);
  const fs::path recording = scratch / "recording.uff";
  write_text_file(recording, fixtures.front().bytes);
  std::printf("seed %u, %zu undamaged files\n", words.seed, fixtures.size());
  Campaign& campaign = words.campaign;
  campaign.scratch = scratch.path();
  campaign.mutator = Mutator(fixtures, words.seed);
  const auto next = [&] {
    return words.viewer || words.drafts ? next_recording(campaign.mutator) : campaign.mutator.next();
  };
  const std::size_t left_out = words.only_file.empty() ? campaign.first : words.only;
  for (std::size_t k = 0; k < left_out; ++k) next();
  if (!words.only_file.empty()) return open_only(words.only_file, next());
#if defined(ECHO_HAVE_GUI)
  if (words.viewer) return run_viewer_campaign(std::move(campaign), recording);
  if (words.drafts) return run_draft_campaign(std::move(campaign), words.seed);
#else
  if (words.viewer || words.drafts) return 2;
#endif
  return run_reader_campaign(std::move(campaign));
}

}  // namespace
}  // namespace echoloop::testing

int main(int argc, char** argv) { return echoloop::testing::run(echoloop::testing::parse({argv + 1, argv + argc})); }
