// Numeric values of options, and refusals of input that CLI11 cannot parse, worded as all others.
#include "app/options/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace echoloop {
namespace {

// Parses `text` as digits only; a number that does not fit is out of range.
template <class T>
T whole_number(const std::string& name, const std::string& text, T least, T most) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits = end == text.data() + text.size() && end != text.data();
  if (!digits || error == std::errc::invalid_argument) throw invalid_value(name, text, "a whole number");
  if (error != std::errc() || value < least || value > most)
    throw out_of_range(name, text, fmt::format("{} to {}", least, most));
  return value;
}

template <class T, class Read>
CLI::Option* add(CLI::App& app, const std::string& name, T& into, const std::string& help, Read read) {
  return app.add_option_function<std::string>(
      name, [&into, name, read](const std::string& text) { into = read(name, text); }, help);
}

// Parses digits and nothing else.
std::optional<std::size_t> digits(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double number(const std::string& name, const std::string& text) { return parse_number(text, name, "a number"); }

[[noreturn]] void refuse_words(const CLI::App& app, const std::string& found) {
  const std::string& name = app.get_name();
  throw Error(name == "echoloop" ? "command line" : name, found, "the options of " + name + " --help");
}

// Refuses an excess or missing value.
[[noreturn]] void refuse_count(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::Option* option : app.get_options()) {
    const std::size_t given = option->results().size();
    if (given > 1 && option->get_expected_max() == 1)
      throw Error(option->get_name(), fmt::format("given {} times", given), "one value");
    if (std::string_view(error.what()).starts_with(option->get_name() + ":"))
      throw Error(option->get_name(), "no value given", option->get_type_name());
  }
  refuse_words(app, error.what());
}

// Refuses --headless=3, which CLI11 accepts as --headless.
void refuse_values_of_flags(const CLI::App& app, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const CLI::Option* const option = name == word ? nullptr : app.get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() == 0 && option->get_type_name().empty())
      throw Error(name, "found '" + word + "'", name + " without a value");
  }
}

}  // namespace

DeviceChoice device_choice(const std::string& text) {
  if (text == "cpu") return BackendChoice::cpu;
  const auto number = digits(std::string_view(text).substr(text.starts_with("cuda:") ? 5 : 0));
  if (!number || *number > 999)
    throw invalid_value("--device", text,
                        "auto, cpu, the number of a GPU (1 or cuda:1), or list; render: all, or several");
  DeviceChoice device;
  device.gpu = static_cast<int>(*number);
  return device;
}

RenderOptions::Part part_choice(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = digits(std::string_view(text).substr(0, slash));
  const auto of = digits(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!index || !of || *index < 1 || *index > *of) throw invalid_value("--part", text, "I/N, I from 1 to N");
  return {.index = *index, .of = *of};
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& into, const std::string& help) {
  return add(app, name, into, help, number);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& into, const std::string& help) {
  return add(app, name, into, help, number);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, int& into, const std::string& help) {
  return add(app, name, into, help, [](const std::string& option, const std::string& text) {
    return whole_number(option, text, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  });
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& into, const std::string& help) {
  return add(app, name, into, help, [](const std::string& option, const std::string& text) {
    return static_cast<std::uint64_t>(whole_number<std::int64_t>(option, text, 1, 1'000'000'000'000));
  });
}

bool parse_words(CLI::App& app, const std::vector<std::string>& words) {
  refuse_values_of_flags(app, words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_count(app, error);
  } catch (const CLI::ExtrasError&) {
    refuse_words(app, "found '" + app.remaining().front() + "'");
  } catch (const CLI::ParseError& error) {
    refuse_words(app, error.what());
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) throw Error(option->get_name(), "empty value", "a value");
    }
  }
  return true;
}

}  // namespace echoloop
