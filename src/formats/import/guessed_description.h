// A description as it is guessed, each value with its reason, and what is missing. Internal to src/formats/import.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {

struct Guess {
  std::string key;       // of the description
  std::string reason;    // "acq.fs, 10.88 MHz"
  bool assumed = false;  // nothing in the file says it
  std::string fact;      // key of --set that says it otherwise; empty: none
};

struct Missing {
  std::string key;
  std::string text;  // "sampling frequency"
};

struct GuessedDescription {
  Json meta;                     // as far as it goes
  std::vector<Guess> guesses;    // in the order of the table of keys
  std::vector<Missing> missing;  // most important first; empty: the file opens
  bool has_samples = false;
  bool named_samples = false;   // by a known name
  bool measure_center = false;  // the spectrum of the first frame says fc_hz
  std::string refusal;          // what it is that cannot be shown, and what to do

  // `fact`: as Guess::fact.
  void say(const std::string& key, Json value, std::string reason, std::string fact = {}) {
    meta[key] = std::move(value);
    guesses.push_back({.key = key, .reason = std::move(reason), .assumed = false, .fact = std::move(fact)});
  }
  void assume(const std::string& key, Json value, std::string reason, std::string fact = {}) {
    say(key, std::move(value), std::move(reason), std::move(fact));
    guesses.back().assumed = true;
  }
  void miss(const char* key, std::string text) { missing.push_back({key, std::move(text)}); }
};

// What a file of arrays with plain names is taken for, by the spellings of names, sizes and values. Nothing here is
// certain, and everything is said: as assumptions of the recording, and by `echoloop describe`.
GuessedDescription guess_description(const ArrayTree& tree);

}  // namespace echoloop
