// What libFuzzer runs for hours, in short: every seed, every truncation of it, and a few thousand mutations that are
// the same each time. A crash, a sanitizer's report or an exception that is no Error fails it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::fuzz::fuzz_test {
namespace {

namespace fs = std::filesystem;

constexpr int kMutations = 1500;  // of each seed
constexpr int kTruncations = 400;

std::vector<fs::path> seeds(std::string_view target) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(ECHO_SOURCE_DIR) / "tests/fuzz/corpus" / target)) {
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool run(const NamedTarget& target, const std::string& bytes) {
  // A heap block of exactly this size: the address sanitizer sees one byte too far.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return target.run(std::as_bytes(std::span(exact)));
}

std::string mutated(std::string bytes, std::minstd_rand& random) {
  constexpr unsigned kMostEdits = 4;
  for (unsigned edits = 1 + random() % kMostEdits; edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 6) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1U << (random() % 8)));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 64));
        break;
      case 4:
        bytes.erase(at, 1 + random() % 16);
        break;
      default:
        bytes[at] = static_cast<char>(random() % 2 == 0 ? 0xff : 0x7f);
    }
  }
  return bytes;
}

class Fuzz : public ::testing::TestWithParam<NamedTarget> {};

TEST_P(Fuzz, GoodSeedsAreReadAndNothingBreaks) {
  const auto files = seeds(GetParam().name);
  ASSERT_FALSE(files.empty());
  std::minstd_rand random(1);
  int read = 0;
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::string seed = testing::read_text(file);
    const bool ok = run(GetParam(), seed);
    read += ok ? 1 : 0;
    EXPECT_EQ(ok, file.filename().string().starts_with("good_"));
    const std::size_t step = std::max<std::size_t>(1, seed.size() / kTruncations);
    for (std::size_t n = 0; n < seed.size(); n += step) run(GetParam(), seed.substr(0, n));
    for (int k = 0; k < kMutations; ++k) run(GetParam(), mutated(seed, random));
  }
  EXPECT_GT(read, 0);
}

INSTANTIATE_TEST_SUITE_P(Parsers, Fuzz, ::testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace echoloop::fuzz::fuzz_test
