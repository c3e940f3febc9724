#include "formats/import/guess_traces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "formats/import/guess_samples.h"
#include "formats/import/spellings.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

constexpr std::size_t kLeast = 16, kMost = 65'536;  // traces

struct PairNames {
  std::string_view tx, rx;  // of two lists
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
// Places of one element that moves; those of a probe only where each file of a folder has one.
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

  // Of `n` rows; 0: any number that an axis of the samples has.
  [[nodiscard]] std::optional<FactNumbers> find(std::string_view name) const {
    const auto found = entries.find(std::string(name));
    if (found == entries.end()) return std::nullopt;
    const TreeEntry& entry = tree.entries()[found->second];
    FactNumbers list{.entry = found->second,
                     .named = {.fact = Fact::positions, .rank = 0, .unit = NamedUnit::none},
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

// The axis of the samples that `n` traces are: not the longest one, unless two are as long.
bool is_trace_axis(const std::vector<std::size_t>& shape, std::size_t n) {
  const auto lengths = long_axes(shape);
  return lengths.size() >= 2 && lengths.size() <= 3 && n >= kLeast && n <= kMost && std::ranges::count(lengths, n) == 1;
}

bool are_numbers(const std::vector<double>& list) {
  return std::ranges::all_of(list, [](double v) { return v >= 0.0 && v <= kMaxElements && v == std::floor(v); });
}

// From 1, or from 0 where there is a 0.
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

// x and z of each row of n x 1, n x 2 or n x 3 numbers, or of their transposed.
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

// Elements are the places that occur.
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

// One element that moves: as many places as traces.
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
    if (std::ranges::adjacent_find(sorted) != sorted.end()) continue;  // shots at one place
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
