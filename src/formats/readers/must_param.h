// The numbers that describe a recording in MUST's way, wherever scripts leave them: a struct `param`, one struct for
// each transmit (an array or a cell of them), or variables of their own; transmit delays often in a variable `txdel`
// beside it. Internal to src/formats, reader process.
#pragma once

#include <map>
#include <string>

#include "formats/base/open_request.h"
#include "formats/containers/mat_file.h"

namespace echoloop {

// A struct (or array of structs) with fs and pitch or elements; a cell named param...
bool is_must_param(const MatVariable& variable);
// fs and pitch or elements as variables of their own.
bool has_must_variables(const MatFile& file);

// Fields by lower-case name, delays as "txdelay" with one row a transmit. `param` null: the variables of `file` but
// `samples`. Throws Error on damage; UnknownLayout when there are no delays, but other lists of what was sent, or when
// nothing tells what the third axis of the samples is (`n_third`, its length).
std::map<std::string, MatField> read_must_param(const OpenRequest& request, const MatFile& file,
                                                const MatVariable* param, const MatVariable& samples,
                                                std::size_t n_third);

}  // namespace echoloop
