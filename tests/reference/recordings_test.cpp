// Plane-wave and convex recordings against their references; README of each recording says what it is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "measure/point_spread.h"
#include "reference/compare.h"
#include "support/peaks.h"

namespace echoloop::recordings_test {
namespace {

using namespace testing;

constexpr double kLimit_db = 0.2;

TEST(ShortCoursePickle, AnalyticRecipeEqualsTheReference) {
  constexpr const char* kFile = "pybf_field2_pw3/derived_formats/shortcourse_list_p4.pkl";
  ECHO_NEED_DATA(kFile);
  const auto pictures = process_file(kFile, {-14, 14, 281, 2, 44, 400}, 1.0, 1208300, 9208300, 2);
  expect_close("pybf short course", pictures.at(0), "pybf_field2_pw3/derived_formats/reference_128el_db.npy",
               kLimit_db);
  // Frame 2 is frame 1 times 0.5; the reference level is held.
  for (std::size_t i = 0; i < pictures[0].db.size(); i += 37) {
    EXPECT_NEAR(pictures[1].db[i] - pictures[0].db[i], -6.0206, 0.01);
  }
}

TEST(GammexNylon, EqualsTheReferenceAndTheFibresAreInPlace) {
  constexpr const char* kFile = "fk_gammex_nylon/RFdata1.mat";
  ECHO_NEED_DATA(kFile);
  const auto pictures = process_file(kFile, {-19, 19, 257, 5, 100, 400}, 1.5, 2.5e6, 7.5e6);
  const Picture& picture = pictures.at(0);
  expect_close("fk_gammex_nylon", picture, "fk_gammex_nylon/reference/image_db.npy", kLimit_db);
  const nlohmann::json metrics =
      nlohmann::json::parse(testing::read_text(data_folder() / "fk_gammex_nylon/reference/metrics.json"));
  for (const nlohmann::json& point : metrics.at("points")) {
    const double x_mm = point.at("x_mm"), z_mm = point.at("z_mm");
    const Peak peak = find_peak(picture, x_mm * 1e-3, z_mm * 1e-3, 1.0e-3, 0.8e-3);
    // metrics.json was measured on a finer grid: half a pixel of ours (0.148 x 0.238 mm) laterally; 0.1 mm axially,
    // which three samples of a 0.4 mm lobe allow.
    EXPECT_NEAR(peak.x_m * 1e3, x_mm, 0.5 * picture.grid.dx_m() * 1e3);
    EXPECT_NEAR(peak.z_m * 1e3, z_mm, 0.1);
    std::printf("fibre at %.3f, %.3f mm: found %.3f, %.3f\n", x_mm, z_mm, peak.x_m * 1e3, peak.z_m * 1e3);
  }
}

TEST(GammexNylon, FibresAreAsWideAsStated) {
  constexpr const char* kFile = "fk_gammex_nylon/RFdata1.mat";
  ECHO_NEED_DATA(kFile);
  const nlohmann::json metrics =
      nlohmann::json::parse(testing::read_text(data_folder() / "fk_gammex_nylon/reference/metrics.json"));
  for (const nlohmann::json& point : metrics.at("points")) {
    const double x_mm = point.at("x_mm"), z_mm = point.at("z_mm");
    const GridMillimetres around{x_mm - 3.0, x_mm + 3.0, 241, z_mm - 1.5, z_mm + 1.5, 301};
    const Picture picture = process_file(kFile, around, 1.5, 2.5e6, 7.5e6).at(0);
    const std::optional<PointSpread> spread = measure_point(levels_of(picture), {x_mm * 1e-3, z_mm * 1e-3}, 0.5e-3);
    ASSERT_TRUE(spread);
    EXPECT_NEAR(spread->peak.x_m * 1e3, x_mm, 0.03);
    EXPECT_NEAR(spread->peak.z_m * 1e3, z_mm, 0.02);
    const double lateral_mm = point.at("lateral_fwhm_mm"), axial_mm = point.at("axial_fwhm_mm");
    EXPECT_NEAR(spread->lateral.fwhm_m * 1e3 / lateral_mm, 1.0, 0.03);
    EXPECT_NEAR(spread->axial.fwhm_m * 1e3 / axial_mm, 1.0, 0.03);
    std::printf("fibre at %.3f, %.3f mm: widths %.4f x %.4f mm, stated %.4f x %.4f mm\n", x_mm, z_mm,
                spread->lateral.fwhm_m * 1e3, spread->axial.fwhm_m * 1e3, lateral_mm, axial_mm);
  }
}

class Convex : public ::testing::TestWithParam<const char*> {};

TEST_P(Convex, EqualsTheReferenceAndThePointsAreInPlace) {
  const std::string path = std::string("simus_c52v_convex/") + GetParam();
  ECHO_NEED_DATA(path);
  const auto pictures = process_file(path, {-70, 70, 301, -5, 105, 331}, 1.2, 357000, 6783000);
  const Picture& picture = pictures.at(0);
  expect_close(path, picture, "simus_c52v_convex/reference/cartesian_db.npy", kLimit_db);
  const nlohmann::json metrics =
      nlohmann::json::parse(testing::read_text(data_folder() / "simus_c52v_convex/reference/metrics.json"));
  for (const nlohmann::json& point : metrics.at("points")) {
    const double x_mm = point.at("true_mm")[0], z_mm = point.at("true_mm")[1];
    const Peak peak = find_peak(picture, x_mm * 1e-3, z_mm * 1e-3, 2e-3, 1.2e-3);
    // Half a pixel of this grid (0.467 x 0.333 mm) both ways: the lobes are hardly more than a pixel deep.
    EXPECT_NEAR(peak.x_m * 1e3, x_mm, 0.5 * picture.grid.dx_m() * 1e3);
    EXPECT_NEAR(peak.z_m * 1e3, z_mm, 0.5 * picture.grid.dz_m() * 1e3);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Convex, ::testing::Values("rf.npy", "rf_must.mat"),
                         [](const auto& info) { return std::string(info.param) == "rf.npy" ? "npy" : "must"; });

}  // namespace
}  // namespace echoloop::recordings_test
