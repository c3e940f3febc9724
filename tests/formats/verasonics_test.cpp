// Verasonics workspaces, written here with the MATLAB library itself: geometry in wavelengths, channels in the order of
// the connector, events out of order, and time zero by hand-made numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats/base/acquisition_json.h"
#include "formats/support.h"
#include "formats/verasonics_fixture.h"

namespace echoloop::verasonics_test {
namespace {

using namespace test;
using namespace test::verasonics;

TEST(Verasonics, LinesByEventAndConnector) {
  for (const auto& [container, inside] :
       {std::pair{Workspace::Container::v5, ""}, {Workspace::Container::v73, ""}, {Workspace::Container::v5, "acq"}}) {
    Workspace w;
    w.container = container;
    w.inside = inside;
    const Recording r = open_workspace(w);
    ASSERT_EQ(r.frame_count, kFrames);
    const Acquisition& a = *r.acquisition;
    EXPECT_EQ(a.n_transmits(), 2);
    EXPECT_EQ(a.n_elements(), static_cast<int>(kElements));
    EXPECT_EQ(a.n_samples, static_cast<int>(kSamples));
    EXPECT_EQ(a.sample_type, SampleType::int16);
    EXPECT_EQ(a.probe.name, "L8");
    EXPECT_NEAR(a.sampling_hz, 20e6, 1e-3);
    EXPECT_NEAR(a.center_hz, 5e6, 1e-3);
    EXPECT_NEAR(a.bandwidth_hz, 4e6, 1e-3);
    EXPECT_NEAR(a.sound_speed_m_s, verasonics::kSpeed_m_s, 1e-9);
    for (std::size_t f = 0; f < kFrames; ++f) {
      for (std::size_t shot = 0; shot < 2; ++shot) {
        EXPECT_EQ(value_at(r, f, shot, 2, 5), sample_at(first_row(shot) + 5, 8 + 2, f));
      }
    }
  }
}

TEST(Verasonics, AcquisitionsAlongTheThirdAxis) {
  for (const Workspace::Container container : {Workspace::Container::v5, Workspace::Container::v73}) {
    Workspace w;
    w.container = container;
    w.name = "rf";
    w.reshaped = true;
    const Recording r = open_workspace(w);
    ASSERT_EQ(r.frame_count, 1U);
    EXPECT_TRUE(assumes(*r.acquisition, "third axis of rf"));
    for (std::size_t shot = 0; shot < 2; ++shot)
      for (std::size_t k = 0; k < kSamples; ++k)
        EXPECT_EQ(value_at(r, 0, shot, 2, k), sample_at(first_row(shot) + k, 8 + 2, 0));
  }
}

// As scipy.io.savemat writes a list of dictionaries: the same recording.
TEST(Verasonics, CellsOfStructs) {
  for (const Workspace::Container container : {Workspace::Container::v5, Workspace::Container::v73}) {
    for (const char* const name : {"RcvData", "rf"}) {
      for (const char* const inside : {"", "acq"}) {
        Workspace w;
        w.container = container;
        w.name = name;
        w.inside = inside;
        w.wait_us = 100.0;
        if (*inside != '\0' && name == std::string("rf")) continue;  // a workspace in a struct has RcvData
        const Recording plain = open_workspace(w);
        w.in_cells = true;
        const Recording cells = open_workspace(w);
        ASSERT_EQ(cells.frame_count, plain.frame_count);
        EXPECT_EQ(acquisition_to_json(*cells.acquisition), acquisition_to_json(*plain.acquisition)) << name << inside;
        EXPECT_EQ(value_at(cells, 2, 1, 2, 5), value_at(plain, 2, 1, 2, 5));
      }
    }
  }
}

// Sample 0 was taken 2 startDepth after the first firing, less the pulse's peak and both ways through the lens; the
// wave passes the origin half an aperture's delay after the first firing.
TEST(Verasonics, PlaneWavesAreCountedFromTheOrigin) {
  for (const bool with_delays : {true, false}) {
    Workspace w;
    w.with_delays = with_delays;
    const Recording r = open_workspace(w);
    for (std::size_t k = 0; k < 2; ++k) {
      const Transmit& t = r.acquisition->transmits[k];
      EXPECT_EQ(t.kind, TransmitKind::plane);
      EXPECT_NEAR(t.angle_rad, w.angles_rad[k], 1e-12);
      const double periods = 2.0 * w.start_depth - w.peak - 2.0 * w.lens - 3.5 * std::sin(0.1);
      EXPECT_NEAR(t.t0_s, periods / 5e6, 1e-12) << with_delays;
    }
  }
}

TEST(Verasonics, VirtualSourcesAndMillimetres) {
  for (const double focus : {-20.0, 30.0}) {
    Workspace w;
    w.focus = focus;
    w.units = "mm";
    const Recording r = open_workspace(w);
    const Transmit& t = r.acquisition->transmits[1];
    EXPECT_EQ(t.kind, focus < 0.0 ? TransmitKind::diverging : TransmitKind::focused);
    EXPECT_NEAR(t.source_x_m, focus * std::sin(0.1) * kWavelength_m, 1e-9);
    EXPECT_NEAR(t.source_z_m, focus * std::cos(0.1) * kWavelength_m, 1e-9);
    EXPECT_NEAR(r.acquisition->probe.elements[7].x_m, 3.5 * kWavelength_m, 1e-9);
    double passage = -HUGE_VAL;  // the farthest element of a focused law fires first
    for (std::size_t e = 0; e < kElements; ++e) {
      const double d = std::hypot(element_x(e) - focus * std::sin(0.1), focus * std::cos(0.1));
      passage = std::max(passage, focus < 0.0 ? std::abs(focus) - d : d - focus);
    }
    EXPECT_NEAR(t.t0_s, (2.0 * w.start_depth - w.peak - 2.0 * w.lens - passage) / 5e6, 1e-12);
  }
}

// The delays alone say what wave it is: without Steer and focus nothing is assumed about them.
TEST(Verasonics, WavesWithoutNotes) {
  for (const double focus : {0.0, -20.0, 30.0}) {
    Workspace noted, bare;
    noted.focus = bare.focus = focus;
    bare.with_notes = false;
    const Recording a = open_workspace(noted), b = open_workspace(bare);
    EXPECT_EQ(a.acquisition->assumptions, b.acquisition->assumptions);
    for (std::size_t k = 0; k < 2; ++k) {
      const Transmit &x = a.acquisition->transmits[k], &y = b.acquisition->transmits[k];
      EXPECT_EQ(x.kind, y.kind);
      EXPECT_NEAR(x.angle_rad, y.angle_rad, 1e-9);
      EXPECT_NEAR(x.source_x_m, y.source_x_m, 1e-7);
      EXPECT_NEAR(x.source_z_m, y.source_z_m, 1e-7);
      EXPECT_NEAR(x.t0_s, y.t0_s, 1e-11);
    }
  }
}

// Delays of 0 would do for a plane wave; one element that fires alone is a source of its own.
TEST(Verasonics, OneElementAloneIsASource) {
  Workspace w;
  w.one_by_one = true;
  w.angles_rad = {0.0, 0.0};
  const Recording r = open_workspace(w);
  for (std::size_t k = 0; k < 2; ++k) {
    const Transmit& t = r.acquisition->transmits[k];
    const double x = element_x(3 * k);  // wavelengths
    EXPECT_EQ(t.kind, TransmitKind::diverging);
    EXPECT_NEAR(t.source_x_m, x * kWavelength_m, 1e-12);
    EXPECT_EQ(t.source_z_m, 0.0);
    EXPECT_NEAR(t.t0_s, (2.0 * w.start_depth - w.peak - 2.0 * w.lens - std::abs(x)) / 5e6, 1e-12);
  }
}

TEST(Verasonics, SamplesPerWavelengthByTheMode) {
  for (const auto& [mode, per_wave] : {std::pair{"NS200BW", 4.0}, {"BS67BW", 4.0 / 3.0}}) {
    Workspace w;
    w.sample_mode = mode;
    const Recording r = open_workspace(w);
    EXPECT_NEAR(r.acquisition->sampling_hz, per_wave * 5e6, 1e-3) << mode;
    EXPECT_EQ(r.acquisition->signal, SignalKind::rf);
  }
  Workspace interleaved;
  interleaved.sample_mode = "NS200BWI";
  EXPECT_TRUE(contains(refused_workspace(interleaved), "NS200BWI"));
}

// Two neighbouring rows are I and -Q; the mixer counts from the file's first sample, the program from its time zero,
// and the time of a pair is half a quarter of a period after that of its I.
// Arrays of TX hold the connected elements only; elements that were not connected received nothing.
// What elements 2 and 5 send together, with the same sign and with opposite ones, is undone.
TEST(Verasonics, FocalPointsAreBelievedBeforeFocus) {
  Workspace w;
  w.focus = 30.0;
  w.angles_rad = {0.0, 0.0};
  w.focal_point = {0.0, 0.0, 30.0};
  const std::vector<Assumption> right = open_workspace(w).acquisition->assumptions;
  w.focal_point = {5.0, 0.0, 30.0};
  EXPECT_EQ(open_workspace(w).acquisition->assumptions.size(),
            right.size() + 1);  // delays disagree
}

TEST(Verasonics, BuffersNamesAndTypesOfTheUser) {
  Workspace second, own_name, wide;
  second.buffer = 2;
  own_name.name = "RFData_tot";
  wide.as_double = true;
  for (const Workspace::Container container : {Workspace::Container::v5, Workspace::Container::v73}) {
    for (Workspace w : {second, own_name, wide}) {
      w.container = container;
      const Recording r = open_workspace(w);
      EXPECT_EQ(r.acquisition->sample_type, w.as_double ? SampleType::float32 : SampleType::int16);
      EXPECT_EQ(value_at(r, 2, 1, 2, 5), sample_at(first_row(1) + 5, 8 + 2, 2));
    }
  }
}

TEST(Verasonics, ColumnsInTheOrderOfTheElements) {
  Workspace w;
  w.n_columns = kElements;  // as they are left when a script has picked them by Trans.Connector
  const Recording r = open_workspace(w);
  EXPECT_EQ(value_at(r, 1, 1, 2, 5), sample_at(first_row(1) + 5, 2, 1));
  EXPECT_TRUE(std::any_of(
      r.acquisition->assumptions.begin(), r.acquisition->assumptions.end(),
      [](const Assumption& a) { return a.text.find("in the order of the elements") != std::string::npos; }));
}

TEST(Verasonics, WithoutReceiveTheRowsAreSharedEvenly) {
  Workspace w;
  w.with_receive = w.with_peak = false;
  const Recording r = open_workspace(w);
  EXPECT_EQ(r.acquisition->n_samples, static_cast<int>(kSamples));
  EXPECT_EQ(value_at(r, 1, 1, 0, 3), sample_at(kSamples + 3, 8, 1));
  EXPECT_GE(r.acquisition->assumptions.size(), 3U);
}

TEST(Verasonics, RefusesWhatCannotBe) {
  Workspace beyond;
  beyond.end_sample_excess = 1.0;
  EXPECT_NE(refused_workspace(beyond), "");
  Workspace channel;
  channel.connector.back() = 17;
  EXPECT_NE(refused_workspace(channel), "");
  Workspace coded;
  coded.weights = {{1, 1, 1, 1, 1, 1, 1, 1}, {1, -1, 1, -1, 1, -1, 1, -1}};  // 8 elements in 2 transmits
  EXPECT_TRUE(contains(refused_workspace(coded), "both signs, of 8 elements in 2"));
  coded.weights = {{0, 0, 1, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, -2, 0, 0}};
  EXPECT_TRUE(contains(refused_workspace(coded), "without an orthogonal code"));
  Workspace units;
  units.units = "inch";
  EXPECT_NE(refused_workspace(units), "");
}

TEST(Verasonics, TheSmallFixtureOpens) {
  ECHO_NEED_DATA("");
  const Recording r = open_recording(testing::data_folder() / "format_fixtures" / "verasonics_like_v5.mat");
  EXPECT_EQ(r.acquisition->n_transmits(), 2);
  EXPECT_EQ(r.frame_count, 2U);
}

}  // namespace
}  // namespace echoloop::verasonics_test
