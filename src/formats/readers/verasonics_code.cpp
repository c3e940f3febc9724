#include "formats/readers/verasonics_code.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/number.h"

namespace echoloop::verasonics {
namespace {

bool has_both_signs(const std::vector<double>& weights) {
  return std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; }) &&
         std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0.0; });
}

}  // namespace

Code code_of(const std::string& what, const std::vector<std::vector<double>>& weights) {
  const auto coded = std::find_if(weights.begin(), weights.end(), has_both_signs);
  if (coded == weights.end()) return {};
  const auto refuse = [&](const std::string& why) {
    throw Error(what, "TX.Apod of both signs, " + why,
                "elements of one sign, or an orthogonal code (Hadamard's) of as many transmits as elements");
  };
  const std::size_t n = weights.size();
  Code code;
  for (std::size_t e = 0; e < coded->size(); ++e) {
    if ((*coded)[e] != 0.0) code.elements.push_back(e);
  }
  if (code.elements.size() != n)
    refuse("of " + counted(code.elements.size(), "element") + " in " + counted(n, "transmit"));
  for (const auto& row : weights) {
    if (row.size() != coded->size()) refuse("and transmits without Apod");
  }
  const double square = static_cast<double>(n) * weights[0][code.elements[0]] * weights[0][code.elements[0]];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      double product = 0.0;
      for (const std::size_t e : code.elements) product += weights[i][e] * weights[j][e];
      if (std::abs(product - (i == j ? square : 0.0)) > 1e-6 * square) refuse("without an orthogonal code");
    }
  }
  for (const std::size_t e : code.elements) {
    for (std::size_t k = 0; k < n; ++k) code.inverse.push_back(static_cast<float>(weights[k][e] / square));
  }
  return code;
}

void decode_lines(const Code& code, std::size_t n_elements, std::size_t n_rows, std::span<float> lines) {
  const std::size_t n = code.elements.size();
  std::vector<float> sent(n * n_rows);
  const auto line = [&](std::size_t transmit, std::size_t element) {
    return lines.subspan((transmit * n_elements + element) * n_rows, n_rows);
  };
  for (std::size_t element = 0; element < n_elements; ++element) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::span<const float> from = line(k, element);
      for (std::size_t i = 0; i < n_rows; ++i) sent[k * n_rows + i] = from[i];
    }
    for (std::size_t t = 0; t < n; ++t) {
      const std::span<float> out = line(t, element);
      std::fill(out.begin(), out.end(), 0.0F);
      for (std::size_t k = 0; k < n; ++k) {
        const float weight = code.inverse[t * n + k];
        const float* const from = sent.data() + k * n_rows;
        for (std::size_t i = 0; i < n_rows; ++i) out[i] += weight * from[i];
      }
    }
  }
}

}  // namespace echoloop::verasonics
