// A file that opens by a format of its own, as a description: the facts that its reader has read, key by key.
#pragma once

#include <filesystem>

#include "formats/file_outline.h"

namespace echoloop {

// Sets `format` if the file opens with nothing beside it; where the reader of a format did that, not the names of the
// arrays, its facts replace the guesses and what is missing. The description is tried: unless it opens with the same
// facts and samples, `refusal` says where they differ, and the guesses are without the keys that name the samples.
void take_format(const std::filesystem::path& file, FileOutline& outline);

}  // namespace echoloop
