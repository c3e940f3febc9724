#include "app/bench/bench_table.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "app/options/terminal.h"

namespace echoloop {

using nlohmann::json;

void BenchTable::append(json row, std::string text, const json& facts) {
  for (const auto& [key, value] : facts.items()) {
    if (value.is_number_float()) text += fmt::format("  {} {:.4g}", key, value.get<double>());
    if (value.is_number_integer()) text += fmt::format("  {} {}", key, value.get<long long>());
    if (value.is_string()) text += "  " + value.get<std::string>();
  }
  print_out("{}\n", text);
  std::fflush(stdout);
  row.update(facts);
  rows_.push_back(std::move(row));
}

void BenchTable::add(const BenchCase& c, const std::string& what, const json& facts) {
  const std::string input = c.acquisition->sample_type == SampleType::int16 ? "int16" : "float32";
  append({{"case", c.name},
          {"what", what},
          {"input", input},
          {"f_number", c.params.formation.f_number},
          {"recipe", c.params.formation.recipe == Recipe::course ? "course" : "analytic"}},
         fmt::format("{:5} {:10} {:8} F {:<4g}", c.name, what, input, c.params.formation.f_number), facts);
}

void BenchTable::add(const std::string& name, const std::string& what, const json& facts) {
  append({{"case", name}, {"what", what}}, fmt::format("{} {:10}", name, what), facts);
}

}  // namespace echoloop
