// Every layout and number type that a description can name, into [frame][transmit][element][sample].
#include <algorithm>

#include "formats/sidecar_support.h"

namespace echoloop::sidecar_layout_test {
namespace {

using namespace test;

// Writes logical (frame 2, transmit 2, element 3, time 5) in any axis order and memory order.
template <class T>
std::string permuted(const std::vector<std::size_t>& order, bool fortran, const std::string& descr, Endian endian) {
  const std::size_t extent[4] = {2, 2, 3, 5};
  std::vector<T> values(60);
  std::string shape = "(";
  for (const std::size_t axis : order) shape += std::to_string(extent[axis]) + ", ";
  for (std::size_t k = 0; k < 60; ++k) {
    std::size_t index[4], rest = k;
    for (std::size_t a = 0; a < 4; ++a) {
      const std::size_t axis = order[fortran ? a : 3 - a];
      index[axis] = rest % extent[axis];
      rest /= extent[axis];
    }
    values[k] = static_cast<T>(index[0] * 64 + index[1] * 32 + index[2] * 8 + index[3]);
  }
  return npy(descr, fortran, shape + ")", packed(values, endian));
}

template <class T>
void expect_any_layout(const std::string& code, SampleType type) {
  const char* const names[4] = {"frame", "transmit", "element", "time"};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  for (std::size_t tried = 0; tried == 0 || std::ranges::next_permutation(order).found; ++tried) {
    if (tried % kEveryNthText != 0) continue;
    Json meta = plane_meta();
    meta["axes"] = {names[order[0]], names[order[1]], names[order[2]], names[order[3]]};
    for (const bool fortran : {false, true}) {
      const Endian endian = fortran ? Endian::big : Endian::little;
      const Recording recording = open_with(meta, permuted<T>(order, fortran,
                                                              (sizeof(T) == 1 ? "|"
                                                               : fortran      ? ">"
                                                                              : "<") +
                                                                  code,
                                                              endian));
      ASSERT_EQ(recording.frame_count, 2U);
      ASSERT_EQ(recording.acquisition->sample_type, type) << code;
      for (int f = 0; f < 2; ++f) {
        for (int k = 0; k < 30; ++k) {
          ASSERT_EQ(sample(recording, static_cast<std::uint64_t>(f), k / 15, k / 5 % 3, k % 5),
                    f * 64 + k / 15 * 32 + k / 5 % 3 * 8 + k % 5);
        }
      }
    }
  }
}

TEST(Sidecar, EveryAxisOrderTypeAndByteOrder) {
  expect_any_layout<std::int8_t>("i1", SampleType::int16);
  expect_any_layout<std::uint8_t>("u1", SampleType::int16);
  expect_any_layout<std::int16_t>("i2", SampleType::int16);
  expect_any_layout<std::uint16_t>("u2", SampleType::int16);
  expect_any_layout<std::int32_t>("i4", SampleType::int16);
  expect_any_layout<float>("f4", SampleType::float32);
  expect_any_layout<double>("f8", SampleType::int16);  // whole numbers within 16 bits
}

// Without it the image was blurred, and nothing was said: most values of weak echoes lie at both ends of the range.
TEST(Sidecar, UnsignedNumbersThatAreTwosComplementLieBelowZero) {
  for (const int bits : {8, 12, 16}) {
    std::vector<std::uint16_t> stored;
    for (int k = 0; k < 24; ++k) stored.push_back(static_cast<std::uint16_t>((k % 7 - 3) & ((1 << bits) - 1)));
    const std::string array = npy("<u2", false, "(2, 3, 4)", packed(stored));
    for (const bool by_name : {false, true}) {
      Json meta = plane_meta();
      if (by_name) meta["data"] = "array";
      const Recording recording = open_with(meta, array);
      for (int k = 0; k < 24; ++k) ASSERT_EQ(sample(recording, 0, k / 12, k / 4 % 3, k % 4), k % 7 - 3) << bits;
      EXPECT_TRUE(assumes(*recording.acquisition, "two's complement of " + std::to_string(bits) + " bits"));
    }
    Json kept = plane_meta();
    kept["offset"] = 0;
    EXPECT_EQ(sample(open_with(kept, array), 0, 0, 0, 0), (1 << bits) - 3);
  }
}

TEST(Sidecar, UnsignedNumbersAroundTheirMiddleStay) {
  Json meta = plane_meta();
  std::vector<std::uint8_t> stored;
  for (int k = 0; k < 24; ++k) stored.push_back(static_cast<std::uint8_t>(k == 23 ? 255 : 128 + k % 7 - 3));
  const std::string array = npy("|u1", false, "(2, 3, 4)", packed(stored));
  EXPECT_EQ(sample(open_with(meta, array), 0, 0, 0, 0), 125);
  meta["offset"] = 128;
  EXPECT_EQ(sample(open_with(meta, array), 0, 0, 0, 0), -3);
}

TEST(Sidecar, WiderNumbersBecomeFloat32) {
  std::vector<std::int32_t> wide(24, 1);
  wide[23] = 40000;
  Recording recording = open_with(plane_meta(), npy("<i4", false, "(2, 3, 4)", packed(wide)));
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::float32);
  EXPECT_EQ(sample(recording, 0, 1, 2, 3), 40000);
  std::vector<double> tiny(24, 1e-11);
  recording = open_with(plane_meta(), npy("<f8", false, "(2, 3, 4)", packed(tiny)));
  EXPECT_EQ(sample(recording, 0, 0, 0, 0), 1e-11F);
}

TEST(Sidecar, HalfPrecisionBecomesFloat32OrWholeNumbers) {
  std::vector<std::uint16_t> halves(24, 0x3e00);  // 1.5
  halves[23] = 0xcc00;                            // -16
  Recording recording = open_with(plane_meta(), npy("<f2", false, "(2, 3, 4)", packed(halves)));
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::float32);
  EXPECT_EQ(sample(recording, 0, 0, 0, 0), 1.5);
  EXPECT_EQ(sample(recording, 0, 1, 2, 3), -16.0);
  recording = open_with(plane_meta(),
                        npy(">f2", true, "(2, 3, 4)", packed(std::vector<std::uint16_t>(24, 0x3c00), Endian::big)));
  EXPECT_EQ(recording.acquisition->sample_type, SampleType::int16);
  EXPECT_EQ(sample(recording, 0, 1, 1, 1), 1.0);
}

