// Inside the pipeline: the channels that the inspector shows are what the beamformer summed, and the curve lies on the
// echo.
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <optional>

#include "backend/frame_processor.h"
#include "backend/inspector.h"
#include "source/phantom.h"
#include "support/streaming.h"

namespace echoloop::inspection_test {
namespace {

using namespace testing;

// One frame through a lane of its own, then a look at the pixel.
struct Bench {
  Bench(AcquisitionPtr acquisition, const ImagingParams& params, std::vector<std::byte> samples,
        CpuKernel kernel = CpuKernel::portable)
      : plan(make_plan(acquisition, params)), frame(std::move(samples)) {
    const std::unique_ptr<Backend> backend = make_cpu_backend(2, kernel);
    const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
    form_frame(*lane, plan, {.stamp = {}, .samples = frame});
    lines = lane->read_back(Lane::Tap::conditioned);
    pixels = lane->read_back(Lane::Tap::beamformed);
    envelope = lane->read_back(Lane::Tap::envelope);
  }
  [[nodiscard]] std::shared_ptr<const Inspection> look(double x_m, double z_m, int transmit = -1) const {
    return inspect_pixel({.plan = *plan,
                          .frame = {.stamp = {}, .samples = frame},
                          .lines = lines,
                          .pixels = pixels,
                          .envelope = envelope,
                          .at = {x_m, z_m},
                          .transmit = transmit});
  }

  std::shared_ptr<const Plan> plan;
  std::vector<std::byte> frame;
  std::vector<float> lines, pixels, envelope;
};

PhantomSettings points() {
  PhantomSettings settings;
  settings.name = "points";
  settings.noise_db = -200.0;
  return settings;
}

std::vector<std::byte> first_frame(SeekableSource& source) {
  std::vector<std::byte> frame(source.acquisition()->frame_bytes());
  const std::span<const std::byte> made = source.at(0, frame);
  return {made.begin(), made.end()};
}

Bench bench_of_points(CpuKernel kernel = CpuKernel::portable) {
  const std::shared_ptr<SeekableSource> source = make_phantom(points());
  return {source->acquisition(), default_params(*source->acquisition()), first_frame(*source), kernel};
}

TEST(Inspection, ChannelsSumToThePixelOnAWire) {
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    const Bench bench = bench_of_points(kernel);
    for (const PlanePoint& wire : points_phantom_wires(points())) {
      const auto i = bench.look(wire.x_m, wire.z_m);
      EXPECT_LE(i->level.error, 1e-4) << static_cast<int>(kernel) << " at " << wire.x_m << ", " << wire.z_m;
      EXPECT_NEAR(i->level.sum_db, i->level.pixel_db, 1e-3);
      EXPECT_EQ(i->summed.size(), 3U);
    }
  }
}

// The noise of one acquisition, looked at in the middle of the image.
struct MethodBench {
  explicit MethodBench(Adaptive method, const std::function<void(FormationParams&)>& change = {})
      : acquisition(share(linear_acquisition(32, 400, {-8.0, 0.0, 5.0}))),
        params(testing::small_picture(*acquisition)) {
    params.formation.adaptive = method;
    params.formation.adaptive_order = AdaptiveOrder::compounded;
    params.formation.apodization = Apodization::hann;
    params.level.reference_db = 0.0;
    if (change) change(params.formation);
    bench.emplace(acquisition, params, to_bytes(testing::noise(acquisition->frame_values(), 7)));
    const Grid& grid = bench->plan->das->tables->grid;
    const PlanePoint at = grid.point(grid.nx / 2, grid.nz / 2);
    looked = bench->look(at.x_m, at.z_m);
  }
  [[nodiscard]] const MethodView& view() const { return looked->method; }
  [[nodiscard]] float pixel() const {
    const Grid& grid = bench->plan->das->tables->grid;
    return bench->pixels[2 * (static_cast<std::size_t>(looked->iz) * static_cast<std::size_t>(grid.nx) +
                              static_cast<std::size_t>(looked->ix))];
  }

