// Number formats of the window: true minus, thousands separated by a thin space, fixed decimals. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace echoloop {

std::string grouped(std::uint64_t count);                                 // 24 680
std::string counted_grouped(std::uint64_t count, std::string_view noun);  // 1 frame, 24 680 frames
std::string fixed(double value, int decimals);                            // −6.0; "—" if not finite
std::string signed_fixed(double value, int decimals);                     // +6.0, 0.0, −6.0
std::string span_text(double low, double high, int decimals);             // 4.0–6.0
std::string factor_text(double factor);                                   // 0.01, 0.25, 10: as many decimals as needed
std::string byte_text(std::uint64_t bytes);                               // 1.2 MB

// Returns a time for a column of ms: two decimals while they fit, "12.3 s" from 10 s on, "—" if unknown.
std::string ms_text(double ms, bool known);
// Returns the time with its unit, for a sentence.
std::string ms_words(double ms);

// Returns the smallest of 1, 2, 5 x 10^k that is not below `value`; 1 unless `value` is positive.
double round_up_125(double value);
// Returns the number of decimals that such a value needs.
int decimals_of_125(double value);

}  // namespace echoloop