TEST(Sidecar, IqAsComplexOrAsAnAxis) {
  Json meta = plane_meta();
  meta["demod_hz"] = 5e6;
  std::vector<float> values(48);
  for (std::size_t k = 0; k < 48; ++k) values[k] = static_cast<float>(k);
  Recording recording = open_with(meta, npy("<c8", false, "(2, 3, 4)", packed(values)));
  EXPECT_EQ(recording.acquisition->signal, SignalKind::iq);
  EXPECT_EQ(recording.acquisition->demod_hz, 5e6);
  EXPECT_EQ(recording.acquisition->n_samples, 4);
  EXPECT_TRUE(recording.memory.empty());
  EXPECT_EQ(sample(recording, 0, 1, 0, 2, 1), 2 * (12 + 2) + 1);
  meta["axes"] = {"iq", "transmit", "element", "time"};
  recording = open_with(meta, npy("<f4", false, "(2, 2, 3, 4)", packed(values)));
  EXPECT_EQ(sample(recording, 0, 1, 0, 2, 0), 14);
  EXPECT_EQ(sample(recording, 0, 1, 0, 2, 1), 14 + 24);
  meta.erase("demod_hz");
  EXPECT_TRUE(contains(refusal_with(meta, npy("<f4", false, "(2, 2, 3, 4)", packed(values))), "demod_hz"));
}

}  // namespace
}  // namespace echoloop::sidecar_layout_test
