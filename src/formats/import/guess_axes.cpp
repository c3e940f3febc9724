#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "formats/import/guess.h"

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

// Scores the usual order: time, element, transmit, frame, fastest first.
double order_score(const std::vector<Role>& roles, bool first_fastest) {
  double score = 0.0;
  for (std::size_t k = 0; k + 1 < roles.size(); ++k) {
    if (roles[k] == kIq || roles[k + 1] == kIq) continue;
    score += (first_fastest ? roles[k] < roles[k + 1] : roles[k] > roles[k + 1]) ? 1.0 : 0.0;
  }
  return score;
}

// Returns true if the time axis has the length of a usual array, and the element axis a similar but unusual one.
bool looks_like_elements(const std::vector<std::size_t>& shape, std::size_t time, std::size_t element) {
  return is_usual_count(shape[time]) && !is_usual_count(shape[element]) && shape[time] < 2 * shape[element];
}

// Describes two axes with exchangeable roles: of equal length, unless a full matrix, which is symmetric; elements and
// an equally likely number of frames; and lines shorter than the array is wide.
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

// Exchanges frames and samples if both are long, and frames more: only their order decides. Frames are slowest.
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

// Names a fastest axis of length 2 I and Q, as frames are not stored so.
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
  for (const std::size_t n : shape)
    if (n > 1) lengths.push_back(n);
  if (lengths.size() < 2 || lengths.size() > kRoles) return std::nullopt;
  const std::size_t longest = *std::ranges::max_element(lengths);
  AxisHints hints = known;
  for (const std::size_t n : lengths) {  // full matrix: as many transmits as elements, and longer lines
    const bool twice = std::ranges::count(lengths, n) == 2;
    if (hints.n_elements == 0 && hints.n_transmits == 0 && twice && is_usual_count(n) && n < longest)
      hints.n_elements = n;
  }
  std::vector<int> order(kRoles);
  for (int k = 0; k < kRoles; ++k) order[static_cast<std::size_t>(k)] = k;
  std::vector<Role> best;
  double best_score = kNever / 2;
  do {  // every choice of as many roles as axes
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
  for (const Role role : {kIq, kTransmit, kFrame})  // from the last one on
    if (std::ranges::find(best, role) == best.end()) spare.push_back(role);
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

namespace {

constexpr std::size_t kLeast = 16, kMost = 65'536;  // traces

struct PairNames {
  std::string_view tx, rx;  // names of two lists
};
constexpr PairNames kNumberNames[] = {{"tx", "rx"},
                                      {"txelement", "rxelement"},
                                      {"txelements", "rxelements"},
                                      {"txelem", "rxelem"},
                                      {"txelems", "rxelems"},
                                      {"txel", "rxel"},
                                      {"txindex", "rxindex"},
                                      {"txidx", "rxidx"},
                                      {"txindices", "rxindices"},
                                      {"txlist", "rxlist"},
                                      {"txoftrace", "rxoftrace"},
                                      {"txchannel", "rxchannel"},
                                      {"txchannels", "rxchannels"},
                                      {"itx", "irx"},
                                      {"transmit", "receive"},
                                      {"transmitter", "receiver"},
                                      {"transmitters", "receivers"},
                                      {"transmitelement", "receiveelement"},
                                      {"transmitelements", "receiveelements"},
                                      {"emitter", "receiver"},
                                      {"emitters", "receivers"},
                                      {"sender", "receiver"},
                                      {"source", "receiver"},
                                      {"sourceindex", "receiverindex"},
                                      {"emetteur", "recepteur"}};
constexpr std::string_view kMatrixNames[] = {"txrx",         "txrxpairs", "txrxpair", "txrxlist",     "pairs",
                                             "elementpairs", "elpairs",   "abpairs",  "channelpairs", "combinations"};
constexpr PairNames kPlaceNames[] = {{"txpos", "rxpos"},
                                     {"txposition", "rxposition"},
                                     {"txpositions", "rxpositions"},
                                     {"txx", "rxx"},
                                     {"xtx", "xrx"},
                                     {"sourcepos", "receiverpos"},
                                     {"sourcepos", "sensorpos"},
                                     {"sourceposition", "receiverposition"},
                                     {"sourcepositions", "receiverpositions"},
                                     {"transmitterpositions", "receiverpositions"},
                                     {"sourcex", "receiverx"}};
// Positions of one moving element; those of a probe only if each file of a folder has one.
constexpr std::string_view kScanNames[] = {"scanx",    "xscan",        "scanpos", "scanposition", "scanpositions",
                                           "shotx",    "xshot",        "shotpos", "shotposition", "stagex",
                                           "xstage",   "stagepos",     "motorx",  "xmotor",       "scannerx",
                                           "xscanner", "stageposition"};
constexpr std::string_view kProbeNames[] = {"probex",        "xprobe",      "probepos",
                                            "probeposition", "transducerx", "xtransducer"};
constexpr std::string_view kPlainNames[] = {"x", "xpos", "posx", "xposition", "positionx", "position", "positions"};

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  return std::ranges::find(names, std::string_view(name)) != std::end(names);
}

struct Lists {
  const ArrayTree& tree;
  std::size_t data;
  std::map<std::string, std::size_t> entries = {};  // by plain name

  // Reads a list; nullopt if there is none, or if it cannot be read.
  [[nodiscard]] std::optional<FactNumbers> find(std::string_view name) const {
    const auto found = entries.find(std::string(name));
    if (found == entries.end()) return std::nullopt;
    const TreeEntry& entry = tree.entries()[found->second];
    FactNumbers list{.entry = found->second,
                     .named = {.fact = "element_pos_m", .rank = 0},
                     .values = {},
                     .shape = entry.shape,
                     .path = entry.path};
    if (const auto unit = named_fact(entry.path); unit) list.named.unit = unit->unit;
    try {
      list.values = tree.numbers(found->second, 3 * kMost);
    } catch (const Error&) {
      return std::nullopt;
    }
    return list;
  }
};

Lists lists_of(const ArrayTree& tree, std::size_t data) {
  Lists lists{.tree = tree, .data = data};
  for (std::size_t k = 0; k < tree.entries().size(); ++k) {
    const TreeEntry& entry = tree.entries()[k];
    if (k != data && entry.numeric && !entry.complex && !entry.part && entry.count() >= kLeast &&
        entry.count() <= 3 * kMost)
      lists.entries.emplace(plain_name(entry.path), k);
  }
  return lists;
}

// Returns true if `n` traces are one axis of the samples, and no other has this length.
bool is_trace_axis(const std::vector<std::size_t>& shape, std::size_t n) {
  const auto lengths = long_axes(shape);
  return lengths.size() >= 2 && lengths.size() <= 3 && n >= kLeast && n <= kMost && std::ranges::count(lengths, n) == 1;
}

bool are_numbers(const std::vector<double>& list) {
  return std::ranges::all_of(list, [](double v) { return v >= 0.0 && v <= kMaxElements && v == std::floor(v); });
}

// Reads numbers from 1, or from 0 if there is a 0.
std::optional<TraceGuess> of_numbers(std::vector<double> tx, std::vector<double> rx, std::string names) {
  if (tx.size() != rx.size() || !are_numbers(tx) || !are_numbers(rx)) return std::nullopt;
  const bool from_zero = std::min(std::ranges::min(tx), std::ranges::min(rx)) == 0.0;
  TraceGuess guess{.tx = std::move(tx), .rx = std::move(rx), .n_elements = 0, .names = std::move(names), .places = {}};
  for (auto* const list : {&guess.tx, &guess.rx})
    for (double& element : *list) element += from_zero ? 1.0 : 0.0;
  guess.n_elements = static_cast<std::size_t>(std::max(std::ranges::max(guess.tx), std::ranges::max(guess.rx)));
  return guess;
}

std::optional<TraceGuess> by_numbers(const Lists& lists, const std::vector<std::size_t>& shape) {
  for (const auto& [tx_name, rx_name] : kNumberNames) {
    const auto tx = lists.find(tx_name), rx = lists.find(rx_name);
    if (!tx || !rx || !is_list(tx->shape) || !is_list(rx->shape) || !is_trace_axis(shape, tx->values.size())) continue;
    if (auto guess = of_numbers(tx->values, rx->values, tx->path + " and " + rx->path)) return guess;
  }
  for (const std::string_view name : kMatrixNames) {
    const auto pairs = lists.find(name);
    const auto dims = pairs ? long_axes(pairs->shape) : std::vector<std::size_t>();
    if (dims.size() != 2 || std::min(dims[0], dims[1]) != 2 || !is_trace_axis(shape, std::max(dims[0], dims[1])))
      continue;
    std::vector<double> tx, rx;
    const std::size_t n = pairs->values.size() / 2;
    for (std::size_t k = 0; k < n; ++k) {
      tx.push_back(pairs->values[dims[1] == 2 ? 2 * k : k]);
      rx.push_back(pairs->values[dims[1] == 2 ? 2 * k + 1 : n + k]);
    }
    if (auto guess = of_numbers(std::move(tx), std::move(rx), pairs->path + ", (transmit, receive)")) return guess;
  }
  return std::nullopt;
}

// Returns x and z of each row of n x 1, n x 2 or n x 3 numbers, or of their transpose.
std::vector<std::pair<double, double>> points_of(const FactNumbers& list, std::size_t n) {
  const auto dims = long_axes(list.shape);
  std::vector<std::pair<double, double>> points;
  const bool rows = dims.size() == 2 && dims[0] == n;
  const std::size_t n_axes = list.values.size() / n;
  if (dims.empty() || dims.size() > 2 || n_axes > 3 || n_axes * n != list.values.size()) return points;
  for (std::size_t k = 0; k < n; ++k) {
    const auto at = [&](std::size_t axis) { return list.values[rows ? n_axes * k + axis : axis * n + k]; };
    if (n_axes == 3 && at(1) != 0.0) return {};
    points.emplace_back(at(0), n_axes == 1 ? 0.0 : at(n_axes - 1));
  }
  return points;
}

// Uses distinct positions as elements.
std::optional<TraceGuess> by_places(const Lists& lists, const std::vector<std::size_t>& shape) {
  for (const auto& [tx_name, rx_name] : kPlaceNames) {
    const auto tx = lists.find(tx_name), rx = lists.find(rx_name);
    if (!tx || !rx || tx->named.unit != rx->named.unit) continue;
    const auto dims = long_axes(tx->shape);
    const std::size_t n = dims.empty() ? 0 : std::ranges::max(dims);
    if (!is_trace_axis(shape, n)) continue;
    const auto sent = points_of(*tx, n), received = points_of(*rx, n);
    if (sent.size() != n || received.size() != n) continue;
    std::vector<std::pair<double, double>> all = sent;
    all.insert(all.end(), received.begin(), received.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    TraceGuess guess{.tx = {},
                     .rx = {},
                     .n_elements = all.size(),
                     .names = tx->path + " and " + rx->path,
                     .places = FactNumbers{.entry = tx->entry,
                                           .named = tx->named,
                                           .values = {},
                                           .shape = {all.size(), 2},
                                           .path = tx->path + " and " + rx->path,
                                           .literal = true}};
    const auto number = [&](const std::pair<double, double>& at) {
      return static_cast<double>(std::ranges::lower_bound(all, at) - all.begin()) + 1.0;
    };
    std::ranges::transform(sent, std::back_inserter(guess.tx), number);
    std::ranges::transform(received, std::back_inserter(guess.rx), number);
    for (const auto& [x, z] : all) guess.places->values.insert(guess.places->values.end(), {x, z});
    if (all.size() > 1) return guess;
  }
  return std::nullopt;
}

// Finds one moving element: as many positions as traces.
std::optional<TraceGuess> by_scan(const Lists& lists, const std::vector<std::size_t>& shape) {
  if (long_axes(shape).size() != 2) return std::nullopt;
  for (const auto& [name, entry] : lists.entries) {
    const bool of_files = lists.tree.entries()[entry].of_files;
    const bool plain = of_files && is_among(kPlainNames, name);
    if (!is_among(kScanNames, name) && !(of_files && is_among(kProbeNames, name)) && !plain) continue;
    const auto places = lists.find(name);
    if (!places || !is_list(places->shape) || !is_trace_axis(shape, places->values.size())) continue;
    std::vector<double> sorted = places->values;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) continue;  // several shots at one position
    TraceGuess guess{.tx = {}, .rx = {}, .n_elements = sorted.size(), .names = places->path, .places = places};
    for (std::size_t k = 0; k < sorted.size(); ++k) guess.tx.push_back(static_cast<double>(k) + 1.0);
    guess.rx = guess.tx;
    if (plain)
      guess.question = words("one element that moves along ", places->path, ", or lines that are beamformed already");
    return guess;
  }
  return std::nullopt;
}

}  // namespace

bool TraceGuess::is_full() const {
  const auto n = static_cast<std::size_t>(n_elements);
  if (n * n != tx.size()) return false;
  for (std::size_t k = 0; k < tx.size(); ++k)
    if (tx[k] != static_cast<double>(k / n + 1) || rx[k] != static_cast<double>(k % n + 1)) return false;
  return true;
}

std::optional<TraceGuess> guess_traces(const ArrayTree& tree, std::size_t data) {
  const Lists lists = lists_of(tree, data);
  const std::vector<std::size_t>& shape = tree.entries()[data].shape;
  if (auto guess = by_numbers(lists, shape)) return guess;
  if (auto guess = by_places(lists, shape)) return guess;
  return by_scan(lists, shape);
}

}  // namespace echoloop
