// A method that another program offers, in the program's window: used only after the answer, replaced by delay-and-sum
// once the program has ended, and then by a program that offers it again.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "app/outputs/method_server.h"
#include "core/own_method.h"
#include "gui/scene.h"
#include "gui/turning.h"
#include "support/environment_variable.h"
#include "support/socket_client.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::program_method_window_test {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Answers every array with amplitudes 1, or with a mask of label 1 in the first row.
class Program {
 public:
  enum class Makes { pixels, mask };
  explicit Program(const std::string& input = "iq", Makes makes = Makes::pixels)
      : makes_(makes), client_("default.method") {
    client_.send(1, payload_of(std::uint16_t{1}, std::uint16_t{0}, kLiveByteOrder, std::uint64_t{1}));
    define(0.5, input);
    thread_ = std::thread([this] { serve(); });
  }
  ~Program() {
    client_.hang_up();
    thread_.join();
  }
  void define(double value, const std::string& input = "iq") {
    client_.send(20,
                 bytes_of(R"({"name":"flat","input":")" + input + R"(","source":"1","place":"flat.py:1","labels":[)" +
                          (makes_ == Makes::mask ? R"("top")" : "") +
                          R"(],"parameters":[{"name":"strength","unit":"","help":"",)"
                          R"("min":0,"max":1,"value":)" +
                          std::to_string(value) + "}]}"));
  }
  std::atomic<int> frames{0};
  std::atomic<bool> refused{false}, silent{false};

 private:
  void serve() {
    for (;;) {
      const SocketClient::Message message = client_.receive();
      if (message.kind == 0 || message.kind == 13) return;
      if (message.kind == 5) refused = true;
      PayloadReader in(message.payload);
      if (message.kind == 24) {
        const auto direction = in.number<std::uint32_t>();
        in.number<std::uint32_t>();
        const auto bytes = in.number<std::uint64_t>();
        if (direction == 0) {
          EXPECT_EQ(client_.map(bytes, PROT_READ | PROT_WRITE), nullptr) << "arrays can be read alone";
        } else {
          answers_ = client_.map(bytes, PROT_READ | PROT_WRITE);
        }
      }
      if (message.kind != 7) continue;
      ++frames;
      if (silent) continue;
      std::uint32_t rows = 0, columns = 0;
      std::uint64_t number = 0;
      std::memcpy(&rows, message.payload.data() + 132, sizeof rows);
      std::memcpy(&columns, message.payload.data() + 136, sizeof columns);
      std::memcpy(&number, message.payload.data() + 144, sizeof number);
      auto* const answer = answers_->bytes().data();
      if (makes_ == Makes::mask) {
        std::fill_n(answer, rows * columns, std::byte{0});
        std::fill_n(answer, columns, std::byte{1});
      } else {
        std::fill_n(reinterpret_cast<float*>(answer), rows * columns, 1.0F);
      }
      const std::uint32_t type = makes_ == Makes::mask ? 3 : 1;
      client_.send(22, payload_of(number, 0.001, type, std::uint32_t{0}, std::uint64_t{rows} * columns));
    }
  }
  const Makes makes_;
  SocketClient client_;
  std::shared_ptr<SharedMemory> answers_;
  std::thread thread_;
};

class ProgramMethodWindow : public WindowTest {
 protected:
  ProgramMethodWindow() {
    Options options = script_options("sim:points,probe=L128,angles_deg=0");
    options.settings = {"depth_max_m=0.03", "grid_nx=48", "grid_nz=64"};
    options.history_bytes = std::size_t{64} << 20;
    begin(options);
  }
  ~ProgramMethodWindow() override { load_own_method(nullptr); }

  [[nodiscard]] const OwnMethodView& view() { return state().image.method; }
  bool shows(Adaptive method) {
    return until([&] { return app_->viewer().shown_image().params.formation.adaptive == method; });
  }
  void answer(MethodAnswer with) {
    ASSERT_TRUE(until([&] { return !view().offers.empty(); }));
    app_->commands().send(command::AnswerMethod{view().offers.front().id, with});
  }

  TemporaryFolder folder_;
  Variable runtime_{"XDG_RUNTIME_DIR", folder_.path().string()};
};

