// Recordings in HDF5 formats against their references; README of each recording says what it is.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "formats/open_recording.h"
#include "reference/compare.h"

namespace echoloop::hdf5_test {
namespace {

using namespace testing;

constexpr double kLimit_db = 0.2;
constexpr const char* kPybf = "pybf_field2_pw3/rf_dataset.hdf5";
constexpr const char* kPicmus = "pybf_field2_pw3/derived_formats/picmus_layout.hdf5";
constexpr const char* kPickle = "pybf_field2_pw3/derived_formats/shortcourse_list_p4.pkl";
constexpr GridMillimetres kDerivedGrid{-14, 14, 281, 2, 44, 400};
constexpr double kLow_hz = 1208300, kHigh_hz = 9208300;

TEST(UffDiverging, FramesEqualTheReference) {
  constexpr const char* kFile = "simus_p42v_diverging/simus_p42v_diverging.uff";
  ECHO_NEED_DATA(kFile);
  const auto pictures = process_file(kFile, {-60, 60, 301, 8, 97, 300}, 0.0, 272000, 5168000, 8);
  ASSERT_EQ(pictures.size(), 8U);
  expect_close("diverging frame 0", pictures[0], "simus_p42v_diverging/reference/cartesian_frame000_db.npy", kLimit_db);
  expect_close("diverging frame 7", pictures[7], "simus_p42v_diverging/reference/cartesian_frame007_db.npy", kLimit_db);
}

TEST(PicmusLayout, EqualsTheReference) {
  ECHO_NEED_DATA(kPicmus);
  const auto pictures = process_file(kPicmus, kDerivedGrid, 1.0, kLow_hz, kHigh_hz);
  expect_close("pybf picmus layout", pictures.at(0), "pybf_field2_pw3/derived_formats/reference_128el_db.npy",
               kLimit_db);
}

TEST(PybfLayout, EqualsTheReference) {
  ECHO_NEED_DATA(kPybf);
  const auto pictures = process_file(kPybf, {-22, 22, 400, 1.5, 47, 400}, 1.0, kLow_hz, kHigh_hz);
  expect_close("pybf", pictures.at(0), "pybf_field2_pw3/reference/image_db.npy", kLimit_db);
}

// The same 128 lines as a pickle and in PICMUS's layout: the same image to the rounding of PICMUS's single numbers
// (the sampling frequency and the positions) and of its assumed centre frequency.
TEST(PicmusLayout, GivesThePictureOfThePickle) {
  ECHO_NEED_DATA(kPicmus);
  ECHO_NEED_DATA(kPickle);
  const auto picmus = process_file(kPicmus, kDerivedGrid, 1.0, kLow_hz, kHigh_hz);
  const auto pickle = process_file(kPickle, kDerivedGrid, 1.0, kLow_hz, kHigh_hz);
  const float top = *std::max_element(pickle.at(0).db.begin(), pickle[0].db.end());
  std::vector<float> expected = pickle[0].db;
  for (float& level : expected) level -= top;
  const Difference d = compare(picmus.at(0).db, expected);
  EXPECT_LE(d.rms_db, 0.01);
  std::printf("picmus layout against pickle: rms %.5f dB over %zu pixels\n", d.rms_db, d.pixels);
}

// Positions and time zero of the 37 beams, from params.json; its image is made line by line.
TEST(ZeaFocusedSector, BeamsAreWhereAndWhenTheDescriptionSays) {
  constexpr const char* kFile = "simus_p42v_focused_sector/simus_p42v_focused_sector.hdf5";
  ECHO_NEED_DATA(kFile);
  const nlohmann::json about =
      nlohmann::json::parse(testing::read_text(data_folder() / "simus_p42v_focused_sector/params.json"));
  const double focus_m = about.at("focus_m"), pitch_m = about.at("pitch_m"), c = about.at("c_m_s");
  const int n = about.at("n_elements");
  const Recording recording = open_recording(data_folder() / kFile);
  const Acquisition& a = *recording.acquisition;
  EXPECT_NEAR(a.sampling_hz, about.at("fs_hz").get<double>(), 1e-3);
  EXPECT_NEAR(a.center_hz, about.at("fc_hz").get<double>(), 1e-3);
  ASSERT_EQ(a.n_elements(), n);
  ASSERT_EQ(a.n_transmits(), 37);
  EXPECT_EQ(a.n_samples, 1528);
  double worst_m = 0.0;
  for (int k = 0; k < 37; ++k) {
    const Transmit& t = a.transmits[static_cast<std::size_t>(k)];
    const double theta = (-36.0 + 2.0 * k) * std::numbers::pi / 180.0;
    const double x_m = focus_m * std::sin(theta), z_m = focus_m * std::cos(theta);
    EXPECT_EQ(t.kind, TransmitKind::focused);
    EXPECT_NEAR(t.source_x_m, x_m, 1e-6);
    EXPECT_NEAR(t.source_z_m, z_m, 1e-6);
    double farthest_m = 0.0;
    for (int e = 0; e < n; ++e) {
      const double element_m = (e - 0.5 * (n - 1)) * pitch_m;
      EXPECT_NEAR(a.probe.elements[static_cast<std::size_t>(e)].x_m, element_m, 1e-8);
      farthest_m = std::max(farthest_m, std::hypot(x_m - element_m, z_m));
    }
    // The wave passes the origin (farthest - focus)/c after the first firing, which is sample 0.
    worst_m = std::max(worst_m, std::abs(t.t0_s * c + farthest_m - focus_m));
  }
  EXPECT_LT(worst_m, 1e-5);
  std::printf("zea focused sector: time zero within %.5f mm\n", worst_m * 1e3);
}

}  // namespace
}  // namespace echoloop::hdf5_test
