// Whether this is the program of a sanitizer, which makes work ten times longer: what it has seen once, it has seen.
#pragma once

namespace echoloop::testing {

#if defined(ECHO_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace echoloop::testing
