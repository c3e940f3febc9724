// Flow where the truth is known: the rotating disk (real), and the flow phantom, whose blood runs in a parabolic
// profile while the tissue moves.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/opening/source_kinds.h"
#include "core/param_table.h"
#include "core/units.h"
#include "source/phantom.h"
#include "support/flow_run.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::flow_test {
namespace {

using namespace testing;

constexpr const char* kDisk = "must_pwi_disk/PWI_disk.mat";

ImagingParams disk_params(const Acquisition& a) {
  ImagingParams p = default_params(a);
  for (const char* setting :
       {"lateral_min_m=-0.0125", "lateral_max_m=0.0125", "grid_nx=126", "depth_min_m=0.010", "depth_max_m=0.035",
        "grid_nz=126", "f_number=1.5", "band_low_hz=3333333.3333", "band_high_hz=6666666.6667", "reference_db=0",
        "flow=velocity", "flow_frames=32", "flow_step=32"}) {
    set_from_text(p, setting);
  }
  return p;
}

struct Line {
  double slope = 0.0;
  double root = 0.0;
};

// Least squares of v = slope (x - root).
Line fit_line(const std::vector<std::pair<double, double>>& points) {
  double n = 0.0, x = 0.0, v = 0.0, xx = 0.0, xv = 0.0;
  for (const auto& [at, value] : points) {
    n += 1.0;
    x += at;
    v += value;
    xx += at * at;
    xv += at * value;
  }
  const double slope = (n * xv - x * v) / (n * xx - x * x);
  return {slope, x / n - v / n / slope};
}

double distance_m(const Grid& grid, int ix, int iz) {
  return std::hypot(grid.x_m(ix) + 0.9e-3, grid.z_m(iz) - 22.4e-3);
}

TEST(FlowOnTheDisk, VelocityIsLinearAndTowardsTheProbeOnTheLeft) {
  ECHO_NEED_DATA(kDisk);
  const OpenedSource opened = open_source((data_folder() / kDisk).string());
  ImagingParams p = disk_params(*opened.info.acquisition);
  set_from_text(p, "wall_filter=none");
  const FlowRun run = run_flow(opened.source, p, 32);
  const Grid& grid = run.flow.grid;
  std::vector<std::pair<double, double>> points;
  double inside = 0.0, outside = 0.0;
  int n_inside = 0, n_outside = 0;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const auto at = static_cast<std::size_t>(iz * grid.nx + ix);
      const double distance = distance_m(grid, ix, iz);
      const double power = std::pow(10.0, static_cast<double>(run.flow.power_db[at]) / 10.0);
      if (distance < 9e-3) {
        points.emplace_back(grid.x_m(ix), run.flow.velocity_m_s[at]);
        inside += power;
        ++n_inside;
      } else if (distance > 10.5e-3 && grid.z_m(iz) > 12e-3 && grid.z_m(iz) < 32e-3) {
        outside += power;
        ++n_outside;
      }
    }
  }
  const Line line = fit_line(points);
  const double contrast_db = 10.0 * std::log10(inside / n_inside / (outside / n_outside));
  std::printf("disk: velocity %.2f 1/s times x, zero at %.2f mm; aliasing limit %.3f m/s; power %.1f dB above water\n",
              line.slope, line.root * 1e3, run.flow.aliasing_m_s, contrast_db);
  // The recording's own reference: 60.52 1/s with positive velocities away from the probe; ours are the other way.
  const nlohmann::json stated =
      nlohmann::json::parse(testing::read_text(data_folder() / "must_pwi_disk/reference/metrics.json"))
          .at("kasai_axial_velocity_fit");
  const double want = -stated.at("dvz_dx_per_s").get<double>();
  EXPECT_NEAR(line.slope, want, 0.03 * std::abs(want));
  EXPECT_NEAR(line.root * 1e3, stated.at("centre_x_mm").get<double>(), 0.3);
  EXPECT_NEAR(run.flow.center_hz, 4.87e6, 0.02e6)
      << "the centroid of the RF's spectrum is 4.91 MHz, the aperture listens at an angle";
  EXPECT_NEAR(run.flow.aliasing_m_s, 1480.0 * 1e4 / (4.0 * run.flow.center_hz), 1e-9);
  EXPECT_GT(contrast_db, 10.0) << "power shows the disk";
}