  AcquisitionPtr acquisition;
  ImagingParams params;
  std::optional<Bench> bench;
  std::shared_ptr<const Inspection> looked;
};

TEST(InspectedMethod, TheSquareOfTheMeanPhasorIsTheCoherenceFactor) {
  for (const AdaptiveAxis axis : {AdaptiveAxis::elements, AdaptiveAxis::transmits, AdaptiveAxis::both}) {
    const MethodBench b(Adaptive::coherence, [&](FormationParams& p) { p.adaptive_axis = axis; });
    const double expected = std::norm(std::complex<double>(b.view().mean));
    ASSERT_TRUE(b.view().factor.has_value());
    if (axis == AdaptiveAxis::transmits) {  // of three channels, which fade to 1
      EXPECT_EQ(b.view().phasors.size(), 3U);
      EXPECT_GT(static_cast<double>(*b.view().factor), expected);
    } else {
      EXPECT_NEAR(static_cast<double>(*b.view().factor), expected, 1e-5);
    }
  }
}

TEST(InspectedMethod, TheFrequenciesThatCountSumToTheGeneralizedFactor) {
  const MethodBench b(Adaptive::generalized);
  const std::vector<float>& shares = b.view().curve;
  double sum = 0.0;
  for (int k = -2; k <= 2; ++k)
    sum += static_cast<double>(shares.at(static_cast<std::size_t>(k - b.view().curve_first)));
  EXPECT_NEAR(static_cast<double>(b.view().factor.value()), sum, 1e-5);
}

TEST(InspectedMethod, TheMeanOfTheCorrelationsIsThePixel) {
  const MethodBench b(Adaptive::slsc, [](FormationParams& p) { p.apodization = Apodization::boxcar; });
  double mean = 0.0;
  for (int m = 1; m <= 10; ++m) mean += 0.1 * static_cast<double>(b.view().curve.at(static_cast<std::size_t>(m - 1)));
  EXPECT_NEAR(static_cast<double>(b.view().factor.value()), mean, 1e-6);
  EXPECT_NEAR(static_cast<double>(b.pixel()), mean, 1e-4);
}

TEST(InspectedMethod, MinimumVarianceTakesWhatComesStraightAheadWhole) {
  const MethodBench b(Adaptive::minimum_variance);
  const std::vector<float>& pattern = b.view().pattern_db;
  ASSERT_EQ(pattern.size() % 2, 1U);
  EXPECT_NEAR(pattern[pattern.size() / 2], 0.0, 1e-3);
  EXPECT_NEAR(b.view().equal_pattern_db[pattern.size() / 2], 0.0, 1e-3);
  EXPECT_GT(b.view().curve.size(), 1U);
  EXPECT_NE(pattern, b.view().equal_pattern_db);
}

TEST(InspectedMethod, IsEmptyWithoutAMethod) {
  const MethodBench b(Adaptive::off);
  EXPECT_EQ(b.view().method, Adaptive::off);
  EXPECT_TRUE(b.view().phasors.empty());
  EXPECT_TRUE(b.view().curve.empty());
}

// Anywhere, and for every kind of acquisition and recipe; against the kernel that is the specification.
TEST(Inspection, ChannelsSumToThePixelAnywhere) {
  Acquisition iq = linear_acquisition(24, 300, {-8.0, 5.0});
  iq.signal = SignalKind::iq;
  iq.demod_hz = 4.6e6;
  iq.transmits[0].t0_s = 2e-6;
  Acquisition course = linear_acquisition(32, 400, {-8.0, 0.0, 5.0});
  course.sampling_hz = 20e6;
  ImagingParams course_params = testing::small_picture(course);
  course_params.formation.recipe = Recipe::course;
  const Acquisition rf = linear_acquisition(32, 400, {-8.0, 0.0, 5.0});
  ImagingParams apodized = testing::small_picture(rf);
  apodized.formation.apodization = Apodization::hann;
  apodized.formation.directivity = Directivity::on;
  const Acquisition curved = testing::convex_acquisition(40, 500);
  const Acquisition lines = testing::scan_line_acquisition();
  ImagingParams lines_params = testing::small_sector(lines);
  lines_params.formation.compounding = Compounding::lines;
  const std::vector<std::pair<Acquisition, ImagingParams>> cases = {{rf, apodized},
                                                                    {iq, testing::small_picture(iq)},
                                                                    {course, course_params},
                                                                    {curved, testing::small_sector(curved)},
                                                                    {lines, lines_params}};
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const auto& [a, params] = cases[n];
    const Bench bench(share(a), params, to_bytes(testing::noise(a.frame_values(), 7)));
    const Grid& grid = bench.plan->course != nullptr ? bench.plan->grid : bench.plan->das->tables->grid;
    for (const double share : {0.2, 0.5, 0.8}) {
      const int ix = static_cast<int>(share * (grid.nx - 1));
      const int iz = static_cast<int>((1.0 - share) * (grid.nz - 1));
      const auto i = bench.look(grid.point(ix, iz).x_m, grid.point(ix, iz).z_m);
      ASSERT_NE(i, nullptr);
      EXPECT_EQ(i->ix, ix) << n;
      EXPECT_EQ(i->iz, iz) << n;
      EXPECT_LE(i->level.error, 2e-4) << "case " << n;  // noise: the sum is small against its terms
    }
  }
}

// Of a selection of transmits each keeps its own number, its own samples and its weight.
TEST(Inspection, SelectedTransmitsKeepTheirNumbers) {
  const Acquisition a = linear_acquisition(32, 400, {-8.0, -4.0, 0.0, 4.0, 8.0});
  for (const Recipe recipe : {Recipe::analytic, Recipe::course}) {
    ImagingParams params = testing::small_picture(a);
    params.formation.recipe = recipe;
    params.transmits.first = 2;
    params.transmits.every = 2;
    if (recipe == Recipe::analytic) params.transmits.window = Apodization::hamming;
    const std::vector<float> values = testing::noise(a.frame_values(), 9);
    const Bench bench(share(a), params, to_bytes(values));
    const Grid& grid = bench.plan->grid;
    const PlanePoint at = grid.point(grid.nx / 2, grid.nz / 2);
    const auto i = bench.look(at.x_m, at.z_m, 3);
    EXPECT_EQ(i->summed, (std::vector<int>{1, 3}));
    EXPECT_EQ(i->transmit, 3);
    EXPECT_LE(i->level.error, 2e-4);
    const std::size_t first = 3 * 32 * 400 + static_cast<std::size_t>(i->raw.first);
    EXPECT_EQ(i->raw.values.front(), values[first]);
  }
}

