// Window across the receive aperture or the transmits.
#pragma once

namespace echoloop {

enum class Apodization { boxcar, hann, hamming, tukey, gauss };

}  // namespace echoloop
