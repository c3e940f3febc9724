// A recording in zea's layout, read with HDF5 alone: axes, clocks and transmits are those that zea has.
#include <cmath>
#include <complex>
#include <numbers>

#include "formats/base/acquisition_json.h"
#include "history/hdf5_recording.h"
#include "support/recordings.h"
#include "support/temporary_folder.h"
#include "support/uff_file.h"

namespace echoloop::zea_writer_test {
namespace {

using namespace testing;

constexpr const char* kRaw = "/tracks/track_0/data/raw_data";
constexpr std::size_t kFrames = 3;

RfFrame frame_of(const std::vector<std::byte>& samples, std::uint64_t sequence) {
  return {.stamp = {.sequence = sequence, .time_s = 0.1 * static_cast<double>(sequence)}, .samples = samples};
}

void write(const std::filesystem::path& file, const Acquisition& a) {
  Hdf5Writer writer(file, share(a), {.version = "1", .format = RecordingFormat::zea});
  for (unsigned i = 0; i < kFrames; ++i) {
    const std::vector<std::byte> samples = any_bits(a, i);
    writer.append(frame_of(samples, i));
  }
  writer.finish();
}

// One value of each sample (IQ: two) as stored in the frame, [transmit][element][sample].
template <class Value>
std::vector<std::complex<double>> as_recorded(const Acquisition& a, unsigned seed) {
  const std::vector<std::byte> bytes = any_bits(a, seed);
  const auto* values = reinterpret_cast<const Value*>(bytes.data());
  std::vector<std::complex<double>> all;
  const auto per = static_cast<std::size_t>(a.values_per_sample());
  for (std::size_t i = 0; i < a.frame_values(); i += per)
    all.emplace_back(values[i], per == 2 ? static_cast<double>(values[i + 1]) : 0.0);
  return all;
}

class ZeaOfEveryKind : public ::testing::TestWithParam<NamedAcquisition> {};

TEST_P(ZeaOfEveryKind, HasTheSamplesInItsAxesAndClock) {
  const Acquisition& a = GetParam().acquisition;
  const TemporaryFolder folder;
  write(folder / "a.hdf5", a);
  const UffFile file(folder / "a.hdf5");
  ASSERT_TRUE(file.is_open());
  const auto n_tx = static_cast<std::size_t>(a.n_transmits()), n_el = static_cast<std::size_t>(a.n_elements());
  const auto n = static_cast<std::size_t>(a.n_samples), per = static_cast<std::size_t>(a.values_per_sample());
  ASSERT_EQ(file.shape(kRaw), (std::vector<hsize_t>{kFrames, n_tx, n, n_el, per}));
  EXPECT_EQ(file.text("/custom/echoloop/acquisition"), acquisition_to_json(a));
  EXPECT_EQ(file.shape("/custom/echoloop/frame_sequence"), std::vector<hsize_t>{kFrames});
  const auto stored = file.all<float>(kRaw, H5T_NATIVE_FLOAT);
  for (unsigned f = 0; f < kFrames; ++f) {
    const auto recorded =
        a.sample_type == SampleType::int16 ? as_recorded<std::int16_t>(a, f) : as_recorded<float>(a, f);
    for (std::size_t line = 0; line < n_tx * n_el; ++line) {
      const double turn_rad = per == 2 ? 2.0 * std::numbers::pi * a.demod_hz * a.transmits[line / n_el].t0_s : 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::complex<double> wanted = recorded[line * n + i] * std::polar(1.0, turn_rad);
        const float* at = &stored[(((f * n_tx + line / n_el) * n + i) * n_el + line % n_el) * per];
        ASSERT_NEAR(at[0], wanted.real(), 1e-6 * std::abs(wanted)) << f << " " << line << " " << i;
        ASSERT_NEAR(per == 2 ? at[1] : 0.0F, wanted.imag(), 1e-6 * std::abs(wanted)) << f << " " << line << " " << i;
      }
    }
  }
}

// The delays say when the wave passes each element, from the first firing; silent elements have the weight 0.
TEST_P(ZeaOfEveryKind, CountsTimeFromTheFirstFiring) {
  const Acquisition& a = GetParam().acquisition;
  const TemporaryFolder folder;
  write(folder / "a.hdf5", a);
  const UffFile file(folder / "a.hdf5");
  const auto delays_s = file.all<float>("/tracks/track_0/scan/t0_delays", H5T_NATIVE_FLOAT);
  const auto weights = file.all<float>("/tracks/track_0/scan/tx_apodizations", H5T_NATIVE_FLOAT);
  const auto initial_s = file.all<float>("/tracks/track_0/scan/initial_times", H5T_NATIVE_FLOAT);
  const double peak_s = std::round(250e6 / a.center_hz) / 250e6;
  const auto n_el = static_cast<std::size_t>(a.n_elements());
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const Transmit& t = a.transmits[k];
    double first_s = HUGE_VAL;
    std::vector<double> fires_s;
    for (std::size_t e = 0; e < n_el; ++e) {
      const Element& p = a.probe.elements[e];
      fires_s.push_back(t.kind == TransmitKind::delays ? t.element_delays_s[e]
                                                       : arrival_s(t, a.probe, p.x_m, p.z_m, a.sound_speed_m_s));
      if (fires_s[e] < first_s) first_s = fires_s[e];
    }
    EXPECT_NEAR(initial_s[k], t.t0_s - first_s + peak_s, 1e-12);
    for (std::size_t e = 0; e < n_el; ++e) {
      const bool silent = std::isnan(fires_s[e]);
      EXPECT_EQ(weights[k * n_el + e], silent ? 0.0F : 1.0F);
      EXPECT_NEAR(delays_s[k * n_el + e], silent ? 0.0 : fires_s[e] - first_s, 1e-12) << k << " " << e;
    }
  }
}

TEST_P(ZeaOfEveryKind, IsCompletedAfterTheWriterWasKilled) {
  const Acquisition& a = GetParam().acquisition;
  const TemporaryFolder folder, elsewhere;
  {
    Hdf5Writer writer(elsewhere / "a.hdf5", share(a), {.version = "1", .format = RecordingFormat::zea});
    for (unsigned i = 0; i < kFrames; ++i) {
      const std::vector<std::byte> samples = any_bits(a, i);
      writer.append(frame_of(samples, i));
    }
    writer.flush();
    std::filesystem::copy(elsewhere / "a.hdf5.partial", folder / "a.hdf5.partial");
  }
  const RepairedRecording repaired = repair_recording(folder / "a.hdf5.partial");
  EXPECT_EQ(repaired.path, folder / "a.hdf5");
  EXPECT_EQ(repaired.frames, kFrames);
  EXPECT_EQ(UffFile(folder / "a.hdf5").shape(kRaw).at(0), kFrames);
}

INSTANTIATE_TEST_SUITE_P(Zea, ZeaOfEveryKind, ::testing::ValuesIn(testing::every_kind_of_acquisition()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace echoloop::zea_writer_test
