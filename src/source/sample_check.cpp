#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "source/source.h"

namespace echoloop {
namespace {

constexpr std::int32_t kMagnitude = 0x7FFFFFFF;

struct LineRange {
  std::int32_t low = std::numeric_limits<std::int32_t>::max();
  std::int32_t high = std::numeric_limits<std::int32_t>::min();
  std::uint32_t invalid = 0;
};

// Returns integers in the order of the floats with these bits. Its own inverse.
std::int32_t ordered(std::int32_t bits) { return bits ^ ((bits >> 31) & kMagnitude); }

LineRange range_with_invalid(const float* line, std::size_t n) {
  LineRange r;
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_valid_sample(line[i])) {
      ++r.invalid;
      continue;
    }
    const std::int32_t value = ordered(std::bit_cast<std::int32_t>(line[i]));
    r.low = std::min(r.low, value);
    r.high = std::max(r.high, value);
  }
  return r;
}

// Computes lanes in parallel, so that compilers vectorise without reordering floats.
LineRange range_of(const float* line, std::size_t n) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> low{}, high{};
  std::array<std::uint32_t, kLanes> invalid{};
  const std::size_t whole = n - n % kLanes;
  for (std::size_t k = 0; k < kLanes && whole > 0; ++k) low[k] = high[k] = line[k];
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const float v = line[i + k];
      low[k] = v < low[k] ? v : low[k];
      high[k] = v > high[k] ? v : high[k];
      invalid[k] |= is_valid_sample(v) ? 0U : 1U;
    }
  }
  if (std::find(invalid.begin(), invalid.end(), 1U) != invalid.end()) return range_with_invalid(line, n);
  LineRange r = range_with_invalid(line + whole, n - whole);
  if (whole == 0) return r;
  r.low = std::min(r.low, ordered(std::bit_cast<std::int32_t>(*std::min_element(low.begin(), low.end()))));
  r.high = std::max(r.high, ordered(std::bit_cast<std::int32_t>(*std::max_element(high.begin(), high.end()))));
  return r;
}

LineRange range_of(const std::int16_t* line, std::size_t n) {
  std::int16_t low = std::numeric_limits<std::int16_t>::max(), high = std::numeric_limits<std::int16_t>::min();
  for (std::size_t i = 0; i < n; ++i) {
    low = std::min(low, line[i]);
    high = std::max(high, line[i]);
  }
  return {.low = low, .high = high};
}

float value_of(const float* /*type*/, std::int32_t extreme) { return std::bit_cast<float>(ordered(extreme)); }
std::int16_t value_of(const std::int16_t* /*type*/, std::int32_t extreme) { return static_cast<std::int16_t>(extreme); }

bool is_limit_of_type(float /*value*/) { return false; }
bool is_limit_of_type(std::int16_t value) {
  using Limits = std::numeric_limits<std::int16_t>;
  return value == Limits::min() || value == Limits::max();
}

// Occurrences of one extreme of the frame.
struct Extreme {
  std::uint64_t samples = 0;
  std::uint64_t flat = 0;          // adjacent to an equal one
  int longest = 0;                 // in a row
  std::vector<std::size_t> times;  // of flat ones, distinct, the first kManyTimes
  std::vector<bool> elements;
};

struct LineShape {
  std::size_t n_values;    // of a line
  std::size_t components;  // 2: I and Q interleaved
};

template <class Sample>
void look_along(const Sample* line, const LineShape& shape, Sample value, std::size_t element, Extreme& found) {
  for (std::size_t part = 0; part < shape.components; ++part) {
    int run = 0;
    for (std::size_t i = part; i < shape.n_values; i += shape.components) {
      run = line[i] == value ? run + 1 : 0;
      if (run == 0) continue;
      ++found.samples;
      found.longest = std::max(found.longest, run);
      found.elements[element] = true;
      if (run == 1) continue;
      found.flat += run == 2 ? 2 : 1;
      const bool known = std::find(found.times.begin(), found.times.end(), i) != found.times.end();
      if (!known && found.times.size() < kManyTimes) found.times.push_back(i);
    }
  }
}

bool is_limit(float value, const Extreme& e, std::uint64_t n_samples) {
  const bool whole = value == std::trunc(value);
  if (value == 0.0F || (whole && std::abs(value) < kLeastLimit)) return false;
  if (2 * e.samples > n_samples) return false;
  return e.longest >= kLongPlateau || (e.flat >= kManySamples && e.times.size() >= kManyTimes);
}

