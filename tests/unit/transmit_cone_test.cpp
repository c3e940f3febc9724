// Weights of focused transmits by their cones, against numbers from paper and a plain sum of single transmits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "backend/frame_processor.h"
#include "backend/plan.h"
#include "core/param_table.h"
#include "core/params.h"
#include "dsp/das.h"
#include "dsp/methods/methods.h"
#include "support/acquisitions.h"
#include "unit/given_channels.h"

namespace echoloop::transmit_cone_test {
namespace {

using namespace testing;

constexpr TransmitCone kWindows[] = {TransmitCone::boxcar, TransmitCone::hann, TransmitCone::tukey};

// An aperture that walks along a flat array: 9 foci 0.6 mm apart at 12 mm.
Acquisition walking_acquisition() {
  Acquisition a = linear_acquisition(32, 500, std::vector<double>(9, 0.0));
  for (int k = 0; k < 9; ++k) {
    Transmit& t = a.transmits[static_cast<std::size_t>(k)];
    t.kind = TransmitKind::focused;
    t.source_x_m = (k - 4) * 0.6e-3;
    t.source_z_m = 12e-3;
    t.t0_s = 1e-8 * k;
  }
  return a;
}

Acquisition convex_beams() {
  Acquisition a = convex_acquisition(24, 500);
  a.transmits.clear();
  const double apex_z_m = sector_apex_z_m(a.probe);
  for (int k = -4; k <= 4; ++k) {
    const double angle = 2.0 * k * kRadiansPerDegree;
    Transmit& t = a.transmits.emplace_back();
    t.kind = TransmitKind::focused;
    t.source_x_m = 65e-3 * std::sin(angle);
    t.source_z_m = apex_z_m + 65e-3 * std::cos(angle);
    t.t0_s = 1e-8 * k;
  }
  return a;
}

std::vector<float> weights_at(const Acquisition& a, const TransmitCones& cones, double x_m, double z_m) {
  const std::vector<BeamAxis> beams = beam_axes(a);
  std::vector<float> weights(beams.size());
  weigh_transmits(beams, cones, x_m, z_m, weights);
  return weights;
}

TEST(TransmitCone, WalkingApertureByPaper) {
  const Acquisition a = walking_acquisition();
  // 6 mm beyond the focus at F 2: half width 1.5 mm. Beams at 0, 0.6, 1.2 mm on either side lie within.
  const std::vector<float> boxcar = weights_at(a, {TransmitCone::boxcar, 2.0}, 0.0, 18e-3);
  for (std::size_t t = 0; t < 9; ++t) EXPECT_FLOAT_EQ(boxcar[t], t >= 2 && t <= 6 ? 0.2F : 0.0F) << t;
  const std::vector<float> hann = weights_at(a, {TransmitCone::hann, 2.0}, 0.0, 18e-3);
  const double one = std::pow(std::cos(0.5 * kPi * 0.4), 2), two = std::pow(std::cos(0.5 * kPi * 0.8), 2);
  const double sum = 1.0 + 2.0 * one + 2.0 * two;
  EXPECT_NEAR(hann[4], 1.0 / sum, 1e-6);
  EXPECT_NEAR(hann[3], one / sum, 1e-6);
  EXPECT_NEAR(hann[6], two / sum, 1e-6);
  // The cone opens above the focus as it does below.
  const std::vector<float> above = weights_at(a, {TransmitCone::hann, 2.0}, 0.0, 6e-3);
  for (std::size_t t = 0; t < 9; ++t) EXPECT_NEAR(above[t], hann[t], 1e-6);
}

// At least 1.5 spacings (Tukey: 4/3) to either side, where the windows of even beams add up to a constant.
TEST(TransmitCone, AtTheFocusNeighboursOverlapToAConstantSum) {
  const Acquisition a = walking_acquisition();
  const auto hann = [](double spacings) { return std::pow(std::cos(0.5 * kPi * spacings / 1.5), 2) / 1.5; };
  const auto tukey = [](double spacings) {
    const double u = 0.75 * spacings;
    return u <= 0.5 ? 0.5 : 0.25 - 0.25 * std::cos(2.0 * kPi * u);
  };
  for (const double place : {0.0, 0.1, 0.25, 0.4}) {  // spacings to the right of beam 4
    const double x_m = place * 0.6e-3;
    const std::vector<float> boxcar = weights_at(a, {TransmitCone::boxcar, 2.0}, x_m, 12e-3);
    const std::vector<float> smooth = weights_at(a, {TransmitCone::hann, 2.0}, x_m, 12e-3);
    const std::vector<float> flat = weights_at(a, {TransmitCone::tukey, 2.0}, x_m, 12e-3);
    for (const int k : {3, 4, 5}) {
      const double spacings = std::abs(k - 4 - place);
      EXPECT_NEAR(boxcar[static_cast<std::size_t>(k)], 1.0 / 3.0, 1e-6) << place;
      EXPECT_NEAR(smooth[static_cast<std::size_t>(k)], hann(spacings), 1e-6) << place;
      EXPECT_NEAR(flat[static_cast<std::size_t>(k)], spacings < 4.0 / 3.0 ? tukey(spacings) : 0.0, 1e-6) << place;
    }
    for (const std::vector<float>* weights : {&boxcar, &smooth, &flat})
      EXPECT_GE(std::ranges::count(*weights, 0.0F), 6);
  }
}

TEST(TransmitCone, FanIsMeasuredAlongAndAcrossEachBeam) {
  for (const Acquisition& a : {scan_line_acquisition(9), convex_beams()}) {
    const double apex_z_m = sector_apex_z_m(a.probe);
    const Transmit& steered = a.transmits[6];
    const double angle = std::atan2(steered.source_x_m, steered.source_z_m - apex_z_m);
    const double range_m = std::hypot(steered.source_x_m, steered.source_z_m - apex_z_m) + 12e-3;  // beyond the focus
    const auto at = [&](double across_m) {
      return weights_at(a, {TransmitCone::boxcar, 1.0}, range_m * std::sin(angle) + across_m * std::cos(angle),
                        apex_z_m + range_m * std::cos(angle) - across_m * std::sin(angle));
    };
    EXPECT_GT(at(5.99e-3)[6], 0.0F);  // half width 12 mm / (2 F) = 6 mm, more than 1.5 spacings
    EXPECT_GT(at(-5.99e-3)[6], 0.0F);
    EXPECT_EQ(at(6.01e-3)[6], 0.0F);
    EXPECT_EQ(at(-6.01e-3)[6], 0.0F);
  }
}

TEST(TransmitCone, OutsideOfAllConesTheNearestBeamAlone) {
  const Acquisition a = walking_acquisition();
  for (const TransmitCone window : kWindows) {
    const std::vector<float> right = weights_at(a, {window, 4.0}, 7e-3, 12.5e-3);
    EXPECT_EQ(right[8], 1.0F);
    EXPECT_EQ(std::ranges::count(right, 0.0F), 8);
    EXPECT_EQ(weights_at(a, {window, 4.0}, -7e-3, 12.5e-3)[0], 1.0F);
  }
}

TEST(TransmitCone, WeightsAddUpToOneEverywhere) {
  for (const Acquisition& a : {walking_acquisition(), scan_line_acquisition(9), convex_beams()}) {
    for (const TransmitCone window : kWindows) {
      for (const double f_number : {0.0, 0.3, 1.0, 2.5, 10.0}) {
        for (int i = 0; i < 400; ++i) {
          const double x_m = (i % 20 - 9.7) * 1e-3, z_m = (i / 20 + 0.3) * 1.5e-3;
          double sum = 0.0;
          for (const float w : weights_at(a, {window, f_number}, x_m, z_m)) {
            EXPECT_GE(w, 0.0F);
            sum += static_cast<double>(w);
          }
          EXPECT_NEAR(sum, 1.0, 1e-6);
        }
      }
      for (const float w : weights_at(a, {window, 0.0}, 1e-3, 9e-3)) EXPECT_NEAR(w, 1.0 / 9.0, 1e-7);
    }
  }
}

// Beams that lie unevenly leave no pixel between them uncovered.
TEST(TransmitCone, UnevenBeamsMeet) {
  Acquisition a = walking_acquisition();
  const double places_mm[] = {-3.0, -2.9, -1.0, 0.0, 0.1, 0.5, 2.0, 2.1, 3.0};
  for (std::size_t t = 0; t < 9; ++t) a.transmits[t].source_x_m = places_mm[t] * 1e-3;
  for (int i = -290; i < 290; ++i) {
    const std::vector<float> weights = weights_at(a, {TransmitCone::boxcar, 10.0}, i * 1e-5 + 3e-6, 12e-3);
    EXPECT_GE(9 - std::ranges::count(weights, 0.0F), 2) << i;
  }
}

TEST(TransmitCone, EqualChannelsHaveAFactorOfOne) {
  const Acquisition a = walking_acquisition();
  for (const TransmitCone window : kWindows) {
    for (const double x_m : {0.0, 0.17e-3, 1.1e-3, 7e-3}) {
      for (const double z_m : {5e-3, 12e-3, 19e-3}) {
        const std::vector<float> weights = weights_at(a, {window, 1.5}, x_m, z_m);
        const std::vector<ChannelSample> row(16, ChannelSample{{0.6F, -0.8F}, true});
        const GivenChannels channels{std::vector(weights.size(), row), std::vector<float>(16, 1.0F), weights};
        for (const Adaptive adaptive : {Adaptive::coherence, Adaptive::generalized, Adaptive::phase}) {
          for (const AdaptiveAxis axis : {AdaptiveAxis::elements, AdaptiveAxis::transmits, AdaptiveAxis::both}) {
            for (const AdaptiveOrder order : {AdaptiveOrder::each_transmit, AdaptiveOrder::compounded}) {
              with_method({.method = adaptive, .axis = axis, .order = order, .bins = 0}, [&](const auto& method) {
                const MethodPixel made = method(channels);
                EXPECT_NEAR(made.weight, 1.0F, 3e-6F);
                EXPECT_NEAR(magnitude(made.sum), 16.0F, 1e-4F);
              });
            }
          }
        }
      }
    }
  }
}

std::vector<std::complex<double>> pixels_of(CpuKernel kernel, const AcquisitionPtr& a, const ImagingParams& params,
                                            std::span<const std::byte> samples) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2, kernel);
  const auto plan = make_plan(a, params);
  const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
  form_frame(*lane, plan, {.stamp = {}, .samples = samples});
  make_image(*lane, *plan, {.reference_db = 0.0});
  lane->wait();
  const std::vector<float> values = lane->read_back(Lane::Tap::beamformed);
  std::vector<std::complex<double>> pixels;
  for (std::size_t i = 0; i < values.size(); i += 2) pixels.emplace_back(values[i], values[i + 1]);
  return pixels;
}

