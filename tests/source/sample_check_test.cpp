// Faults of samples: what is counted, and what is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "source/source.h"
#include "support/acquisitions.h"
#include "support/one_line.h"

namespace echoloop::sample_check_test {
namespace {

constexpr int kElements = 32, kSamples = 512;
constexpr std::size_t kLine = kSamples;

// An echo of `amplitude` that arrives later from element to element, on noise; fs = 4 f.
std::vector<float> echoes(double amplitude) {
  std::minstd_rand random(1);
  std::normal_distribution<double> noise(0.0, 10.0);
  std::vector<float> values;
  for (int e = 0; e < kElements; ++e) {
    for (int i = 0; i < kSamples; ++i) {
      const double periods = (i - 200.0 - 0.09 * e * e) / 4.0;
      values.push_back(static_cast<float>(noise(random) + amplitude * std::exp(-0.1 * periods * periods) *
                                                              std::cos(2.0 * kPi * periods)));
    }
  }
  return values;
}

std::vector<std::byte> bytes_of(const std::vector<float>& values, SampleType type, double limit = 32767.0) {
  std::vector<std::byte> bytes(values.size() * bytes_per_value(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = std::clamp<double>(values[i], -limit - 1.0, limit);
    const auto whole = static_cast<std::int16_t>(std::lround(v));
    const auto real = static_cast<float>(v);
    if (type == SampleType::int16) std::memcpy(bytes.data() + 2 * i, &whole, 2);
    if (type == SampleType::float32) std::memcpy(bytes.data() + 4 * i, &real, 4);
  }
  return bytes;
}

Acquisition acquisition(SampleType type) {
  Acquisition a = testing::linear_acquisition(kElements, kSamples);
  a.sample_type = type;
  return a;
}

TEST(SampleCheck, OfACopyCountsTheSame) {
  std::vector<float> values = echoes(200000.0);
  for (const SampleType type : {SampleType::int16, SampleType::float32}) {
    if (type == SampleType::float32) values[7 * kLine + 100] = 2e15F;
    const std::vector<std::byte> bytes = bytes_of(values, type, type == SampleType::int16 ? 32767.0 : 3e15);
    std::vector<std::byte> copy(bytes.size());
    const SampleFaults direct = check_samples(bytes, acquisition(type));
    const SampleFaults copied = copy_and_check(bytes, copy, acquisition(type));
    EXPECT_EQ(copy, bytes);
    EXPECT_TRUE(direct.any());
    for (std::size_t i = 0; i < kSampleFaults; ++i) {
      EXPECT_EQ(copied.found[i].samples, direct.found[i].samples);
      EXPECT_EQ(copied.found[i].elements, direct.found[i].elements);
    }
  }
}

TEST(SampleCheck, CountsInvalidSamplesAndTheirElements) {
  std::vector<float> values = echoes(3000.0);
  values[7 * kLine + 100] = std::numeric_limits<float>::quiet_NaN();
  values[7 * kLine + 101] = std::numeric_limits<float>::infinity();
  values[20 * kLine] = -2e15F;
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const SampleFaults faults = check_samples(bytes, acquisition(SampleType::float32));
  EXPECT_EQ(faults.frames, 1U);
  EXPECT_EQ(faults.samples, values.size());
  EXPECT_EQ(faults.of(SampleFault::invalid).samples, 3U);
  for (std::size_t e = 0; e < kElements; ++e) {
    EXPECT_EQ(faults.of(SampleFault::invalid).elements[e], e == 7 || e == 20) << e;
  }
  EXPECT_EQ(faults.of(SampleFault::clipped).samples, 0U);
  EXPECT_EQ(valid_sample(values[7 * kLine + 100]), 0.0F);
  EXPECT_EQ(valid_sample(values[20 * kLine]), 0.0F);
  EXPECT_EQ(valid_sample(values[7 * kLine + 102]), values[7 * kLine + 102]);
}

TEST(SampleCheck, FindsClippingAtTheLimitsOfTheTypeAndOfTheConverter) {
  for (const SampleType type : {SampleType::int16, SampleType::float32}) {
    for (const double limit : {127.0, 2047.0, 8191.0, 32767.0}) {
      const std::vector<float> values = echoes(2.0 * limit);
      const SampleFaults faults = check_samples(bytes_of(values, type, limit), acquisition(type));
      std::uint64_t beyond = 0;
      for (const float v : values) beyond += v >= limit - 0.5 || v <= -limit - 0.5 ? 1 : 0;
      EXPECT_NEAR(static_cast<double>(faults.of(SampleFault::clipped).samples), static_cast<double>(beyond),
                  0.02 * static_cast<double>(beyond))
          << limit;
      EXPECT_FALSE(check_samples(bytes_of(echoes(0.9 * limit), type, limit), acquisition(type)).any()) << limit;
    }
  }
}

TEST(SampleCheck, FindsFramesOfOneValue) {
  for (const SampleType type : {SampleType::int16, SampleType::float32}) {
    for (const float level : {0.0F, 5.0F, 300.0F}) {
      std::vector<float> values(kElements * kLine, level);
      const SampleFaults silent = check_samples(bytes_of(values, type), acquisition(type));
      EXPECT_EQ(silent.share(SampleFault::silent), 1.0);
      EXPECT_EQ(silent.of(SampleFault::clipped).samples, 0U);
      values[5 * kLine + 7] += 1.0F;
      EXPECT_EQ(check_samples(bytes_of(values, type), acquisition(type)).of(SampleFault::silent).samples, 0U);
    }
  }
}

TEST(SampleCheck, LeavesSignalsAloneThatAreNotClipped) {
  const Acquisition a = acquisition(SampleType::int16);
  for (const double amplitude : {2.0, 20.0, 100.0, 30000.0}) {  // coarse steps, and nearly all of the range
    EXPECT_FALSE(check_samples(bytes_of(echoes(amplitude), SampleType::int16), a).any()) << amplitude;
  }
  std::vector<float> equal(kElements * kLine, 0.0F);  // a plane reflector without noise, 50 samples a period
  for (std::size_t i = 0; i < equal.size(); ++i) {
    equal[i] = 200.0F * static_cast<float>(std::sin(2.0 * kPi * (static_cast<double>(i % kLine) + 0.5) / 50.0)) *
               (i % kLine < 50 ? 1.0F : 0.0F);
  }
  EXPECT_FALSE(check_samples(bytes_of(equal, SampleType::int16), a).any());
}

// A simulation without noise: the same echo on all lines, at many times, whose highest sample is often the same
// integer.
TEST(SampleCheck, LeavesEqualMaximaOfASimulationAlone) {
  for (const double samples_a_period : {8.0, 6.0, 4.0}) {
    std::vector<float> values;
    int highest = 0;
    for (int e = 0; e < kElements * 4; ++e) {
      for (int i = 0; i < kSamples / 4; ++i) {
        const double periods = (i - 40.0 - 0.0371 * e * e / 16.0) / samples_a_period;
        values.push_back(static_cast<float>(
            std::round(8000.0 * std::exp(-0.5 * periods * periods) * std::cos(2.0 * kPi * periods))));
        highest += values.back() == 8000.0F ? 1 : 0;
      }
    }
    Acquisition a = testing::linear_acquisition(kElements * 4, kSamples / 4);
    a.sample_type = SampleType::int16;
    EXPECT_GT(highest, 2) << samples_a_period;
    EXPECT_FALSE(check_samples(bytes_of(values, SampleType::int16), a).any()) << samples_a_period;
  }
}

// A level at rest below a rectified signal, and elements without a signal: each is the smallest value many times.
TEST(SampleCheck, LeavesALevelAtRestAlone) {
  for (const SampleType type : {SampleType::int16, SampleType::float32}) {
    std::vector<float> values(kElements * kLine);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double periods = (static_cast<double>(i % kLine) - 200.0) / 9.7;
      const double echo = 1500.0 * std::exp(-0.1 * periods * periods) * std::cos(2.0 * kPi * periods);
      values[i] = static_cast<float>(-300.0 + std::round(std::max(0.0, echo)));
    }
    EXPECT_FALSE(check_samples(bytes_of(values, type), acquisition(type)).any());
    const std::vector<float> clipped = echoes(4000.0);
    std::uint64_t at_limits = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = i < 3 * kLine ? -2500.0F  // three silent elements
                                : std::clamp(std::round(clipped[i]), -2048.0F, 2047.0F);
      at_limits += values[i] == 2047.0F || values[i] == -2048.0F ? 1 : 0;
    }
    ASSERT_GT(at_limits, kManySamples);
    EXPECT_EQ(check_samples(bytes_of(values, type), acquisition(type)).of(SampleFault::clipped).samples, at_limits);
  }
}

TEST(SampleCheck, OfIqLooksAtEachComponentAndOfBeamformedDataOnlyForInvalidSamples) {
  Acquisition iq = acquisition(SampleType::int16);
  iq.signal = SignalKind::iq;
  iq.n_samples = kSamples / 2;
  std::vector<float> values(kElements * kLine);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? static_cast<float>(i % 97) : 0.0F;
  for (std::size_t i = 40; i < 50; i += 2) values[3 * kLine + i] = 1000.0F;  // five of I, with Q between them
  const SampleFaults faults = check_samples(bytes_of(values, SampleType::int16), iq);
  EXPECT_EQ(faults.of(SampleFault::clipped).samples, 5U);
  iq.data = DataKind::beamformed;
  EXPECT_FALSE(check_samples(bytes_of(values, SampleType::int16), iq).any());
}

enum class Memory { lent, written };

// Frames of floats; the numbers of those that are not valid at all are given.
class Floats final : public SeekableSource {
 public:
  Floats(std::vector<std::vector<float>> frames, Memory memory)
      : acquisition_(testing::share(acquisition(SampleType::float32))), frames_(std::move(frames)), memory_(memory) {}
  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return "floats.npy"; }
  [[nodiscard]] std::uint64_t frame_count() const override { return frames_.size(); }
  [[nodiscard]] bool zero_copy() const override { return memory_ == Memory::lent; }
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) override {
    const auto frame = std::as_bytes(std::span(frames_[index % frames_.size()]));
    if (memory_ == Memory::lent) return frame;
    std::copy(frame.begin(), frame.end(), slot.bytes.begin());
    return slot.bytes;
  }

 private:
  static Acquisition acquisition(SampleType type) { return sample_check_test::acquisition(type); }
  AcquisitionPtr acquisition_;
  std::vector<std::vector<float>> frames_;
  Memory memory_;
};

