#include "formats/containers/mat_values.h"

#include <algorithm>

#include "core/plain_text.h"
#include "formats/base/printable.h"

namespace echoloop {

std::string MatVariable::describe() const {
  std::string text = printable(name) + " (";
  for (std::size_t k = 0; k < dims.size(); ++k) text += (k > 0 ? "x" : "") + std::to_string(dims[k]);
  return text + " " + kind + ")";
}

void add_field(std::map<std::string, MatField>& fields, std::string name, const ArrayView& numbers) {
  MatField& field = fields[lower_case(std::move(name))];
  field.dims = numbers.shape;
  field.values.resize(numbers.count());
  for (std::size_t i = 0; i < field.values.size(); ++i) field.values[i] = numbers.real_at(i);
}

}  // namespace echoloop
