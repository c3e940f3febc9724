// Numbers as the window writes them: true minus, thousands parted by a thin space, fixed decimals. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace echoloop {

std::string grouped(std::uint64_t count);                      // 24 680
std::string fixed(double value, int decimals);                 // −6.0; "—" when it is not finite
std::string signed_fixed(double value, int decimals);          // +6.0, 0.0, −6.0
std::string span_text(double low, double high, int decimals);  // 4.0–6.0
std::string byte_text(std::uint64_t bytes);                    // 1.2 MB

}  // namespace echoloop
