// Share of the energy in the components 1 .. k, for k = 1 .. n: sum of sigma^2 up to k over all. Ends with 1.
#pragma once

#include <span>
#include <vector>

namespace echoloop::testing {

inline std::vector<double> energy_curve(std::span<const double> singular_values) {
  std::vector<double> curve;
  double sum = 0.0;
  for (const double s : singular_values) curve.push_back(sum += s * s);
  for (double& share : curve) share /= sum;
  return curve;
}

}  // namespace echoloop::testing
