// How long this program has been running, loading included: what a user waits for the first picture.
#pragma once

namespace echoloop {

// Seconds since the process was started, to about 10 ms (Linux: /proc/self/stat); 0 where that cannot be had.
double process_age_s();

}  // namespace echoloop
