// The phantoms as sources: names, every probe, determinism, no seam in the motion, use of the converter's range.
#include <gtest/gtest.h>

#include "core/acquisition.h"
#include "core/error.h"
#include "phantom_testing.h"
#include "source/phantom_text.h"
#include "support/one_line.h"
#include "support/sanitized.h"

namespace echoloop::phantom_test {
namespace {

using testing::correlation;
using testing::frame_of;

std::string message_of(const PhantomSettings& settings) {
  return testing::error_of([&] { make_phantom(settings); });
}

TEST(Phantom, UnknownNamesAreRefusedWithTheAcceptedOnes) {
  const std::string phantom = message_of({.name = "brain"});
  EXPECT_TRUE(testing::contains(phantom, "brain"));
  for (const PhantomRow& row : phantoms()) EXPECT_TRUE(testing::contains(phantom, row.name));
  const std::string probe = message_of({.probe = "C5-2"});
  EXPECT_TRUE(testing::contains(probe, "C5-2"));
  for (const ProbeModel& model : probe_models()) EXPECT_TRUE(testing::contains(probe, model.name));
}

TEST(Phantom, SettingsOutOfRangeAreRefused) {
  EXPECT_NE(message_of({.angles_rad = std::vector<double>{}}), "no error");
  EXPECT_NE(message_of({.angles_rad = {{1.5}}}), "no error");
  EXPECT_NE(message_of({.angles_rad = {{std::nan("")}}}), "no error");
  EXPECT_NE(message_of({.frame_rate_hz = 0.0}), "no error");
  EXPECT_NE(message_of({.noise_db = 100.0}), "no error");
  EXPECT_NE(message_of({.attenuation_db_cm_mhz = -1.0}), "no error");
  EXPECT_NE(message_of({.sound_speed_m_s = 0.0}), "no error");
  EXPECT_EQ(message_of({}), "no error");
}

TEST(Phantom, DefaultAcquisition) {
  const auto source = make_phantom({});
  const Acquisition& a = *source->acquisition();
  EXPECT_EQ(source->name(), "Heart phantom");
  EXPECT_EQ(source->frame_count(), 0U);
  EXPECT_TRUE(source->zero_copy_memory().empty());
  EXPECT_EQ(a.n_elements(), 64);
  EXPECT_EQ(a.n_transmits(), 3);
  EXPECT_EQ(a.sample_type, SampleType::int16);
  EXPECT_DOUBLE_EQ(a.frame_rate_hz, 50.0);
  EXPECT_DOUBLE_EQ(a.transmits[0].t0_s, 0.0);
  EXPECT_EQ(a.probe.kind, ProbeKind::phased);
  EXPECT_EQ(a.n_samples, 2048);
  EXPECT_DOUBLE_EQ(a.sampling_hz, 10.88e6);
  // Diverging waves from half the array's width behind it: 90 degrees. The sector reaches 14 cm.
  for (const Transmit& t : a.transmits) {
    EXPECT_EQ(t.kind, TransmitKind::diverging);
    EXPECT_NEAR(std::hypot(t.source_x_m, t.source_z_m), 9.6e-3, 1e-9);
  }
  EXPECT_GT(a.transmits[0].source_x_m, 0.0) << "steered to the left";
  const ImagingParams params = default_params(a);
  EXPECT_NEAR(params.formation.sector_max_rad, 45.0 * kRadiansPerDegree, 1e-9);
  EXPECT_NEAR(params.formation.depth_max_m, 0.139, 1e-3);
}

TEST(Phantom, TheLinearHeartIsASetting) {
  const auto source = make_phantom({.probe = "L64"});
  const Acquisition& a = *source->acquisition();
  EXPECT_EQ(a.n_samples, 1024);
  EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6);
  EXPECT_DOUBLE_EQ(a.center_hz, 5e6);
  EXPECT_DOUBLE_EQ(a.bandwidth_hz, 3e6);
  EXPECT_EQ(a.transmits[0].kind, TransmitKind::plane);
  EXPECT_LT(a.transmits[0].angle_rad, 0.0);
}

TEST(Phantom, EveryProbeMakesAValidAcquisitionAndUsesTheRange) {
  std::size_t n_made = 0;
  for (const ProbeModel& model : probe_models()) {
    for (const PhantomRow& row : phantoms()) {
      if (testing::kSanitized && n_made++ % 5 != 0) continue;
      const auto source = make_phantom({.name = std::string(row.name), .probe = std::string(model.name)});
      const Acquisition& a = *source->acquisition();
      EXPECT_NO_THROW(a.validate("test"));
      EXPECT_EQ(a.n_elements(), model.n_elements);
      EXPECT_DOUBLE_EQ(a.sampling_hz, 4.0 * model.center_hz);
      int peak = 0;
      for (const std::int16_t value : frame_of(*source, 17)) peak = std::max(peak, std::abs(int{value}));
      EXPECT_GT(peak, 2000) << model.name << " " << row.name;
      EXPECT_LT(peak, 32767) << model.name << " " << row.name;
    }
  }
}

TEST(Phantom, SlotThatIsTooSmallIsRefused) {
  const auto source = make_phantom({.name = "points"});
  std::vector<std::byte> slot(source->acquisition()->frame_bytes() - 1);
  EXPECT_THROW(source->at(0, slot), Error);
}

class EveryPhantom : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPhantom, SameIndexSameSamplesInAnyOrder) {
  const PhantomSettings settings{.name = GetParam()};
  const auto forwards = make_phantom(settings);
  const auto otherwise = make_phantom(settings);
  const std::vector<std::uint64_t> order = {400, 3, 41, 42, 200, 0, 3, 1000000};
  std::vector<std::vector<std::int16_t>> frames;
  for (const std::uint64_t index : order) frames.push_back(frame_of(*otherwise, index));
  EXPECT_EQ(frames[1], frames[6]);
  for (std::size_t i = order.size(); i-- > 0;) EXPECT_EQ(frame_of(*forwards, order[i]), frames[i]) << order[i];
  EXPECT_NE(frames[0], frames[1]);
}

