// Three kinds of campaigns: the reader alone, a running viewer, and drafts of the import assistant. Each opens
// `n_files` damaged files and returns the exit status: 1 if a rule was violated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "formats/mutation/mutator.h"

namespace echoloop::testing {

// Limits per file: memory of its reader process, or of the viewer, and time to open. More violates a rule.
struct CampaignLimits {
  std::size_t memory_bytes = std::size_t{512} << 20;
  double seconds = 10.0;
};

struct Campaign {
  std::size_t n_files = 200;
  std::size_t first = 0;  // skipped files of the seed's series
  CampaignLimits limits;
  std::filesystem::path scratch;  // an empty folder
  Mutator mutator{{}, 1};
};

int run_reader_campaign(Campaign campaign);
// `recording`: a file that opens, to return to when a damaged one has ended the stream.
int run_viewer_campaign(Campaign campaign, const std::filesystem::path& recording);

// Opens the files in the import assistant: contents, draft, answers, description.
int run_draft_campaign(Campaign campaign, unsigned seed);

// Returns the next mutant that is no preset, for the viewer's campaign.
Mutant next_recording(Mutator& mutator);

// Writes the file, and the description next to it.
void write_mutant(const std::filesystem::path& file, const Mutant& mutant);
void remove_mutant(const std::filesystem::path& file);

// Returns the bytes of the largest reader process so far, including shared frames.
std::size_t largest_child();

// Returns the outcome of a refused file, from its line: "refused", "reader died", "hung", "said nonsense"; "broken" for
// a line not fit for a user.
std::string outcome_of(const std::string& line, const std::filesystem::path& file);

}  // namespace echoloop::testing
