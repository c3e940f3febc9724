// Facts and samples of any kind, as far as an acquisition may have them, are measured without a fault: the doubts of a
// recording and what the preview of an import shows are measured in the viewer itself. ECHOLOOP_DOUBT_RUNS: how many.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "app/outputs/doubts.h"
#include "app/window/window_import.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"
#include "support/sanitized.h"

namespace echoloop::doubts_fuzz_test {
namespace {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool one_in(int n) { return below(n) == 0; }
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  // Evenly spread over the powers of ten; now and then an end.
  double over(double low, double high) {
    return one_in(8) ? low : one_in(8) ? high : std::exp(between(std::log(low), std::log(high)));
  }

 private:
  std::mt19937_64 random_;
};

Transmit any_transmit(Chance& chance, std::size_t n_elements) {
  Transmit t{.kind = static_cast<TransmitKind>(chance.below(4)), .element_delays_s = {}};
  t.t0_s = chance.one_in(3) ? 0.0 : (chance.one_in(2) ? 1.0 : -1.0) * chance.over(1e-9, 1e-2);
  t.angle_rad = chance.between(-0.5 * kPi, 0.5 * kPi);
  t.source_x_m = chance.between(-1.0, 1.0) * chance.over(1e-6, 10.0);
  t.source_z_m = chance.between(-1.0, 1.0) * chance.over(1e-6, 10.0);
  if (t.kind != TransmitKind::delays) return t;
  for (std::size_t e = 0; e < n_elements; ++e)
    t.element_delays_s.push_back(e > 0 && chance.one_in(4) ? NAN : chance.between(-1.0, 1.0) * chance.over(1e-9, 1.0));
  return t;
}

Acquisition any_facts(Chance& chance) {
  Acquisition a;
  const int n_elements = chance.one_in(20) ? 8 + chance.below(24) : 1 + chance.below(7);  // 8: echoes are searched
  a.probe = make_linear_probe("any", n_elements, chance.over(1e-6, 0.1), 0.0);
  a.probe.kind = static_cast<ProbeKind>(chance.below(3));
  for (Element& e : a.probe.elements) {
    if (chance.one_in(8)) e = {chance.between(-1.0, 1.0), chance.between(-1.0, 1.0), chance.between(-kPi, kPi)};
  }
  const int n_transmits = chance.one_in(4) ? n_elements : 1 + chance.below(3);
  for (int t = 0; t < n_transmits; ++t) a.transmits.push_back(any_transmit(chance, a.probe.elements.size()));
  a.n_samples = chance.one_in(4) ? 2 + chance.below(8) : 2 + chance.below(400);
  a.sample_type = chance.one_in(2) ? SampleType::int16 : SampleType::float32;
  a.signal = chance.one_in(3) ? SignalKind::iq : SignalKind::rf;
  a.sampling_hz = chance.over(1e3, 1e10);
  a.center_hz = chance.over(1e3, 1e9);
  a.demod_hz = a.signal == SignalKind::iq ? (chance.one_in(2) ? a.center_hz : chance.over(1e3, 1e9)) : 0.0;
  a.bandwidth_hz = chance.one_in(2) ? 0.0 : chance.over(1e3, 1e9);
  a.sound_speed_m_s = chance.one_in(2) ? 1540.0 : chance.over(100.0, 12000.0);
  return a;
}

// Echoes, noise, silence, the largest numbers, no numbers.
std::vector<std::byte> any_frame(Chance& chance, const Acquisition& a) {
  std::vector<std::byte> frame(a.frame_bytes());
  const int kind = chance.below(5);
  const double cycles = chance.between(0.0, 0.5);
  const std::size_t size = bytes_per_value(a.sample_type), n = frame.size() / size;
  for (std::size_t i = 0; i < n; ++i) {
    double x = kind == 0 ? 0.0 : chance.between(-1.0, 1.0);
    if (kind == 2) x = std::cos(2.0 * kPi * cycles * static_cast<double>(i)) * (i % 97 < 20 ? 1.0 : 0.01);
    if (a.sample_type == SampleType::int16) {
      const auto value = static_cast<std::int16_t>(32767.0 * x);
      std::memcpy(frame.data() + i * size, &value, size);
    } else {
      auto value = static_cast<float>(kind == 3 ? 3.4e38 * x : x);
      if (kind == 4 && i % 3 == 0) value = i % 2 == 0 ? NAN : INFINITY;
      std::memcpy(frame.data() + i * size, &value, size);
    }
  }
  return frame;
}

void measure_all(const Acquisition& a, std::span<const std::byte> frame) {
  for (const Doubt& doubt : measure_doubts(std::make_shared<const Acquisition>(a), frame))
    EXPECT_EQ(doubt.text.find('\n'), std::string::npos);
  static_cast<void>(measure_spectrum(a, frame));
  const ImportTraces traces = traces_of(a, frame, 1);
  EXPECT_EQ(traces.values->size(),
            static_cast<std::size_t>(traces.n_elements) * static_cast<std::size_t>(traces.n_time));
}

TEST(DoubtsOfAnyFacts, AreMeasuredWithoutAFault) {
  const char* const wanted = std::getenv("ECHOLOOP_DOUBT_RUNS");
  const char* const first = std::getenv("ECHOLOOP_DOUBT_SEED");
  const long runs = wanted != nullptr ? std::atol(wanted) : testing::kSanitized ? 2000 : 8000;
  const long seed = first != nullptr ? std::atol(first) : 0;
  long measured = 0;
  for (long run = seed; run < seed + runs; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    Chance chance(static_cast<std::uint64_t>(run));
    const Acquisition a = any_facts(chance);
    try {
      a.validate("any");
    } catch (const Error&) {
      continue;  // is not opened
    }
    const std::vector<std::byte> frame = any_frame(chance, a);
    const std::size_t cut = chance.one_in(20) ? frame.size() / 2 : frame.size();
    if (cut == frame.size()) measure_all(a, frame);
    static_cast<void>(measure_doubts(std::make_shared<const Acquisition>(a), std::span(frame).first(cut)));
    ++measured;
  }
  EXPECT_GT(measured, runs / 2);
}

// A centre frequency that was given in kHz: a quarter of its period is longer than the lines.
TEST(DoubtsOfAnyFacts, APeriodLongerThanTheLinesIsMeasured) {
  for (const SignalKind signal : {SignalKind::rf, SignalKind::iq}) {
    for (const double center_hz : {1e3, 5e3, 3e4, 1e5, 4e5}) {
      Acquisition a;
      a.probe = make_linear_probe("L", 16, 0.3e-3, 0.0);
      a.transmits.emplace_back();
      a.n_samples = 200;
      a.signal = signal;
      a.sampling_hz = 20e6;
      a.center_hz = a.demod_hz = center_hz;
      Chance chance(1);
      measure_all(a, any_frame(chance, a));
    }
  }
}

}  // namespace
}  // namespace echoloop::doubts_fuzz_test
