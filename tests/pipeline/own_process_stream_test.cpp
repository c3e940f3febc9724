// A stream with a method in another process: frames are handed over before the answers of earlier ones, and each image
// is of its own frame, in their order. The process is an object of the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/own_method.h"
#include "support/streaming.h"

namespace echoloop::testing::own_process_stream_test {
namespace {

constexpr int kFrames = 12, kLanes = 3;

// Answers with the frame's number as amplitude or level; every third frame has no answer. Waits until the stream hands
// over no further frame.
class Numbers final : public OwnProcess {
 public:
  explicit Numbers(OwnInput input) : input_(input) {}
  [[nodiscard]] OwnInput input() const override { return input_; }
  OwnAsk hand(const OwnRequest& request, const Fill& fill, SharedDeviceMemory* /*memory*/) override {
    std::vector<std::byte> array(bytes_of(request));
    fill(array);
    const Grid& grid = input_ == OwnInput::image ? request.plan.grid : request.plan.das->tables->grid;
    open_[++number_] = {request.stamp.sequence, grid.pixels()};
    most_open = std::max(most_open, open_.size());
    return {number_, nullptr};
  }
  std::optional<OwnResult> take(const OwnAsk& ask, const Interrupted& interrupted, OwnAnswer& answer) override {
    const Frame of = open_.at(ask.number);
    while (open_.size() < kLanes && number_ < kFrames && open_.begin()->first == ask.number)
      if (interrupted()) return {};
    open_.erase(ask.number);
    if (of.sequence % 3 == 2) return OwnResult::none;
    const auto value = static_cast<float>(of.sequence + 1);
    input_ == OwnInput::image ? answer.levels.assign(of.pixels, -value)
                              : answer.pixels.assign(of.pixels, Complex{value, 0.0F});
    return OwnResult::amplitudes;
  }
  void drop(const OwnAsk& ask) override { open_.erase(ask.number); }

  std::size_t most_open = 0;

 private:
  struct Frame {
    std::uint64_t sequence = 0;
    std::size_t pixels = 0;
  };
  const OwnInput input_;
  std::uint64_t number_ = 0;
  std::map<std::uint64_t, Frame> open_;
};

struct Seen {
  std::uint64_t sequence;
  Adaptive method;
  float level_db;  // of the first pixel
};

class OwnProcessStream : public ::testing::TestWithParam<OwnInput> {};

TEST_P(OwnProcessStream, EachImageIsOfItsOwnFrame) {
  const AcquisitionPtr acquisition = share(linear_acquisition(16, 256));
  const auto source = noise_source(acquisition, kFrames);
  const std::unique_ptr<Backend> backend = make_cpu_backend(1);
  const auto process = std::make_shared<Numbers>(GetParam());
  auto method = std::make_shared<OwnMethod>();
  method->name = "numbers";
  method->process = process;
  ImagingParams params = default_params(*acquisition);
  params.formation.grid_nx = 24;
  params.formation.grid_nz = 32;
  params.formation.adaptive = Adaptive::own;
  params.formation.own = method;
  params.level.reference_db = 0.0;
  StreamSettings stream = unpaced();
  stream.loop = false;
  stream.lanes = kLanes;
  Mailbox<Image> images;
  TimingTrace trace;
  std::vector<Seen> seen;  // processing thread, until the session has ended
  {
    Session session(*backend, source, images, trace,
                    {.stream = stream, .params = params, .on_image = [&](const Image& image) {
                       seen.push_back({image.stamp.sequence, image.params.formation.adaptive, image.host().front()});
                     }});
    ASSERT_TRUE(wait_until([&] { return session.counts().processed == kFrames; }));
    session.stop();
    expect_counts_add_up(session.counts());
  }
  EXPECT_EQ(process->most_open, static_cast<std::size_t>(kLanes));
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kFrames));
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].sequence, k);
    const bool none = k % 3 == 2;
    EXPECT_EQ(seen[k].method, none ? Adaptive::off : Adaptive::own);
    const auto value = static_cast<float>(k + 1);
    const float expected = GetParam() == OwnInput::image ? -value : 20.0F * std::log10(value);
    if (!none) {
      EXPECT_NEAR(seen[k].level_db, expected, 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, OwnProcessStream,
                         ::testing::Values(OwnInput::rf, OwnInput::lines, OwnInput::channels, OwnInput::iq,
                                           OwnInput::image),
                         [](const auto& input) {
                           return std::string(kOwnInputs.at(static_cast<std::size_t>(input.param)));
                         });

}  // namespace
}  // namespace echoloop::testing::own_process_stream_test
