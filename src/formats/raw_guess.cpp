#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "formats/containers/array_view.h"
#include "formats/import_draft.h"

namespace echoloop {
namespace {

constexpr std::string_view kRawTypes[] = {"int16",  "int8",  "int32",   "float32",   "uint16",    "uint8",
                                          "uint32", "int64", "float64", "complex64", "complex128"};
constexpr std::size_t kProbedValues = 32'768;  // values examined
constexpr double kOfFloats = 0.8;              // weight of their roughness: other bytes are seldom usual floats
constexpr std::size_t kMostLine = 16'384;      // values of a line
constexpr std::size_t kLeastLine = 64;
constexpr std::size_t kMostHeader = 65'536, kHeaderLooked = 1024;

// Returns the bytes of one number: half of a complex one.
std::size_t part_bytes(std::string_view dtype) { return raw_type_bytes(dtype) / (dtype.starts_with('c') ? 2 : 1); }

// Returns values of blocks spread over the file.
std::vector<std::vector<float>> probed_blocks(std::span<const std::byte> file, std::string_view type, bool big) {
  constexpr std::size_t kBlocks = 16, kBlock = kProbedValues / kBlocks, kAligned = 16;
  std::vector<std::vector<float>> blocks;
  const std::size_t before = file.size() % kAligned, bytes = kBlock * part_bytes(type);
  const std::size_t n = std::clamp<std::size_t>(file.size() / bytes, 1, kBlocks);
  const std::size_t last = file.size() > bytes ? file.size() - bytes : 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t from = (last * (k + 1) / n) / kAligned * kAligned + before;  // the last value ends the file
    blocks.push_back(raw_values(file, std::min(from, file.size()), type, big ? "big" : "little", kBlock));
  }
  return blocks;
}

struct Steps {
  double step = 0.0;       // mean change between neighbours: root of its size
  double roughness = 0.0;  // relative to the mean distance from the median: 1.4 for noise, small for echoes
};

// Returns nullopt for non-numbers, equal values, or parts of wider numbers, some of which are always 0 or -1.
std::optional<Steps> steps_of(std::span<const std::byte> file, std::string_view type, bool big) {
  constexpr std::size_t kPhases = 4, kLeast = 64;
  const auto blocks = probed_blocks(file, type, big);
  std::vector<float> all;
  std::size_t odd = 0, not_zero = 0;
  std::array<std::size_t, kPhases> proper{};
  for (const auto& block : blocks) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      const float v = block[k], magnitude = std::abs(v);
      if (!std::isfinite(v) || magnitude > 1e30F || (magnitude > 0.0F && magnitude < 1e-30F)) ++odd;
      if (magnitude != 0.0F) ++not_zero;
      if (magnitude != 0.0F && v != -1.0F) ++proper[k % kPhases];
      all.push_back(std::isfinite(v) ? v : 0.0F);
    }
  }
  const auto [fewest, most] = std::ranges::minmax(proper);
  if (all.size() < 4 * kLeast || not_zero < kLeast || odd * 50 > not_zero || fewest * 100 < most) return std::nullopt;
  std::ranges::nth_element(all, all.begin() + std::ssize(all) / 2);
  const double median = all[all.size() / 2];
  double step = 0.0, spread = 0.0, count = 0.0;
  for (const auto& block : blocks) {
    for (std::size_t k = 1; k < block.size(); ++k) {
      if (!std::isfinite(block[k]) || !std::isfinite(block[k - 1])) continue;
      spread += std::sqrt(std::abs(block[k] - median));
      step += std::sqrt(std::abs(static_cast<double>(block[k]) - static_cast<double>(block[k - 1])));
      count += 1.0;
    }
  }
  if (!(spread > 0.0)) return std::nullopt;
  return Steps{.step = step / count, .roughness = step / spread};
}

std::string percent_of(double share) { return std::to_string(static_cast<int>(std::lround(100.0 * share))) + " %"; }

