// --figure in its three formats: sizes, text that can be read in SVG and PDF, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>

#include "history/page_canvas.h"
#include "program/run_program.h"

namespace echoloop::figure_test {
namespace {

using namespace testing;

Ended run_figure(const std::string& file, const Words& more = {}) {
  return run_program(joined({"sim:cyst", "--headless", "--backend", "cpu", "--frames", "1", "--figure", file}, more));
}

double number_after(const std::string& text, const std::string& before) {
  const auto at = text.find(before);
  return at == std::string::npos ? NAN : std::strtod(text.c_str() + at + before.size(), nullptr);
}

TEST(FigureOption, SvgHasTheWidthAskedForAndText) {
  const TemporaryFolder folder;
  const std::string file = (folder / "f.svg").string();
  const Ended ended = run_figure(file, {"--figure-width", "120"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string svg = testing::read_text(file);
  EXPECT_NEAR(number_after(svg, "viewBox=\"0 0 ") * 25.4 / 72.0, 120.0, 0.5);
  for (const char* text : {">Cyst phantom, frame 1", ">x, mm<", ">z, mm<", ">dB<", " mm<", "m/s"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(FigureOption, PngHasThePixelsOfWidthAndResolution) {
  const TemporaryFolder folder;
  const std::string file = (folder / "f.png").string();
  const Ended ended = run_figure(file, {"--figure-width", "85", "--figure-dpi", "600"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string png = testing::read_text(file);
  ASSERT_GT(png.size(), 24U);
  double width = 0.0;
  for (std::size_t i = 16; i < 20; ++i) width = 256.0 * width + static_cast<unsigned char>(png[i]);
  EXPECT_NEAR(width, 85.0 / 25.4 * 600.0, 12.0);
  EXPECT_NE(png.find("pHYs"), std::string::npos) << "the resolution";
  EXPECT_NE(png.find("Parameters"), std::string::npos);
}

TEST(FigureOption, PdfHasTheWidthAskedForAndTextThatCanBeSelected) {
  if (!why_no_pdf().empty()) GTEST_SKIP() << why_no_pdf();
  const TemporaryFolder folder;
  const std::string file = (folder / "f.pdf").string();
  const Ended ended = run_figure(file, {"--figure-width", "170"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string pdf = testing::read_text(file);
  ASSERT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_NE(pdf.find("/ToUnicode"), std::string::npos);
  std::smatch box;
  ASSERT_TRUE(std::regex_search(pdf, box, std::regex("/MediaBox \\[ ?0 0 ([0-9.]+) ")));
  EXPECT_NEAR(std::stod(box[1]) * 25.4 / 72.0, 170.0, 0.5);
}

TEST(FigureOption, ScaleIsMillimetresForEachCentimetre) {
  const TemporaryFolder folder;
  const std::string file = (folder / "f.svg").string();
  const Ended ended = run_figure(file, {"--figure-scale", "15", "--grid", "-10:10:101,5:25:101"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string svg = testing::read_text(file);
  const auto image = svg.find("<image ");
  ASSERT_NE(image, std::string::npos);
  EXPECT_NEAR(number_after(svg.substr(image), " width=\"") * 25.4 / 72.0, 2.0 * 15.0, 0.15);
}

TEST(FigureOption, HasTheSpectralDopplerOfTheRun) {
  const TemporaryFolder folder;
  const std::string file = (folder / "f.svg").string();
  const Ended ended = run_program({"sim:flow", "--headless", "--backend", "cpu", "--frames", "96", "--rate", "max",
                                   "--policy", "block", "--set", "gate=on", "--figure", file});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string svg = testing::read_text(file);
  for (const char* text : {">Spectral Doppler<", "PRF", "peak"}) EXPECT_NE(svg.find(text), std::string::npos) << text;
}

TEST(FigureOption, BadNamesAndSizesAreOneLineAndStatus2) {
  const TemporaryFolder folder;
  struct Bad {
    std::string file;
    std::vector<std::string> more;
    std::string said;
  };
  const std::string good = (folder / "f.svg").string();
  for (const Bad& bad :
       {Bad{(folder / "f.eps").string(), {}, "f.eps"}, Bad{(folder / "nowhere" / "f.svg").string(), {}, "f.svg"},
        Bad{good, {"--figure-width", "20"}, "--figure-width"}, Bad{good, {"--figure-width", "wide"}, "--figure-width"},
        Bad{good, {"--figure-dpi", "5000"}, "--figure-dpi"}, Bad{good, {"--figure-scale", "0.5"}, "--figure-scale"},
        Bad{good, {"--figure-scale", "15", "--figure-width", "120"}, "--figure-scale"},
        Bad{(folder / "f.png").string(), {"--figure-width", "1000", "--figure-dpi", "1200"}, "pixels"},
        Bad{(folder / "f.png").string(), {"--figure-scale", "200", "--figure-dpi", "1200"}, "pixels"}}) {
    const std::string report = (folder / "report.json").string();  // none of a run that was refused before
    const Ended ended = run_figure(bad.file, joined(bad.more, {"--report", report}));
    EXPECT_FALSE(std::filesystem::exists(report)) << bad.said;
    EXPECT_EQ(ended.status, 2) << bad.said << ended.err;
    EXPECT_NE(ended.err.find(bad.said), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(bad.file)) << bad.file;
  }
}

}  // namespace
}  // namespace echoloop::figure_test
