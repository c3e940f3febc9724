#include "formats/import/traces.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/number.h"
#include "formats/base/printable.h"
#include "formats/import/described.h"
#include "formats/import/words.h"
#include "formats/readers/description.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostTraceValues = std::size_t{1} << 28;  // of all traces
constexpr std::size_t kMostMatrixBytes = std::size_t{4} << 30;  // of the matrix
constexpr double kMostTraceShift = 4.0;                         // lengths of a trace

struct Traces {
  std::size_t n_frames = 1, n_traces = 0, n_samples = 0;
  std::size_t frame_stride = 0, trace_stride = 0, sample_stride = 0;  // values, last axis fastest
};

struct Pairs {
  std::vector<std::size_t> tx, rx;  // of each trace, from 0
  std::vector<std::size_t> fired;   // rising
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
  for (std::size_t a = shape.size(); a-- > 0; stride *= shape[a]) {
    if (names[a] == "trace" && traces.n_traces == 0)
      traces.n_traces = shape[a], traces.trace_stride = stride;
    else if (names[a] == "time" && traces.n_samples == 0)
      traces.n_samples = shape[a], traces.sample_stride = stride;
    else if (names[a] == "frame" && traces.frame_stride == 0)
      traces.n_frames = shape[a], traces.frame_stride = stride;
    else
      throw Error(what, "axis '" + printable(names[a]) + "' of traces", kAxes);
  }
  if (traces.n_traces == 0 || traces.n_samples == 0)
    throw Error(what, "axes = " + json_excerpt(meta.at("axes")), kAxes);
  return traces;
}

// Whole numbers from 1, or in both lists from 0.
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

// As many as have places, or are counted; else as the largest number says.
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

// In samples after the first trace of the same transmit. `meta` is left with one time a transmit.
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

LibraryRecording described_traces(const OpenRequest& request, const std::string& what, const Json& description,
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
  const bool alone = pairs.tx == pairs.rx;  // one element a shot
  if (alone) a.assumptions.emplace_back("each element receives its own echoes only");
  if (matrix.n_mirrored > 0)
    a.assumptions.push_back("half matrix: " + std::to_string(matrix.n_mirrored) +
                            " A-scans are taken from the opposite direction (reciprocity)");
  if (matrix.n_missing > 0 && !alone)
    a.assumptions.push_back(std::to_string(matrix.n_missing) + " A-scans are not in the file: zeros");
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

}  // namespace echoloop
