// The text form of an acquisition: what comes back is what went in, bit for bit.
#include "formats/base/acquisition_json.h"

#include <gtest/gtest.h>

#include <bit>

#include "support/recordings.h"

namespace echoloop::acquisition_json_test {
namespace {

using testing::every_kind_of_acquisition;

// NaN equals NaN, 0 is not -0.
void expect_same_bits(double a, double b, const std::string& what) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << what << " " << a << " " << b;
}

void expect_same(const Acquisition& a, const Acquisition& b) {
  EXPECT_EQ(a.probe.name, b.probe.name);
  EXPECT_EQ(a.probe.kind, b.probe.kind);
  expect_same_bits(a.probe.pitch_m, b.probe.pitch_m, "pitch");
  expect_same_bits(a.probe.element_width_m, b.probe.element_width_m, "width");
  ASSERT_EQ(a.n_elements(), b.n_elements());
  for (std::size_t e = 0; e < a.probe.elements.size(); ++e) {
    expect_same_bits(a.probe.elements[e].x_m, b.probe.elements[e].x_m, "x");
    expect_same_bits(a.probe.elements[e].z_m, b.probe.elements[e].z_m, "z");
    expect_same_bits(a.probe.elements[e].normal_rad, b.probe.elements[e].normal_rad, "normal");
  }
  ASSERT_EQ(a.n_transmits(), b.n_transmits());
  for (std::size_t i = 0; i < a.transmits.size(); ++i) {
    const Transmit& s = a.transmits[i];
    const Transmit& t = b.transmits[i];
    EXPECT_EQ(s.kind, t.kind);
    expect_same_bits(s.angle_rad, t.angle_rad, "angle");
    expect_same_bits(s.source_x_m, t.source_x_m, "source x");
    expect_same_bits(s.source_z_m, t.source_z_m, "source z");
    expect_same_bits(s.t0_s, t.t0_s, "t0");
    ASSERT_EQ(s.element_delays_s.size(), t.element_delays_s.size());
    for (std::size_t e = 0; e < s.element_delays_s.size(); ++e) {
      EXPECT_EQ(std::isnan(s.element_delays_s[e]), std::isnan(t.element_delays_s[e]));
      if (!std::isnan(s.element_delays_s[e])) expect_same_bits(s.element_delays_s[e], t.element_delays_s[e], "delay");
    }
  }
  EXPECT_EQ(a.n_samples, b.n_samples);
  EXPECT_EQ(a.sample_type, b.sample_type);
  EXPECT_EQ(a.signal, b.signal);
  for (double Acquisition::*member :
       {&Acquisition::sampling_hz, &Acquisition::center_hz, &Acquisition::bandwidth_hz, &Acquisition::demod_hz,
        &Acquisition::sound_speed_m_s, &Acquisition::frame_rate_hz}) {
    expect_same_bits(a.*member, b.*member, "a number");
  }
  EXPECT_EQ(a.assumptions, b.assumptions);
}

TEST(AcquisitionJson, ComesBackAsItWas) {
  for (const auto& [name, acquisition] : every_kind_of_acquisition()) {
    SCOPED_TRACE(name);
    const std::optional<Acquisition> back = acquisition_from_json(acquisition_to_json(acquisition));
    ASSERT_TRUE(back.has_value());
    expect_same(acquisition, *back);
  }
}

TEST(AcquisitionJson, ANameThatIsNoTextIsNoReasonToLoseARecording) {
  Acquisition acquisition = testing::linear_acquisition();
  acquisition.probe.name = "L\xff";
  EXPECT_TRUE(acquisition_from_json(acquisition_to_json(acquisition)).has_value());
}

TEST(AcquisitionJson, AnythingElseIsNone) {
  const std::string good = acquisition_to_json(testing::linear_acquisition());
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(acquisition_from_json(good.substr(0, n)).has_value()) << n;
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_FALSE(acquisition_from_json(with("\"version\":1", "\"version\":2")).has_value());
  EXPECT_FALSE(acquisition_from_json(with("\"n_samples\":256", "\"n_samples\":-1")).has_value());
  EXPECT_FALSE(acquisition_from_json(with("\"n_samples\":256", "\"n_samples\":\"256\"")).has_value());
  EXPECT_FALSE(acquisition_from_json(with("\"rf\"", "\"fm\"")).has_value());
  EXPECT_FALSE(acquisition_from_json("[]").has_value());
}

}  // namespace
}  // namespace echoloop::acquisition_json_test
