// What of the status bar has room, as a pure function of widths. A narrow bar leaves parts out from the one that is
// missed least: device name, "Present", the word "latency", frames shown, how much slower than real time and the second
// kind of faulty samples, backend, "Reset", latency, "Keys", rate. Source, state, lost frames, the first kind of
// faulty samples and recording always stay. Any thread.
#pragma once

namespace echoloop {

// Each with the gap that parts it from its neighbour, in pixels; 0: there is none.
struct StatusWidths {
  float room = 0;  // of the whole bar, without its margins
  float always = 0;
  float device = 0, present = 0, latency_word = 0, shown = 0, playing = 0, backend = 0, reset = 0, latency = 0,
        keys = 0, rate = 0;
};

enum class StatusForm { wide, compact };  // compact: without device, "Present" and the word from the start

struct StatusFit {
  bool device = true, present = true, latency_word = true, shown = true, playing = true, backend = true, reset = true,
       latency = true, keys = true, rate = true;
};

[[nodiscard]] StatusFit fit_status_bar(const StatusWidths& widths, StatusForm form);

}  // namespace echoloop
