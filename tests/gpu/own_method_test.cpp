// Own methods on the GPU: a copy of a built-in method makes its image, whatever is wrong with a file is one line, and
// files compiled again and again keep no memory.
#include <cmath>
#include <fstream>

#include "app/options/folders.h"
#include "app/own_builder.h"
#include "backend/own_kernels.h"
#include "gpu/gpu_support.h"
#include "support/method_sets.h"
#include "support/recordings.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::gpu_test::own_method_test {
namespace {

namespace fs = std::filesystem;
using testing::MethodSets;

class OwnMethodOnTheGpu : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    if (const std::string why = why_no_own_kernels(); !why.empty()) GTEST_SKIP() << why;
    program_file() = ECHO_PROGRAM;  // tries methods
  }

  OwnBuild build(const std::string& text) {
    std::ofstream(file_) << text;
    return build_own_method(file_, 0);
  }
  static std::string header(const char* name) {
    return testing::read_text(fs::path(ECHO_SOURCE_DIR) / "src/dsp/methods" / name);
  }
  static std::string method_of(const std::string& statements) {
    return "#include \"dsp/methods/own.h\"\nnamespace echoloop {\nstruct Mine {\n  template <class Channels>\n"
           "  ECHO_HD MethodPixel operator()(const Channels& channels) const {\n" +
           statements +
           "\n  }\n};\ntemplate <class Run>\nvoid run_method(MethodTag<Adaptive::own>, const MethodSettings&, const "
           "Run& "
           "run) {\n  run(Mine{});\n}\n}  // namespace echoloop\n";
  }

  testing::TemporaryFolder folder_;
  const fs::path file_ = folder_ / "mine.h";
};

struct Copied {
  Adaptive method;
  const char* header;
};

TEST_F(OwnMethodOnTheGpu, ACopyOfABuiltInMethodMakesItsImage) {
  for (const Copied& copied :
       {Copied{Adaptive::coherence, "coherence.h"}, Copied{Adaptive::generalized, "generalized_coherence.h"},
        Copied{Adaptive::phase, "phase_coherence.h"}, Copied{Adaptive::p_das, "p_das.h"},
        Copied{Adaptive::slsc, "slsc.h"}, Copied{Adaptive::minimum_variance, "minimum_variance.h"}}) {
    const OwnBuild made = build(header(copied.header));
    ASSERT_NE(made.method, nullptr) << made.problem;
    std::printf("%s: %.2f s, %d registers, %d bytes spilled\n", copied.header, made.seconds, made.registers,
                made.spilled_bytes);
    EXPECT_EQ(made.method->replaces, !is_weight(copied.method));
    MethodSets sets(3);
    float most_db = 0.0F;
    for (int tried = 0; tried < 40;) {
      MethodSets::Set set = sets.next();
      if (set.params.formation.adaptive != copied.method) continue;
      const std::vector<float> built_in = testing::image_of(gpu(), set);
      const bool weights = shows_weight(set.params.formation);
      set.params.formation.adaptive = Adaptive::own;
      set.params.formation.own = made.method;
      try {
        check_params(*set.acquisition, set.params);
      } catch (const Error&) {
        continue;  // channels that the other method does not compare
      }
      ++tried;
      const std::vector<float> image = testing::image_of(gpu(), set);
      ASSERT_EQ(image.size(), built_in.size());
      // Below, levels are what the rounding of the filter leaves, which a root of the amplitudes raises.
      const float floor =
          std::max(*std::ranges::max_element(built_in) - 50.0F, testing::largest_sample_db(set.frame) - 90.0F);
      for (std::size_t i = 0; i < image.size(); ++i) {
        if (!weights && built_in[i] < floor) continue;
        const float by = std::abs(image[i] - built_in[i]);
        most_db = std::max(most_db, by);
        EXPECT_LT(by, weights ? 1e-3F : 0.02F) << set.words << ", pixel " << i;
        if (HasFailure()) return;
      }
    }
    std::printf("%s: at most %g dB\n", copied.header, static_cast<double>(most_db));
    EXPECT_EQ(made.method->kernels->fault(), "");
  }
}

