// Products of a running stream for other programs of this user, at the socket NAME.tap (protocol:
// assets/manual/tap.md). Arrays lie in sealed memory that readers map read-only. A reader asks for each frame and gets
// the newest; the stream never waits for it, except for readers that ask for every frame in a run without a window.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/outputs/tap_reader.h"
#include "backend/frame_processor.h"
#include "core/results/live_images.h"
#include "source/live/live_listener.h"

namespace echoloop {

class ScreenPainter;

struct TapReaderCounts {
  std::string name;  // of its program
  const char* kind;
  std::uint64_t sent, lost;  // frames
};

class Tap final : public Outlet {
 public:
  static constexpr std::size_t kMostReaders = 16;
  enum class Blocking { refused, allowed };  // readers for which the stream waits

  // Throws Error: the name is not valid, or in use.
  Tap(const std::string& name, Blocking blocking);
  ~Tap() override;
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  using Outlet::take;
  [[nodiscard]] bool wanted() const override { return wants(TapKind::iq); }
  [[nodiscard]] bool wants_images() const override { return wants(TapKind::image) || wants(TapKind::screen); }
  void take(const KeptPixels& pixels) override;
  void take(const Image& image) override;
  // Results of analyses, on their threads.
  void take(const FlowImage& flow);
  void take(const Spectrogram& spectrum);
  void take(const ObjectImage& objects);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::vector<TapReaderCounts> readers() const;  // any thread
  // Waits for a reader while `goes_on()`. Before the stream.
  void wait_for_reader(const std::function<bool()>& goes_on);
  void end_waits();  // of the stream for readers; any thread
  void deliver();    // waits until blocking readers have asked for their last frames, kLastWait_s at most

 private:
  static constexpr double kLastWait_s = 10.0;

  struct Screen;
  using ReaderPtr = std::shared_ptr<TapReader>;

  [[nodiscard]] bool wants(TapKind kind) const { return wanting_[static_cast<std::size_t>(kind)] > 0; }
  // `adapt` completes a copy of the product for a reader, or returns false: nothing for it. `fill` writes the array.
  template <class Adapt, class Fill>
  void publish(const TapProduct& product, const Adapt& adapt, const Fill& fill);
  template <class Fill>
  void publish(const TapProduct& product, const Fill& fill);
  template <class Result>
  TapProduct product_of(TapKind kind, const Result& result, const Grid& grid);
  void note_wanting();
  void note_reasons(const ImagingParams& params);
  void keep_for_screen(const Image& image);

  void serve();
  void look();
  void accept();
  void leave(TapReader& reader);
  void refuse(TapReader& reader, std::uint32_t reason, const std::string& line);
  void receive(TapReader& reader);
  void begin(TapReader& reader, const StreamMessage& hello);
  void give(TapReader& reader);
  void paint();

  const std::string name_;
  const Blocking blocking_;
  LiveListener listener_;
  SocketWait wait_;
  std::array<std::atomic<int>, kTapKinds.size()> wanting_{};         // readers that the next product is for
  std::array<std::atomic<std::uint64_t>, kTapKinds.size()> made_{};  // products so far
  std::atomic<bool> ended_{false}, waits_{true};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::vector<ReaderPtr> readers_;
  std::array<std::shared_ptr<TapFacts>, kTapKinds.size()> facts_{};
  std::uint32_t revision_ = 0;
  struct Reasons {
    std::optional<ImagingParams> params;                // frames with these
    std::array<std::string, kTapKinds.size()> texts{};  // reason for no products of a kind; empty: there are some
  } reasons_;
  struct Screens {
    std::unique_ptr<Screen> newest;           // to be painted
    std::shared_ptr<const FlowImage> flow{};  // over it
    bool painting = false;                    // newest, or the one before
  } screens_;
  // Server thread:
  std::unique_ptr<Screen> painted_;
  std::unique_ptr<ScreenPainter> painter_;
  std::thread thread_;  // last
};

}  // namespace echoloop
