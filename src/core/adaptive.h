// Adaptive methods: a method is a value and a row here, and a header in dsp/methods/ with its functor.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/adaptive_kinds.h"

namespace echoloop {

// A value of an enumeration among the parameters.

struct ParamChoice {
  std::string_view name;       // in --set and in files
  std::string_view label;      // on screen
  std::string_view note = {};  // follows the label in lists
};

enum class MethodResult {
  pixel,     // complex, replaces delay-and-sum
  weight,    // factor of the delay-and-sum pixel, which stays linear
  coherence  // -1 to 1, is the image
};

struct AdaptiveRow {
  ParamChoice words;
  MethodResult result = MethodResult::pixel;
  bool reads_rows = false;          // above and below a pixel
  bool has_half_precision = false;  // if the device has it: each transmit weighted, the image shown
};
// In the order of their values.
inline constexpr auto kAdaptiveRows = std::to_array<AdaptiveRow>({
    {.words = {"off", "Off", "delay-and-sum"}},
    {.words = {"coherence", "Coherence factor", "coherent over total energy; Wiener at strength 0"},
     .result = MethodResult::weight,
     .has_half_precision = true},
    {.words = {"generalized", "Generalized CF", "energy near broadside over total energy"},
     .result = MethodResult::weight},
    {.words = {"phase", "Phase coherence", "agreement of phases"}, .result = MethodResult::weight},
    {.words = {"p_das", "p-DAS", "roots of the amplitudes are summed"}},
    {.words = {"slsc", "Short-lag (SLSC)", "correlation of near elements"},
     .result = MethodResult::coherence,
     .reads_rows = true},
    {.words = {"minimum_variance", "Minimum variance", "Capon weights of the aperture"}, .reads_rows = true},
    {.words = {"own", "Own", "compiled from a file: --method FILE"}, .result = MethodResult::weight},
});
inline constexpr auto kAdaptiveMethods = [] {
  std::array<ParamChoice, kAdaptiveRows.size()> words;
  for (std::size_t k = 0; k < words.size(); ++k) words[k] = kAdaptiveRows[k].words;
  return words;
}();
inline constexpr std::size_t kBuiltInMethods = static_cast<std::size_t>(Adaptive::own);  // "off" among them
inline constexpr std::array<ParamChoice, 3> kAdaptiveAxes = {
    {{"elements", "Elements"}, {"transmits", "Transmits"}, {"both", "Both"}}};
inline constexpr std::array<ParamChoice, 2> kAdaptiveOrders = {
    {{"each_transmit", "Each transmit", "weighted, then summed"},
     {"compounded", "Compounded", "summed, then weighted"}}};

enum class AdaptiveShow { image, weight };
inline constexpr std::array<ParamChoice, 2> kAdaptiveShows = {{{"image", "Image"}, {"weight", "Weight"}}};

inline constexpr double kMostKernel_m = 0.005;  // along depth

constexpr const AdaptiveRow& row_of(Adaptive method) { return kAdaptiveRows[static_cast<std::size_t>(method)]; }
constexpr bool is_weight(Adaptive method) { return row_of(method).result == MethodResult::weight; }
constexpr bool reads_rows(Adaptive method) { return row_of(method).reads_rows; }
// Returns true if the method has a factor to show: the weight, or the mean coherence.
constexpr bool has_factor(Adaptive method) { return row_of(method).result != MethodResult::pixel; }
// Returns true if devices with half precision support the method in it.
constexpr bool has_half_precision(Adaptive method, AdaptiveAxis axis, AdaptiveOrder order, AdaptiveShow show) {
  if (method == Adaptive::off) return true;
  const bool compounded = axis == AdaptiveAxis::elements && order == AdaptiveOrder::compounded;
  return row_of(method).has_half_precision && !compounded && show == AdaptiveShow::image;
}

}  // namespace echoloop
