// Lists beside the samples that say of each A-scan which element fires and which one receives. Internal to
// src/formats/import.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "formats/import/guess_facts.h"
#include "formats/import/guessed_description.h"

namespace echoloop {

struct TraceGuess {
  std::vector<double> tx, rx;  // elements of each trace, from 1
  std::size_t n_elements = 0;  // at least
  std::string names;           // "tx and rx"
  // Where the file has places of each trace in place of numbers: those of the elements (x or (x, z)).
  std::optional<FactNumbers> places;
  std::string question = {};                                // another reading that is as likely; empty: none
  [[nodiscard]] bool is_alone() const { return tx == rx; }  // one element a shot
  // All pairs, the element that receives fastest: a full matrix as columns.
  [[nodiscard]] bool is_full() const;
};

// Lists as long as an axis of the array `data`, which is not that of time. Nothing: there are none.
std::optional<TraceGuess> guess_traces(const ArrayTree& tree, std::size_t data);

}  // namespace echoloop