void guess_type(std::span<const std::byte> file, RawGuess& guess) {
  double best = HUGE_VAL, rough = 0.0, other_order = 0.0;
  guess.dtype = "int16";
  guess.byte_order = "little";
  guess.why_type = "The commonest type; nothing in the bytes decides.";
  bool any_float = false;
  for (const std::string_view type : {"float32", "int16", "int8", "int32"}) {
    if (type == "int32" && any_float) continue;  // logarithms of the same numbers: smoother
    const auto little = steps_of(file, type, false), big = type != "int8" ? steps_of(file, type, true) : std::nullopt;
    if (!little && !big) continue;
    const bool is_float = type == "float32";
    any_float = any_float || is_float;
    // In the wrong byte order integers have large steps, and floats arbitrary ones.
    const bool is_big = big && (!little || (is_float ? big->roughness < little->roughness : big->step < little->step));
    const auto& chosen = is_big ? big : little;
    const auto& other = is_big ? little : big;
    const double weighed = (is_float ? kOfFloats : 1.0) * chosen->roughness;
    if (weighed >= 0.97 * best) continue;
    best = weighed;
    rough = chosen->roughness;
    other_order = other ? other->roughness : 0.0;
    guess.dtype = type;
    guess.byte_order = is_big ? "big" : "little";
  }
  if (best == HUGE_VAL) return;
  guess.why_type =
      guess.dtype + ": neighbours differ by " + percent_of(rough) + " of the spread, less than as other types.";
  guess.why_order = other_order > 0.0 ? guess.byte_order + ": steps of " + percent_of(rough) +
                                            " of the spread; the other order: " + percent_of(other_order) + "."
                                      : guess.byte_order + ": as the other order most are no numbers.";
  if (rough > 1.1) {  // noise in every type
    guess.why_type = "Mostly noise: the bytes decide nothing clearly.";
    guess.why_order = "As " + guess.byte_order + "; the image decides.";
  }
  if (raw_type_bytes(guess.dtype) == 1) guess.why_order = "One byte has no order.";
}

// Counts the factors of 2 and 5.
int roundness(std::size_t n) {
  int factors = 0;
  for (const std::size_t prime : {std::size_t{2}, std::size_t{5}})
    for (; n > 0 && n % prime == 0; n /= prime) ++factors;
  return factors;
}

// Guesses the line length: rectified samples of neighbouring channels correlate at a lag of one line.
void guess_line(std::span<const std::byte> file, RawGuess& guess) {
  const std::size_t bytes = raw_type_bytes(guess.dtype), n_values = file.size() / bytes;
  const std::size_t most = std::min(kMostLine, n_values / 4);
  if (most < 2 * kLeastLine) return;
  const std::size_t n = std::min(2 * kProbedValues, n_values - most);
  const std::size_t from = file.size() - (n + most) * bytes - (n_values - n - most) / 2 * bytes;
  std::vector<float> values = raw_values(file, from, guess.dtype, guess.byte_order, n + most);
  for (float& v : values) v = std::isfinite(v) ? std::sqrt(std::abs(v)) : 0.0F;
  // Sums of 4 neighbours: the carrier of the echoes shifts between lines, the envelope hardly.
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (float& v : values) v -= static_cast<float>(mean);
  guess.likeness.assign(most, 0.0F);
  double power = 0.0;
  for (std::size_t k = 0; k < n; ++k) power += static_cast<double>(values[k]) * static_cast<double>(values[k]);
  if (!(power > 0.0)) return;
  for (std::size_t lag = 0; lag < most; ++lag) {
    float sums[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8)
      for (std::size_t j = 0; j < 8; ++j) sums[j] += values[k + j] * values[k + j + lag];
    guess.likeness[lag] =
        static_cast<float>(static_cast<double>(std::accumulate(std::begin(sums), std::end(sums), 0.0F)) / power);
  }
  std::size_t best = kLeastLine;
  for (std::size_t lag = kLeastLine; lag < most; ++lag) {
    const bool peak = guess.likeness[lag] >= guess.likeness[lag - 1] &&
                      (lag + 1 == most || guess.likeness[lag] >= guess.likeness[lag + 1]);
    if (peak && guess.likeness[lag] > guess.likeness[best]) best = lag;
  }
  for (std::size_t lag = kLeastLine; lag < best; ++lag) {  // peak at several lines: use the first
    const bool divides = best % lag <= 2 || lag - best % lag <= 2;
    if (divides && guess.likeness[lag] > 0.7F * guess.likeness[best] &&
        guess.likeness[lag] >= guess.likeness[lag - 1] && guess.likeness[lag] >= guess.likeness[lag + 1]) {
      best = lag;
      break;
    }
  }
  std::vector<float> sorted(guess.likeness.begin() + kLeastLine, guess.likeness.end());
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
  const float usual = sorted[sorted.size() / 2];
  if (guess.likeness[best] <= usual + 0.1F) return;
  guess.line_values = best;
  // Echoes that run across the array shift the peak by a sample or two: prefers whole lines without a header, or a
  // round number of samples after a header of a usual length.
  int best_roundness = -1;
  for (const int shift : {0, 1, -1, 2, -2, 3, -3}) {
    const std::size_t line = best + static_cast<std::size_t>(shift), header = file.size() % (line * bytes);
    if (header % 64 != 0 || header > 8192) continue;
    if (header == 0) {
      guess.line_values = line;
      return;
    }
    if (roundness(line) <= best_roundness) continue;
    best_roundness = roundness(line);
    guess.line_values = line;
  }
}

