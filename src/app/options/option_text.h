// What option values are made of: one of some names, a number. Each refusal is one line with what is accepted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"
#include "core/error.h"
#include "core/number.h"
#include "core/value_error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace echoloop {

// The place of `text` among `names`. Throws Error.
template <std::size_t N>
std::size_t index_of(const std::array<std::string_view, N>& names, const std::string& option, const std::string& text) {
  std::string accepted;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return i;
    accepted += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw invalid_value(option, text, accepted);
}

inline BackendChoice backend_choice(const std::string& text) {
  constexpr std::array<std::string_view, 3> kBackends = {"auto", "cuda", "cpu"};
  return static_cast<BackendChoice>(index_of(kBackends, "--backend", text));
}

// A finite number and nothing else. Throws Error.
inline double parse_number(std::string_view text, const std::string& option, const std::string& accepted) {
  const auto value = finite_number(text);
  if (!value) throw invalid_value(option, std::string(text), accepted);
  return *value;
}

// An option with a number as its value: a plain decimal, which parsing stores in `into`. Parsing throws Error for
// others.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, int& into, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& into, const std::string& help);  // not 0

// Parses what was typed; false: the help was asked for. Throws Error, also for an option with an empty value (an unset
// variable in a script), which must not pass for one that was not given.
[[nodiscard]] bool parse_words(CLI::App& app, const std::vector<std::string>& words);

}  // namespace echoloop
