// MATLAB files written by MUST (and PyMUST's older f-k relatives): an array RF or IQ and a struct `param`. This file
// finds the variables; must.h interprets them. Reader process.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_file.h"
#include "formats/containers/mat_values.h"
#include "formats/readers/must.h"
#include "formats/readers/samples.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop {
namespace {

// Numbers that describe a recording for MUST, in the places used by scripts: a struct `param`, one struct per transmit
// (an array or a cell of them), or separate variables; transmit delays are often a separate variable `txdel`.

constexpr std::size_t kMostNumbers = std::size_t{1} << 24;  // of a variable other than the recording

using Fields = std::map<std::string, MatField>;

// Accepts MUST's own name and those used in its examples.
bool names_delays(const std::string& name) {
  const std::string plain = lower_case(name);
  return plain == "txdelay" || plain == "txdelays" || plain == "txdel";
}

bool names_angles(const std::string& name) {
  const std::string plain = lower_case(name);
  return plain == "txangle" || plain == "tilt" || plain == "tilts" || plain == "angle" || plain == "angles" ||
         plain == "theta";
}

bool describes(const std::vector<std::string>& names) {
  bool rate = false, places = false;
  for (const std::string& name : names) {
    rate = rate || lower_case(name) == "fs";
    places = places || lower_case(name) == "pitch" || lower_case(name) == "elements";
  }
  return rate && places;
}

std::optional<MatField> numbers_of(const MatNode& node) {
  if (node.kind != MatNode::Kind::numbers || !node.imaginary.bytes.empty()) return std::nullopt;
  return MatField{.dims = node.numbers.shape, .values = node.numbers.reals()};
}

// Returns numbers, or a cell of them with one row per transmit; nullopt for [].
std::optional<MatField> delays_of(const std::string& what, const std::string& name, const MatNode& node) {
  if (node.dims == std::vector<std::size_t>{0, 0}) return std::nullopt;
  auto field = node.kind == MatNode::Kind::cell ? join_rows(node) : numbers_of(node);
  if (!field) throw Error(what, printable(name) + " is not a list of numbers", "one row of delays for each transmit");
  return field;
}

MatTree read_tree(const OpenRequest& request, const MatFile& file, const std::string& name) {
  return {request.what(), request.path_to_open.string(), request.bytes().size(), {name}, file.container()};
}

Fields fields_of(const std::string& what, const std::map<std::string, MatNode, std::less<>>& row) {
  Fields fields;
  for (const auto& [name, node] : row) {
    if (names_delays(name)) {
      if (auto delays = delays_of(what, "param." + name, node)) fields["txdelay"] = std::move(*delays);
    } else if (auto field = numbers_of(node)) {
      fields[lower_case(name)] = std::move(*field);
    }
  }
  return fields;
}

// Returns one field with a row for each of `all`; nullopt if the lengths differ or one is missing.
std::optional<MatField> stacked(const std::vector<Fields>& all, const std::string& name) {
  const auto first = all.front().find(name);
  if (first == all.front().end()) return std::nullopt;
  const std::size_t n = first->second.values.size();
  MatField joined{.dims = {all.size(), n}, .values = std::vector<double>(all.size() * n)};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto found = all[k].find(name);
    if (found == all[k].end() || found->second.values.size() != n) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) joined.values[i * all.size() + k] = found->second.values[i];
  }
  return joined;
}

// Joins the structs of a cell or an array, one per transmit: transmit fields are stacked, the others are the first's.
Fields fields_of_each(const std::string& what, const MatNode& node) {
  std::vector<Fields> all;
  for (const auto& row : node.rows) all.push_back(fields_of(what, row));
  for (const MatNode& cell : node.cells)
    if (cell.rows.size() == 1) all.push_back(fields_of(what, cell.rows[0]));
  if (all.empty())
    throw UnknownLayout(what, "a cell param without a struct",
                        "a struct with fs and pitch, or a cell of one a transmit");
  Fields fields = all.front();
  if (all.size() == 1) return fields;
  for (const char* const name : {"txdelay", "txangle", "t0"})
    if (auto joined = stacked(all, name)) fields[name] = std::move(*joined);
  return fields;
}

std::size_t count(const MatVariable& variable) { return checked_bytes(variable.dims, 1).value_or(0); }

Fields fields_of_file(const MatFile& file, const MatVariable& samples) {
  Fields fields;
  for (const MatVariable& variable : file.variables()) {
    if (&variable == &samples || !variable.numeric || count(variable) == 0 || count(variable) > kMostNumbers) continue;
    const OwnedArray array = file.read_array(variable.name);
    if (array.imaginary.bytes.empty()) add_field(fields, variable.name, array.real);
  }
  return fields;
}

// Returns the first variable other than the samples that `named` accepts; null: none.
const MatVariable* variable_named(const MatFile& file, const MatVariable& samples, bool (*named)(const std::string&)) {
  for (const MatVariable& variable : file.variables())
    if (&variable != &samples && named(variable.name) && count(variable) <= kMostNumbers) return &variable;
  return nullptr;
}

bool has_part(const std::string& name, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
}