// The image of a single transmit by the specification, from lines as the kernel filters them.
std::vector<Complex> picture_alone(CpuKernel kernel, const AcquisitionPtr& a, const ImagingParams& params,
                                   std::span<const std::byte> samples) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(1, kernel);
  const auto plan = make_plan(a, params);
  const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
  form_frame(*lane, plan, {.stamp = {}, .samples = samples});
  const std::vector<float> values = lane->read_back(Lane::Tap::conditioned);
  std::vector<Complex> lines, picture;
  for (std::size_t i = 0; i < values.size(); i += 2) lines.push_back({values[i], values[i + 1]});
  const DasGeometry& g = plan->das->geometry;
  for (int i = 0; i < g.nx * g.nz; ++i) picture.push_back(das_pixel(g, lines.data(), i % g.nx, i / g.nx));
  return picture;
}

// sum over t of b_t times the image of transmit t alone, b_t from the formula of dsp/das.h, written anew.
std::vector<std::complex<double>> plain_sum(CpuKernel kernel, const AcquisitionPtr& a, const ImagingParams& params,
                                            const Grid& grid, std::span<const std::byte> samples) {
  const std::size_t n_tx = a->transmits.size();
  const bool fan = !find_scan_lines(*a)->parallel;
  const double apex_z_m = sector_apex_z_m(a->probe),
               gap_rad = std::abs(find_scan_lines(*a)->at[1] - find_scan_lines(*a)->at[0]);
  std::vector<std::complex<double>> sums(grid.pixels());
  std::vector<double> norms(grid.pixels());
  for (std::size_t t = 0; t < n_tx; ++t) {
    ImagingParams alone = params;
    alone.transmits = {.first = static_cast<int>(t) + 1, .last = static_cast<int>(t) + 1};
    alone.formation.compounding = Compounding::coherent;
    const auto picture = picture_alone(kernel, a, alone, samples);
    const Transmit& tx = a->transmits[t];
    const double angle = fan ? std::atan2(tx.source_x_m, tx.source_z_m - apex_z_m) : 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const PlanePoint p = grid.point(static_cast<int>(i) % grid.nx, static_cast<int>(i) / grid.nx);
      const double dx = p.x_m - tx.source_x_m, dz = p.z_m - tx.source_z_m;
      const double along = dx * std::sin(angle) + dz * std::cos(angle);
      const double across = dx * std::cos(angle) - dz * std::sin(angle);
      const double range = p.x_m * std::sin(angle) + (p.z_m - apex_z_m) * std::cos(angle);
      const double gap = 1.5 * (fan ? gap_rad * range : gap_rad);
      const double u = across / std::max(std::abs(along) / (2.0 * params.transmits.cone_f_number), gap);
      const double b = std::abs(u) < 1.0 ? std::pow(std::cos(0.5 * kPi * u), 2) : 0.0;
      sums[i] += b * std::complex<double>(picture[i].re, picture[i].im);
      norms[i] += b;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = norms[i] > 0.0 ? sums[i] / norms[i] : NAN;
  return sums;
}

TEST(TransmitCone, ImageIsTheWeightedSumOfTheTransmits) {
  for (const Acquisition& made : {walking_acquisition(), scan_line_acquisition(9), convex_beams()}) {
    const AcquisitionPtr a = share(Acquisition(made));
    for (const GridChoice kind : {GridChoice::cartesian, GridChoice::polar}) {
      ImagingParams params = small_picture(*a, 37, 29);
      params.formation.grid_kind = kind;
      params.transmits.cone = TransmitCone::hann;
      params.transmits.cone_f_number = 1.3;
      ASSERT_TRUE(uses_cones(params, *a));
      const std::vector<std::byte> frame = to_bytes(noise(a->frame_values(), 3));
      const Grid grid = make_grid(params, *a);
      for (const CpuKernel kernel : {CpuKernel::portable, CpuKernel::automatic}) {
        const auto want = plain_sum(kernel, a, params, grid, frame);
        const auto got = pixels_of(kernel, a, params, frame);
        ASSERT_EQ(got.size(), want.size());
        const double limit =
            kernel == CpuKernel::portable ? 2e-5 : 3e-4;  // fused products round polar delays otherwise
        double peak = 0.0;
        for (const auto& v : want) peak = std::isnan(v.real()) ? peak : std::max(peak, std::abs(v));
        std::size_t covered = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
          if (std::isnan(want[i].real())) continue;
          ++covered;
          ASSERT_NEAR(std::abs(got[i] - want[i]), 0.0, limit * peak) << i;
        }
        EXPECT_GT(covered, got.size() / 3);
      }
    }
  }
}

