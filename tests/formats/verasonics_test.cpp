// Verasonics workspaces, written here with the MATLAB library itself: geometry in wavelengths, channels in the order of
// the connector, events out of order, and time zero by hand-made numbers.
#include <gtest/gtest.h>
#include <matio.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "formats/support.h"
#include "support/one_line.h"

namespace echoloop {
namespace {

using namespace test;

constexpr std::size_t kElements = 8, kColumns = 16, kSamples = 32, kFrames = 3;
constexpr double kFrequency_mhz = 5.0, kSpeed_m_s = 1500.0, kPitchWavelengths = 1.0;
constexpr double kWavelength_m = kSpeed_m_s / (kFrequency_mhz * 1e6);

using Variable = matvar_t*;  // owned by the struct or file that it goes into

Variable numbers(const char* name, std::vector<std::size_t> dims, std::vector<double> values) {
  return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(dims.size()), dims.data(), values.data(), 0);
}
Variable number(double value) { return numbers(nullptr, {1, 1}, {value}); }
Variable row(std::vector<double> values) {
  const std::size_t n = values.size();
  return numbers(nullptr, {1, n}, std::move(values));
}
Variable text(std::string words) {
  std::size_t dims[2] = {1, words.size()};
  return Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UINT8, 2, dims, words.data(), 0);
}

using Fields = std::vector<std::pair<const char*, Variable>>;