void find_numbers(std::span<const std::byte> file, RawGuess& guess) {
  for (std::size_t at = 0; at + 4 <= std::min(file.size(), kHeaderLooked); at += 4) {
    const std::byte* const from = file.data() + at;
    const double value =
        guess.byte_order == "big" ? load_number<std::int32_t, true>(from) : load_number<std::int32_t, false>(from);
    const bool fill = value == 255.0 || value == 65'535.0 || value == 16'777'215.0;  // 0xff bytes, not a count
    if (!(value >= 2.0 && value <= 2e9) || fill || guess.numbers.size() >= 16) continue;
    guess.numbers.push_back({at, value, ""});
  }
}

// Finds up to four numbers of the header whose product, times the bytes of a value, is the file size minus the header.
bool shape_by_header(std::size_t file_bytes, RawGuess& guess) {
  const std::size_t bytes = raw_type_bytes(guess.dtype);
  const std::size_t n = std::min<std::size_t>(guess.numbers.size(), 10);
  double best_score = 0.0;
  std::vector<std::size_t> best;
  std::size_t best_header = 0;
  for (unsigned subset = 1; subset < (1U << n); ++subset) {
    if (std::popcount(subset) < 2 || std::popcount(subset) > 4) continue;
    double product = static_cast<double>(bytes);
    std::size_t last = 0;
    bool sane = true;
    std::vector<std::size_t> extents;
    for (std::size_t k = 0; k < n; ++k) {
      if ((subset & (1U << k)) == 0) continue;
      product *= guess.numbers[k].value;
      sane = sane && guess.numbers[k].value <= 1e6;
      extents.push_back(static_cast<std::size_t>(guess.numbers[k].value));
      last = guess.numbers[k].offset + 4;
    }
    const double header = static_cast<double>(file_bytes) - product;
    if (!sane || header < static_cast<double>(last) || header > static_cast<double>(kMostHeader)) continue;
    const bool has_line = guess.line_values > 0 && std::ranges::find(extents, guess.line_values) != extents.end();
    const auto header_bytes = static_cast<std::size_t>(header);
    // Some combination of numbers nearly gives the size of any file: without a line length the header must have a usual
    // length, or end with its numbers.
    const bool usual = header_bytes % 128 == 0 || header_bytes < last + 64;
    if (!has_line && (!usual || std::ranges::max(extents) < kLeastLine)) continue;
    const double score = static_cast<double>(std::popcount(subset)) + (has_line ? 4.0 : 0.0) +
                         (std::has_single_bit(header_bytes) ? 1.0 : 0.0) - header / kMostHeader;
    if (score > best_score) best_score = score, best = extents, best_header = header_bytes;
  }
  if (best.empty()) return false;
  // The line is time; the first of the others is elements, as headers list them in the order of the axes.
  std::size_t time = static_cast<std::size_t>(std::ranges::find(best, guess.line_values) - best.begin());
  if (time == best.size()) time = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
  std::vector<std::size_t> order{best[time]};
  best.erase(best.begin() + static_cast<std::ptrdiff_t>(time));
  order.insert(order.end(), best.begin(), best.end());
  constexpr const char* kRoles[] = {"time", "element", "transmit", "frame"};
  std::vector<const char*> roles{kRoles, kRoles + order.size()};
  if (order.size() == 3) roles[2] = "frame";
  for (std::size_t k = order.size(); k-- > 0;) {
    guess.shape.push_back(order[k]);
    guess.axes.emplace_back(roles[k]);
    for (RawNumber& number : guess.numbers)
      if (number.meaning.empty() && number.value == static_cast<double>(order[k]))
        number.meaning = std::string(roles[k] == std::string_view("time") ? "sample" : roles[k]) + "s?";
  }
  guess.header_bytes = best_header;
  guess.why_header = "The remaining bytes are the product of numbers in the header.";
  guess.why_shape = "Numbers in the header whose product is the rest of the file.";
  return true;
}

