// The folders of src/ depend on each other in one direction only. First the checker is shown made-up files, so that
// it is known to fail; then the real ones.
#include "architecture/layering.h"

#include <gtest/gtest.h>

#include "architecture/source_files.h"

namespace echoloop::architecture::layering_test {
namespace {

std::string including(const std::string& header) { return "// head\n#include " + header + "\n"; }

struct Case {
  const char* path;
  const char* header;  // with its quotes
};

class Refused : public ::testing::TestWithParam<Case> {};
class Allowed : public ::testing::TestWithParam<Case> {};

TEST_P(Refused, IsAViolation) {
  const auto found = violations(GetParam().path, including(GetParam().header));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with(std::string(GetParam().path) + ":2: ")) << found[0];
}

TEST_P(Allowed, IsNone) {
  const auto found = violations(GetParam().path, including(GetParam().header));
  EXPECT_TRUE(found.empty()) << found[0];
}

INSTANTIATE_TEST_SUITE_P(
    Layering, Refused,
    ::testing::Values(
        Case{"core/a.h", "\"dsp/das.h\""}, Case{"core/a.h", "<fmt/format.h>"}, Case{"core/a.h", "<unistd.h>"},
        Case{"dsp/a.h", "\"backend/plan.h\""}, Case{"backend/make_plan.cpp", "\"backend/cpu/pool.h\""},
        Case{"backend/cpu/a.cpp", "\"backend/cuda/b.h\""}, Case{"backend/cpu/a.cpp", "\"app/app.h\""},
        Case{"source/a.cpp", "\"formats/containers/archives.h\""}, Case{"source/a.cpp", "\"dsp/das.h\""},
        Case{"formats/a.cpp", "\"source/source.h\""}, Case{"formats/containers/a.cpp", "\"core/acquisition.h\""},
        Case{"formats/base/a.cpp", "\"formats/readers/must.h\""}, Case{"history/a.cpp", "\"gui/window.h\""},
        Case{"gui/panels/a.cpp", "\"backend/backend.h\""}, Case{"gui/a.cpp", "\"dsp/level.h\""},
        Case{"gui/a.cpp", "\"app/app.h\""}, Case{"gui/gl/window.cpp", "<cuda_gl_interop.h>"},
        Case{"app/a.cpp", "<cuda_runtime.h>"}, Case{"backend/pipeline.cpp", "<cufft.h>"},
        Case{"backend/cpu/a.cpp", "<nvtx3/nvToolsExt.h>"}, Case{"app/a.cpp", "<imgui.h>"},
        Case{"app/a.cpp", "<GLFW/glfw3.h>"}, Case{"history/a.cpp", "\"glad/gl.h\""},
        Case{"app/headless.cpp", "<EGL/egl.h>"}, Case{"source/a.cpp", "<matio.h>"}, Case{"app/a.cpp", "  <hdf5.h>"},
        Case{"formats/readers/uff.cpp", "<hdf5.h>"}, Case{"formats/containers/archives.cpp", "<matio.h>"},
        Case{"main.cpp", "\"formats/containers/archives.h\""}, Case{"history/recorder.cpp", "<hdf5.h>"},
        Case{"history/a.cpp", "\"formats/base/recording.h\""}, Case{"gui/a.cpp", "\"../core/frame.h\""},
        Case{"main.cpp", "\"gui/window.h\""}, Case{"render/a.cpp", "\"gui/overlay/transfer_function.h\""},
        Case{"render/a.cpp", "\"history/export.h\""}, Case{"render/a.cpp", "<imgui.h>"},
        Case{"gui/figure.cpp", "<cairo.h>"}));

INSTANTIATE_TEST_SUITE_P(
    Layering, Allowed,
    ::testing::Values(Case{"core/a.cpp", "\"core/frame.h\""}, Case{"core/a.cpp", "<vector>"},
                      Case{"dsp/a.h", "\"core/grid.h\""}, Case{"backend/cuda/a.cu", "\"backend/backend.h\""},
                      Case{"backend/cuda/a.cu", "<cufft.h>"}, Case{"backend/cpu/a.cpp", "<kiss_fft.h>"},
                      Case{"source/a.cpp", "\"formats/base/recording.h\""},
                      Case{"formats/containers/mat_file.cpp", "<matio.h>"}, Case{"history/hdf5_writer.cpp", "<hdf5.h>"},
                      Case{"history/a.cpp", "\"formats/base/acquisition_json.h\""},
                      Case{"gui/gl/texture_cuda.cpp", "<cuda_gl_interop.h>"}, Case{"gui/panels/a.cpp", "<imgui.h>"},
                      Case{"gui/panels/a.cpp", "\"gui/panels/b.h\""}, Case{"gui/a.cpp", "\"history/rf_history.h\""},
                      Case{"app/app.cpp", "\"backend/cuda/backend.h\""}, Case{"app/a.cpp", "\"version.h\""},
                      Case{"gui/a.cpp", "\"render/canvas.h\""}, Case{"history/a.cpp", "\"render/canvas.h\""},
                      Case{"history/page_canvas.cpp", "<cairo-pdf.h>"}, Case{"main.cpp", "\"app/app.h\""},
                      Case{"reader.cpp", "\"formats/sandbox/reader_main.h\""}));

TEST(Layering, KnowsEveryFolder) { EXPECT_EQ(violations("network/a.cpp", "").size(), 1U); }

TEST(Layering, LimitsFileSize) {
  std::string text;
  for (int i = 0; i < 515; ++i) text += "\n";
  EXPECT_TRUE(violations("core/a.cpp", text).empty());
  EXPECT_EQ(violations("core/a.cpp", text + "\n").size(), 1U);
}

TEST(Layering, CommentsAreNoIncludes) {
  EXPECT_TRUE(violations("core/a.cpp", "// #include \"gui/window.h\"\n").empty());
}

TEST(Layering, HoldsInTheSources) {
  for (const SourceFile& file : files_in("src", kCode)) {
    for (const std::string& violation : violations(file.name, file.text)) ADD_FAILURE() << "src/" << violation;
  }
}

}  // namespace
}  // namespace echoloop::architecture::layering_test