Variable structure(const char* name, std::vector<Fields> elements) {
  std::vector<const char*> names;
  for (const auto& [field, value] : elements.front()) names.push_back(field);
  std::size_t dims[2] = {1, elements.size()};
  Variable made = Mat_VarCreateStruct(name, 2, dims, names.data(), static_cast<unsigned>(names.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (const auto& [field, value] : elements[i]) Mat_VarSetStructFieldByName(made, field, i, value);
  }
  return made;
}

struct Workspace {
  std::vector<double> angles_rad = {-0.1, 0.1};
  double focus = 0.0;  // wavelengths
  std::string units = "wavelengths";
  bool with_receive = true, with_delays = true, with_peak = true;
  std::vector<double> connector = {9, 10, 11, 12, 13, 14, 15, 16};
  double start_depth = 4.0, lens = 0.5, peak = 1.25;  // wavelengths
  double end_sample_excess = 0.0;
  mat_ft version = MAT_FT_MAT5;
  std::string name = "RcvData", sample_mode;  // sample_mode: instead of decimSampleRate
  double buffer = 1.0;                        // 2: after an empty one
  bool one_by_one = false;                    // TX(k) fires element 3 k alone
  bool with_notes = true;                     // Steer and focus
  bool as_double = false;
};

double element_x(std::size_t e) { return (static_cast<double>(e) - 3.5) * kPitchWavelengths; }  // wavelengths

std::int16_t sample_at(std::size_t r, std::size_t column, std::size_t page) {
  return static_cast<std::int16_t>(r + 100 * column + 5000 * page);
}

// The second shot of each frame lies first in its rows.
std::size_t first_row(std::size_t shot) { return shot == 0 ? kSamples : 0; }

Variable transmits(const Workspace& w) {
  std::vector<Fields> all;
  for (const double angle : w.angles_rad) {
    std::vector<double> delays(kElements);
    double least = HUGE_VAL;
    for (std::size_t e = 0; e < kElements; ++e) {
      const double sx = w.focus * std::sin(angle), sz = w.focus * std::cos(angle);
      delays[e] = w.focus == 0.0  ? element_x(e) * std::sin(angle)
                  : w.focus < 0.0 ? std::hypot(element_x(e) - sx, sz)
                                  : -std::hypot(element_x(e) - sx, sz);
      least = std::min(least, delays[e]);
    }
    for (double& d : delays) d -= least;  // the first element fires at 0
    std::vector<double> weights(kElements, w.one_by_one ? 0.0 : 1.0);
    if (w.one_by_one) weights[3 * all.size()] = 1.0, delays.assign(kElements, 0.0);
    Fields tx = {{"Origin", row({0.0, 0.0, 0.0})}, {"Apod", row(weights)}};
    if (w.with_notes) tx.insert(tx.end(), {{"Steer", row({angle, 0.0})}, {"focus", number(w.focus)}});
    if (w.with_delays) tx.emplace_back("Delay", row(delays));
    all.push_back(std::move(tx));
  }
  return structure("TX", std::move(all));
}

std::filesystem::path write(const TempFolder& folder, const Workspace& w) {
  const std::filesystem::path path = folder.path() / "workspace.mat";
  std::filesystem::remove(path);
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, w.version);
  const auto put = [&](Variable v) {
    Mat_VarWrite(file, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
  };
  std::vector<std::int16_t> samples;
  const std::size_t rows = 2 * kSamples;
  for (std::size_t p = 0; p < kFrames; ++p) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      for (std::size_t r = 0; r < rows; ++r) samples.push_back(sample_at(r, c, p));
    }
  }
  std::size_t dims[3] = {rows, kColumns, kFrames};
  std::vector<double> wide(samples.begin(), samples.end());
  Variable cell_value = w.as_double ? Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, wide.data(), 0)
                                    : Mat_VarCreate(nullptr, MAT_C_INT16, MAT_T_INT16, 3, dims, samples.data(), 0);
  std::size_t cells[2] = {1, static_cast<std::size_t>(w.buffer)};
  Variable cell = Mat_VarCreate(w.name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, cells, nullptr, 0);
  if (cells[1] == 2) Mat_VarSetCell(cell, 0, numbers(nullptr, {0, 0}, {}));
  Mat_VarSetCell(cell, static_cast<int>(cells[1]) - 1, cell_value);
  put(cell);
  const double unit = w.units == "mm" ? kWavelength_m * 1e3 : 1.0;  // of a wavelength
  std::vector<double> positions(kElements * 5, 0.0);
  for (std::size_t e = 0; e < kElements; ++e) positions[e] = element_x(e) * unit;
  put(structure("Trans", {{{"name", text("L8")},
                           {"units", text(w.units)},
                           {"frequency", number(kFrequency_mhz)},
                           {"ElementPos", numbers(nullptr, {kElements, 5}, positions)},
                           {"Connector", numbers(nullptr, {w.connector.size(), 1}, w.connector)},
                           {"Bandwidth", row({3.0, 7.0})},
                           {"lensCorrection", number(w.lens * unit)}}}));
  put(structure("Resource", {{{"Parameters", structure(nullptr, {{{"speedOfSound", number(kSpeed_m_s)}}})}}}));
  put(transmits(w));
  if (w.with_peak) put(structure("TW", {{{"peak", number(w.peak)}}}));
  if (w.with_receive) {
    std::vector<Fields> receive, events;
    for (std::size_t f = 0; f < kFrames; ++f) {
      for (std::size_t k = 0; k < 2; ++k) {
        receive.push_back({{"startSample", number(static_cast<double>(first_row(k) + 1))},
                           {"endSample", number(static_cast<double>(first_row(k) + kSamples) + w.end_sample_excess)},
                           {"framenum", number(static_cast<double>(f + 1))},
                           {"acqNum", number(static_cast<double>(k + 1))},
                           {"bufnum", number(w.buffer)},
                           {"startDepth", number(w.start_depth)},
                           w.sample_mode.empty() ? Fields::value_type{"decimSampleRate", number(20.0)}
                                                 : Fields::value_type{"sampleMode", text(w.sample_mode)}});
        events.push_back(
            {{"tx", number(static_cast<double>(k + 1))}, {"rcv", number(static_cast<double>(2 * f + k + 1))}});
      }
      events.push_back({{"tx", number(0)}, {"rcv", number(0)}});  // a pause
    }
    put(structure("Receive", std::move(receive)));
    put(structure("Event", std::move(events)));
  }
  Mat_Close(file);
  return path;
}

double value_at(const Recording& r, std::size_t frame, std::size_t shot, std::size_t element, std::size_t k) {
  return sample(r, frame, static_cast<int>(shot), static_cast<int>(element), static_cast<int>(k));
}

