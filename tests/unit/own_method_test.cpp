#include "core/own_method.h"

#include <gtest/gtest.h>

#include "backend/own_kernels.h"
#include "core/error.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::own_method_test {
namespace {

// Of FIPS 180-4 and its usual second example.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

std::shared_ptr<const OwnMethod> method_with(std::vector<OwnParameter> parameters) {
  auto method = std::make_shared<OwnMethod>();
  method->name = "mine";
  method->parameters = std::move(parameters);
  return method;
}

TEST(OwnMethod, OfPixelsHasNoWeightToShow) {
  FormationParams params;
  params.adaptive = Adaptive::own;
  params.adaptive_show = AdaptiveShow::weight;
  auto method = std::make_shared<OwnMethod>();
  params.own = method;
  EXPECT_TRUE(shows_weight(params));
  method->replaces = true;
  EXPECT_FALSE(shows_weight(params));
}

TEST(OwnMethod, KeepsWhatTheUserSetWhenItIsCompiledAgain) {
  FormationParams f;
  set_own_method(f, method_with({{"a", "", "", 0, 1, 0.5}, {"b", "", "", 0, 10, 2}}));
  f.adaptive = Adaptive::own;
  set_own_value(f, "own.b", "8");
  // "a" keeps its default, which is another one now; "b" has a smaller range.
  set_own_method(f, method_with({{"b", "", "", 0, 5, 2}, {"c", "", "", 0, 1, 1}, {"a", "", "", 0, 1, 0.25}}));
  EXPECT_EQ(own_settings(f), (std::vector<std::string>{"own.b=5", "own.c=1", "own.a=0.25"}));
  EXPECT_THROW(set_own_value(f, "own.none", "1"), Error);
  EXPECT_THROW(set_own_value(f, "own.c", "1.5"), Error);
  f.adaptive = Adaptive::off;
  EXPECT_TRUE(own_settings(f).empty());
}

OwnKernelCode compiled_for_gpu(const std::string& text) {
  return compile_own_kernels({.file = "/own/mine.h", .text = text, .headers = ECHO_SOURCE_DIR "/src", .gpu = -1});
}

// Needs the run-time compiler, no GPU.
TEST(OwnKernels, ExamplesAndCopiesOfBuiltInMethodsAreCompiled) {
#if !defined(ECHO_HAVE_CUDA)
  GTEST_SKIP() << "this build has no CUDA";
#endif
  const std::filesystem::path source = ECHO_SOURCE_DIR;
  try {
    static_cast<void>(compiled_for_gpu(""));
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source / "assets/methods"))
    if (entry.path().extension() == ".h") files.push_back(entry);
  for (const char* header : {"coherence.h", "phase_coherence.h", "slsc.h", "minimum_variance.h"})
    files.push_back(source / "src/dsp/methods" / header);
  for (const std::filesystem::path& file : files) {
    const OwnKernelCode made = compiled_for_gpu(testing::read_text(file));
    EXPECT_FALSE(made.machine_code.empty()) << file << ": " << made.log;
    EXPECT_EQ(made.log, "") << file;
  }
  const OwnKernelCode wrong = compiled_for_gpu("#include \"dsp/methods/own.h\"\n\nint a = b;\n");
  EXPECT_TRUE(wrong.machine_code.empty());
  EXPECT_NE(wrong.log.find("/own/mine.h(3): error"), std::string::npos) << wrong.log;
}

}  // namespace
}  // namespace echoloop::own_method_test