// Of a walking aperture: later than the focus is below its depth.
TEST(TransmitCone, ArrivalsChangeTheirSignAtTheDepthOfTheFoci) {
  const AcquisitionPtr a = share(walking_acquisition());
  ImagingParams params = small_picture(*a, 37, 29);
  params.formation.compounding = Compounding::coherent;
  const auto plan = make_plan(a, params);
  const DasTables& tables = *plan->das->tables;
  const Grid& grid = tables.grid;
  const double c_m_s = params.formation.sound_speed_m_s;
  for (std::size_t s = 0; s < a->transmits.size(); ++s) {
    const Transmit& t = a->transmits[s];
    for (int iz = 0; iz < grid.nz; ++iz) {
      const std::size_t row = s * static_cast<std::size_t>(grid.nz) + static_cast<std::size_t>(iz);
      for (int ix = 0; ix < grid.nx; ++ix) {
        const auto [x_m, z_m] = grid.point(ix, iz);
        const double away_m = std::hypot(x_m - t.source_x_m, z_m - t.source_z_m);
        const double there_m =
            std::hypot(t.source_x_m, t.source_z_m) + (z_m >= t.source_z_m ? away_m : -away_m) + std::abs(z_m);
        const double sample =
            tables.row_base[row] +
            static_cast<double>(
                tables.tx_excess[row * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(ix)]);
        ASSERT_NEAR(sample / plan->band->line_rate_hz, there_m / c_m_s - t.t0_s, 1e-9) << s << " " << ix << " " << iz;
      }
    }
  }
}

