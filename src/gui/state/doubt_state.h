// Facts of the open source that its samples contradict, one card each. Filled by the application.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/results/image.h"
#include "gui/state/import_state.h"

namespace echoloop {

struct DoubtCard {
  std::string text;     // the contradiction, one sentence
  std::string effect;   // what a wrong fact does to the image, one sentence
  std::string cure;     // "--set center_hz=4.24e+06", or keys of a description; empty: several facts explain it
  std::string use;      // label of the button that applies the cure
  std::string why_not;  // why the cure cannot be applied here; empty: it can
  double stated = 0.0, found = 0.0;   // agreement of the channels, 0 to 1; both 0: not measured
  std::vector<std::string> readings;  // facts that explain the echoes alike
};

// Image of one frame with the stated facts and with those of the cure.
struct DoubtPreview {
  std::shared_ptr<const Image> before, after;  // null: not formed
  std::string error;                           // why there are none
  bool busy = false;
  double rms_db = 0.0;      // of the difference above -50 dB; NaN: other grids
  double sharper_db = 0.0;  // sharpness after minus before
  std::size_t left = 0;     // doubts that remain with the cure
  ImportSpectrum spectrum;  // of the echoes, with the stated frequency; no power: not drawn
};

struct DoubtsView {
  std::vector<DoubtCard> cards;  // neither applied nor dismissed
  std::size_t n_dismissed = 0;
  std::size_t at = 0;  // card on screen
  bool open = false;
  DoubtPreview preview;  // of cards[at]

  [[nodiscard]] const DoubtCard* card() const { return open && at < cards.size() ? &cards[at] : nullptr; }
};

enum class DoubtAct {
  show,      // opens the card, or the next one
  previous,  // opens the one before
  use,       // applies the cure: the source is opened again with it
  keep,      // dismisses the doubt: the stated facts are right
  later      // closes the card
};

}  // namespace echoloop
