// The numbers of a file that have the name of a fact, in whatever form they are stored: as one list, as a list for each
// coordinate, as a map of a constant. Internal to src/formats/import.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "formats/import/array_tree.h"
#include "formats/import/guess_units.h"
#include "formats/import/guessed_description.h"
#include "formats/readers/description_json.h"

namespace echoloop {

class GuessFacts {
 public:
  // `prefix`: of the names, as GuessedSamples has it.
  GuessFacts(const ArrayTree& tree, std::size_t samples, const std::string& prefix);

  // Of a fact, the clearest spelling first.
  [[nodiscard]] const std::vector<FactNumbers>& all(Fact fact) const;
  // The first that `fits`; null: none.
  template <class Fits>
  [[nodiscard]] const FactNumbers* first(Fact fact, Fits&& fits) const {
    const std::vector<FactNumbers>& list = all(fact);
    const auto found = std::ranges::find_if(list, fits);
    return found == list.end() ? nullptr : &*found;
  }
  // Texts of units that are not known, by the path of the numbers.
  [[nodiscard]] const std::map<std::string, std::string>& unknown_units() const { return unknown_units_; }
  [[nodiscard]] const FactNumbers* scalar(Fact fact) const {
    return first(fact, [](const FactNumbers& c) { return c.values.size() == 1 && std::isfinite(c.values[0]); });
  }

 private:
  void collect(const ArrayTree& tree, std::size_t samples, const std::string& prefix);
  void take_units(const ArrayTree& tree);
  void simplify();
  void add_arc(const TreeEntry& samples);
  void add_points(Fact of_x, Fact of_z, Fact points);
  std::map<Fact, std::vector<FactNumbers>> all_;
  std::map<std::string, std::string> unknown_units_;
};

// Asks about the units of numbers that are used.
void ask_unknown_units(const GuessFacts& facts, GuessedDescription& out);

bool is_list(const std::vector<std::size_t>& shape);  // one axis is longer than 1
// What a description says of the numbers: the name with the factor that makes SI of it, or the numbers themselves.
Json named(const FactNumbers& c, double factor);

}  // namespace echoloop
