#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/facts.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"
#include "formats/base/mapping.h"
#include "formats/import/guess.h"
#include "formats/import/import.h"
#include "formats/readers/description.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

constexpr double kMostLineShift = 4.0;  // lengths of a line
constexpr std::size_t kMostNamedNumbers = std::size_t{1} << 22;

// Returns "one of a, b, ...": the existing arrays.
std::string entry_names(const ArrayTree& tree) {
  std::string list;
  std::size_t n_listed = 0;
  for (const TreeEntry& entry : tree.entries()) {
    if (!entry.numeric) continue;
    if (n_listed++ == 8) return list + ", ...";
    list += (list.empty() ? "" : ", ") + printable(entry.path, 40);
  }
  return list.empty() ? "a file with arrays" : "one of " + list;
}

Json as_json(const std::vector<double>& values, const std::vector<std::size_t>& all, double factor, bool inverse) {
  const auto number = [&](double value) {
    const double scaled = inverse ? factor / value : factor * value;
    return std::isnan(scaled) ? Json() : Json(scaled);
  };
  std::vector<std::size_t> shape = all;  // row and column vectors are lists
  std::erase(shape, std::size_t{1});
  if (shape.empty()) return number(values.at(0));
  Json list = Json::array();
  if (shape.size() == 1) {
    for (const double value : values) list.push_back(number(value));
    return list;
  }
  const std::size_t width = shape.back();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k % width == 0) list.push_back(Json::array());
    list.back().push_back(number(values[k]));
  }
  return list;
}

Json numbers_of(const std::string& what, const std::string& key, const std::string& text, const ArrayTree& tree) {
  const VariableExpression expression = parse_variable(text);
  const auto entry = tree.find(expression.name);
  if (!entry || !tree.entries()[*entry].numeric) {
    throw Error(what, key + " = \"" + printable(text) + "\"" + (entry ? ", which is no number" : ", no such variable"),
                entry_names(tree));
  }
  return as_json(tree.numbers(*entry, kMostNamedNumbers), tree.entries()[*entry].shape, expression.factor,
                 expression.inverse);
}

// Expands {"kind": "plane", "angle_rad": "angles"} to one entry per number.
Json expanded_entry(const Json& entry) {
  for (const auto& [key, list] :
       {std::pair{"angle_rad", false}, {"element", false}, {"source_m", true}, {"focus_m", true}, {"delays_s", true}}) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array() || found->empty()) continue;
    if (list && !(*found)[0].is_array()) continue;
    Json all = Json::array();
    for (const Json& value : *found) {
      Json one = entry;
      one[key] = value;
      all.push_back(std::move(one));
    }
    return all;
  }
  return Json::array({entry});
}

}  // namespace

Json with_numbers(const std::string& what, const Json& meta, const ArrayTree& tree) {
  Json resolved = meta;
  for (auto& [key, value] : resolved.items()) {
    const FactRow* const row = find_description_key(key);
    if (row == nullptr || (row->traits & kNumbers) == 0 || !value.is_string()) continue;
    if (key == "tx_elements" && value == "all") continue;
    value = numbers_of(what, key, value.get<std::string>(), tree);
  }
  if (const auto tx = resolved.find("tx"); tx != resolved.end()) {
    Json entries = Json::array();
    for (Json entry : tx->is_object() ? Json::array({*tx}) : *tx) {
      for (const std::string_view name : kTransmitKeys) {
        const std::string key(name);
        if (key == "kind" || !entry.is_object() || !entry.contains(key) || !entry.at(key).is_string()) continue;
        entry[key] = numbers_of(what, key, entry.at(key).get<std::string>(), tree);
      }
      if (!entry.is_object()) {
        entries.push_back(std::move(entry));
        continue;
      }
      for (Json& one : expanded_entry(entry)) entries.push_back(std::move(one));
    }
    *tx = std::move(entries);
  }
  // Accept a single list instead of a matrix with one row or column.
  for (const char* const key : {"element_pos_m"}) {
    const auto found = resolved.find(key);
    if (found != resolved.end() && found->is_array() && !found->empty() && found->at(0).is_number())
      *found = Json::array({*found, Json(std::vector<double>(found->size(), 0.0))});
  }
  return resolved;
}

