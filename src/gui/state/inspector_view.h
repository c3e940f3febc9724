// What the inspector's dock wants of the application, and what it was given. Part of UiState. UI thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/results/inspection.h"

namespace echoloop {

struct InspectorView {
  // Set by the window.
  bool wanted = false;             // the inspector is open; looked at each frame
  int transmit = -1;               // whose channels; -1 = the middle one
  std::vector<int> pictures_seen;  // transmits whose pictures are in view
  // Filled by the application.
  std::shared_ptr<const Inspection> pixel;                       // null: nothing yet
  std::vector<std::shared_ptr<const TransmitPicture>> pictures;  // by transmit; null: not yet
  AcquisitionPtr acquisition;                                    // of the frame that is inspected
  std::string refusal;                                           // why there is nothing
};

}  // namespace echoloop