TEST(Verasonics, LinesByEventAndConnector) {
  const TempFolder folder;
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    Workspace w;
    w.version = version;
    const Recording r = open_recording(write(folder, w));
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
    EXPECT_NEAR(a.sound_speed_m_s, kSpeed_m_s, 1e-9);
    for (std::size_t f = 0; f < kFrames; ++f) {
      for (std::size_t shot = 0; shot < 2; ++shot) {
        EXPECT_EQ(value_at(r, f, shot, 2, 5), sample_at(first_row(shot) + 5, 8 + 2, f));
      }
    }
  }
}

// Sample 0 was taken 2 startDepth after the first firing, less the pulse's peak and both ways through the lens; the
// wave passes the origin half an aperture's delay after the first firing.
TEST(Verasonics, PlaneWavesAreCountedFromTheOrigin) {
  for (const bool with_delays : {true, false}) {
    const TempFolder folder;
    Workspace w;
    w.with_delays = with_delays;
    const Recording r = open_recording(write(folder, w));
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
    const TempFolder folder;
    Workspace w;
    w.focus = focus;
    w.units = "mm";
    const Recording r = open_recording(write(folder, w));
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
    const TempFolder folder;
    Workspace noted, bare;
    noted.focus = bare.focus = focus;
    bare.with_notes = false;
    const Recording a = open_recording(write(folder, noted)), b = open_recording(write(folder, bare));
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
  const TempFolder folder;
  Workspace w;
  w.one_by_one = true;
  w.angles_rad = {0.0, 0.0};
  const Recording r = open_recording(write(folder, w));
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
  const TempFolder folder;
  for (const auto& [mode, per_wave] :
       {std::pair{"NS200BW", 4.0}, {"BS100BW", 2.0}, {"BS67BW", 4.0 / 3.0}, {"BS50BW", 1.0}}) {
    Workspace w;
    w.sample_mode = mode;
    EXPECT_NEAR(open_recording(write(folder, w)).acquisition->sampling_hz, per_wave * 5e6, 1e-3) << mode;
  }
}

TEST(Verasonics, BuffersNamesAndTypesOfTheUser) {
  const TempFolder folder;
  Workspace second, own_name, wide;
  second.buffer = 2.0;
  own_name.name = "RFData_tot";
  wide.as_double = true;
  for (const Workspace& w : {second, own_name, wide}) {
    const Recording r = open_recording(write(folder, w));
    EXPECT_EQ(r.acquisition->sample_type, w.as_double ? SampleType::float32 : SampleType::int16);
    EXPECT_EQ(value_at(r, 2, 1, 2, 5), sample_at(first_row(1) + 5, 8 + 2, 2));
  }
}

TEST(Verasonics, WithoutReceiveTheRowsAreSharedEvenly) {
  const TempFolder folder;
  Workspace w;
  w.with_receive = w.with_peak = false;
  const Recording r = open_recording(write(folder, w));
  EXPECT_EQ(r.acquisition->n_samples, static_cast<int>(kSamples));
  EXPECT_EQ(value_at(r, 1, 1, 0, 3), sample_at(kSamples + 3, 8, 1));
  EXPECT_GE(r.acquisition->assumptions.size(), 3U);
}

TEST(Verasonics, RefusesWhatCannotBe) {
  const TempFolder folder;
  Workspace beyond;
  beyond.end_sample_excess = 1.0;
  EXPECT_NE(refusal(write(folder, beyond)), "");
  Workspace channel;
  channel.connector.back() = 17;
  EXPECT_NE(refusal(write(folder, channel)), "");
  Workspace units;
  units.units = "inch";
  EXPECT_NE(refusal(write(folder, units)), "");
}

TEST(Verasonics, TheSmallFixtureOpens) {
  ECHO_NEED_DATA();
  const Recording r = open_recording(data_root() / "format_fixtures" / "verasonics_like_v5.mat");
  EXPECT_EQ(r.acquisition->n_transmits(), 2);
  EXPECT_EQ(r.frame_count, 2U);
}

}  // namespace
}  // namespace echoloop
