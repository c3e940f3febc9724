// Numbers in sentences. Internal to src/formats/import.
#pragma once

#include <cstdio>
#include <string>

namespace echoloop {

inline std::string exact_number(double value) {  // comes back as it was
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  if (std::stod(text) != value) std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

inline std::string word(const std::string& text) { return text; }
inline std::string word(const char* text) { return text; }
inline std::string word(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}
inline std::string word(std::size_t value) { return std::to_string(value); }

template <class... Parts>
std::string words(const Parts&... parts) {
  return (std::string() + ... + word(parts));
}

}  // namespace echoloop
