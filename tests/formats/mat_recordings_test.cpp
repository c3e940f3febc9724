// The MATLAB recordings of the test data against numbers read by scipy, and the MATLAB files that hold no recording.
#include <cmath>
#include <numbers>

#include "formats/support.h"

namespace echoloop::mat_recordings_test {
namespace {

using namespace test;

TEST(Mat, RotatingDiskMatchesScipy) {
  ECHO_NEED_DATA("");
  const Recording recording = open_recording(testing::data_folder() / "must_pwi_disk/PWI_disk.mat");
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.format, "MATLAB v5 (MUST)");
  EXPECT_EQ(recording.frame_count, 32U);
  EXPECT_EQ(a.n_transmits(), 1);
  EXPECT_EQ(a.n_elements(), 128);
  EXPECT_EQ(a.n_samples, 334);
  EXPECT_EQ(a.sample_type, SampleType::int16);
  EXPECT_NEAR(a.sampling_hz, 6666666.6667, 1e-3);
  EXPECT_EQ(a.center_hz, 5e6);
  EXPECT_EQ(a.sound_speed_m_s, 1480.0);
  EXPECT_EQ(a.frame_rate_hz, 1e4);
  EXPECT_EQ(a.bandwidth_hz, 0.0);  // param.bandwidth is the probe's pulse, no processing band
  EXPECT_EQ(a.transmits[0].kind, TransmitKind::plane);
  EXPECT_EQ(a.transmits[0].angle_rad, 0.0);
  EXPECT_DOUBLE_EQ(a.transmits[0].t0_s, 9.95e-6);
  EXPECT_NEAR(a.probe.elements[0].x_m, -63.5 * 0.298e-3, 1e-12);
  EXPECT_DOUBLE_EQ(a.probe.element_width_m, 0.262e-3);
  EXPECT_EQ(sample(recording, 0, 0, 0, 0), -3);
  EXPECT_EQ(sample(recording, 31, 0, 127, 333), 78);
  EXPECT_EQ(sample(recording, 5, 0, 64, 100), -132);
  EXPECT_EQ(sample(recording, 16, 0, 3, 200), -422);
  EXPECT_EQ(frame_sum(recording, 31), -27341);
  EXPECT_EQ(recording.memory.size(), 32 * a.frame_bytes());
}

TEST(Mat, NylonFibresMatchScipyAndCountFromTheOrigin) {
  ECHO_NEED_DATA("");
  const Recording recording = open_recording(testing::data_folder() / "fk_gammex_nylon/RFdata1.mat");
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.frame_count, 1U);
  EXPECT_EQ(a.n_transmits(), 7);
  EXPECT_EQ(a.n_samples, 2688);
  EXPECT_EQ(a.sample_type, SampleType::int16);
  EXPECT_EQ(a.sampling_hz, 20e6);
  EXPECT_EQ(a.center_hz, 5e6);
  for (int k = 0; k < 7; ++k) {
    const double angle = (k - 3) * 0.5 * std::numbers::pi / 180.0;
    EXPECT_NEAR(a.transmits[static_cast<std::size_t>(k)].angle_rad, angle, 1e-12);
    // Sample 0 is at the first firing, |sin a| * 63.5 * pitch / c before the wave passes the origin.
    EXPECT_NEAR(a.transmits[static_cast<std::size_t>(k)].t0_s, -std::abs(std::sin(angle)) * 63.5 * 0.298e-3 / 1540.0,
                1e-13);
  }
  EXPECT_GE(a.assumptions.size(), 4U);
  EXPECT_EQ(sample(recording, 0, 0, 0, 0), -1);  // 127 - 128
  EXPECT_EQ(sample(recording, 0, 6, 127, 2687), 3);
  EXPECT_EQ(frame_sum(recording, 0), -1082546);
}

TEST(Mat, ConvexFileAgreesWithTheSameDataAsNpy) {
  ECHO_NEED_DATA("");
  const Recording mat = open_recording(testing::data_folder() / "simus_c52v_convex/rf_must.mat");
  const Recording npy = open_recording(testing::data_folder() / "simus_c52v_convex/rf.npy");
  const Acquisition &a = *mat.acquisition, &b = *npy.acquisition;
  EXPECT_EQ(a.probe.kind, ProbeKind::convex);
  // All at once: from the centre of curvature. The wave would have passed the chord a sagitta before it is sent.
  EXPECT_EQ(a.transmits.at(0).kind, TransmitKind::diverging);
  EXPECT_NEAR(a.transmits[0].source_z_m, -0.03943908259890169, 1e-7);
  EXPECT_NEAR(a.transmits[0].t0_s, 0.010130917401098 / 1540.0, 1e-10);
  EXPECT_NEAR(a.transmits[0].t0_s, b.transmits.at(0).t0_s, 1e-12);
  ASSERT_EQ(a.n_elements(), b.n_elements());
  for (std::size_t e = 0; e < 128; ++e) {
    EXPECT_NEAR(a.probe.elements[e].x_m, b.probe.elements[e].x_m, 1e-12);
    EXPECT_NEAR(a.probe.elements[e].z_m, b.probe.elements[e].z_m, 1e-12);
    EXPECT_NEAR(a.probe.elements[e].normal_rad, b.probe.elements[e].normal_rad, 1e-12);
  }
  for (int e = 0; e < 128; e += 3) {
    for (int i = 0; i < 2300; i += 7) ASSERT_EQ(sample(mat, 0, 0, e, i), sample(npy, 0, 0, e, i));
  }
}

TEST(Mat, RefusesOtherMatlabFilesByTheirVariables) {
  ECHO_NEED_DATA("");
  const auto fixtures = testing::data_folder() / "format_fixtures";
  EXPECT_TRUE(contains(refusal(testing::data_folder() / "must_pwi_disk/bmode_PWI_disk.mat"), "I (251x251x32 uint8)"));
  EXPECT_TRUE(contains(refusal(fixtures / "matio_struct_cell_v73.mat"), "RcvData (1x1 cell), param (1x1 struct)"));
}

}  // namespace
}  // namespace echoloop::mat_recordings_test