std::optional<std::size_t> samples_entry(const std::string& what, const Json& meta, const ArrayTree& tree) {
  const std::vector<TreeEntry>& entries = tree.entries();
  if (meta.contains("data")) {
    const std::string name = json_text(what, meta.at("data"), "data");
    const auto found = tree.find(name);
    if (!found || !entries[*found].numeric) {
      throw Error(what, "data = \"" + printable(name) + "\"" + (found ? ", which is no array" : ", no such variable"),
                  entry_names(tree));
    }
    return found;
  }
  std::optional<std::size_t> largest;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto long_axes = std::ranges::count_if(entries[k].shape, [](std::size_t n) { return n > 1; });
    if (!entries[k].numeric || long_axes < 2) continue;
    if (!largest || entries[k].count() > entries[*largest].count()) largest = k;
  }
  return largest;
}

namespace {

// Reverses lists of lines from right to left; returns false if they are not.
bool turn_lines(Json& meta) {
  const auto x = meta.find("element_x_m");
  if (!describes_lines(meta) || x == meta.end() || !x->is_array() || x->size() < 2) return false;
  const bool numbers = std::ranges::all_of(*x, [](const Json& one) { return one.is_number(); });
  const auto falls = [](const Json& l, const Json& r) { return l.get<double>() > r.get<double>(); };
  if (!numbers || !falls(x->front(), x->back()) || !std::ranges::is_sorted(*x, falls)) return false;
  for (const char* const key : {"element_x_m", "element_z_m", "element_normal_rad", "t0_s"}) {
    const auto list = meta.find(key);
    if (list != meta.end() && list->is_array()) std::reverse(list->begin(), list->end());
  }
  return true;
}

LibraryRecording turned_lines(LibraryRecording lines) {
  Acquisition a = *lines.acquisition;
  a.assumptions.emplace_back("lines are stored from right to left");
  lines.acquisition = std::make_shared<const Acquisition>(std::move(a));
  lines.frame_offsets.clear();
  const std::size_t n = lines.acquisition->probe.elements.size(), line = lines.acquisition->frame_bytes() / n;
  lines.read_frame = [n, line, read = std::move(lines.read_frame)](std::uint64_t index, std::span<std::byte> out) {
    read(index, out);
    for (std::size_t l = 0; l < n / 2; ++l)
      std::ranges::swap_ranges(out.subspan(l * line, line), out.subspan((n - 1 - l) * line, line));
  };
  return lines;
}

// Returns start times that differ between lines, leaving the first one in `meta`; empty: all start at the same time.
std::vector<double> take_line_times(const std::string& what, Json& meta, const ArrayExtents& extents) {
  const auto found = meta.find("t0_s");
  if (found == meta.end() || !found->is_array() || !describes_lines(meta)) return {};
  std::vector<double> times_s = json_numbers(what, *found, "t0_s");
  const double fs_hz = meta.contains("fs_hz") ? json_number(what, meta.at("fs_hz"), "fs_hz") : 0.0;
  const bool all =
      times_s.size() == extents.n_elements && std::ranges::all_of(times_s, [](double t) { return std::isfinite(t); });
  const double span = all ? (std::ranges::max(times_s) - std::ranges::min(times_s)) * fs_hz : 0.0;
  if (!all || extents.n_values != 1 || !(span <= kMostLineShift * static_cast<double>(extents.n_samples)))
    throw Error(what, "t0_s = " + json_excerpt(*found) + " of lines",
                "one number, or for RF one for each line, within 4 lengths of a line");
  *found = std::ranges::min(times_s);
  return times_s;
}

// Sets a quarter of the sampling frequency, until measured in the first frame; returns false if not to be measured.
bool assume_center(const std::string& what, Json& meta, const ArrayExtents& extents) {
  if (meta.contains("fc_hz") || extents.n_values != 1) return false;
  if (meta.contains("fs_hz")) {
    meta["fc_hz"] = 0.25 * json_number(what, meta.at("fs_hz"), "fs_hz");
  } else if (const auto times = meta.find("time_s"); times != meta.end() && times->size() > 1) {
    const std::vector<double> all = json_numbers(what, *times, "time_s");
    meta["fc_hz"] = 0.25 * static_cast<double>(all.size() - 1) / (all.back() - all.front());
  }
  return meta.contains("fc_hz");
}

}  // namespace

