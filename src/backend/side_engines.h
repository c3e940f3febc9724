// What is made beside the live stream: flow and the sonogram of its beamformed frames, structure of its pictures and of
// kept ones. An engine is made when the parameters first ask for what it makes, and given back when they do not any
// more and it has nothing left to do. One that fails leaves the stream as it is: it says why, once, and stays off until
// the parameters change. Processing thread, unless said.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "backend/backend.h"
#include "backend/flow.h"
#include "backend/sonogram.h"
#include "backend/structure.h"
#include "core/live_images.h"

namespace echoloop {

class SideEngines {
 public:
  // `refuse` is told why something is not made; any thread.
  SideEngines(Backend& backend, const SideMailboxes& mailboxes, std::function<void(const std::string&)> refuse)
      : backend_(backend), mailboxes_(mailboxes), refuse_(std::move(refuse)) {}

  void try_again() { flow_failed_ = structure_failed_ = sonogram_failed_ = false; }  // with other parameters
  void retire(const ImagingParams& params);  // gives back what these do not ask for, as soon as that waits for nothing

  // Whether a frame with these parameters is to be kept as complex pixels, for take_pixels().
  [[nodiscard]] bool wants_pixels(const ImagingParams& params) const;
  void take_pixels(const std::shared_ptr<const Plan>& plan, const PixelView& pixels, const FrameStamp& stamp,
                   double reference_db);

  void take_live(const Image& image);  // a finished picture of the stream
  void take_kept(const Image& image);  // one of a kept frame
  // Whether kept frames are looked at: then only their objects are looked for, as the mailbox holds one answer.
  enum class Looking { at_live, back };
  void set_looking(Looking looking) { looking_ = looking; }  // any thread

  // The stream's end. What is in work is finished: who stops after so many frames finds what is made of the last one,
  // also the objects of a picture that came too soon after the one before. Kept frames may still come.
  enum class StreamEnd { regular, fault };
  void end_stream(StreamEnd how);
  void retire_structure();  // as soon as that waits for nothing

  [[nodiscard]] SideCounts counts() const;  // any thread

 private:
  [[nodiscard]] bool wants_flow(const ImagingParams& params) const;
  [[nodiscard]] bool wants_sonogram(const ImagingParams& params) const;
  bool take_picture(const Image& image, Claim claim);
  void note_counts();

  Backend& backend_;
  const SideMailboxes mailboxes_;
  const std::function<void(const std::string&)> refuse_;
  // Engines: null while off; `failed`: with the parameters in use.
  std::unique_ptr<FlowEngine> flow_;
  bool flow_failed_ = false;
  std::unique_ptr<SonogramEngine> sonogram_;
  bool sonogram_failed_ = false;
  std::unique_ptr<StructureEngine> structure_;
  bool structure_failed_ = false;
  Image late_image_;  // the last live one, where it came too soon for objects; number 0: none
  std::atomic<Looking> looking_{Looking::at_live};
  mutable std::mutex mutex_;
  SideCounts counts_;  // under mutex_
};

}  // namespace echoloop
