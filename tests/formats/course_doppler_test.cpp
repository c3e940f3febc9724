// The short course's Doppler data, an image that came beamformed: what is understood of it, and hostile variants.
#include <complex>
#include <limits>

#include "formats/file_outline.h"
#include "formats/support.h"

namespace echoloop::course_doppler_test {
namespace {

using namespace test;

constexpr std::size_t kFrames = 2, kColumns = 3, kRows = 4;
constexpr double kSpeed = 1500.0, kRowStep = 0.1e-3;

std::complex<float> value(std::size_t frame, std::size_t column, std::size_t row) {
  const auto k = static_cast<float>((frame * kColumns + column) * kRows + row);
  return {k, -2.0F * k};
}

std::string number(double v) { return npy("<f8", false, "()", packed<double>({v})); }
std::string list(const std::vector<double>& values) {
  return npy("<f8", false, "(" + std::to_string(values.size()) + ",)", packed(values));
}

template <class Real>
std::string iq_array(const std::string& descr) {
  std::vector<Real> values;
  for (std::size_t k = 0; k < kFrames * kColumns * kRows; ++k) {
    const std::complex<float> v = value(0, 0, k);
    values.push_back(static_cast<Real>(v.real()));
    values.push_back(static_cast<Real>(v.imag()));
  }
  return npy(descr, false, "(2, 3, 4)", packed(values));
}

// The course's layout; `changed` replaces a member, empty content leaves it out.
std::string archive(const ZipEntry& changed = {}, bool deflate = false) {
  std::vector<ZipEntry> entries = {{"iq.npy", iq_array<float>("<c8")},
                                   {"xgrid.npy", list({-1e-3, 0.0, 1e-3})},
                                   {"zgrid.npy", list({5e-3, 5.1e-3, 5.2e-3, 5.3e-3})},
                                   {"prf.npy", number(2500)},
                                   {"c.npy", number(kSpeed)},
                                   {"tx_frequency.npy", number(4.5e6)}};
  std::vector<ZipEntry> kept;
  for (ZipEntry& entry : entries) {
    if (entry.name == changed.name) entry.content = changed.content;
    entry.deflate = deflate;
    if (!entry.content.empty()) kept.push_back(entry);
  }
  return zip(kept);
}

void expect_understood(const Recording& recording) {
  const Acquisition& a = *recording.acquisition;
  EXPECT_TRUE(contains(recording.format, "Doppler"));
  EXPECT_EQ(a.data, DataKind::beamformed);
  EXPECT_EQ(a.signal, SignalKind::iq);
  EXPECT_EQ(a.frame_rate_hz, 2500.0);
  EXPECT_EQ(a.demod_hz, 4.5e6);
  EXPECT_NEAR(a.sampling_hz, 0.5 * kSpeed / kRowStep, 1.0);
  EXPECT_NEAR(a.transmits.at(0).t0_s, 2.0 * 5e-3 / kSpeed, 1e-12);
  EXPECT_EQ(a.probe.elements.at(2).x_m, 1e-3);
  ASSERT_EQ(recording.frame_count, kFrames);
  for (std::size_t f = 0; f < kFrames; ++f) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto at = [&](int part) {
          return sample(recording, f, 0, static_cast<int>(c), static_cast<int>(r), part);
        };
        EXPECT_EQ(at(0), value(f, c, r).real());
        EXPECT_EQ(at(1), value(f, c, r).imag());
      }
    }
  }
}

TEST(CourseDoppler, OpensAsAPictureThatCameBeamformed) {
  const TemporaryFolder folder;
  for (const bool deflate : {false, true})
    expect_understood(open_recording(folder.write("a.npz", archive({}, deflate))));
  expect_understood(open_recording(folder.write("b.npz", archive({"iq.npy", iq_array<double>("<c16")}))));
  const std::string row = npy("<f8", false, "(1, 3)", packed<double>({-1e-3, 0.0, 1e-3}));
  expect_understood(open_recording(folder.write("c.npz", archive({"xgrid.npy", row}))));
}

// Its own description wins: the array may be something else.
TEST(CourseDoppler, IsNotTakenWhenItIsDescribed) {
  const TemporaryFolder folder;
  const std::string axes = npy("<U7", false, "(1,)", packed<std::uint32_t>({'f', 'r', 'a', 'm', 'e', 0, 0}));
  std::vector<ZipEntry> entries = {{"iq.npy", iq_array<float>("<c8")}, {"axes.npy", axes}};
  for (const char* const name : {"xgrid.npy", "zgrid.npy"}) entries.push_back({name, list({0.0, 1e-3})});
  EXPECT_FALSE(contains(refusal(folder.write("a.npz", zip(entries))), "short course"));
}

