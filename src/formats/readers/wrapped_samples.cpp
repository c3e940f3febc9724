#include "formats/readers/wrapped_samples.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number.h"
#include "formats/base/sample_value.h"

namespace echoloop {
namespace {

// 2^k of unsigned samples that are two's complement of k bits: many near 0 and near 2^k, few between. 0: they are not.
double wrapped_at(const Acquisition& a, std::span<const std::byte> frame) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  constexpr double kFew = 0.1;
  const std::size_t n = frame.size() / bytes_per_value(a.sample_type), step = n / kMost + 1;
  double least = 0.0, most = 0.0, n_all = 0.0, n_low = 0.0, n_high = 0.0;
  for (std::size_t i = 0; i < n; i += step) {
    const double value = sample_value(a, frame, i);
    least = std::min(least, value), most = std::max(most, value);
  }
  const double whole = std::exp2(std::ceil(std::log2(most + 1.0)));
  if (least < 0.0 || most < 0.99 * whole) return 0.0;
  for (std::size_t i = 0; i < n; i += step) {
    const double value = sample_value(a, frame, i);
    n_all += 1.0, n_low += value < 0.25 * whole ? 1.0 : 0.0, n_high += value >= 0.75 * whole ? 1.0 : 0.0;
  }
  const bool both = std::min(n_low, n_high) >= kFew * n_all && n_low + n_high > (1.0 - kFew) * n_all;
  return both ? whole : 0.0;
}

double mean_of(const Acquisition& a, std::span<const std::byte> frame) {
  const std::size_t n = frame.size() / bytes_per_value(a.sample_type);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += sample_value(a, frame, i);
  return sum / static_cast<double>(n);
}

template <class T>
void subtract_wrapped(std::span<std::byte> frame, double whole) {
  for (T& value : std::span(reinterpret_cast<T*>(frame.data()), frame.size() / sizeof(T)))
    if (value >= static_cast<T>(0.5 * whole)) value = static_cast<T>(value - whole);
}

}  // namespace

std::vector<std::byte> first_frame(const LibraryRecording& recording) {
  std::vector<std::byte> frame(recording.acquisition->frame_bytes());
  recording.read_frame(0, frame);
  return frame;
}

void read_as_signed(LibraryRecording& recording) {
  Acquisition a = *recording.acquisition;
  constexpr double kLeastMean = 8.0;
  const std::vector<std::byte> frame = first_frame(recording);
  const double whole = wrapped_at(a, frame), mean = mean_of(a, frame);
  if (whole == 0.0 && mean < kLeastMean) return;
  if (whole == 0.0) {
    a.assumptions.emplace_back("unsigned samples, of which 0 is taken for zero, though their mean is " +
                               std::to_string(std::lround(mean)) + " (\"offset\" in a description is subtracted)");
    recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
    return;
  }
  const auto bits = static_cast<std::size_t>(std::log2(whole));
  a.assumptions.emplace_back("unsigned samples are two's complement of " + counted(bits, "bit") +
                             ": the upper half lies below 0 (\"offset\": 0 in a description keeps them)");
  recording.frame_offsets.clear();
  recording.read_frame = [read = std::move(recording.read_frame), type = a.sample_type, whole](
                             std::uint64_t index, std::span<std::byte> out) {
    read(index, out);
    type == SampleType::int16 ? subtract_wrapped<std::int16_t>(out, whole) : subtract_wrapped<float>(out, whole);
  };
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
}

}  // namespace echoloop
