// MATLAB files as MUST (and PyMUST's older f-k relatives) write them: an array RF or IQ and a struct `param`. Here
// which variables these are; must_param.h and must.h: what they mean. Reader process.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/plain_text.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/base/printable.h"
#include "formats/base/unknown_layout.h"
#include "formats/containers/mat_cells.h"
#include "formats/containers/mat_file.h"
#include "formats/containers/mat_tree.h"
#include "formats/readers/must.h"
#include "formats/readers/must_param.h"
#include "formats/readers/samples.h"
#include "formats/readers/verasonics.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop {
namespace {

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

MatArray read_samples(const OpenRequest& request, const MatFile& file, const MatVariable& variable) {
  if (!is_cell(variable)) return file.read_array(variable.name);
  const MatTree tree(request.what(), request.path_to_open.string(), request.bytes().size(), {variable.name},
                     file.container());
  const MatNode* const cell = tree.find(variable.name);
  if (cell == nullptr) refuse(request.what(), file);
  return join_recordings(request.what() + " (" + printable(variable.name) + ")", *cell, tree.owner());
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
  for (const MatVariable& variable : file.variables()) {  // without an RF or IQ, a lone array of any name
    if (samples.empty() && is_samples(variable, true)) {
      samples.push_back(&variable);
    } else if (samples.size() == 1 && samples[0] != &variable && !is_samples(*samples[0], false) &&
               is_samples(variable, true)) {
      samples.push_back(&variable);
    }
  }
  const bool described = !params.empty() || has_must_variables(file);
  if (!described || samples.empty() || (samples.size() > 1 && !is_samples(*samples[0], false))) refuse(what, file);
  const auto partner = std::find_if(params.begin(), params.end(), [&](const MatVariable* param) {
    return ending_digits(param->name) == ending_digits(samples[0]->name);
  });
  const MatVariable* const param = partner != params.end() ? *partner : params.empty() ? nullptr : params[0];
  request.advance(0.05);
  const MatArray array = read_samples(request, file, *samples[0]);
  request.advance(0.1);
  const std::size_t n_third = array.real.shape.size() > 2 ? array.real.shape[2] : 1;
  RecordingParts parts = must_recording(what, array, read_must_param(request, file, param, *samples[0], n_third));
  parts.format = file.container() == MatContainer::v5 ? "MATLAB v5 (MUST)" : "MATLAB v7.3 (MUST)";
  if (samples.size() > 1) {
    parts.acquisition.assumptions.push_back("only " + samples[0]->name + " is read; the file also contains " +
                                            std::to_string(samples.size()) + " recordings");
  }
  return make_library_recording(request, std::move(parts));
}

}  // namespace echoloop