// No tissue and little noise: nobody's choice of components may take one direction away.
TEST(FlowOnTheDisk, TheAutomaticChoiceKeepsBothDirections) {
  ECHO_NEED_DATA(kDisk);
  const OpenedSource opened = open_source((data_folder() / kDisk).string());
  ImagingParams p = disk_params(*opened.info.acquisition);
  set_from_text(p, "wall_filter=svd");
  const FlowRun run = run_flow(opened.source, p, 32);
  const Grid& grid = run.flow.grid;
  int right = 0, wrong = 0;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const double x_m = grid.x_m(ix) + 0.9e-3;
      if (distance_m(grid, ix, iz) > 9e-3 || std::abs(x_m) < 1e-3) continue;
      const auto velocity = static_cast<double>(run.flow.velocity_m_s[static_cast<std::size_t>(iz * grid.nx + ix)]);
      ++(velocity * x_m < 0.0 ? right : wrong);  // towards the probe, positive, on the left
    }
  }
  EXPECT_GT(right, 50 * wrong);
}

TEST(FlowOnTheDisk, TheRankNPictureIsThePicture) {
  ECHO_NEED_DATA(kDisk);
  const OpenedSource opened = open_source((data_folder() / kDisk).string());
  ImagingParams p = disk_params(*opened.info.acquisition);
  for (const char* setting : {"flow=low_rank", "svd_low=1", "svd_high=32"}) set_from_text(p, setting);
  const FlowRun run = run_flow(opened.source, p, 32);
  ASSERT_EQ(run.flow.stamp.source_index, 31U);
  ASSERT_EQ(run.flow.low_rank_db.size(), run.picture.db.size());
  for (std::size_t i = 0; i < run.picture.db.size(); ++i) {
    ASSERT_NEAR(run.flow.low_rank_db[i], run.picture.db[i], 0.01f) << i;
  }
}

// --- The flow phantom

struct Vessel {
  std::string filter;
  double motion_m_s;
};

class FlowInTheVessel : public ::testing::TestWithParam<Vessel> {};

PhantomSettings vessel_settings(double motion_m_s) {
  PhantomSettings s;
  s.name = "flow";
  s.angles_rad = {0.0};
  s.frame_rate_hz = 2000.0;
  s.noise_db = -35.0;
  s.flow = {.peak_m_s = 0.2, .pulsation = 0.0, .angle_rad = 30.0 * kRadiansPerDegree, .motion_m_s = motion_m_s};
  return s;
}

// v = a + b r + c r^2 by least squares over the points: the vessel's profile is such a parabola.
struct Parabola {
  double peak = 0.0;
  double diameter = 0.0;
};

Parabola fit_parabola(const std::vector<std::pair<double, double>>& points) {
  double m[3][4] = {};
  for (const auto& [r, v] : points) {
    const double powers[3] = {1.0, r, r * r};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] += powers[i] * powers[j];
      m[i][3] += powers[i] * v;
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      if (k == i) continue;
      const double f = m[k][i] / m[i][i];
      for (int j = i; j < 4; ++j) m[k][j] -= f * m[i][j];
    }
  }
  const double a = m[0][3] / m[0][0], b = m[1][3] / m[1][1], c = m[2][3] / m[2][2];
  return {a - b * b / (4.0 * c), std::sqrt(b * b - 4.0 * a * c) / std::abs(c)};
}