TEST_F(ProgramMethodWindow, IsUsedAfterTheAnswerAndReplacedOnceTheProgramHasEnded) {
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  auto program = std::make_unique<Program>();
  ASSERT_TRUE(until([&] { return !view().offers.empty(); }));
  EXPECT_EQ(view().offers.front().name, "flat");
  EXPECT_EQ(state().params.formation.adaptive, Adaptive::off) << "before the answer";
  EXPECT_EQ(program->frames, 0);
  answer(MethodAnswer::use);
  ASSERT_TRUE(shows(Adaptive::own));
  const Image& image = app_->viewer().shown_image();
  EXPECT_EQ(*std::ranges::max_element(image.host()), *std::ranges::min_element(image.host()));
  EXPECT_EQ(image.params.formation.own->name, "flat");
  ASSERT_TRUE(until([&] { return view().program.name == "flat" && view().program.rate_hz > 0.0; }));
  EXPECT_TRUE(view().offers.empty());

  program->define(0.75);
  ASSERT_TRUE(until([&] {
    const auto own = loaded_own_method();
    return own != nullptr && own->parameters[0].value == 0.75;
  })) << "defined again";
  EXPECT_TRUE(shows(Adaptive::own));

  program.reset();
  ASSERT_TRUE(shows(Adaptive::off));
  ASSERT_TRUE(until([&] { return !view().program.connected; }));
  EXPECT_EQ(state().params.formation.adaptive, Adaptive::own) << "it may come again";
  program = std::make_unique<Program>();  // agreed to already
  ASSERT_TRUE(shows(Adaptive::own));
  EXPECT_TRUE(view().offers.empty());

  program->silent = true;
  ASSERT_TRUE(shows(Adaptive::off)) << "late";
  const std::uint64_t shown = app_->viewer().shown_image().number;
  EXPECT_TRUE(until([&] { return app_->viewer().shown_image().number > shown + 3; })) << "the stream goes on";
  app_->commands().send(command::AnswerMethod{0, MethodAnswer::detach});
  ASSERT_TRUE(until([&] { return view().program.name.empty(); }));
  EXPECT_EQ(state().params.formation.adaptive, Adaptive::off);
}

TEST_F(ProgramMethodWindow, ARefusedProgramGetsNothingAndWrongDefinitionsAreNotOffered) {
  Program program;
  answer(MethodAnswer::refuse);
  EXPECT_TRUE(until([&] { return program.refused.load(); }));
  EXPECT_EQ(program.frames, 0);
  Program wrong("pictures");
  EXPECT_TRUE(until([&] { return wrong.refused.load(); }));
  EXPECT_TRUE(until([&] { return view().offers.empty(); }));
}

TEST_F(ProgramMethodWindow, AMaskIsThatOfItsFrameAndLeavesTheImageAsItIs) {
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  const auto image = [&]() -> const Image& { return app_->viewer().shown_image(); };
  const std::vector<float> before(image().host().begin(), image().host().end());
  Program program("image", Program::Makes::mask);
  answer(MethodAnswer::use);
  ASSERT_TRUE(until([&] { return image().mask != nullptr; }));
  EXPECT_EQ(image().mask->names, std::vector<std::string>{"top"});
  EXPECT_EQ(image().mask->pixels, std::vector<std::size_t>{48});
  const Grid& g = image().grid;
  EXPECT_NEAR(image().mask->area_m2[0], 48 * g.dx_m() * g.dz_m(), 1e-15);
  EXPECT_NEAR(*std::ranges::max_element(image().host()), *std::ranges::max_element(before), 6.0) << "another frame";
  EXPECT_LT(*std::ranges::min_element(image().host()), -20.0F);
  EXPECT_GT(app_->viewer().screen().ui().rect_of("mask_opacity").width(), 0.0F);

  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen && image().mask != nullptr; }));
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run != RunState::frozen; }));
  program.silent = true;
  ASSERT_TRUE(until([&] { return image().mask == nullptr; })) << "late";
  EXPECT_EQ(image().params.formation.adaptive, Adaptive::off);
}

}  // namespace
}  // namespace echoloop::testing::program_method_window_test
