// A restricted unpickler: protocols 2 to 5, plain data and numpy arrays, nothing else.
// Why: a pickle is a program; this reader executes none of it. Every opcode and every (module, name) pair that is not
// on the short list is refused by name. Array bytes stay in the mapped file (protocol 2's text-encoded
// bytes are decoded once into owned memory).
#pragma once

#include <span>
#include <string>

#include "formats/containers/pickle_values.h"

namespace echoloop::pickle {

// `data` must outlive the tree. Throws Error: one line naming `what` and the thing found.
Tree load(const std::string& what, std::span<const std::byte> data);

}  // namespace echoloop::pickle
