// Outlets of a run: programs that read its products while it goes on. Each can be turned on and off meanwhile. Main or
// UI thread, except for the members of Outlet.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/igtl.h"
#include "app/outputs/tap.h"
#include "backend/frame_processor.h"
#include "core/results/live_images.h"

namespace echoloop {

enum class Turned { off, on };

class Outlets final : public Outlet {
 public:
  // Turns on those named by the options. Throws Error: a name or port in use.
  Outlets(const Options& options, Tap::Blocking blocking);

  // Results of analyses in these mailboxes go to the outlets. No thread may use the mailboxes meanwhile.
  static void watch(const std::shared_ptr<Outlets>& outlets, LiveImages& live);

  // Throw Error: a name or port in use.
  void turn_tap(Turned to);
  void turn_igtl(Turned to);
  [[nodiscard]] std::shared_ptr<const Tap> tap() const { return tap_; }           // null: off
  [[nodiscard]] std::shared_ptr<const IgtlServer> igtl() const { return igtl_; }  // null: off

  // Waits for a reader of the tap while `goes_on()`, as long as the options say.
  void wait_for_reader(const std::function<bool()>& goes_on) const;
  void end_waits() const;  // of the stream, before its end
  void deliver() const;    // what was made, after the stream's end

  using Outlet::take;
  [[nodiscard]] bool wanted() const override;
  [[nodiscard]] bool wants_images() const override;
  void take(const KeptPixels& pixels) override;
  void take(const Image& image) override;

 private:
  struct Both {
    std::shared_ptr<Tap> tap;
    std::shared_ptr<IgtlServer> igtl;
  };
  [[nodiscard]] Both now() const;  // any thread

  const TapOptions tap_options_;
  const IgtlOptions igtl_options_;
  const Tap::Blocking blocking_;
  mutable std::mutex mutex_;
  // Under mutex_, except for the thread that turns them on and off:
  std::shared_ptr<Tap> tap_;
  std::shared_ptr<IgtlServer> igtl_;
};

}  // namespace echoloop
