// The settings behind sim:NAME: text and back, the table's ranges, and a flow phantom that needs no adjustment.
#include "source/phantom_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/params.h"
#include "source/phantom.h"
#include "source/phantom_text.h"
#include "support/sanitized.h"

namespace echoloop::phantom_settings_test {
namespace {

// Returns the largest angle between a transmitted wave at a point and the depth axis.
double largest_steering_rad(const Acquisition& a, PlanePoint at) {
  double largest = 0.0;
  for (const Transmit& t : a.transmits) {
    const double steered =
        t.kind == TransmitKind::plane ? t.angle_rad : std::atan2(at.x_m - t.source_x_m, at.z_m - t.source_z_m);
    largest = std::max(largest, steered);
  }
  return largest;
}

TEST(PhantomSettings, TextAndBack) {
  EXPECT_EQ(phantom_text(parse_phantom("flow")), "flow");
  for (const char* text :
       {"heart", "flow,probe=L128,peak_mm_s=120", "cyst,angles_deg=-10/0/10,rate_hz=25,noise_db=-20,seed=7",
        "flow,rate_hz=500,pulsation=0,angle_deg=-30,radius_mm=3,motion_mm_s=5", "points,sound_speed_m_s=1480"}) {
    EXPECT_EQ(phantom_text(parse_phantom(phantom_text(parse_phantom(text)))), phantom_text(parse_phantom(text)));
  }
  EXPECT_EQ(phantom_text(parse_phantom("flow,probe=L128,peak_mm_s=120")), "flow,probe=L128,peak_mm_s=120");
  EXPECT_EQ(phantom_text(parse_phantom("flow,peak_mm_s=220")), "flow") << "the default is not repeated";
  EXPECT_EQ(phantom_text(parse_phantom("heart,probe=P4-2v,heart_rate=72,angles_deg=-25/0/25")), "heart");
  EXPECT_EQ(phantom_text(parse_phantom("heart,probe=L64,heart_rate=120,blood_mm_s=5")),
            "heart,probe=L64,heart_rate=120,blood_mm_s=5");
}

TEST(PhantomSettings, OnALinearProbeUnlessOneIsNamed) {
  EXPECT_EQ(on_linear_probe("sim:heart"), "sim:heart,probe=L64");
  EXPECT_EQ(on_linear_probe("sim:heart,seed=3"), "sim:heart,probe=L64,seed=3");
  EXPECT_EQ(on_linear_probe("sim:heart,probe=P4-2v"), "sim:heart,probe=P4-2v");
  EXPECT_EQ(on_linear_probe("sim:flow,angle_deg=30"), "sim:flow,angle_deg=30");
  EXPECT_EQ(on_linear_probe("recording.uff"), "recording.uff");
}

TEST(PhantomSettings, EveryNumberIsSetReadAndChecked) {
  for (const PhantomSetting& row : phantom_table()) {
    const std::string name = row.group == SettingGroup::heart ? "heart" : "flow";
    PhantomSettings settings = parse_phantom(name);
    EXPECT_NO_THROW(check_phantom(settings));
    for (const double bound : {row.least, row.most}) {
      settings = parse_phantom(name + "," + std::string(row.key) + "=" + std::to_string(bound));
      EXPECT_NEAR(row.get(settings) / row.per_unit, bound, 1e-9 * std::max(1.0, std::abs(bound))) << row.key;
      EXPECT_NO_THROW(check_phantom(settings)) << row.key << " " << bound;
    }
    settings = parse_phantom(name);
    row.set(settings, (row.most + 0.01 * (row.most - row.least)) * row.per_unit);
    EXPECT_THROW(check_phantom(settings), Error) << row.key;
    EXPECT_GE(row.track_least, row.least) << row.key;
    EXPECT_LE(row.track_most, row.most) << row.key;
  }
}

// As it comes: tens of cm/s at a PRF of kilohertz, and no aliasing.
TEST(PhantomSettings, TheFlowPhantomNeedsNoAdjustment) {
  for (const ProbeModel& probe : probe_models()) {
    if (testing::kSanitized && &probe != &probe_models().front()) break;
    const PhantomSettings settings = parse_phantom("flow,probe=" + std::string(probe.name));
    const auto source = make_phantom(settings);
    const Acquisition& a = *source->acquisition();
    EXPECT_GE(a.frame_rate_hz, 1000.0);
    const FlowTruth truth = flow_phantom_truth(settings, 0);  // the fastest moment
    EXPECT_GE(truth.peak_m_s, 0.2);
    EXPECT_LE(truth.peak_m_s, 0.6);
    EXPECT_NEAR(default_params(a).doppler.x_m, truth.axis.x_m, 1e-9);
    // Geometric broadening: the steepest wave out, the aperture's edge back.
    const double steering_rad = largest_steering_rad(a, truth.axis);
    const double half_width_m = 0.5 * a.probe.pitch_m * (a.n_elements() - 1);
    const double edge_rad =
        std::min(std::atan(0.5 / default_params(a).formation.f_number), std::atan(half_width_m / truth.axis.z_m));
    const double most_m_s =
        0.5 * truth.peak_m_s * (std::sin(truth.angle_rad + steering_rad) + std::sin(truth.angle_rad + edge_rad));
    const double nyquist_m_s = a.sound_speed_m_s * a.frame_rate_hz / (4.0 * a.center_hz);
    EXPECT_LT(most_m_s, nyquist_m_s) << probe.name;
  }
}

}  // namespace
}  // namespace echoloop::phantom_settings_test