namespace {

constexpr std::size_t kMostTraceValues = std::size_t{1} << 28;  // for all traces
constexpr std::size_t kMostMatrixBytes = std::size_t{4} << 30;  // of the matrix
constexpr double kMostTraceShift = 4.0;                         // in trace lengths

struct Traces {
  std::size_t n_frames = 1, n_traces = 0, n_samples = 0;
  std::size_t frame_stride = 0, trace_stride = 0, sample_stride = 0;  // values, last axis fastest
};

struct Pairs {
  std::vector<std::size_t> tx, rx;  // per trace, from 0
  std::vector<std::size_t> fired;   // ascending
  std::size_t n_elements = 0;
  [[nodiscard]] std::size_t row_of(std::size_t element) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(fired, element) - fired.begin());
  }
};

Traces laid_out(const std::string& what, const Json& meta, std::vector<std::size_t> shape) {
  constexpr const char* kAxes = "\"trace\", \"time\" and, if there are several, \"frame\"";
  std::vector<std::string> names;
  for (const Json& name : require_key(what, meta, "axes")) names.push_back(json_text(what, name, "axes"));
  if (names.size() != shape.size()) std::erase(shape, std::size_t{1});
  if (names.size() != shape.size())
    throw Error(what, "array of shape " + shape_text(shape) + " with axes " + json_excerpt(meta.at("axes")),
                "one axis name for each axis of the array");
  Traces traces;
  std::size_t stride = 1;
  for (std::size_t a = shape.size(); a-- > 0; stride *= shape[a])
    if (names[a] == "trace" && traces.n_traces == 0)
      traces.n_traces = shape[a], traces.trace_stride = stride;
    else if (names[a] == "time" && traces.n_samples == 0)
      traces.n_samples = shape[a], traces.sample_stride = stride;
    else if (names[a] == "frame" && traces.frame_stride == 0)
      traces.n_frames = shape[a], traces.frame_stride = stride;
    else
      throw Error(what, "axis '" + printable(names[a]) + "' of traces", kAxes);
  if (traces.n_traces == 0 || traces.n_samples == 0)
    throw Error(what, "axes = " + json_excerpt(meta.at("axes")), kAxes);
  return traces;
}

// Reads whole numbers from 1, or from 0 in both lists.
std::vector<std::size_t> numbers_of(const std::string& what, const Json& meta, const char* key, std::size_t n) {
  const Json& list = require_key(what, meta, key);
  const std::vector<double> numbers = json_numbers(what, list, key);
  if (numbers.size() != n)
    throw Error(what, counted(numbers.size(), "value") + " of " + key + " for " + counted(n, "trace"),
                "one for each trace");
  std::vector<std::size_t> whole;
  for (const double number : numbers) {
    if (!(number >= 0.0 && number <= kMaxElements && number == std::floor(number)))
      throw Error(what, std::string(key) + " with " + word(number), "numbers of elements, from 1 (or 0) on");
    whole.push_back(static_cast<std::size_t>(number));
  }
  return whole;
}

// Returns the number of positions or the stated number, else the largest element number.
std::size_t element_count(const Json& meta, std::size_t largest) {
  const auto length = [&](const char* key) {
    const auto found = meta.find(key);
    if (found == meta.end() || !found->is_array() || found->empty()) return std::size_t{0};
    return (*found)[0].is_array() ? std::max(found->size(), (*found)[0].size()) : found->size();
  };
  const auto n = meta.find("n_elements");
  const double stated = n != meta.end() && n->is_number() ? n->get<double>() : 0.0;
  const std::size_t counted_ones = stated >= 1.0 && stated <= kMaxElements ? static_cast<std::size_t>(stated) : 0;
  const std::size_t all = std::max({length("element_x_m"), length("element_pos_m"), counted_ones});
  return all > 0 ? all : largest;
}

Pairs described_pairs(const std::string& what, const Json& meta, std::size_t n_traces) {
  Pairs pairs{.tx = numbers_of(what, meta, "tx_of_trace", n_traces),
              .rx = numbers_of(what, meta, "rx_of_trace", n_traces),
              .fired = {},
              .n_elements = 0};
  const bool from_one = std::min(std::ranges::min(pairs.tx), std::ranges::min(pairs.rx)) > 0;
  const std::size_t largest = std::max(std::ranges::max(pairs.tx), std::ranges::max(pairs.rx)) + (from_one ? 0U : 1U);
  pairs.n_elements = element_count(meta, largest);
  if (largest > pairs.n_elements)
    throw Error(what, "element " + std::to_string(largest) + " in tx_of_trace or rx_of_trace",
                "1 to " + std::to_string(pairs.n_elements));
  for (auto* const list : {&pairs.tx, &pairs.rx})
    for (std::size_t& element : *list) element -= from_one ? 1 : 0;
  pairs.fired = pairs.tx;
  std::ranges::sort(pairs.fired);
  pairs.fired.erase(std::unique(pairs.fired.begin(), pairs.fired.end()), pairs.fired.end());
  return pairs;
}