// Returns true if a variable or field describes transmits in another layout than MUST's: a list of angles, points, or a
// single number other than that of an unsteered plane wave.
bool says_transmits(const std::string& name, const std::vector<std::size_t>& dims, double first, bool of_param,
                    std::size_t n_third) {
  const std::string plain = lower_case(name);
  const bool angles = has_part(plain, {"angle", "theta", "alpha", "steer", "tilt"}) && plain != "rxangle";
  const bool points = has_part(plain, {"source", "vsrc", "foc"}) || plain == "vs";
  const auto long_axes = std::ranges::count_if(dims, [](std::size_t n) { return n > 1; });
  if (!angles && !points) return false;
  if (long_axes == 0 && n_third == 1 && std::isfinite(first) && first != 0.0)
    return angles ? names_angles(name) || has_part(plain, {"angle", "steer"}) : !of_param;  // param.focus: elevation
  const bool rows = points && long_axes == 2 && std::ranges::min(dims) <= 3;
  return long_axes == 1 || rows || (n_third > 1 && std::ranges::find(dims, n_third) != dims.end());
}

// Throws UnknownLayout if other variables list the transmits: MUST's default, simultaneous firing, would be wrong.
void refuse_lost_transmits(const std::string& what, const MatFile& file, const MatVariable& samples,
                           const Fields& fields, std::size_t n_third) {
  const auto check = [&](const std::string& name, const std::vector<std::size_t>& dims, double first, bool of_param) {
    if (!says_transmits(name, dims, first, of_param, n_third)) return;
    throw UnknownLayout(
        what, shape_text(dims) + " values of " + printable(name) + ", but no transmit delays",
        "param.TXdelay or txdel, one row of delays for each transmit; for plane waves param.TXangle in radians");
  };
  for (const auto& [name, field] : fields) check(name, field.dims, field.values.empty() ? 0.0 : field.values[0], true);
  for (const MatVariable& variable : file.variables()) {
    if (!variable.numeric || &variable == &samples || count(variable) == 0) continue;
    const bool one = count(variable) == 1;
    check(variable.name, variable.dims, one ? file.read_array(variable.name).real.real_at(0) : 0.0, false);
  }
}

// Accepts a struct (or array of structs) with fs and pitch or elements, and a cell named param...
bool is_must_param(const MatVariable& variable) {
  if (variable.kind == "cell") return lower_case(variable.name).starts_with("param");
  return variable.kind == "struct" && describes(variable.fields);
}

// Checks for separate variables fs and pitch or elements.
bool has_must_variables(const MatFile& file) {
  std::vector<std::string> names;
  for (const MatVariable& variable : file.variables())
    if (variable.numeric) names.push_back(variable.name);
  return describes(names);
}

// Returns fields by lower-case name, delays as "txdelay" with one row per transmit. `param` null: the variables of
// `file` except `samples`. Throws Error on damage; UnknownLayout if there are no delays, but other lists of transmits,
// or if the meaning of the samples' third axis (`n_third`, its length) is unknown.
std::map<std::string, MatField> read_must_param(const OpenRequest& request, const MatFile& file,
                                                const MatVariable* param, const MatVariable& samples,
                                                std::size_t n_third) {
  const std::string what = request.what();
  Fields fields;
  if (param == nullptr) {
    fields = fields_of_file(file, samples);
  } else {
    const MatTree tree = read_tree(request, file, param->name);
    if (const MatNode* const node = tree.find(param->name)) fields = fields_of_each(what, *node);
  }
  if (fields.contains("txdelay") || fields.contains("txangle")) return fields;
  if (const MatVariable* const delays = variable_named(file, samples, names_delays)) {
    const MatTree tree = read_tree(request, file, delays->name);
    const MatNode* const node = tree.find(delays->name);
    if (auto field = node == nullptr ? std::nullopt : delays_of(what, delays->name, *node))
      fields["txdelay"] = std::move(*field);
  }
  if (fields.contains("txdelay")) return fields;
  if (param == nullptr)  // separate variables: read by their names
    throw UnknownLayout(what, "variables without transmit delays and without a struct param",
                        "TXdelay or TXangle, or a struct param");
  refuse_lost_transmits(what, file, samples, fields, n_third);
  return fields;
}

constexpr const char* kMustFile =
    "an array RF or IQ (time x element [x frame or transmit]) and a struct with fs and pitch, as written by MUST";

std::string ending_digits(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string::npos ? name : name.substr(last + 1);
}

[[noreturn]] void refuse(const std::string& what, const MatFile& file) {
  std::string found;
  std::size_t n_listed = 0;
  for (const MatVariable& variable : file.variables()) {
    if (n_listed++ == 8) {
      found += ", ...";
      break;
    }
    found += (found.empty() ? "a MATLAB file with " : ", ") + variable.describe();
  }
  throw UnknownLayout(what, found, looks_like_part_of_verasonics(file) ? kVerasonicsAccepted : kMustFile);
}

bool is_cell(const MatVariable& variable) { return variable.kind == "cell" || variable.kind == "references"; }

