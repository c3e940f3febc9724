// The spectrogram where the truth is known: the flow phantom's vessel, and the rotating disk (real).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/opening/source_kinds.h"
#include "core/param_table.h"
#include "core/units.h"
#include "measure/pulses.h"
#include "source/phantom.h"
#include "support/recorded_data.h"
#include "support/spectrogram_run.h"
#include "support/temporary_folder.h"

namespace echoloop::spectrogram_test {
namespace {

using namespace testing;

constexpr const char* kDisk = "must_pwi_disk/PWI_disk.mat";

double strongest_m_s(const Spectrogram& s) {
  const std::vector<double> power = mean_spectrum(s);
  const auto at = std::max_element(power.begin(), power.end()) - power.begin();
  return s.velocity_m_s(static_cast<double>(at));
}

// On the axis most of what a gate hears is near the peak. The envelope lies above it by what the aperture adds: it
// hears the flow under a range of angles, the wider the smaller its F-number (geometric spectral broadening; Newhouse
// et al., IEEE Trans. Biomed. Eng. 27, 1980).
struct VesselCase {
  double vessel_deg;  // downwards to the right; flow to the right goes away from the probe
  double length_m;
  double f_number;
  double envelope_share;  // more than the peak, at most
  double motion_m_s;      // of the tissue and the blood with it, up and down
};

class SpectrogramInTheVessel : public ::testing::TestWithParam<VesselCase> {};

// A gate on the axis of the vessel, f/8; the angle lies between the beam, straight down, and the vessel.
ImagingParams vessel_params(const Acquisition& a, const FlowTruth& truth, double vessel_rad) {
  ImagingParams p = default_params(a);
  p.formation.lateral_min_m = -0.002;
  p.formation.lateral_max_m = 0.002;
  p.formation.grid_nx = 17;
  p.formation.depth_min_m = 0.012;
  p.formation.depth_max_m = 0.024;
  p.formation.grid_nz = 121;
  p.formation.f_number = 8.0;
  p.level.reference_db = 0.0;
  p.doppler.gate = Gate::on;
  p.doppler.x_m = 0.0;
  p.doppler.z_m = truth.axis.z_m;
  p.doppler.length_m = 2e-3;
  p.doppler.frames = 128;
  p.doppler.cutoff_hz = 60.0;
  p.color_flow.angle_rad = 0.5 * kPi - std::abs(vessel_rad);
  return p;
}

TEST_P(SpectrogramInTheVessel, TheStrongestVelocityIsThePeaks) {
  const double angle_rad = GetParam().vessel_deg * kRadiansPerDegree;
  PhantomSettings settings;
  settings.name = "flow";
  settings.angles_rad = {0.0};
  settings.frame_rate_hz = 2000.0;
  settings.noise_db = -35.0;
  settings.flow = {.peak_m_s = 0.2, .pulsation = 0.0, .angle_rad = angle_rad, .motion_m_s = GetParam().motion_m_s};
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  const FlowTruth truth = flow_phantom_truth(settings, 0);
  ImagingParams p = vessel_params(*source->acquisition(), truth, angle_rad);
  p.doppler.length_m = GetParam().length_m;
  p.formation.f_number = GetParam().f_number;
  const SpectrogramRun run = run_spectrogram(source, p, 600);
  const Spectrogram& s = run.spectrogram;
  const double envelope = median_of(s, s.envelope_m_s);
  const double sign = angle_rad > 0.0 ? -1.0 : 1.0;
  std::printf(
      "vessel at %.0f degrees, gate %.1f mm, f/%.0f, %d bands: envelope %+.1f mm/s, strongest %+.1f, mean %+.1f; true "
      "%+.1f\n",
      GetParam().vessel_deg, s.length_m * 1e3, p.formation.f_number, s.bands, envelope * 1e3, strongest_m_s(s) * 1e3,
      median_of(s, s.mean_m_s) * 1e3, sign * truth.peak_m_s * 1e3);
  // What moves the whole vessel is in the velocity too.
  const double drift_m_s = GetParam().motion_m_s / std::cos(p.color_flow.angle_rad);
  EXPECT_NEAR(strongest_m_s(s), sign * truth.peak_m_s, 0.03 * truth.peak_m_s + s.aliasing_m_s / s.frames + drift_m_s);
  // Beside the axis blood is slower: at the ends of the 4 mm gate by 44 %.
  const double mean = sign * median_of(s, s.mean_m_s);
  EXPECT_GT(mean, 0.82 * truth.peak_m_s - drift_m_s);
  EXPECT_LT(mean, 1.02 * truth.peak_m_s + drift_m_s);
  EXPECT_GT(envelope * sign, 0.98 * truth.peak_m_s - drift_m_s);
  EXPECT_LT(envelope * sign, (1.0 + GetParam().envelope_share) * truth.peak_m_s + drift_m_s);
}

INSTANTIATE_TEST_SUITE_P(Gates, SpectrogramInTheVessel,
                         ::testing::Values(VesselCase{30.0, 2e-3, 8.0, 0.10, 0.0},
                                           VesselCase{-30.0, 2e-3, 4.0, 0.15, 0.0},
                                           VesselCase{30.0, 4e-3, 4.0, 0.15, 0.0},
                                           VesselCase{-30.0, 4e-3, 4.0, 0.15, 0.005}),
                         [](const auto& info) {
                           return (info.param.vessel_deg > 0.0 ? "away_" : "towards_") +
                                  std::to_string(static_cast<int>(info.param.length_m * 1e3)) + "_mm_f" +
                                  std::to_string(static_cast<int>(info.param.f_number));
                         });

// The speed swings by 40 % about its mean, 72 times a minute.
TEST(SpectrogramOfAPulse, HasTheRateThePeakAndTheEndOfTheBeats) {
  const double angle_rad = 30.0 * kRadiansPerDegree;
  PhantomSettings settings;
  settings.name = "flow";
  settings.angles_rad = {0.0};
  settings.frame_rate_hz = 2000.0;
  settings.flow = {.peak_m_s = 0.15, .pulsation = 0.4, .angle_rad = angle_rad};
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  const ImagingParams p = vessel_params(*source->acquisition(), flow_phantom_truth(settings, 0), angle_rad);
  const SpectrogramRun run = run_spectrogram(source, p, 5000);
  const Spectrogram& s = run.spectrogram;
  const std::span<const float> curve = std::span(s.envelope_m_s).first(s.end);
  const PulseValues found = measure_pulses(curve, s.step_s(), 0.95 * s.aliasing_m_s);
  std::printf("pulse: peak %+.1f mm/s, end %+.1f mm/s, index %.3f, %.1f /min\n", found.peak_m_s * 1e3,
              found.end_diastole_m_s * 1e3, found.resistance_index, found.beats_per_minute);
  EXPECT_NEAR(found.beats_per_minute, 72.0, 1.0);
  EXPECT_NEAR(found.peak_m_s, -1.4 * 0.15, 0.1 * 1.4 * 0.15);
  EXPECT_NEAR(found.end_diastole_m_s, -0.6 * 0.15, 0.1 * 1.4 * 0.15);
  EXPECT_NEAR(found.resistance_index, 1.0 - 0.6 / 1.4, 0.06);
}

// 32 frames at 10 kHz: the gate's velocity is that of the disk there, which the recording's own reference states.
TEST(SpectrogramOnTheDisk, TheDisksVelocityAtTheGate) {
  ECHO_NEED_DATA(kDisk);
  const nlohmann::json stated =
      nlohmann::json::parse(testing::read_text(data_folder() / "must_pwi_disk/reference/metrics.json"))
          .at("kasai_axial_velocity_fit");
  const double slope = -stated.at("dvz_dx_per_s").get<double>();
  const double centre_m = stated.at("centre_x_mm").get<double>() * 1e-3;
  for (const double x_m : {-0.006, 0.004}) {
    const OpenedSource opened = open_source((data_folder() / kDisk).string());
    ImagingParams p = default_params(*opened.info.acquisition);
    for (const char* setting : {"lateral_min_m=-0.0125", "lateral_max_m=0.0125", "grid_nx=126", "depth_min_m=0.010",
                                "depth_max_m=0.035", "grid_nz=251", "f_number=1.5", "reference_db=0", "gate=on",
                                "gate_z_m=0.0224", "gate_length_m=0.003", "sonogram_frames=24"}) {
      set_from_text(p, setting);
    }
    p.doppler.x_m = x_m;
    const SpectrogramRun run = run_spectrogram(opened.source, p, opened.info.frame_count);
    const Spectrogram& s = run.spectrogram;
    const double want = slope * (s.centre.x_m - centre_m);
    std::printf("disk at %+.1f mm: strongest %+.3f m/s, mean %+.3f, reference %+.3f\n", x_m * 1e3, strongest_m_s(s),
                median_of(s, s.mean_m_s), want);
    EXPECT_NEAR(strongest_m_s(s), want, s.aliasing_m_s * 2.0 / s.n_bins + 0.04 * std::abs(want));
    EXPECT_GE(run.counts.columns, 1U);
  }
}

}  // namespace
}  // namespace echoloop::spectrogram_test
