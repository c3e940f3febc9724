// What a file of arrays with plain names is taken for: a description made from the spellings of names, sizes and
// values, each with its reason, and what is missing. Nothing here is certain, and everything is said: as assumptions of
// the recording, and by `echoloop describe`. Reader process. Internal to src/formats/import.
#pragma once

#include "formats/import/array_tree.h"
#include "formats/import/guessed_description.h"

namespace echoloop {

GuessedDescription guess_description(const ArrayTree& tree);

}  // namespace echoloop