TEST_P(FlowInTheVessel, PeakAndDiameterAreTrue) {
  const PhantomSettings settings = vessel_settings(GetParam().motion_m_s);
  const std::shared_ptr<SeekableSource> source = make_phantom(settings);
  const Acquisition& a = *source->acquisition();
  ImagingParams p = default_params(a);
  const int frames = 128;
  for (const std::string& setting :
       {std::string("lateral_min_m=-0.006"), std::string("lateral_max_m=0.006"), std::string("grid_nx=49"),
        std::string("depth_min_m=0.012"), std::string("depth_max_m=0.024"), std::string("grid_nz=121"),
        std::string("reference_db=0"), std::string("flow=velocity"), "flow_frames=" + std::to_string(frames),
        "wall_filter=" + GetParam().filter}) {
    set_from_text(p, setting);
  }
  const FlowRun run = run_flow(source, p, frames);
  ImagingParams unfiltered = p;
  set_from_text(unfiltered, "wall_filter=none");
  const FlowRun before = run_flow(make_phantom(settings), unfiltered, frames);
  const FlowTruth truth = flow_phantom_truth(settings, static_cast<std::uint64_t>(frames / 2));
  const Grid& grid = run.flow.grid;
  // Along the vessel: the axial velocity without the tissue's own, over the sine of the vessel's angle.
  std::vector<std::pair<double, double>> points;
  double blood[2] = {}, tissue[2] = {};
  int n_blood = 0, n_tissue = 0;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const auto at = static_cast<std::size_t>(iz * grid.nx + ix);
      const double across =
          -grid.x_m(ix) * std::sin(truth.angle_rad) + (grid.z_m(iz) - truth.axis.z_m) * std::cos(truth.angle_rad);
      const double down = -static_cast<double>(run.flow.velocity_m_s[at]) - truth.tissue_m_s;
      const double share = std::abs(across) / truth.radius_m;
      if (share < 0.8) points.emplace_back(across, down / std::sin(truth.angle_rad));
      const double power[2] = {std::pow(10.0, static_cast<double>(before.flow.power_db[at]) / 10.0),
                               std::pow(10.0, static_cast<double>(run.flow.power_db[at]) / 10.0)};
      if (share < 0.6) ++n_blood;
      if (share > 1.6) ++n_tissue;
      for (int i = 0; i < 2; ++i) {
        if (share < 0.6) blood[i] += power[i];
        if (share > 1.6) tissue[i] += power[i];
      }
    }
  }
  const Parabola fit = fit_parabola(points);
  const auto contrast_db = [&](int i) { return 10.0 * std::log10(blood[i] / n_blood / (tissue[i] / n_tissue)); };
  std::printf(
      "vessel, %s, tissue at %.0f mm/s: peak %.1f mm/s (true %.1f, %+.1f %%), diameter %.2f mm (true %.2f, "
      "%+.1f %%), blood over tissue %.1f dB before the filter, %.1f dB behind; components %d to %d, %.2f MHz "
      "received\n",
      GetParam().filter.c_str(), GetParam().motion_m_s * 1e3, fit.peak * 1e3, truth.peak_m_s * 1e3,
      100.0 * (fit.peak / truth.peak_m_s - 1.0), fit.diameter * 1e3, 2e3 * truth.radius_m,
      100.0 * (fit.diameter / (2.0 * truth.radius_m) - 1.0), contrast_db(0), contrast_db(1), run.flow.components.first,
      run.flow.components.last, run.flow.center_hz * 1e-6);
  EXPECT_NEAR(fit.peak, truth.peak_m_s, 0.03 * truth.peak_m_s);
  EXPECT_NEAR(fit.diameter, 2.0 * truth.radius_m, 0.05 * 2.0 * truth.radius_m);
  EXPECT_LT(contrast_db(0), -5.0) << "blood is weaker than tissue";
  EXPECT_GT(contrast_db(1), 10.0) << "behind the filter it is stronger";
}

INSTANTIATE_TEST_SUITE_P(Filters, FlowInTheVessel,
                         ::testing::Values(Vessel{"svd", 0.0}, Vessel{"svd", 0.005}, Vessel{"svd", 0.010},
                                           Vessel{"fir", 0.0}, Vessel{"fir", 0.005}, Vessel{"fir", 0.010}),
                         [](const auto& info) {
                           return info.param.filter + "_" +
                                  std::to_string(static_cast<int>(info.param.motion_m_s * 1e3)) + "_mm_s";
                         });

}  // namespace
}  // namespace echoloop::flow_test