std::vector<float> spoilt() {
  std::vector<float> values = echoes(3000.0);
  values[5 * kLine + 9] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

TEST(CheckedSource, KeepsTheCountsOfFrames) {
  for (const Memory memory : {Memory::lent, Memory::written}) {
    const auto log = std::make_shared<SampleLog>();
    const auto source = make_checked(std::make_unique<Floats>(std::vector{echoes(3000.0), spoilt()}, memory), log);
    std::vector<std::byte> slot(source->acquisition()->frame_bytes());
    for (const std::uint64_t index : {0U, 1U, 2U, 3U}) {
      static_cast<void>(source->at(index, slot));
      log->count(index % 2);
    }
    EXPECT_EQ(log->of(0).of(SampleFault::invalid).samples, 0U);
    EXPECT_EQ(log->of(1).of(SampleFault::invalid).samples, 1U);
    EXPECT_EQ(log->since_start().frames, 4U);
    EXPECT_EQ(log->since_start().of(SampleFault::invalid).samples, 2U) << "each time that the frame is played";
    EXPECT_TRUE(log->since_start().of(SampleFault::invalid).elements[5]);
    log->restart();
    EXPECT_EQ(log->since_start().frames, 0U);
  }
}

TEST(CheckedSource, CopiesAreCheckedOnce) {
  for (const Memory memory : {Memory::lent, Memory::written}) {
    const auto log = std::make_shared<SampleLog>();
    const auto source = make_checked(std::make_unique<Floats>(std::vector{echoes(3000.0), spoilt()}, memory), log);
    std::vector<std::byte> first(source->acquisition()->frame_bytes()), again(first.size()), slot(first.size());
    source->copy(1, first);
    source->copy(1, again);
    EXPECT_EQ(again, first);
    EXPECT_TRUE(std::ranges::equal(source->at(1, slot), first));
    EXPECT_EQ(log->of(1).of(SampleFault::invalid).samples, 1U) << "those of the file, not of a copy";
  }
}

TEST(CheckedSource, RefusesARecordingWithoutAValidSample) {
  const std::vector<float> nothing(kElements * kLine, std::numeric_limits<float>::quiet_NaN());
  for (const Memory memory : {Memory::lent, Memory::written}) {
    const auto make = [&](std::vector<std::vector<float>> frames) {
      return make_checked(std::make_unique<Floats>(std::move(frames), memory), std::make_shared<SampleLog>());
    };
    EXPECT_NO_THROW(make({nothing, echoes(3000.0)}));
    EXPECT_EQ(testing::refusal_of([&] {
                make({nothing, nothing});
              }),
              "floats.npy: no valid sample (all NaN, infinite or beyond 1e15) in 2 frames; expected channel data with "
              "finite samples");
  }
}

}  // namespace
}  // namespace echoloop::sample_check_test