TEST_F(OwnMethodOnTheGpu, DeclaresItsParameters) {
  const OwnBuild made = build(testing::read_text(fs::path(ECHO_SOURCE_DIR) / "assets/methods/wiener.h"));
  ASSERT_NE(made.method, nullptr) << made.problem;
  ASSERT_EQ(made.method->parameters.size(), 1U);
  const OwnParameter& p = made.method->parameters[0];
  EXPECT_EQ(p.name, "strength");
  EXPECT_EQ(p.help, "0: Wiener post-filter, 1: coherence factor");
  EXPECT_EQ(p.min, 0.0);
  EXPECT_EQ(p.max, 1.0);
  EXPECT_EQ(p.value, 0.5);
}

TEST_F(OwnMethodOnTheGpu, WhatIsWrongIsOneLine) {
  struct Wrong {
    std::string text, words;
  };
  const std::string where = file_.string();
  for (const Wrong& wrong :
       {Wrong{method_of("    return channels.nothing();"), where + ":6: "},
        Wrong{"#include \"missing.h\"\n", where + ":1: "}, Wrong{"#include \"/etc/passwd\"\n", where},
        Wrong{"int one;\n", "no run_method("},
        Wrong{method_of("    return {{NAN, 0.0f}, channels.n_elements() * 1.0f};"), "a pixel is no number"},
        Wrong{method_of("    float v = 1.0f;\n    while (channels.n_elements() > 0) v = v * 0.5f + 1.0f;\n    return "
                        "{{v, 0.0f}, 1.0f};"),
              "took more than"},
        Wrong{method_of("    const volatile float* nowhere = nullptr;\n    return {{nowhere[channels.n_elements()], "
                        "0.0f}, 1.0f};"),
              where + ": "}}) {
    const OwnBuild made = build(wrong.text);
    EXPECT_EQ(made.method, nullptr) << wrong.text;
    EXPECT_NE(made.problem.find(wrong.words), std::string::npos) << made.problem;
    EXPECT_EQ(made.problem.find('\n'), std::string::npos) << made.problem;
    std::printf("%s\n", made.problem.c_str());
  }
  EXPECT_TRUE(gpu().usable());
}

// Not in the trial, whose probe has 64 elements.
TEST_F(OwnMethodOnTheGpu, AFaultInTheStreamIsDelayAndSumFromTheNextFrameOn) {
  const OwnBuild made = build(method_of("    return {{channels.n_elements() == 64 ? 1.0f : NAN, 0.0f}, 1.0f};"));
  ASSERT_NE(made.method, nullptr) << made.problem;
  MethodSets sets(5);
  MethodSets::Set set = sets.next();
  set.params.formation.adaptive = Adaptive::off;
  set.params.formation.adaptive_show = AdaptiveShow::image;
  const std::vector<float> plain = testing::image_of(gpu(), set);
  set.params.formation.adaptive = Adaptive::own;
  set.params.formation.own = made.method;
  static_cast<void>(testing::image_of(gpu(), set));
  EXPECT_EQ(made.method->kernels->fault(), "a pixel is no number (NaN or infinite)");
  EXPECT_EQ(testing::image_of(gpu(), set), plain);
}

TEST_F(OwnMethodOnTheGpu, ManySavesKeepNoMemory) {
  const std::string text = testing::read_text(fs::path(ECHO_SOURCE_DIR) / "assets/methods/delay_and_sum.h");
  const auto free_after = [&](int saves, int first) {
    for (int i = 0; i < saves; ++i) {
      const OwnBuild made = build(text + "// " + std::to_string(first + i) + "\n");
      EXPECT_NE(made.method, nullptr) << made.problem;
    }
    return list_gpus().at(0).free;
  };
  const std::size_t before = free_after(12, 0), after = free_after(24, 12);
  EXPECT_LT(before, after + (std::size_t{8} << 20));
}

}  // namespace
}  // namespace echoloop::gpu_test::own_method_test
