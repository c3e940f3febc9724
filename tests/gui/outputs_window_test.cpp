// Outputs to other programs in the program's window: off at first, switched by the panel, and a name in use is a line.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "app/outputs/tap.h"
#include "gui/scene.h"
#include "gui/turning.h"
#include "support/environment_variable.h"
#include "support/temporary_folder.h"
#include "transport/message_stream.h"

namespace echoloop::testing::outputs_window_test {
namespace {

class OutputsWindow : public WindowTest {
 protected:
  OutputsWindow() {
    Options options = script_options("sim:points,probe=L128,angles_deg=0");
    options.settings = {"depth_max_m=0.03", "grid_nx=48", "grid_nz=64"};
    options.history_bytes = std::size_t{64} << 20;
    begin(options);
  }

  [[nodiscard]] const OutputView& output(OutputKind kind) {
    return state().saving.outputs.at(static_cast<std::size_t>(kind));
  }
  void turn(OutputKind kind, bool on) {
    app_->commands().send(command::TurnOutput{kind, on});
    app_->turn();
  }

  TemporaryFolder folder_;
  Variable runtime_{"XDG_RUNTIME_DIR", folder_.path().string()};
};

TEST_F(OutputsWindow, AreOffUntilTheUserTurnsThemOn) {
  ASSERT_TRUE(until([&] { return state().numbers.shown > 1; }));
  for (const OutputKind kind : {OutputKind::tap, OutputKind::igtl, OutputKind::control}) EXPECT_FALSE(output(kind).on);
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "echoloop"))
    EXPECT_TRUE(entry.path().filename().string().starts_with("default.method")) << entry.path() << " listens";

  turn(OutputKind::tap, true);
  turn(OutputKind::control, true);
  EXPECT_TRUE(output(OutputKind::tap).on);
  EXPECT_TRUE(output(OutputKind::control).on);
  EXPECT_EQ(output(OutputKind::tap).place, "default");
  EXPECT_TRUE(output(OutputKind::tap).readers.empty());

  const FileDescriptor reader(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = (folder_.path() / "echoloop/default.tap").string();
  std::memcpy(name.sun_path, path.c_str(), path.size());
  ASSERT_EQ(::connect(reader.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  const auto hello = payload_of(std::uint16_t{1}, std::uint16_t{0}, std::uint32_t{0x01020304}, std::uint64_t{1},
                                std::uint32_t{0}, std::string("image"));
  const MessageHeader header{.kind = 1, .size = hello.size()};
  ::send(reader.get(), &header, sizeof header, 0);
  ::send(reader.get(), hello.data(), hello.size(), 0);
  EXPECT_TRUE(until([&] { return output(OutputKind::tap).readers.size() == 1; }));
  EXPECT_EQ(output(OutputKind::tap).readers.at(0).kind, "image");

  turn(OutputKind::tap, false);
  turn(OutputKind::control, false);
  EXPECT_FALSE(output(OutputKind::tap).on);
  EXPECT_FALSE(std::filesystem::exists(path));
  const std::uint64_t shown = app_->viewer().shown_image().number;
  EXPECT_TRUE(until([&] { return app_->viewer().shown_image().number > shown; })) << "the stream goes on";
}

TEST_F(OutputsWindow, SaysThatANameIsInUse) {
  const Tap other("default", Tap::Blocking::refused);
  turn(OutputKind::tap, true);
  EXPECT_FALSE(output(OutputKind::tap).on);
  ASSERT_FALSE(state().notices.messages.list().empty());
  EXPECT_NE(state().notices.messages.list().front().text.find("an address in use by another viewer"),
            std::string::npos);
}

}  // namespace
}  // namespace echoloop::testing::outputs_window_test