// The sum beside the factor is delay-and-sum with the same weights.
TEST(TransmitCone, MethodsWeighTheSameBeams) {
  const AcquisitionPtr a = share(scan_line_acquisition(9));
  ImagingParams params = small_sector(*a, 70, 29);
  params.transmits.cone = TransmitCone::tukey;
  const std::vector<std::byte> frame = to_bytes(noise(a->frame_values(), 4));
  const std::vector<std::complex<double>> by_kernel[] = {pixels_of(CpuKernel::portable, a, params, frame),
                                                         pixels_of(CpuKernel::automatic, a, params, frame)};
  double peak = 0.0;
  for (const auto& v : by_kernel[0]) peak = std::max(peak, std::abs(v));
  for (const AdaptiveAxis axis : {AdaptiveAxis::elements, AdaptiveAxis::transmits, AdaptiveAxis::both}) {
    for (const AdaptiveOrder order : {AdaptiveOrder::each_transmit, AdaptiveOrder::compounded}) {
      for (const CpuKernel kernel : {CpuKernel::portable, CpuKernel::automatic}) {
        params.formation.adaptive = Adaptive::generalized;
        params.formation.adaptive_axis = axis;
        params.formation.adaptive_order = order;
        const auto with = pixels_of(kernel, a, params, frame);
        const auto& das = by_kernel[kernel == CpuKernel::portable ? 0 : 1];
        const double limit = 2e-5;
        for (std::size_t i = 0; i < das.size(); ++i) ASSERT_NEAR(std::abs(with[i] - das[i]), 0.0, limit * peak) << i;
      }
    }
  }
}

