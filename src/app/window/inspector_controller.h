// What the open inspector asks of the pipeline: which kept frame, how often, and whose single images; and where the
// answers go. Live it takes no more than a small share of the processing thread's time. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/stream/session.h"
#include "gui/state/ui_state.h"
#include "history/rf_history.h"

namespace echoloop {

class InspectorController {
 public:
  // Both outlive it.
  InspectorController(RfHistory& history, InspectionAnswers& answers) : history_(history), answers_(answers) {}

  // Each window frame: takes what came, asks for what is missing. Frozen: of the frame at the playhead, and once;
  // live: of the newest one, again and again.
  enum class Moment { live, frozen };
  void update(UiState& state, Session& session, Moment moment, std::int64_t now_ns);
  void forget(UiState& state);  // another source, or no session any more

  [[nodiscard]] std::uint64_t requests() const { return requests_; }  // made so far

 private:
  struct Key {  // what the answer depends on, beside the frame
    PlanePoint at;
    int transmit;
    ImagingParams params;
    [[nodiscard]] bool same_place(const Key& k) const {
      return at.x_m == k.at.x_m && at.z_m == k.at.z_m && transmit == k.transmit;
    }
    friend bool operator==(const Key& a, const Key& b) { return a.same_place(b) && a.params == b.params; }
  };
  void take(UiState& state);
  void close(UiState& state, Session& session);
  [[nodiscard]] std::vector<int> wanted_pictures(const InspectorView& view, std::uint64_t sequence) const;

  RfHistory& history_;
  InspectionAnswers& answers_;
  bool open_ = false;
  bool waiting_ = false;  // for an answer
  std::uint64_t requests_ = 0;
  std::uint64_t configuration_ = 0;  // that the last request went to
  std::optional<Key> asked_;
  std::uint64_t asked_sequence_ = 0;
  std::int64_t not_before_ns_ = 0;
  double work_s_ = 0.0;   // of the last request
  int next_picture_ = 0;  // live, one at a time
};

}  // namespace echoloop