bool is_limit(std::int16_t value, const Extreme& e, std::uint64_t n_samples) {
  return (is_limit_of_type(value) && e.longest >= 2) || is_limit(static_cast<float>(value), e, n_samples);
}

template <class Sample>
void count_clipped(const Sample* samples, const LineShape& shape, const std::vector<LineRange>& lines,
                   SampleFaults& faults, std::size_t n_elements) {
  const auto has_no_signal = [samples](const LineRange& line) {
    return line.low == line.high && !is_limit_of_type(value_of(samples, line.low));
  };
  LineRange frame;
  for (const LineRange& line : lines) {
    if (has_no_signal(line)) continue;
    frame.low = std::min(frame.low, line.low);
    frame.high = std::max(frame.high, line.high);
  }
  if (frame.low >= frame.high) return;  // constant: no signal
  for (const std::int32_t extreme : {frame.low, frame.high}) {
    Extreme found{.times = {}, .elements = std::vector<bool>(n_elements)};
    const Sample value = value_of(samples, extreme);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].low != extreme && lines[i].high != extreme) continue;
      if (has_no_signal(lines[i])) continue;
      look_along(samples + i * shape.n_values, shape, value, i % n_elements, found);
    }
    if (!is_limit(value, found, lines.size() * shape.n_values)) continue;
    SampleFaultCount& clipped = faults.of(SampleFault::clipped);
    clipped.samples += found.samples;
    clipped.elements.resize(n_elements);
    for (std::size_t e = 0; e < n_elements; ++e) clipped.elements[e] = clipped.elements[e] || found.elements[e];
  }
}

// Counts a frame of one constant value.
void count_silent(const std::vector<LineRange>& lines, SampleFaults& faults, std::size_t n_elements) {
  LineRange frame;
  for (const LineRange& line : lines) {
    frame.low = std::min(frame.low, line.low);
    frame.high = std::max(frame.high, line.high);
  }
  if (frame.low == frame.high)
    faults.of(SampleFault::silent) = {.samples = faults.samples, .elements = std::vector<bool>(n_elements, true)};
}

// Checks `copy`, if there is one.
template <class Sample>
SampleFaults check(const Sample* samples, Sample* copy, std::size_t n_values, const Acquisition& a) {
  const auto n_elements = static_cast<std::size_t>(a.n_elements());
  const auto components = static_cast<std::size_t>(a.values_per_sample());
  const LineShape shape{static_cast<std::size_t>(a.n_samples) * components, components};
  std::vector<LineRange> lines(n_values / shape.n_values);
  SampleFaults faults{.frames = 1, .samples = lines.size() * shape.n_values};
  SampleFaultCount& invalid = faults.of(SampleFault::invalid);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Sample* line = samples + i * shape.n_values;
    if (copy != nullptr) {
      std::memcpy(copy + i * shape.n_values, line, shape.n_values * sizeof(Sample));
      line = copy + i * shape.n_values;
    }
    lines[i] = range_of(line, shape.n_values);
    if (lines[i].invalid == 0) continue;
    invalid.samples += lines[i].invalid;
    invalid.elements.resize(n_elements);
    invalid.elements[i % n_elements] = true;
  }
  if (copy != nullptr) samples = copy;
  if (a.data == DataKind::channels) count_clipped(samples, shape, lines, faults, n_elements);
  count_silent(lines, faults, n_elements);
  return faults;
}

template <class Sample>
SampleFaults check_as(std::span<const std::byte> samples, std::span<std::byte> copy, const Acquisition& a) {
  const std::size_t n = std::min(samples.size() / sizeof(Sample), a.frame_values());
  return check(reinterpret_cast<const Sample*>(samples.data()), reinterpret_cast<Sample*>(copy.data()), n, a);
}

}  // namespace

SampleFaults copy_and_check(std::span<const std::byte> samples, std::span<std::byte> copy, const Acquisition& a) {
  return a.sample_type == SampleType::int16 ? check_as<std::int16_t>(samples, copy, a)
                                            : check_as<float>(samples, copy, a);
}

SampleFaults check_samples(std::span<const std::byte> samples, const Acquisition& a) {
  return copy_and_check(samples, {}, a);
}

}  // namespace echoloop
