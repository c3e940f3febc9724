// Values of the adaptive methods' parameters, for code of any device; their rows are in core/adaptive.h.
#pragma once

namespace echoloop {

enum class Adaptive { off, coherence, generalized, phase, p_das, slsc, minimum_variance, own };  // off: delay-and-sum
enum class AdaptiveAxis { elements, transmits, both };   // channels that a method compares
enum class AdaptiveOrder { each_transmit, compounded };  // axis elements: before or after the sum over transmits
// What an own method reads above and below a pixel: nothing; channels, as minimum variance; sums over the channels of a
// row, which make a coherence in [-1, 1], as slsc.
enum class OwnRows { none, channels, coherence };

inline constexpr int kMostAdaptiveBins = 16;
inline constexpr int kMostOwnParameters = 8;  // of an own method

}  // namespace echoloop