TEST(TransmitCone, AConeMakesAFanCompoundUnlessLinesAreAskedFor) {
  const Acquisition a = scan_line_acquisition(9);
  ImagingParams p = default_params(a);
  EXPECT_TRUE(forms_lines(p, a));
  EXPECT_FALSE(uses_cones(p, a));
  p.transmits.cone = TransmitCone::hann;
  EXPECT_FALSE(forms_lines(p, a));
  EXPECT_TRUE(uses_cones(p, a));
  EXPECT_EQ(transmit_level_db(p, a), 0.0);
  p.formation.compounding = Compounding::lines;
  EXPECT_FALSE(uses_cones(p, a));
}

std::string reason(const Acquisition& a, const ImagingParams& p, const char* key = "transmit_cone") {
  return std::string(why_no_effect(param(key), {.params = p, .acquisition = &a}));
}

TEST(TransmitCone, SaysWhyThereIsNone) {
  const Acquisition fan = scan_line_acquisition(9);
  ImagingParams p = default_params(fan);
  EXPECT_EQ(reason(fan, p), "");
  EXPECT_EQ(reason(linear_acquisition(8, 256, {-5.0, 5.0}), p), "Only for focused transmits.");
  EXPECT_EQ(reason(linear_acquisition(), p), "The recording has a single transmit per frame.");
  p.formation.compounding = Compounding::lines;
  EXPECT_EQ(reason(fan, p), "Scan lines take one transmit each: set Transmits to Auto or Coherent.");
  p.formation.compounding = Compounding::automatic;
  p.transmits.first = p.transmits.last = 3;
  EXPECT_EQ(reason(fan, p), "Only one transmit is used.");
  p.transmits = default_params(fan).transmits;
  p.formation.recipe = Recipe::course;
  EXPECT_EQ(reason(fan, p), "The course recipe compounds all transmits coherently.");
  p.formation.recipe = Recipe::analytic;
  p.transmits.cone = TransmitCone::boxcar;
  EXPECT_EQ(reason(fan, p, "transmit_window"), "The transmit cone weighs the transmits.");
  EXPECT_EQ(reason(fan, p, "precision"), "Transmit cones use single precision.");
}

TEST(TransmitCone, OpensAsTheApertureOfTheTransmits) {
  Acquisition a = walking_acquisition();
  EXPECT_NEAR(default_params(a).transmits.cone_f_number, 12.0 / (32 * 0.3), 0.006);  // the whole array
  for (Transmit& t : a.transmits) t.aperture_m = 4e-3;
  EXPECT_NEAR(default_params(a).transmits.cone_f_number, 3.0, 1e-9);
  EXPECT_EQ(default_params(linear_acquisition()).transmits.cone_f_number, 0.0);
  EXPECT_NEAR(default_params(convex_beams()).transmits.cone_f_number, 15.0 / (24 * 1.5), 0.02);
}

// Other windows and openings make other tables, the display does not.
TEST(TransmitCone, TablesAreKeptWhereNothingChanges) {
  const AcquisitionPtr a = share(scan_line_acquisition(9));
  ImagingParams p = small_sector(*a);
  p.transmits.cone = TransmitCone::hann;
  const auto first = make_plan(a, p);
  ASSERT_NE(first->das->cones, nullptr);
  p.formation.f_number = 2.0;
  EXPECT_EQ(make_plan(a, p, first)->das->cones, first->das->cones);
  p.transmits.cone_f_number *= 2.0;
  EXPECT_NE(make_plan(a, p, first)->das->cones, first->das->cones);
  EXPECT_EQ(make_plan(a, p, first)->das->tables, first->das->tables);
  p.transmits.cone = TransmitCone::off;
  p.formation.compounding = Compounding::coherent;
  EXPECT_EQ(make_plan(a, p, first)->das->cones, nullptr);
}

}  // namespace
}  // namespace echoloop::transmit_cone_test
