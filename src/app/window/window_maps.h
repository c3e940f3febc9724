// The map of the recording that the user chose, in the window: its frame for the image on screen is read by a reader
// process and placed on the image plane on a thread, one at a time. UI thread only.
#pragma once

#include <future>
#include <string>

#include "core/results/image.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class WindowMaps {
 public:
  explicit WindowMaps(WindowState& state) : state_(state) {}

  void look(const Image& shown);  // once a window frame

 private:
  struct Wanted {
    std::string source, name;
    std::uint64_t frame = 0;  // of the map
    Grid grid;
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  struct Made {
    MapViewPtr view;    // with the range of its values
    std::string error;  // empty: none
  };

  void take();
  void show();

  WindowState& state_;
  Wanted made_, asked_;  // of read_ and of work_
  MapViewPtr read_;
  std::future<Made> work_;
};

}  // namespace echoloop
