// An analysis beside the live stream: it takes beamformed frames or finished images, works on a thread of its own and
// publishes into a mailbox. The stream never waits for it. Processing thread, unless said.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "core/results/live_images.h"

namespace echoloop {

// Complex pixels of a frame of the stream, on their way to an analysis.
struct BeamformedFrame {
  std::shared_ptr<const Plan> plan;
  PixelView pixels;
  FrameStamp stamp;
  double reference_db = 0.0;
};

// Live images follow each other so fast that most need not be analysed; others have been requested.
enum class Claim { live, wanted };

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void take(const BeamformedFrame& /*frame*/) {}
  // False: a live image that comes too soon after the one before, and is left out.
  virtual bool take(const Image& /*image*/, Claim /*claim*/) { return true; }
  virtual void drain() = 0;                              // until all that was taken is published
  [[nodiscard]] virtual bool busy() const = 0;           // something taken is not published yet
  virtual std::string take_fault() = 0;                  // why no more results come, once; empty: none
  virtual void count(AnalysisCounts& counts) const = 0;  // any thread
};

// What an analysis takes: pixels of the stream, or images of the stream and of the history.
enum class AnalysisInput { pixels, images };

struct AnalysisRow {
  std::string_view refusal;  // before the reason why there are no results
  AnalysisInput input;
  bool (*is_on)(const ImagingParams&);
  bool (*has_mailbox)(const AnalysisMailboxes&);
  std::unique_ptr<Analysis> (*make)(Backend&, const AnalysisMailboxes&);
};

}  // namespace echoloop