bool is_samples(const MatVariable& variable, bool any_name) {
  const std::string name = lower_case(variable.name);
  const bool named = name.starts_with("rf") || name.starts_with("iq");
  if (is_cell(variable)) return named;
  return variable.numeric && variable.dims.size() >= 2 && variable.dims[0] > 1 && variable.dims[1] > 1 &&
         (any_name || named);
}

OwnedArray read_samples(const OpenRequest& request, const MatFile& file, const MatVariable& variable) {
  if (!is_cell(variable)) return file.read_array(variable.name);
  const MatTree tree = read_tree(request, file, variable.name);
  const MatNode* const cell = tree.find(variable.name);
  if (cell == nullptr) refuse(request.what(), file);
  return join_recordings(request.what() + " (" + printable(variable.name) + ")", *cell, tree.owner());
}

constexpr const char* kMust73 = "MATLAB v7.3 (MUST)";

// Returns true for large v7.3 files with frames, which are not unpacked whole. uint8 needs an offset (must.cpp).
bool is_read_by_frames(const MatFile& file, const MatVariable& samples) {
  constexpr std::size_t kMostWhole = std::size_t{16} << 20;
  return file.container() == MatContainer::hdf5 && !is_cell(samples) && samples.kind != "uint8" &&
         samples.dims.size() > 2 && checked_bytes(samples.dims, 2).value_or(0) > kMostWhole;
}

struct MustVariables {
  const MatVariable* param;  // null: separate variables
  const MatVariable* samples;
};

LibraryRecording read_by_frames(const OpenRequest& request, const MatFile& file, const MustVariables& names,
                                const std::string& others) {
  const std::string what = request.what();
  const hdf5::Node root = hdf5::Node::open(what, request.path_to_open.string(), request.bytes().size());
  const hdf5::Node dataset = root.at(names.samples->name);
  const bool iq = !mat73::dataset_outline(dataset).imaginary.empty();
  const std::vector<std::size_t>& dims = names.samples->dims;
  MustFacts facts = must_facts(what, dims, iq ? SignalKind::iq : SignalKind::rf,
                               read_must_param(request, file, names.param, *names.samples, dims[2]));
  if (!others.empty()) facts.acquisition.assumptions.emplace_back(others);
  const bool turned = !facts.rotation_rad.empty();
  Hdf5Parts parts{.acquisition = std::move(facts.acquisition), .samples = {}, .format = kMust73};
  parts.samples.axes = {facts.axes.rbegin(), facts.axes.rend()};  // MATLAB's first axis is HDF5's last
  parts.samples.datasets = {names.samples->name};
  parts.samples.rotation_rad = std::move(facts.rotation_rad);
  LibraryRecording recording = make_hdf5_recording(request, root, std::move(parts));
  recording.named = {.data = names.samples->name, .axes = axis_names(facts.axes), .turned = turned};
  return recording;
}

}  // namespace

LibraryRecording read_must(const OpenRequest& request, const MatFile& file) {
  const std::string what = request.what();
  std::vector<const MatVariable*> samples, params;
  for (const MatVariable& variable : file.variables()) {
    if (is_samples(variable, false)) samples.push_back(&variable);
    if (is_must_param(variable)) params.push_back(&variable);
  }
  if (std::any_of(params.begin(), params.end(), [](const MatVariable* param) { return param->kind == "struct"; }))
    std::erase_if(params, [](const MatVariable* param) { return is_cell(*param); });
  for (const MatVariable& variable : file.variables())  // without RF or IQ, a single array of any name
    if (samples.empty() && is_samples(variable, true))
      samples.push_back(&variable);
    else if (samples.size() == 1 && samples[0] != &variable && !is_samples(*samples[0], false) &&
             is_samples(variable, true))
      samples.push_back(&variable);
  const bool described = !params.empty() || has_must_variables(file);
  if (!described || samples.empty() || (samples.size() > 1 && !is_samples(*samples[0], false))) refuse(what, file);
  const auto partner = std::find_if(params.begin(), params.end(), [&](const MatVariable* param) {
    return ending_digits(param->name) == ending_digits(samples[0]->name);
  });
  const MatVariable* const param = partner != params.end() ? *partner : params.empty() ? nullptr : params[0];
  request.advance(0.05);
  const std::string others = samples.size() < 2 ? ""
                                                : "only " + samples[0]->name + " is read; the file also contains " +
                                                      std::to_string(samples.size()) + " recordings";
  if (is_read_by_frames(file, *samples[0])) return read_by_frames(request, file, {param, samples[0]}, others);
  const OwnedArray array = read_samples(request, file, *samples[0]);
  request.advance(0.1);
  const std::size_t n_third = array.real.shape.size() > 2 ? array.real.shape[2] : 1;
  RecordingParts parts = must_recording(what, array, read_must_param(request, file, param, *samples[0], n_third));
  parts.format = file.container() == MatContainer::v5 ? "MATLAB v5 (MUST)" : kMust73;
  parts.named.data = samples[0]->name + (is_cell(*samples[0]) ? "{:}" : "");
  if (!others.empty()) parts.acquisition.assumptions.emplace_back(others);
  return make_library_recording(request, std::move(parts));
}

}  // namespace echoloop
