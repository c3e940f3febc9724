// Every key of a JSON description, one row a key: refusals of unknown keys, `echoloop describe --help` and the manual's
// table are made from it. What the keys mean in numbers: readers/description.h. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace echoloop {

struct DescriptionKey {
  const char* key;
  const char* group;    // rows of one group stand together: "array", "raw bytes", "time", "elements", "transmits"
  const char* example;  // JSON
  const char* help;     // Markdown
  bool numbers;         // a number or numbers: may also name a variable of the file, "acq.fs * 1e6"
};

std::span<const DescriptionKey> description_keys();
const DescriptionKey* find_description_key(std::string_view key);  // null: no such key

// The known key that is most like `key`; null when none is alike (two changed letters, or upper and lower case).
const DescriptionKey* nearest_description_key(std::string_view key);

std::string description_help();      // for a terminal
std::string description_markdown();  // the rows of assets/manual/formats.md

}  // namespace echoloop
