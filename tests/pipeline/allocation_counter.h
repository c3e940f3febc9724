// Counts every heap allocation of the test program, by thread, while enabled. operator new and malloc are replaced for
// the whole program (not under a sanitizer, which replaces them itself).
#pragma once

#include <string>

namespace echoloop::testing {

[[nodiscard]] bool can_count_allocations();
void name_this_thread(const char* name);  // name in the report; a string literal
void start_counting_allocations();
// Ends counting. Returns "" without allocations, otherwise "3 by processing, 1 by producer".
[[nodiscard]] std::string stop_counting_allocations();

}  // namespace echoloop::testing