// Similarity of lines, relative to their mean: from their rectified samples, summed in some hundred bins.
class LineLikeness {
 public:
  LineLikeness(std::span<const std::byte> file, const RawGuess& guess, std::size_t n_lines)
      : n_lines_(std::min(n_lines, kMostLines)), features_(n_lines_ * kBins, 0.0F) {
    const std::size_t line = guess.line_values, line_bytes = line * raw_type_bytes(guess.dtype);
    std::vector<double> mean(kBins, 0.0);
    for (std::size_t l = 0; l < n_lines_; ++l) {
      const std::vector<float> values =
          raw_values(file, guess.header_bytes + l * line_bytes, guess.dtype, guess.byte_order, line);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const float size = std::isfinite(values[k]) ? std::sqrt(std::abs(values[k])) : 0.0F;
        features_[l * kBins + k * kBins / line] += size;
        mean[k * kBins / line] += static_cast<double>(size) / static_cast<double>(n_lines_);
      }
    }
    for (std::size_t k = 0; k < features_.size(); ++k) features_[k] -= static_cast<float>(mean[k % kBins]);
  }

  [[nodiscard]] std::size_t n_lines() const { return n_lines_; }
  // Returns the similarity of all pairs of lines `lag` apart: 1 for equal ones.
  [[nodiscard]] double at(std::size_t lag) const {
    Pair sum;
    for (std::size_t l = 0; l + lag < n_lines_; ++l) sum.add(pair(l, l + lag));
    return sum.likeness();
  }
  // Returns 0 for a line similar to the previous one, 1 for an unrelated one.
  [[nodiscard]] std::vector<double> changes() const {
    std::vector<double> all(n_lines_, 0.0);
    for (std::size_t l = 1; l < n_lines_; ++l) all[l] = 1.0 - pair(l - 1, l).likeness();
    return all;
  }

 private:
  struct Pair {
    double both = 0.0, energy = 0.0;
    void add(const Pair& other) { both += other.both, energy += other.energy; }
    [[nodiscard]] double likeness() const { return energy > 0.0 ? 2.0 * both / energy : 1.0; }
  };
  [[nodiscard]] Pair pair(std::size_t a, std::size_t b) const {
    Pair sum;
    for (std::size_t k = 0; k < kBins; ++k) {
      const auto x = static_cast<double>(features_[a * kBins + k]), y = static_cast<double>(features_[b * kBins + k]);
      sum.add({x * y, x * x + y * y});
    }
    return sum;
  }

  static constexpr std::size_t kBins = 96, kMostLines = 4096;
  std::size_t n_lines_;
  std::vector<float> features_;  // [line][bin]
};

// Guesses the shape: neighbouring elements are similar, the last of a transmit and the first of the next one are not;
// frames are similar. Finds nothing if the lines have no such steps.
void shape_by_steps(const LineLikeness& alike, std::size_t n_lines, RawGuess& guess) {
  constexpr std::size_t kLeastElements = 8;
  constexpr double kLeastStep = 4.0, kSameFrame = 0.9;
  const std::vector<double> changes = alike.changes();
  const double all = std::accumulate(changes.begin(), changes.end(), 0.0);
  std::size_t elements = 0;
  double best = kLeastStep;
  for (std::size_t n = kLeastElements; 2 * n <= changes.size(); ++n) {
    if (n_lines % n != 0) continue;
    double steps = 0.0, n_steps = 0.0;
    for (std::size_t l = n; l < changes.size(); l += n) steps += changes[l], n_steps += 1.0;
    const double others = (all - steps) / (static_cast<double>(changes.size()) - 1.0 - n_steps);
    if (others > 0.0 && steps / n_steps > best * others) best = steps / n_steps / others, elements = n;
  }
  if (elements == 0) return;
  std::size_t frame = elements;
  while (frame <= alike.n_lines() / 2 && (n_lines % frame != 0 || alike.at(frame) < kSameFrame)) frame += elements;
  const bool recurs = frame <= alike.n_lines() / 2;
  guess.why_shape = "Lines change every " + std::to_string(elements) + " lines";
  if (!recurs) {
    guess.shape = {n_lines / elements, elements, guess.line_values};
    guess.axes = {"transmit", "element", "time"};
  } else if (frame == elements) {
    guess.shape = {n_lines / elements, elements, guess.line_values};
  } else {
    guess.shape = {n_lines / frame, frame / elements, elements, guess.line_values};
    guess.axes = {"frame", "transmit", "element", "time"};
    guess.why_shape += ", and recur every " + std::to_string(frame);
  }
  guess.why_shape += ".";
}

