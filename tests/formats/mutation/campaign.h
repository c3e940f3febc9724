// The campaign in two ways: the reader alone, and a running viewer. Each opens `n_files` damaged files and returns the
// exit status: 1 when a rule was broken.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "formats/mutation/mutator.h"

namespace echoloop::testing {

struct Campaign {
  std::size_t n_files = 200;
  std::filesystem::path scratch;  // an empty folder
  Mutator mutator;
};

int run_reader_campaign(Campaign campaign);
// `recording`: a file that opens, to go back to when a damaged one has ended the stream.
int run_viewer_campaign(Campaign campaign, const std::filesystem::path& recording);

// Writes the file, and the description beside it.
void write_mutant(const std::filesystem::path& file, const Mutant& mutant);
void remove_mutant(const std::filesystem::path& file);

// What became of a refused file, from its line: "refused", "reader died", "hung", "said nonsense"; "broken" when it is
// no line as a user should see it.
std::string outcome_of(const std::string& line, const std::filesystem::path& file);

}  // namespace echoloop::testing