// The wave about the pixel's time passes through the term itself, and elements outside the aperture are silent.
TEST(Inspection, AlignedWavesHoldTheTermsInTheirMiddle) {
  const Bench bench = bench_of_points();
  const auto i = bench.look(0.0, 20e-3);
  int silent = 0;
  for (std::size_t e = 0; e < i->channels.size(); ++e) {
    const auto middle = e * static_cast<std::size_t>(i->aligned.count) + static_cast<std::size_t>(i->aligned.count / 2);
    EXPECT_EQ(i->aligned.values[middle], i->channels[e].value.real());
    if (i->channels[e].weight > 0.0f) continue;
    ++silent;
    EXPECT_EQ(i->aligned.values[middle], 0.0f);
  }
  EXPECT_GT(silent, 10);  // F-number 1.5 at 20 mm: 13.3 of 19.2 mm
  EXPECT_LT(silent, 30);
}

TEST(Inspection, TheCurveMeetsTheEchoOfAWire) {
  const std::shared_ptr<SeekableSource> source = make_phantom(points());
  ImagingParams params = default_params(*source->acquisition());
  params.formation.lateral_min_m = -9e-3;  // a pixel lies on the wire whose echoes nothing crosses
  params.formation.lateral_max_m = 9e-3;
  params.formation.grid_nx = 181;
  params.formation.depth_min_m = 20e-3;
  params.formation.depth_max_m = 35e-3;
  params.formation.grid_nz = 301;
  const Bench bench(source->acquisition(), params, first_frame(*source));
  const Acquisition& a = *bench.plan->acquisition;
  for (int transmit = 0; transmit < 3; ++transmit) {
    const auto i = bench.look(0.0, 30e-3, transmit);
    ASSERT_EQ(i->transmit, transmit);
    ASSERT_NEAR(i->at.z_m, 30e-3, 1e-9);
    int seen = 0;
    for (std::size_t e = 0; e < i->channels.size(); ++e) {
      if (i->channels[e].weight == 0.0f) continue;
      ++seen;
      // The middle of the echo's energy.
      const double reach = 1.5 * a.sampling_hz / a.center_hz;
      double energy = 0.0, moment = 0.0;
      const double middle = i->channels[e].sample;
      for (int k = static_cast<int>(middle - reach); k <= static_cast<int>(middle + reach) + 1; ++k) {
        const auto at = e * static_cast<std::size_t>(i->raw.count) + static_cast<std::size_t>(k - i->raw.first);
        const double v = static_cast<double>(i->raw.values[at]);
        energy += v * v;
        moment += v * v * k;
      }
      ASSERT_GT(energy, 0.0);
      EXPECT_NEAR(moment / energy, middle, 1.0) << "element " << e << " transmit " << transmit;
    }
    EXPECT_GT(seen, 30);
  }
}

TEST(Inspection, TheMapIsTheFramesOwnSamples) {
  Acquisition a = linear_acquisition(8, 256, {-4.0, 4.0});
  std::vector<float> values = testing::noise(a.frame_values(), 3);
  const Bench bench(share(a), testing::small_picture(a), to_bytes(values));
  const auto i = bench.look(0.0, 5e-3, 1);
  ASSERT_EQ(i->transmit, 1);
  ASSERT_EQ(i->raw.values.size(), 8U * static_cast<std::size_t>(i->raw.count));
  for (std::size_t e = 0; e < 8; ++e) {
    for (int k = 0; k < i->raw.count; ++k) {
      const std::size_t at = (8 + e) * 256 + static_cast<std::size_t>(i->raw.first + k);
      ASSERT_EQ(i->raw.values[e * static_cast<std::size_t>(i->raw.count) + static_cast<std::size_t>(k)], values[at]);
    }
  }
}

// Within the band the filter leaves the spectrum as it is, outside it nothing is left.
TEST(Inspection, TheFilteredSpectrumIsTheRawOneWithinTheBand) {
  const Bench bench = bench_of_points();
  const auto i = bench.look(0.0, 20e-3);
  int inside = 0, outside = 0;
  for (std::size_t k = 0; k < i->spectra.response_db.size(); ++k) {
    if (i->spectra.response_db[k] > -0.01f && i->spectra.raw_db[k] > -40.0f) {
      EXPECT_NEAR(i->spectra.filtered_db[k], i->spectra.raw_db[k], 0.5)
          << i->spectra.first_hz + static_cast<double>(k) * i->spectra.step_hz;
      ++inside;
    } else if (i->spectra.response_db[k] < -100.0f) {
      EXPECT_LT(i->spectra.filtered_db[k], -25.0f);
      ++outside;
    }
  }
  EXPECT_GT(inside, 20);
  EXPECT_GT(outside, 20);
}

}  // namespace
}  // namespace echoloop::inspection_test