void shape_by_line(std::span<const std::byte> file, RawGuess& guess) {
  const std::size_t bytes = raw_type_bytes(guess.dtype);
  const std::size_t line = guess.line_values > 0 ? guess.line_values : 1024;
  const std::size_t line_bytes = line * bytes;
  const std::size_t lines = file.size() / line_bytes;
  guess.header_bytes = file.size() - lines * line_bytes;
  guess.why_header = "Bytes beside whole lines.";
  guess.axes = {"frame", "element", "time"};
  if (guess.line_values > 0 && lines > 16) shape_by_steps(LineLikeness(file, guess, lines), lines, guess);
  if (!guess.shape.empty()) return;
  for (const std::size_t n : {128UL, 192UL, 256UL, 64UL, 96UL, 80UL, 32UL, 160UL}) {
    if (lines < n || lines % n != 0) continue;
    guess.shape = {lines / n, n, line};
    break;
  }
  if (guess.shape.empty()) guess.shape = {1, std::max<std::size_t>(1, lines), line};
  guess.why_shape = guess.line_values > 0 ? "Lines are alike after " + std::to_string(line) + " values."
                                          : "No likeness of lines was found: any shape may be right.";
}

}  // namespace

std::size_t raw_type_bytes(std::string_view dtype) {
  return std::ranges::find(kRawTypes, dtype) == std::end(kRawTypes) ? 0 : named_number_type(dtype)->bytes;
}

std::vector<std::string> raw_types() { return {std::begin(kRawTypes), std::end(kRawTypes)}; }

std::string raw_type_names() {
  std::string names;
  for (const std::string_view type : kRawTypes) names += (names.empty() ? "" : ", ") + std::string(type);
  return names;
}

std::vector<float> raw_values(std::span<const std::byte> file, std::size_t from, std::string_view dtype,
                              std::string_view byte_order, std::size_t most) {
  std::vector<float> values;
  const std::size_t part = part_bytes(dtype);
  if (part == 0 || from >= file.size()) return values;
  NumberType type = *named_number_type(dtype);
  if (byte_order == "big") type.order = ByteOrder::big;
  values.resize(std::min(most, (file.size() - from) / part));
  with_real_type(type, [&]<class T, bool kSwap>() {
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<float>(static_cast<double>(load_number<T, kSwap>(file.data() + from + k * part)));
  });
  return values;
}

RawGuess guess_raw(std::span<const std::byte> file) {
  RawGuess guess;
  guess_type(file, guess);
  guess_line(file, guess);
  find_numbers(file, guess);
  if (!shape_by_header(file.size(), guess)) shape_by_line(file, guess);
  std::erase_if(guess.numbers, [&](const RawNumber& number) { return number.offset + 4 > guess.header_bytes; });
  for (RawNumber& number : guess.numbers) {
    if (!number.meaning.empty() || number.value < 1e6 || number.value > 5e8) continue;
    number.meaning = "sampling, Hz?";
    if (guess.sampling_hz > 0.0) continue;
    guess.sampling_hz = number.value;
    guess.why_sampling = "A number of the header, at byte " + std::to_string(number.offset) + ".";
  }
  std::erase_if(guess.numbers, [](const RawNumber& number) { return number.meaning.empty(); });
  return guess;
}

}  // namespace echoloop
