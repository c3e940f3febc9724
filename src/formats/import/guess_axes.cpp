#include "formats/import/guess_axes.h"

#include <algorithm>
#include <array>

namespace echoloop {
namespace {

enum Role { kTime, kElement, kTransmit, kFrame, kIq, kRoles };
constexpr std::array<const char*, kRoles> kNames{"time", "element", "transmit", "frame", "iq"};
constexpr double kNever = -1e9;

bool is_usual_count(std::size_t n) {
  constexpr std::size_t kUsual[] = {16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512, 1024};
  return std::ranges::find(kUsual, n) != std::end(kUsual);
}

double role_score(Role role, std::size_t n, std::size_t longest, const AxisHints& hints) {
  switch (role) {
    case kTime:
      if (hints.n_times > 0) return n == hints.n_times ? 12.0 : kNever;
      return (n == longest ? 5.0 : 0.0) + (n >= 128 ? 1.0 : -6.0);
    case kElement:
      if (hints.n_elements > 0) return n == hints.n_elements ? 12.0 : kNever;
      return (is_usual_count(n) ? 3.0 : 0.0) + (n < 8 ? -4.0 : 1.0);
    case kTransmit:
      if (hints.n_transmits > 0) return n == hints.n_transmits ? 8.0 : kNever;
      return n == hints.n_elements ? 4.0 : -1.0;
    case kFrame:
      return 0.5;
    case kIq:
      return n == 2 && !hints.complex && hints.n_transmits != 2 ? (hints.named_iq ? 9.0 : 0.25) : kNever;
    case kRoles:
      break;
  }
  return kNever;
}

// The customary order: time, element, transmit, frame from the fastest axis on.
double order_score(const std::vector<Role>& roles, bool first_fastest) {
  double score = 0.0;
  for (std::size_t k = 0; k + 1 < roles.size(); ++k) {
    if (roles[k] == kIq || roles[k + 1] == kIq) continue;
    score += (first_fastest ? roles[k] < roles[k + 1] : roles[k] > roles[k + 1]) ? 1.0 : 0.0;
  }
  return score;
}

// A time axis as long as a usual array, beside elements that are nearly as many, and not.
bool looks_like_elements(const std::vector<std::size_t>& shape, std::size_t time, std::size_t element) {
  return is_usual_count(shape[time]) && !is_usual_count(shape[element]) && shape[time] < 2 * shape[element];
}

// Two axes that could change their roles: of equal length, unless a full matrix, which is the same both ways; elements
// beside as likely a number of frames; and lines shorter than the array is wide.
std::string undecided_axes(const std::vector<std::size_t>& shape, const std::vector<std::string>& axes,
                           const AxisHints& known) {
  const auto are = [&](std::size_t a, std::size_t b, Role one, Role other) {
    return (axes[a] == kNames[one] && axes[b] == kNames[other]) || (axes[a] == kNames[other] && axes[b] == kNames[one]);
  };
  for (std::size_t a = 0; a < shape.size(); ++a) {
    for (std::size_t b = a + 1; b < shape.size(); ++b) {
      const bool full_matrix = are(a, b, kTransmit, kElement) && known.n_transmits == 0;
      const bool alike = shape[a] == shape[b] && shape[a] > 1 && !full_matrix;
      const bool usual =
          known.n_elements == 0 && are(a, b, kElement, kFrame) && is_usual_count(shape[a]) && is_usual_count(shape[b]);
      const bool short_lines =
          known.n_elements == 0 && known.n_times == 0 && are(a, b, kTime, kElement) &&
          looks_like_elements(shape, axes[a] == kNames[kTime] ? a : b, axes[a] == kNames[kTime] ? b : a);
      if (!alike && !usual && !short_lines) continue;
      return "axes " + std::to_string(a + 1) + " and " + std::to_string(b + 1) + " of lengths " +
             std::to_string(shape[a]) + " and " + std::to_string(shape[b]) + ": " + axes[a] + " and " + axes[b] +
             ", or the reverse";
    }
  }
  return "";
}

// More frames than samples, both as many as lines have: only the order of the axes decides. Frames are slowest.
std::string exchange_long_frames(const std::vector<std::size_t>& shape, std::vector<std::string>& axes,
                                 const AxisHints& known) {
  constexpr std::size_t kLeast = 256;
  const auto time = std::ranges::find(axes, kNames[kTime]), frame = std::ranges::find(axes, kNames[kFrame]);
  if (time == axes.end() || frame == axes.end() || known.n_times > 0) return "";
  const std::size_t n_times = shape[static_cast<std::size_t>(time - axes.begin())],
                    n_frames = shape[static_cast<std::size_t>(frame - axes.begin())];
  if (std::min(n_times, n_frames) < kLeast || (frame < time) != known.first_fastest) return "";
  std::iter_swap(time, frame);
  return "as many as " + std::to_string(n_times) + " and " + std::to_string(n_frames) +
         ": frames and samples by their order, or the reverse";
}

// Two values a sample, as frames do not lie.
std::string name_fast_pairs(const std::vector<std::size_t>& shape, std::vector<std::string>& axes,
                            const AxisHints& known) {
  const std::size_t fastest = known.first_fastest ? 0 : shape.size() - 1;
  if (known.complex || shape[fastest] != 2 || axes[fastest] != kNames[kFrame]) return "";
  const auto taken = std::ranges::find(axes, kNames[kIq]);
  if (taken != axes.end()) *taken = kNames[kFrame];
  axes[fastest] = kNames[kIq];
  return "axis " + std::to_string(fastest + 1) + " of length 2: I and Q, or frames";
}

}  // namespace

std::optional<AxesGuess> guess_axes(const std::vector<std::size_t>& shape, const AxisHints& known) {
  std::vector<std::size_t> lengths;
  for (const std::size_t n : shape) {
    if (n > 1) lengths.push_back(n);
  }
  if (lengths.size() < 2 || lengths.size() > kRoles) return std::nullopt;
  const std::size_t longest = *std::ranges::max_element(lengths);
  AxisHints hints = known;
  for (const std::size_t n : lengths) {  // a full matrix: as many transmits as elements, and longer lines
    const bool twice = std::ranges::count(lengths, n) == 2;
    if (hints.n_elements == 0 && hints.n_transmits == 0 && twice && is_usual_count(n) && n < longest)
      hints.n_elements = n;
  }
  std::vector<int> order(kRoles);
  for (int k = 0; k < kRoles; ++k) order[static_cast<std::size_t>(k)] = k;
  std::vector<Role> best;
  double best_score = kNever / 2;
  do {  // every choice of as many roles as there are axes
    std::vector<Role> roles;
    double score = 0.0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      roles.push_back(static_cast<Role>(order[k]));
      score += role_score(roles.back(), lengths[k], longest, hints);
    }
    const auto has = [&](Role role) { return std::ranges::find(roles, role) != roles.end(); };
    if (!has(kTime) || !has(kElement) || (hints.n_transmits > 1 && !has(kTransmit))) continue;
    score += order_score(roles, hints.first_fastest);
    if (score > best_score) best_score = score, best = roles;
  } while (std::ranges::next_permutation(order).found);
  if (best.empty()) return std::nullopt;
  AxesGuess guess;
  std::vector<Role> spare;
  for (const Role role : {kIq, kTransmit, kFrame}) {  // the last one first
    if (std::ranges::find(best, role) == best.end()) spare.push_back(role);
  }
  std::size_t next = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    Role role = kFrame;
    if (shape[a] == 1 && spare.empty()) {
      guess.axes.emplace_back("one");
      continue;
    }
    if (shape[a] == 1) {
      role = spare.back();
      spare.pop_back();
    } else {
      role = best[next++];
    }
    guess.axes.emplace_back(kNames[role]);
    const bool undecided =
        (role == kFrame || role == kTransmit) && shape[a] > 1 && hints.n_transmits == 0 && shape[a] != hints.n_elements;
    if (undecided)
      guess.open = "axis " + std::to_string(a + 1) + " of length " + std::to_string(shape[a]) + ": transmits or frames";
  }
  guess.undecided = undecided_axes(shape, guess.axes, known);
  if (guess.undecided.empty()) guess.undecided = exchange_long_frames(shape, guess.axes, known);
  if (guess.undecided.empty()) guess.undecided = name_fast_pairs(shape, guess.axes, known);
  return guess;
}

std::optional<SplitGuess> guess_split(const std::vector<std::size_t>& shape, std::size_t n_waves,
                                      std::size_t n_elements, MemoryOrder order) {
  if (shape.size() != 2 || n_waves < 2) return std::nullopt;
  const std::size_t longer = shape[0] >= shape[1] ? 0 : 1;
  const bool first_fastest = order == MemoryOrder::fortran;
  std::optional<SplitGuess> best;
  for (const std::size_t axis : {1 - longer, longer}) {
    const std::size_t part = shape[axis] / n_waves, other = shape[1 - axis];
    const bool certain = n_elements > 0 && (part == n_elements || other == n_elements);
    const bool of_elements = certain ? part == n_elements : part < other;
    if (shape[axis] % n_waves != 0 || part < (of_elements ? 4U : 64U) || (best && !certain)) continue;
    best = SplitGuess{.shape = shape, .n_parts = part, .certain = certain, .of_elements = of_elements};
    best->shape[axis] = first_fastest ? part : n_waves;
    best->shape.insert(best->shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, first_fastest ? n_waves : part);
  }
  return best;
}

}  // namespace echoloop