// Returns the delay of each trace in samples after the first of its transmit; leaves one time per transmit in `meta`.
std::vector<std::size_t> take_trace_times(const std::string& what, Json& meta, const Traces& traces,
                                          const Pairs& pairs) {
  std::vector<std::size_t> later(traces.n_traces, 0);
  const auto found = meta.find("t0_s");
  if (found == meta.end() || !found->is_array() || found->size() != traces.n_traces) return later;
  const std::vector<double> times_s = json_numbers(what, *found, "t0_s");
  std::vector<double> first_s(pairs.fired.size(), HUGE_VAL);
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    double& first = first_s[pairs.row_of(pairs.tx[k])];
    first = std::min(first, times_s[k]);
  }
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    const double wait_s = times_s[k] - first_s[pairs.row_of(pairs.tx[k])];
    if (wait_s == 0.0) continue;
    const double fs_hz = json_number(what, require_key(what, meta, "fs_hz"), "fs_hz");
    if (!(wait_s * fs_hz <= kMostTraceShift * static_cast<double>(traces.n_samples)))
      throw Error(what, "t0_s = " + json_excerpt(*found) + " of traces", "times within 4 lengths of a trace");
    later[k] = static_cast<std::size_t>(std::lround(wait_s * fs_hz));
  }
  *found = first_s;
  return later;
}

struct Matrix {
  std::vector<float> values;  // [frame][transmit][element][time]
  std::vector<std::size_t> shape;
  std::size_t n_mirrored = 0, n_missing = 0;
};

Matrix ordered(const std::string& what, const std::vector<double>& values, const Traces& traces, const Pairs& pairs,
               const std::vector<std::size_t>& later) {
  const std::size_t n = pairs.n_elements, n_samples = traces.n_samples + std::ranges::max(later);
  Matrix all{.values = {}, .shape = {traces.n_frames, pairs.fired.size(), n, n_samples}};
  const auto bytes = checked_bytes(all.shape, sizeof(float));
  if (!bytes || *bytes > kMostMatrixBytes)
    throw Error(what, "traces that make a matrix of shape " + shape_text(all.shape), "up to 4 GiB");
  all.values.assign(*bytes / sizeof(float), 0.0F);
  std::vector<bool> filled(pairs.fired.size() * n, false);
  const auto place = [&](std::size_t t, std::size_t e, std::size_t trace) {
    const std::size_t row = pairs.row_of(t);
    if (row == pairs.fired.size() || pairs.fired[row] != t || filled[row * n + e]) return false;
    filled[row * n + e] = true;
    for (std::size_t frame = 0; frame < traces.n_frames; ++frame) {
      float* const to = all.values.data() + ((frame * pairs.fired.size() + row) * n + e) * n_samples + later[trace];
      const double* const from = values.data() + frame * traces.frame_stride + trace * traces.trace_stride;
      for (std::size_t i = 0; i < traces.n_samples; ++i) to[i] = static_cast<float>(from[i * traces.sample_stride]);
    }
    return true;
  };
  for (std::size_t k = 0; k < traces.n_traces; ++k) place(pairs.tx[k], pairs.rx[k], k);
  for (std::size_t k = 0; k < traces.n_traces; ++k) all.n_mirrored += place(pairs.rx[k], pairs.tx[k], k) ? 1 : 0;
  all.n_missing = static_cast<std::size_t>(std::ranges::count(filled, false));
  return all;
}

}  // namespace

bool describes_traces(const Json& meta) {
  const auto axes = meta.find("axes");
  return axes != meta.end() && axes->is_array() && std::ranges::find(*axes, Json("trace")) != axes->end();
}

