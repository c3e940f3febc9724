// The rows of the import assistant: each fact of the draft with its origin, what is asked about it, and the doubts that
// the samples raise; and what it shows of raw bytes. UI thread only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/window/import_previewer.h"
#include "formats/import_draft.h"
#include "gui/state/import_state.h"

namespace echoloop {

struct ImportFindings {
  const ImportDraft& draft;
  const std::vector<Doubt>& doubts;
  const std::optional<EchoSpectrum>& spectrum;
  const std::set<std::string>& kept;                  // ids of doubts that were dismissed
  const std::map<std::string, std::string>& refused;  // by id: why the last answer was not taken
  bool lists_axes;                                    // a row was there for them
};

// Fills `fields` and `spectrum`; in the section of their group.
void fill_import_fields(const ImportFindings& found, ImportState& state);

// "Elements"; of lines that are beamformed already "Lines".
[[nodiscard]] std::string question_label(const ImportDraft& draft, const OpenQuestion& open);

// `refused`: by key, why the last answer was not taken.
ImportRaw raw_state(const ImportDraft& draft, const RawGuess& guess, const std::string& first_bytes,
                    const std::map<std::string, std::string>& refused);

}  // namespace echoloop
