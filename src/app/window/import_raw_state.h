// What the import assistant shows of raw bytes, from the description in the making. Pure; UI thread.
#pragma once

#include <map>
#include <string>

#include "formats/import_draft.h"
#include "gui/state/import_state.h"

namespace echoloop {

// `refused`: by key, why the last answer was not taken.
ImportRaw raw_state(const ImportDraft& draft, const RawGuess& guess, const std::string& first_bytes,
                    const std::map<std::string, std::string>& refused);

}  // namespace echoloop
