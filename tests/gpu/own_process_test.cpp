// A method in another process on the GPU: it gets the arrays that the CPU gives it, and its pixels or levels become the
// image. The process is an object of the test; with the memory of the device itself it is tested in Python.
#include "backend/own_process.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "backend/frame_processor.h"
#include "core/own_method.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::own_process_test {
namespace {

// Keeps what it gets. Answers with a ramp over the rows that are asked for.
class Recorder final : public OwnProcess {
 public:
  explicit Recorder(OwnInput input) : input_(input) {}
  [[nodiscard]] OwnInput input() const override { return input_; }
  OwnAsk hand(const OwnRequest& request, const Fill& fill, SharedDeviceMemory* /*memory*/) override {
    std::vector<std::byte> rows(bytes_of(request));
    fill(rows);
    array.insert(array.end(), rows.begin(), rows.end());
    if (!answers) return {};
    nx_ = input_ == OwnInput::image ? request.plan.grid.nx : request.plan.das->tables->grid.nx;
    first_row_ = request.first_row;
    rows_ = request.rows;
    return {.number = 1};
  }
  std::optional<OwnResult> take(const OwnAsk& /*ask*/, const Interrupted& /*interrupted*/, OwnAnswer& answer) override {
    for (int i = 0; i < rows_ * nx_; ++i) {
      const auto value = static_cast<float>(1 + first_row_ * nx_ + i);
      input_ == OwnInput::image ? answer.levels.push_back(-value) : answer.pixels.push_back({value, 0.0F});
    }
    return OwnResult::amplitudes;
  }
  void drop(const OwnAsk& /*ask*/) override {}
  std::vector<float> values() const {  // of float32 and complex64
    std::vector<float> read(array.size() / sizeof(float));
    std::memcpy(read.data(), array.data(), read.size() * sizeof(float));
    return read;
  }
  std::vector<std::byte> array;
  bool answers = true;

 private:
  const OwnInput input_;
  int nx_ = 0, first_row_ = 0, rows_ = 0;  // of the array
};

struct Formed {
  std::shared_ptr<Recorder> process;
  Image image;
  std::vector<float> db;
};

class OwnProcessOnTheGpu : public GpuTest {
 protected:
  static Formed form(Backend& backend, const Case& c, OwnInput input, bool answers = true) {
    Formed formed{std::make_shared<Recorder>(input), {}, {}};
    formed.process->answers = answers;
    auto method = std::make_shared<OwnMethod>();
    method->name = "recorder";
    method->process = formed.process;
    const AcquisitionPtr acquisition = make_acquisition(c);
    ImagingParams params = make_params(c, *acquisition);
    params.formation.adaptive = Adaptive::own;
    params.formation.own = method;
    params.level.reference_db = 0.0;
    const auto plan = make_plan(acquisition, params, nullptr, backend.multiprocessors());
    const auto lane = backend.make_lane(0, StreamMode::overlap);
    const std::vector<std::byte> samples = make_frame(c, *acquisition);
    start_frame(*lane, plan, samples);
    formed.db = host_image(*lane);
    describe(lane->image(), *plan, 0.0, 0.0);
    formed.image.params = lane->image().params;
    return formed;
  }
};

TEST_F(OwnProcessOnTheGpu, GetsTheArraysThatTheCpuGivesIt) {
  for (const SampleType type : {SampleType::int16, SampleType::float32})
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      const Case c{.name = "arrays", .type = type, .precision = precision};
      for (const OwnInput input : {OwnInput::rf, OwnInput::lines, OwnInput::channels, OwnInput::iq, OwnInput::image}) {
        SCOPED_TRACE(std::string(kOwnInputs[static_cast<std::size_t>(input)]));
        const Formed here = form(cpu(), c, input), there = form(gpu(), c, input);
        ASSERT_EQ(here.process->array.size(), there.process->array.size());
        if (input == OwnInput::rf) {
          EXPECT_TRUE(here.process->array == there.process->array);
        } else {
          const double limit = input == OwnInput::image || precision == Precision::fp16 ? 0.03 : 3e-3;
          EXPECT_LE(relative_l2(here.process->values(), there.process->values()), limit);
        }
        ASSERT_EQ(here.db.size(), there.db.size());
        for (std::size_t i = 0; i < here.db.size(); ++i) ASSERT_NEAR(here.db[i], there.db[i], 1e-3);
      }
    }
}

TEST_F(OwnProcessOnTheGpu, WithoutAnAnswerTheImageIsDelayAndSum) {
  const Case c{.name = "none"};
  for (const OwnInput input : {OwnInput::rf, OwnInput::iq, OwnInput::image}) {
    const Formed here = form(cpu(), c, input, false), there = form(gpu(), c, input, false);
    EXPECT_EQ(there.image.params.formation.adaptive, Adaptive::off);
    EXPECT_EQ(here.image.params.formation.adaptive, Adaptive::off);
    EXPECT_LE(relative_l2(here.db, there.db), 0.02);
    EXPECT_GT(*std::ranges::max_element(there.db), 0.0F);
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::own_process_test