TEST(CourseDoppler, HostileVariantsAreOneLine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto complex_cube = [](const std::string& shape, std::size_t n) {
    return npy("<c8", false, shape, std::string(8 * n, '\0'));
  };
  struct Case {
    ZipEntry changed;
    const char* naming;
  };
  const std::vector<Case> cases = {
      {{"prf.npy", ""}, "no 'prf'"},
      {{"c.npy", ""}, "no 'c'"},
      {{"tx_frequency.npy", ""}, "no 'tx_frequency'"},
      {{"c.npy", number(0)}, "sampling frequency"},
      {{"c.npy", number(nan)}, "sampling frequency"},
      {{"c.npy", number(-1500)}, "sampling frequency"},
      {{"c.npy", list({1500, 1500})}, "one real number"},
      {{"c.npy", npy("<U4", false, "()", packed<std::uint32_t>({'f', 'a', 's', 't'}))}, "text in 'c'"},
      {{"prf.npy", number(nan)}, "frame rate"},
      {{"tx_frequency.npy", number(-1)}, "centre frequency"},
      {{"xgrid.npy", list({0.0, 1e-3})}, "'xgrid' of shape (2)"},
      {{"xgrid.npy", list({0.0, 1e-3, 5e-3})}, "'xgrid' is not evenly spaced"},
      {{"xgrid.npy", list({1e-3, 0.0, -1e-3})}, "'xgrid' is not evenly spaced"},
      {{"xgrid.npy", list({0.0, nan, 1e-3})}, "'xgrid' is not evenly spaced"},
      {{"xgrid.npy", list({-1e300, 0.0, 1e300})}, "within 1 m"},
      {{"zgrid.npy", list({0.0, 0.0, 0.0, 0.0})}, "'zgrid' is not evenly spaced"},
      {{"zgrid.npy", list({-1e308, -1e307, 1e307, 1e308})}, "'zgrid'"},
      {{"zgrid.npy", npy("<f8", false, "(2, 2)", packed<double>({0, 1, 2, 3}))}, "'zgrid' of shape (2, 2)"},
      {{"iq.npy", npy("<f4", false, "(2, 3, 4)", std::string(96, '\0'))}, "'iq' of float32"},
      {{"iq.npy", complex_cube("(3, 4)", 12)}, "'iq' of"},
      {{"iq.npy", complex_cube("(1, 1, 4)", 4)}, "'xgrid' of shape (3)"},
      {{"iq.npy", complex_cube("(0, 3, 4)", 0)}, "length 0"},
      {{"iq.npy", complex_cube("(2, 0, 4)", 0)}, "'xgrid' of shape (3)"},
  };
  const TemporaryFolder folder;
  for (const Case& c : cases) {
    const std::string line = refusal(folder.write("a.npz", archive(c.changed)));
    EXPECT_TRUE(contains(line, c.naming)) << c.changed.name << ": " << line;
  }
  expect_every_truncation_refused("t.npz", archive({}, true), 11);  // each byte of an archive: npz_test.cpp
}

// The printed description, saved as it is, makes the same lines.
TEST(CourseDoppler, IsDescribedAsItIsRead) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("a.npz", archive());
  const Recording alone = open_recording(file);
  folder.write("a.json", description_template(outline_file(file), "a.npz"));
  const Recording described = open_recording(file);
  EXPECT_EQ(described.format, ".npz with JSON description");
  const Acquisition &a = *alone.acquisition, &b = *described.acquisition;
  EXPECT_EQ(b.data, DataKind::beamformed);
  EXPECT_EQ(a.sampling_hz, b.sampling_hz);
  EXPECT_EQ(a.transmits[0].t0_s, b.transmits[0].t0_s);
  EXPECT_EQ(a.probe.elements[0].x_m, b.probe.elements[0].x_m);
  for (std::uint64_t frame = 0; frame < kFrames; ++frame)
    EXPECT_EQ(frame_sum(alone, frame), frame_sum(described, frame));
}

}  // namespace
}  // namespace echoloop::course_doppler_test
