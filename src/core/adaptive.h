// The adaptive methods by name, in the order of their values. A method is a value and a row here, and its functor in
// dsp/methods/.
#pragma once

#include <array>

#include "core/param_choice.h"

namespace echoloop {

enum class Adaptive { off, coherence, generalized, phase, p_das, slsc, minimum_variance };  // off: delay-and-sum
enum class AdaptiveAxis { elements, transmits, both };   // channels that a method compares
enum class AdaptiveOrder { each_transmit, compounded };  // axis elements: before or after the sum over transmits

inline constexpr std::array<ParamChoice, 7> kAdaptiveMethods = {
    {{"off", "Off", "delay-and-sum"},
     {"coherence", "Coherence factor", "coherent over total energy; Wiener at strength 0"},
     {"generalized", "Generalized CF", "energy near broadside over total energy"},
     {"phase", "Phase coherence", "agreement of phases"},
     {"p_das", "p-DAS", "roots of the amplitudes are summed"},
     {"slsc", "Short-lag (SLSC)", "correlation of near elements"},
     {"minimum_variance", "Minimum variance", "Capon weights of the aperture"}}};
inline constexpr std::array<ParamChoice, 3> kAdaptiveAxes = {
    {{"elements", "Elements"}, {"transmits", "Transmits"}, {"both", "Both"}}};
inline constexpr std::array<ParamChoice, 2> kAdaptiveOrders = {
    {{"each_transmit", "Each transmit", "weighted, then summed"},
     {"compounded", "Compounded", "summed, then weighted"}}};

enum class AdaptiveShow { image, weight };
inline constexpr std::array<ParamChoice, 2> kAdaptiveShows = {{{"image", "Image"}, {"weight", "Weight"}}};

inline constexpr int kMostAdaptiveBins = 16;
inline constexpr double kMostKernel_m = 0.005;  // along depth

// Whether the method is a weight of the delay-and-sum pixel, which stays linear beside it; the others replace the
// pixel.
constexpr bool is_weight(Adaptive method) {
  return method == Adaptive::coherence || method == Adaptive::generalized || method == Adaptive::phase;
}
// Whether the method has a factor that can be shown: the weight, or the mean coherence.
constexpr bool has_factor(Adaptive method) { return is_weight(method) || method == Adaptive::slsc; }
// Whether a device with half precision has the method in it.
constexpr bool has_half_precision(Adaptive method, AdaptiveAxis axis, AdaptiveOrder order, AdaptiveShow show) {
  if (method == Adaptive::off) return true;
  const bool compounded = axis == AdaptiveAxis::elements && order == AdaptiveOrder::compounded;
  return method == Adaptive::coherence && !compounded && show == AdaptiveShow::image;
}
// Whether the method reads rows above and below a pixel.
constexpr bool reads_rows(Adaptive method) { return method == Adaptive::slsc || method == Adaptive::minimum_variance; }

}  // namespace echoloop
