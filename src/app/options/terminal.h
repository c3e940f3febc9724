// Every line that the program prints goes through here: names of files and texts of recordings may contain control
// characters, which a terminal would execute. Any thread.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "core/plain_text.h"

namespace echoloop {

template <class... Args>
void print_to(std::FILE* file, fmt::format_string<Args...> text, Args&&... args) {
  const std::string plain = plain_text(fmt::format(text, std::forward<Args>(args)...));
  std::fwrite(plain.data(), 1, plain.size(), file);
}

template <class... Args>
void print_out(fmt::format_string<Args...> text, Args&&... args) {
  print_to(stdout, text, std::forward<Args>(args)...);
}

template <class... Args>
void print_error(fmt::format_string<Args...> text, Args&&... args) {
  print_to(stderr, text, std::forward<Args>(args)...);
}

}  // namespace echoloop