static LibraryRecording described_traces(const OpenRequest& request, const std::string& what, const Json& description,
                                         const ArrayTree& tree, const std::string& format) {
  check_description_keys(what, description);
  const auto entry = samples_entry(what, description, tree);
  if (!entry) throw Error(what, "no array with samples in " + request.what(), "\"data\": the name of an array");
  for (const char* const key : {"imag", "shape", "tx", "tx_elements", "tx_angles_rad", "tx_delays_s", "tx_foci_m",
                                "virtual_source_m", "element_delays_s"})
    if (description.contains(key)) throw Error(what, std::string("both an axis \"trace\" and ") + key, "one of them");
  if (tree.is_complex(*entry)) throw Error(what, "complex traces", "real samples");
  Json meta = with_numbers(what, description, tree);
  const Traces traces = laid_out(what, meta, tree.entries()[*entry].shape);
  const Pairs pairs = described_pairs(what, meta, traces.n_traces);
  const std::vector<std::size_t> later = take_trace_times(what, meta, traces, pairs);
  Matrix matrix = ordered(what, tree.numbers(*entry, kMostTraceValues), traces, pairs, later);
  Json fired = Json::array();
  for (const std::size_t element : pairs.fired) fired.push_back(element + 1);
  meta["axes"] = {"frame", "transmit", "element", "time"};
  meta["tx_elements"] = std::move(fired);
  const auto whole = view_tree(tree.container(), array_of(std::move(matrix.values), matrix.shape), "traces");
  meta["data"] = "traces";
  LibraryRecording recording = described_tree(request, what, meta, *whole, format);
  Acquisition a = *recording.acquisition;
  const bool alone = pairs.tx == pairs.rx;  // one element per shot
  if (alone) a.assumptions.emplace_back("each element receives its own echoes only");
  if (matrix.n_mirrored > 0)
    a.assumptions.push_back("half matrix: " + std::to_string(matrix.n_mirrored) +
                            " A-scans are taken from the opposite direction (reciprocity)");
  if (matrix.n_missing > 0 && !alone)
    a.assumptions.push_back(std::to_string(matrix.n_missing) + " A-scans are not in the file: zeros");
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

LibraryRecording described_tree(const OpenRequest& request, const std::string& what, const Json& description,
                                const ArrayTree& tree, const std::string& format) {
  if (describes_traces(description)) return described_traces(request, what, description, tree, format);
  check_description_keys(what, description);
  const auto entry = samples_entry(what, description, tree);
  if (!entry) throw Error(what, "no array with samples in " + request.what(), "\"data\": the name of an array");
  Json meta = with_numbers(what, description, tree);
  const TreeEntry& data = tree.entries()[*entry];
  const std::vector<std::size_t> shape = described_shape(what, meta, data.shape);
  RecordingPlan plan{.entry = *entry,
                     .axes = fit_axes(what, described_axes(what, meta), shape),
                     .shape = shape == data.shape ? std::vector<std::size_t>() : shape,
                     .acquisition = {},
                     .rotation_rad = {},
                     .imaginary = meta.contains("imag") ? json_text(what, meta.at("imag"), "imag") : "",
                     .offset = meta.contains("offset") ? json_number(what, meta.at("offset"), "offset") : 0.0,
                     .format = format};
  ArrayExtents extents;
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    const std::size_t n = shape[a];
    if (n == 0) throw Error(what, "array of shape " + shape_text(shape), "no axis of length 0");
    if (plan.axes[a] == Axis::transmit) extents.n_transmits = n;
    if (plan.axes[a] == Axis::element) extents.n_elements = n;
    if (plan.axes[a] == Axis::time) extents.n_samples = n;
    if (plan.axes[a] == Axis::iq) extents.n_values = n;
  }
  if (tree.is_complex(*entry) || !plan.imaginary.empty()) extents.n_values = 2;
  plan.right_to_left = turn_lines(meta);
  const std::vector<double> line_times_s = take_line_times(what, meta, extents);
  const bool unknown_center = assume_center(what, meta, extents);
  plan.acquisition = describe_acquisition(what, meta, extents, plan.rotation_rad);
  const bool may_wrap = data.type.starts_with("uint") && !meta.contains("offset");
  const bool is_lines = describes_lines(meta), parallel = is_lines && are_parallel(plan.acquisition.probe);
  if (extents.n_values == 2 && parallel) plan.acquisition.data = DataKind::beamformed;
  const bool turned = plan.right_to_left;
  LibraryRecording recording = tree.recording(request, std::move(plan));
  recording.named = {};
  if (turned) recording = turned_lines(std::move(recording));
  if (may_wrap) read_as_signed(recording);
  correct_samples(what, meta, recording);
  if (unknown_center) measure_center(recording);
  if (!is_lines) return recording;
  if (extents.n_values != 2) recording = beamformed_lines(std::move(recording), line_times_s);
  return parallel ? std::move(recording) : sector_columns(what, std::move(recording));
}

}  // namespace echoloop
