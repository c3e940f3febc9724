// The analyses beside the live stream, one row each (analyses.cpp). One is made when the parameters first ask for its
// results, and given back when they do not any more and it has nothing left to do. One that fails leaves the stream as
// it is: the reason is reported once, and it stays off until the parameters change. Processing thread, unless said.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/analysis.h"

namespace echoloop {

class Analyses {
 public:
  // `refuse` takes the reason why there are no results; any thread.
  Analyses(Backend& backend, const AnalysisMailboxes& mailboxes, std::function<void(const std::string&)> refuse);

  void try_again();                          // with other parameters
  void retire(const ImagingParams& params);  // gives back what these do not ask for, as soon as that waits for nothing

  // Whether a frame with these parameters is to be kept as complex pixels, for take_pixels().
  [[nodiscard]] bool wants_pixels(const ImagingParams& params) const;
  void take_pixels(const BeamformedFrame& frame);

  void take_live(const Image& image);  // a finished image of the stream
  void take_kept(const Image& image);  // one of a history frame
  // Whether history frames are shown: then only their images are analysed, as a mailbox holds one result.
  enum class Looking { at_live, back };
  void set_looking(Looking looking) { looking_ = looking; }  // any thread

  // The stream's end. What is in work is finished: a run that stops after so many frames finds the results of the last
  // one, also those of an image that came too soon after the one before. History frames may still come.
  enum class StreamEnd { regular, fault };
  void end_stream(StreamEnd how);
  void retire_images();  // analyses of images, as soon as that waits for nothing

  [[nodiscard]] AnalysisCounts counts() const;  // any thread

 private:
  struct State {
    const AnalysisRow& row;
    std::unique_ptr<Analysis> analysis;  // null while off
    bool failed = false;                 // with the parameters in use
    bool late = false;                   // late_image_ came too soon for it
  };

  [[nodiscard]] bool wants(const State& state, const ImagingParams& params) const;
  template <class Work>
  void attempt(State& state, const Work& work);
  bool take_image(State& state, const Image& image, Claim claim);
  void give_back(State& state);
  void note_counts();

  Backend& backend_;
  const AnalysisMailboxes mailboxes_;
  const std::function<void(const std::string&)> refuse_;
  std::vector<State> states_;
  Image late_image_;
  std::atomic<Looking> looking_{Looking::at_live};
  mutable std::mutex mutex_;
  AnalysisCounts counts_;  // under mutex_
};

}  // namespace echoloop
