// Own methods of image formation: a copy of a built-in one makes its image, and whatever is wrong with the file is one
// line.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "test_paths.h"

namespace echoloop::own_method_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

const Words kImage = {"sim:cyst,probe=L128", "--headless", "--backend", "cpu", "--frames", "1", "--grid",
                      "-8:8:70,5:35:61"};

fs::path write(const TemporaryFolder& folder, const std::string& text, const std::string& name = "own.h") {
  std::ofstream(folder / name) << text;
  return folder / name;
}

std::string image_of(const TemporaryFolder& folder, const Words& more) {
  const fs::path file = folder / "image.npy";
  fs::remove(file);
  const Ended ended = run_program(joined(joined(kImage, more), {"--image-out", file.string()}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  return read_text(file);
}

// A method whose pixel is this expression of `channels`.
std::string method_of(const std::string& statements, const std::string& before = "") {
  return "#include \"dsp/methods/own.h\"\nnamespace echoloop {\n" + before +
         "\nstruct Mine {\n  template <class Channels>\n  ECHO_HD MethodPixel operator()(const Channels& channels) "
         "const {\n" +
         statements +
         "\n  }\n};\ntemplate <class Run>\nvoid run_method(MethodTag<Adaptive::own>, const MethodSettings& s, const "
         "Run& run) "
         "{\n  (void)s;\n  run(Mine{});\n}\n}  // namespace echoloop\n";
}

struct Copied {
  const char* header;
  Words settings;
};

class CopyOf : public ::testing::TestWithParam<Copied> {};

TEST_P(CopyOf, ABuiltInMethodMakesItsImage) {
  const TemporaryFolder folder;
  const fs::path copy = write(folder, read_text(fs::path(ECHO_SOURCE_DIR) / "src/dsp/methods" / GetParam().header));
  const Words own =
      joined({"--method", copy.string()}, Words(GetParam().settings.begin() + 2, GetParam().settings.end()));
  const std::string image = image_of(folder, own);
  EXPECT_GT(image.size(), 4U * 70 * 61);
  EXPECT_TRUE(image == image_of(folder, GetParam().settings)) << "other pixels";
}

INSTANTIATE_TEST_SUITE_P(
    BuiltIn, CopyOf,
    ::testing::Values(Copied{"coherence.h", {"--set", "adaptive=coherence"}},
                      Copied{"coherence.h", {"--set", "adaptive=coherence", "--set", "adaptive_axis=both"}},
                      Copied{"generalized_coherence.h", {"--set", "adaptive=generalized"}},
                      Copied{"phase_coherence.h", {"--set", "adaptive=phase", "--set", "adaptive_axis=transmits"}},
                      Copied{"p_das.h", {"--set", "adaptive=p_das", "--set", "adaptive_order=compounded"}},
                      Copied{"slsc.h", {"--set", "adaptive=slsc", "--set", "adaptive_lags=7"}},
                      Copied{"minimum_variance.h", {"--set", "adaptive=minimum_variance", "--set", "mv_elements=16"}}));

TEST(OwnMethod, LoopsOverChannelsAreDelayAndSum) {
  const TemporaryFolder folder;
  const fs::path example = fs::path(ECHO_SOURCE_DIR) / "assets/methods/delay_and_sum.h";
  const Words single = {"--set", "precision=fp32"};
  const std::string own = image_of(folder, joined(single, {"--method", example.string()}));
  // p_das of root 1 is delay-and-sum in floats; that of the CPU otherwise has 16 bit samples.
  const std::string plain = image_of(folder, joined(single, {"--set", "adaptive=p_das", "--set", "adaptive_root=1"}));
  ASSERT_EQ(own.size(), plain.size());
  const std::size_t values = own.size() / sizeof(float) - 32;
  double worst = 0.0;
  for (std::size_t i = 0; i < values; ++i) {
    float a = 0.0F, b = 0.0F;
    const std::size_t at = own.size() - (i + 1) * sizeof(float);
    std::memcpy(&a, own.data() + at, sizeof a);
    std::memcpy(&b, plain.data() + at, sizeof b);
    if (b > -60.0F) worst = std::max(worst, static_cast<double>(std::abs(a - b)));
  }
  EXPECT_LT(worst, 0.02);
}

TEST(OwnMethod, ParametersAreSetByNameAndTheCommandRepeatsTheImage) {
  const TemporaryFolder folder;
  const fs::path mine = folder / "mine.h";
  ASSERT_EQ(run_program({"method", "--new", mine.string()}).status, 0);
  const std::string set = image_of(folder, {"--method", mine.string(), "--set", "own.strength=0"});
  EXPECT_TRUE(set == image_of(folder, {"--set", "adaptive=coherence", "--set", "adaptive_strength=0"}));
  const std::string quarter = image_of(folder, {"--method", mine.string(), "--set", "own.strength=0.25"});
  const auto beside = nlohmann::json::parse(read_text(folder / "image.json"));
  const std::string command = beside.at("command").get<std::string>();
  EXPECT_NE(command.find("--method " + mine.string()), std::string::npos) << command;
  EXPECT_NE(command.find("--set own.strength=0.25"), std::string::npos) << command;
  EXPECT_EQ(beside.at("parameters").at("own.strength"), 0.25);
  EXPECT_EQ(beside.at("parameters").at("own_method").at("name"), "mine");
  EXPECT_EQ(beside.at("parameters").at("own_method").at("sha256").get<std::string>().size(), 64U);

  for (const auto& [setting, said] :
       std::vector<std::pair<std::string, std::string>>{{"own.strength=2", "own.strength = 2 is out of range (0 to 1)"},
                                                        {"own.strength=x", "own.strength = 'x'"},
                                                        {"own.other=1", "own.strength"}}) {
    const Ended ended = run_program(joined(kImage, {"--method", mine.string(), "--set", setting}));
    EXPECT_EQ(ended.status, 2) << setting;
    EXPECT_NE(ended.err.find(said), std::string::npos) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  }
  const Ended none = run_program(joined(kImage, {"--set", "own.strength=1"}));
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--method"), std::string::npos) << none.err;
}

struct Broken {
  std::string name, text, said;
  int status = 2;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenFile : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenFile, IsOneLine) {
  const TemporaryFolder folder;
  const fs::path file = write(folder, GetParam().text);
  const Ended ended = run_program(joined(kImage, {"--method", file.string()}));
  EXPECT_EQ(ended.status, GetParam().status) << ended.err;
  EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
  EXPECT_NE(ended.err.find(file.string() + GetParam().said), std::string::npos) << ended.err;
}

// slsc.h with other words in place of the first ones.
std::string slsc_with(const std::string& from, const std::string& to) {
  std::string text = read_text(fs::path(ECHO_SOURCE_DIR) / "src/dsp/methods/slsc.h");
  return text.replace(text.find(from), from.size(), to);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, BrokenFile,
    ::testing::Values(
        Broken{"syntax", method_of("return {{0.0f, 0.0f} 1.0f};"), ":7: "},
        Broken{"type", method_of("return \"no pixel\";"), ":7: "},
        Broken{"include", "#include \"not_there.h\"\n" + method_of("return {};"), ":1: "},
        Broken{"system_file", "#include \"/etc/passwd\"\n" + method_of("return {};"), ": "},
        Broken{"templates",
               method_of("return {{static_cast<float>(Deep<0>::value), 0.0f}, 1.0f};",
                         "template <int n> struct Deep { static constexpr int value = Deep<n + 1>::value; };"),
               ":"},
        Broken{"nothing", "// no method\n", ": no run_method("}, Broken{"empty", "", ": an empty file"},
        Broken{"parameter", method_of("return {{0.0f, 0.0f}, 1.0f};", "ECHO_PARAMETER(a, \"\", 1, 0, 0, \"\")"),
               ":3: "},
        Broken{"not_a_number",
               method_of("return {{0.0f / 0.0f * s0(), 0.0f}, 1.0f};", "inline float s0() { return 1.0f; }"),
               ": pixel 1 of row 1 is no number"},
        Broken{"read_outside", method_of("volatile float* p = nullptr; return {{p[7], 0.0f}, 1.0f};"),
               ": a read or write outside"},
        Broken{"recursion",
               method_of("return {{deep(channels.n_elements()), 0.0f}, 1.0f};",
                         "inline float deep(volatile int n) { volatile char block[4096]; block[n % 9] = 1; "
                         "return deep(n + block[n % 9]) + block[1]; }"),
               ": a read or write outside"},
        Broken{"no_end", method_of("for (volatile int i = 0;; i = i + 1) {}\nreturn {};"),
               ": the method took more than 5 s"},
        Broken{"abort", method_of("__builtin_abort();\nreturn {};"), ": the method aborted"},
        Broken{"throw", method_of("throw 1;\nreturn {};"), ":7: "},
        Broken{"at_load", method_of("return {};", "struct AtLoad { AtLoad() { *(volatile int*)8 = 1; } } at_load;"),
               ": the method ended its process"},
        Broken{"at_end", method_of("return {};", "struct AtEnd { ~AtEnd() { *(volatile int*)8 = 1; } } at_end;"),
               ": the method ended its process"},
        Broken{"not_linked", method_of("return {{missing(), 0.0f}, 1.0f};", "float missing();"),
               ": compiled code: undefined symbol"},
        Broken{"exit", "#include <cstdlib>\n" + method_of("std::exit(0);\nreturn {};"),
               ": the method ended its process"},
        Broken{"rows_of_negative_size", slsc_with("factor_term() + 1", "-5"), ": n_terms() or n_scratch() is not in"},
        Broken{"rows_of_no_number", slsc_with("sum / count", "(sum - sum) / (count - count)"),
               ": pixel 1 of row 1 is no number"},
        // The trial's probe has 64 elements.
        Broken{"later", method_of("return {{channels.n_elements() == 64 ? 1.0f : 0.0f / 0.0f, 0.0f}, 1.0f};"),
               ": pixel 1 of row ", 1}),
    [](const ::testing::TestParamInfo<Broken>& info) { return info.param.name; });

TEST(OwnMethod, FunctionsAndObjectsOfAFileNeedNoInline) {
  const TemporaryFolder folder;
  const fs::path file = write(folder, method_of("return {{half(two), 0.0f}, 1.0f};",
                                                "float two = 2; float half(float x) { return 0.5f * x; }"));
  EXPECT_GT(image_of(folder, {"--method", file.string()}).size(), 4U * 70 * 61);
}

TEST(OwnMethod, ItsSourceLiesBesideImagesOnRequest) {
  const TemporaryFolder folder;
  const fs::path mine = folder / "mine.h";
  ASSERT_EQ(run_program({"method", "--new", mine.string()}).status, 0);
  image_of(folder, {"--method", mine.string(), "--method-source", "--png", (folder / "b.png").string()});
  for (const char* const name : {"image.method.h", "b.method.h"})
    EXPECT_EQ(read_text(folder / name), read_text(mine)) << name;
  image_of(folder, {"--method", mine.string(), "--method-source", "--set", "adaptive=off", "--png",
                    (folder / "c.png").string()});
  EXPECT_FALSE(fs::exists(folder / "c.method.h")) << "of another method";
}

TEST(OwnMethod, WhatIsNoFileIsOneLine) {
  const TemporaryFolder folder;
  for (const std::string& name : {folder.path().string(), (folder / "none.h").string()}) {
    const Ended ended = run_program(joined(kImage, {"--method", name}));
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_NE(ended.err.find(name), std::string::npos) << ended.err;
  }
  const Ended big = run_program(
      joined(kImage, {"--method", write(folder, std::string(std::size_t{10} << 20, '\n'), "big.h").string()}));
  EXPECT_EQ(big.status, 2);
  EXPECT_NE(big.err.find("big.h"), std::string::npos) << big.err;
}

TEST(OwnMethod, ExamplesAreListedAndAllAreMethods) {
  const Ended listed = run_program({"method", "--list"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  // The others' values are tested in the unit tests; a compilation of each takes some seconds.
  const std::set<std::string> tried = {"late.h", "wiener.h", "das_5_sums.h", "course_constant.h"};
  std::set<std::string> own;
  for (const std::string& line : lines_of(listed.out)) {
    if (line.find("assets/methods") == std::string::npos) continue;
    const std::string name = fs::path(line).filename().string();
    own.insert(name);
    const TemporaryFolder folder;
    if (tried.contains(name)) {
      EXPECT_GT(image_of(folder, {"--method", line}).size(), 4U * 70 * 61) << line;
    }
  }
  EXPECT_GE(own.size(), 11U);
  EXPECT_TRUE(std::ranges::includes(own, tried));
  EXPECT_EQ(run_program({"method"}).status, 2);
  EXPECT_EQ(run_program({"method", "--new", listed.out.substr(0, listed.out.find('\n'))}).status, 2) << "it exists";
}

}  // namespace
}  // namespace echoloop::own_method_test
