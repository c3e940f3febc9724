// The campaign in three ways: the reader alone, a running viewer, and drafts of the import assistant. Each opens
// `n_files` damaged files and returns the exit status: 1 when a rule was broken.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "formats/mutation/mutator.h"

namespace echoloop::testing {

// Of one file: what its reader process, or the viewer, may hold, and how long the file may take to open. More is a
// broken rule.
struct CampaignLimits {
  std::size_t memory_bytes = std::size_t{512} << 20;
  double seconds = 10.0;
};

struct Campaign {
  std::size_t n_files = 200;
  std::size_t first = 0;  // so many files of the seed's series are left out before
  CampaignLimits limits;
  std::filesystem::path scratch;  // an empty folder
  Mutator mutator{{}, 1};
};

int run_reader_campaign(Campaign campaign);
// `recording`: a file that opens, to go back to when a damaged one has ended the stream.
int run_viewer_campaign(Campaign campaign, const std::filesystem::path& recording);

// The files in the import assistant: contents, draft, answers, description.
int run_draft_campaign(Campaign campaign, unsigned seed);

// The next one that is no preset: what the campaign of the viewer opens.
Mutant next_recording(Mutator& mutator);

// Writes the file, and the description beside it.
void write_mutant(const std::filesystem::path& file, const Mutant& mutant);
void remove_mutant(const std::filesystem::path& file);

// Bytes of the largest reader process so far, with the frames that it shares.
std::size_t largest_child();

// What became of a refused file, from its line: "refused", "reader died", "hung", "said nonsense"; "broken" when it is
// no line as a user should see it.
std::string outcome_of(const std::string& line, const std::filesystem::path& file);

}  // namespace echoloop::testing