TEST_P(EveryPhantom, SeedChangesTheSpeckleAndTheNoise) {
  const auto one = make_phantom({.name = GetParam(), .seed = 1});
  const auto two = make_phantom({.name = GetParam(), .seed = 2});
  EXPECT_NE(frame_of(*one, 5), frame_of(*two, 5));
}

TEST_P(EveryPhantom, MovesAndNeverJumps) {
  if (testing::kSanitized) GTEST_SKIP() << "many frames of what other tests compute as well";
  PhantomSettings settings{.name = GetParam()};
  settings.angles_rad = {{0.0}};
  settings.noise_db = -60.0;
  // Blood that runs past a speckle in one frame would make a jump look like any other frame.
  if (settings.name == "flow") {
    settings.frame_rate_hz = 500.0;
    settings.flow.peak_m_s = 20e-3;
  }
  const auto source = make_phantom(settings);
  constexpr int kFrames = 430;  // ten heart beats, two breaths; one pulse of the flow
  std::vector<double> similar;
  std::vector<std::int16_t> before = frame_of(*source, 0);
  const std::vector<std::int16_t> first = before;
  double least_like_first = 1.0;
  for (int i = 1; i <= kFrames; ++i) {
    std::vector<std::int16_t> now = frame_of(*source, static_cast<std::uint64_t>(i));
    similar.push_back(correlation(before, now));
    least_like_first = std::min(least_like_first, correlation(first, now));
    before = std::move(now);
  }
  EXPECT_LT(least_like_first, 0.997) << "nothing moves";
  // A seam would be a pair of frames unlike all others: the least similar pair must not stand out from those that are
  // as rare as one in fifty.
  std::vector<double> sorted = similar;
  std::ranges::sort(sorted);
  EXPECT_LT(1.0 - sorted[0], 1.3 * (1.0 - sorted[kFrames / 50]) + 1e-4)
      << "least " << sorted[0] << ", median " << sorted[kFrames / 2];
}

INSTANTIATE_TEST_SUITE_P(All, EveryPhantom, ::testing::Values("points", "cyst", "flow", "heart"),
                         [](const auto& param) { return param.param; });

TEST(Phantom, HeartBeatClosesWithoutSeam) {
  if (testing::kSanitized) GTEST_SKIP() << "many frames of what other tests compute as well";
  PhantomSettings settings{.name = "heart"};
  settings.angles_rad = {{0.0}};
  const auto source = make_phantom(settings);
  // 50 Hz and 1.2 beats a second: 42 frames a beat. The last to the first of the next is in the pause before ejection:
  // more alike than the middle pair of the beat.
  std::vector<double> similar;
  for (std::uint64_t i = 0; i < 42; ++i) similar.push_back(correlation(frame_of(*source, i), frame_of(*source, i + 1)));
  const double closing = similar[41];
  std::ranges::sort(similar);
  EXPECT_GE(closing, similar[21]);
  EXPECT_GT(correlation(frame_of(*source, 3), frame_of(*source, 45)), 0.99);
}

// The cache of a period must not show: a frame rate at which the period does not fit gives the same motion.
TEST(Phantom, EcgHasThePeriodOfTheHeart) {
  EXPECT_EQ(make_phantom({.name = "points"})->contents(), nullptr);
  for (const double beats_per_s : {0.8, 1.2, 2.5}) {
    const auto heart = make_phantom({.heart = {.rate_hz = beats_per_s}});
    const SourceContentsPtr contents = heart->contents();
    ASSERT_NE(contents, nullptr);
    const Signal* const ecg = &contents->signals.at(0);
    const double frames = ecg->period_s() * heart->acquisition()->frame_rate_hz;
    EXPECT_NEAR(frames, std::round(frames), 1e-9);
    EXPECT_NEAR(1.0 / ecg->period_s(), beats_per_s, 0.03 * beats_per_s);
    double largest_at = 0.0;
    for (double phase = -0.5; phase < 0.5; phase += 1e-3) {
      if (ecg->at(phase * ecg->period_s()) > ecg->at(largest_at)) largest_at = phase * ecg->period_s();
      EXPECT_NEAR(ecg->at((phase + 7.0) * ecg->period_s()), ecg->at(phase * ecg->period_s()), 1e-4);
    }
    EXPECT_NEAR(largest_at, 0.0, 2e-3 * ecg->period_s()) << "the R wave is at the end of diastole";
    EXPECT_NEAR(ecg->at(0.0), 1.2, 0.1);
  }
}

TEST(Phantom, PeriodThatIsTooLongForTheCacheWorksToo) {
  PhantomSettings settings{.name = "heart", .frame_rate_hz = 5000.0, .noise_db = -300.0};
  const auto fast = make_phantom(settings);
  EXPECT_EQ(frame_of(*fast, 12), frame_of(*fast, 12 + 4167));  // 5000 / 1.2 frames a beat
  EXPECT_GT(correlation(frame_of(*fast, 700), frame_of(*fast, 701)), 0.99);
}

}  // namespace
}  // namespace echoloop::phantom_test
