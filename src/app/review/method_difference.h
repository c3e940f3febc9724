// Levels of an own method's image minus those of delay-and-sum, or of side A of a comparison, of the frame on screen:
// while its panel is open, twice a second at most, with a small share of the processing thread's time. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/outputs/patch_request.h"
#include "app/stream/session.h"
#include "gui/state/ui_state.h"
#include "history/rf_history.h"

namespace echoloop {

class MethodDifference {
 public:
  static constexpr double kRange_db = 50.0;  // below the brightest pixel of the other method

  explicit MethodDifference(const RfHistory& history) : history_(history) {}

  // Each window frame, with the image on screen; `levels` reads its pixels.
  void update(WindowState& state, Session& session, const Image& shown,
              const std::function<std::vector<float>()>& levels, std::int64_t now_ns);

 private:
  struct Work {
    Image image;  // without its pixels
    std::vector<float> db;
    std::string method;  // the other one
    std::shared_ptr<PatchAnswer> other;
    std::uint64_t configuration = 0;
    std::int64_t asked_ns = 0;
  };
  void take(OwnDifference& view, Session& session, std::int64_t now_ns);
  void begin(WindowState& state, Session& session, const Image& shown, const std::vector<float>& db);

  const RfHistory& history_;
  std::unique_ptr<Work> work_;
  std::uint64_t image_ = 0;  // number of the last one, and its parameters
  ImagingParams against_;
  std::int64_t not_before_ns_ = 0;
};

}  // namespace echoloop
