// Numbers of a file that are taken for a fact, and the unit in which they are: by the name, or by their size. Internal
// to src/formats.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/base/quantity.h"
#include "formats/import/spellings.h"

namespace echoloop {

struct FactNumbers {
  std::size_t entry = 0;
  NamedFact named;
  std::vector<double> values;      // last axis fastest
  std::vector<std::size_t> shape;  // of the values
  std::string path;                // of the entry, or of all that they are made of
  bool literal = false;            // the entry does not hold them in this form
};

double largest(const std::vector<double>& values);  // magnitude of the finite ones

// What makes SI of the numbers: by the unit in the name, else by their size.
double hertz(const FactNumbers& c);
double metres(const FactNumbers& c, double reach_m);
double seconds(const FactNumbers& c, double reach_s);
double radians(const FactNumbers& c);
// ", read as MHz"; empty for a factor of 1.
std::string unit_note(double factor, Quantity quantity);

}  // namespace echoloop
