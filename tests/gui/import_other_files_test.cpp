// The import assistant and other files than the one it shows: opened beside it, before it, changed under it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "gui/import_window.h"

namespace echoloop::testing::import_other_files_test {
namespace {

using namespace import_window;

TEST_F(ImportWindow, AnotherUnknownFileTakesItsPlace) {
  const fs::path other = data_ / "other.npy";
  fs::copy_file(file_, other);
  start();
  const auto drop = [&](const fs::path& file) { testing::drop(*app_, file); };
  const auto shows = [&](const fs::path& file) {
    return until([&] { return import().file_name == file.filename() && !import().fields.empty(); });
  };
  const auto asks = [&] { return app_->viewer().screen().ui().rect_of("leave_cancel").width() > 0.0F; };
  drop(other);  // nothing was answered
  ASSERT_TRUE(shows(other));
  answer("sampling", "20");
  drop(file_);
  ASSERT_TRUE(until(asks));
  click("leave_cancel");
  ASSERT_TRUE(until([&] { return !asks(); }));
  EXPECT_EQ(import().file_name, "other.npy");
  EXPECT_EQ(value_of("sampling"), "20");
  drop(file_);
  ASSERT_TRUE(until(asks));
  click("leave_open");
  ASSERT_TRUE(shows(file_));
  EXPECT_EQ(value_of("sampling"), "");
  drop(other);
  ASSERT_TRUE(shows(other));
  EXPECT_EQ(value_of("sampling"), "20") << "answers are kept";
}

// With another number of frames: what was answered once is there, to be checked.
TEST_F(ImportWindow, AFileAlikeBeginsWithTheDescriptionOfTheFirst) {
  start();
  answer_all();
  ASSERT_TRUE(formed());
  press(Key::s, true);
  ASSERT_TRUE(until([&] { return !import().open && app_->state().source.acquisition != nullptr; }));
  const fs::path alike = data_ / "second.npy";
  fs::copy_file(file_, alike);
  testing::drop(*app_, alike);
  ASSERT_TRUE(until([&] { return import().open; }));
  ASSERT_TRUE(formed()) << import().preview.error;
  EXPECT_EQ(value_of("sampling"), "20");
  EXPECT_EQ(import().axes[0].role, "transmit");
  const auto& fields = import().fields;
  const auto sampling = std::ranges::find(fields, "sampling", &ImportField::id);
  EXPECT_EQ(sampling->group, ImportGroup::guessed);
  EXPECT_EQ(sampling->reason, "As in points.json.");
}

TEST_F(ImportWindow, ADescriptionThatIsWrongIsNamed) {
  testing::write_text_file(data_ / "points.json", R"({"axes": ["transmit", "element", "time"], "Fc_hz": 4e6})");
  start();
  EXPECT_NE(import().refusal.find("unknown key 'Fc_hz'"), std::string::npos) << import().refusal;
  EXPECT_EQ(import().target, "points.json");
  testing::write_text_file(data_ / "other.json", "{");
  fs::copy_file(file_, data_ / "other.npy");
  testing::drop(*app_, data_ / "other.npy");
  ASSERT_TRUE(until([&] { return import().file_name == "other.npy" && !import().fields.empty(); }));
  EXPECT_NE(import().refusal.find("other.json"), std::string::npos) << import().refusal;
  EXPECT_EQ(import().target, "other.npy.json");
}

TEST_F(ImportWindow, AWrongFileIsRefusedInOneLine) {
  testing::write_text_file(data_ / "notes.txt", "No samples.");
  start();
  const auto refused = [&](const char* name) {
    return std::ranges::any_of(app_->state().notices.messages.list(),
                               [&](const Message& one) { return one.text.find(name) != std::string::npos; });
  };
  testing::drop(*app_, data_ / "notes.txt");
  ASSERT_TRUE(until([&] { return refused("notes.txt"); }));
  EXPECT_EQ(import().file_name, "points.npy");
  press(Key::escape);
  ASSERT_TRUE(until([&] { return !import().open; }));
  testing::write_text_file(data_ / "more.txt", "No samples.");
  testing::drop(*app_, data_ / "more.txt");  // without any recording behind
  ASSERT_TRUE(until([&] { return refused("more.txt"); }));
}

TEST_F(ImportWindow, AFileThatChangedOnDiskBeginsAnew) {
  start();
  answer("sampling", "20");
  press(Key::escape);
  press(Key::escape);
  ASSERT_TRUE(until([&] { return !import().open; }));
  const std::string data(sizeof(float) * 2 * 32 * 800, '\0');
  testing::write_text_file(file_, testing::npy("<f4", false, "(2, 32, 800)", data));
  testing::drop(*app_, file_);
  ASSERT_TRUE(until([&] { return import().open; }));
  EXPECT_EQ(value_of("sampling"), "");
  EXPECT_EQ(import().axes.back().length, 800U);
}

TEST_F(ImportWindow, CancelKeepsTheAnswers) {
  start();
  answer("sampling", "20");
  EXPECT_EQ(value_of("sampling"), "20");
  press(Key::escape);  // leaves the control
  press(Key::escape);
  ASSERT_TRUE(until([&] { return !import().open; }));
  EXPECT_EQ(app_->state().source.acquisition, nullptr);
  InjectedInput input;
  input.dropped_files = {file_};
  inject(input);
  ASSERT_TRUE(until([&] { return import().open; }));
  EXPECT_EQ(value_of("sampling"), "20");
}

}  // namespace
}  // namespace echoloop::testing::import_other_files_test
