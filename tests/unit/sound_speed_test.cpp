// The search for the speed of sound: on echoes that were made with a known one, and judging curves.
#include "backend/sound_speed.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"
#include "gui/state/analysis_views.h"
#include "support/acquisitions.h"
#include "support/streaming.h"

namespace echoloop::sound_speed_test {
namespace {

TEST(SoundSpeed, PeakOfAParabolaIsExact) {
  const std::vector<double> speeds = {1500, 1510, 1520, 1530, 1540};
  SoundSpeedCurve curve;
  for (const double c : speeds) curve.phi.push_back(1.0 - 1e-3 * (c - 1523.0) * (c - 1523.0));
  judge_curve(curve, speeds);
  EXPECT_NEAR(curve.peak_m_s, 1523.0, 1e-9);
  EXPECT_TRUE(curve.warnings.empty());
}

TEST(SoundSpeed, WarnsAtAnEndAndOfAFlatCurve) {
  const std::vector<double> speeds = {1500, 1510, 1520};
  SoundSpeedCurve end;
  end.phi = {0.1, 0.2, 0.3};
  judge_curve(end, speeds);
  EXPECT_EQ(end.warnings.size(), 1U);
  SoundSpeedCurve flat;
  flat.phi = {0.3, 0.3001, 0.3};
  judge_curve(flat, speeds);
  EXPECT_EQ(flat.warnings.size(), 1U);
  SoundSpeedCurve silent;
  silent.phi = {0.0, 0.0, 0.0};
  judge_curve(silent, speeds);
  EXPECT_EQ(silent.prominence, 0.0);
  EXPECT_EQ(silent.warnings.size(), 2U);
}

TEST(SoundSpeed, SpeedsLieAroundTheAssumedOne) {
  const std::vector<double> speeds = speeds_around(1540.0);
  ASSERT_EQ(speeds.size(), 41U);
  EXPECT_DOUBLE_EQ(speeds.front(), 1390.0);
  EXPECT_DOUBLE_EQ(speeds[20], 1540.0);
  EXPECT_DOUBLE_EQ(speeds.back(), 1690.0);
}

TEST(SoundSpeed, SearchesWithNoWiderApertureThanThatOfF1_5) {
  ImagingParams params;
  struct Row {
    double image, search;
    const char* note;
  };
  for (const Row& row :
       {Row{0.0, 1.5, "Searched with F 1.5; the image has the full aperture."},
        Row{0.7, 1.5, "Searched with F 1.5; the image has F 0.7."}, Row{1.5, 1.5, ""}, Row{2.5, 2.5, ""}}) {
    params.formation.f_number = row.image;
    EXPECT_EQ(search_f_number(params), row.search);
    EXPECT_EQ(search_f_number_note(params), row.note);
  }
}

// The axis begins near the values, so that a peak of some percent is seen.
TEST(SoundSpeed, TheAxisOfACurveBeginsNearItsValues) {
  FoundSpeed curve;
  curve.phi = {0.40F, 0.42F, 0.41F};
  const CurveAxis axis = speed_curve_axis(curve);
  EXPECT_NEAR(axis.lowest, 0.3984, 1e-4);
  EXPECT_NEAR(axis.highest, 0.4216, 1e-4);
  curve.phi = {0.4F, 0.4F, 0.4F};
  const CurveAxis flat = speed_curve_axis(curve);
  EXPECT_LT(flat.lowest, 0.4);
  EXPECT_GT(flat.highest, 0.407);
}

TEST(SoundSpeed, EndsWhereItIsToldTo) {
  const AcquisitionPtr acquisition = testing::share(testing::linear_acquisition());
  const ImagingParams params = default_params(*acquisition);
  const std::vector<std::byte> samples =
      testing::to_bytes(testing::noise(acquisition->frame_bytes() / sizeof(float), 3));
  const std::unique_ptr<Backend> backend = make_cpu_backend(1);
  const SoundSpeedTask task{.acquisition = acquisition,
                            .params = params,
                            .grid = sound_speed_grid(params, *acquisition),
                            .pixels = {},
                            .speeds_m_s = {1500.0, 1540.0, 1580.0}};
  std::vector<double> shares;
  const SoundSpeedResult ended = find_sound_speed(*backend, task, {.stamp = {}, .samples = samples}, [&](double done) {
    shares.push_back(done);
    return shares.size() < 3;
  });
  EXPECT_TRUE(ended.elements.phi.empty());
  EXPECT_TRUE(ended.transmits.phi.empty());
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0], 0.0);
  EXPECT_GT(shares[2], shares[1]);
}

TEST(SoundSpeed, SaysWhyThereIsNoSearch) {
  Acquisition acquisition = testing::linear_acquisition();
  ImagingParams params = default_params(acquisition);
  EXPECT_EQ(why_no_sound_speed(params, acquisition), "");
  params.formation.recipe = Recipe::course;
  EXPECT_NE(why_no_sound_speed(params, acquisition).find("recipe=course"), std::string::npos);
  EXPECT_THROW(static_cast<void>(sound_speed_grid(params, acquisition)), Error);
  params = default_params(acquisition);
  acquisition.data = DataKind::beamformed;
  EXPECT_EQ(why_no_sound_speed(params, acquisition), "The recording has no channels to compare.");
}

}  // namespace
}  // namespace echoloop::sound_speed_test
