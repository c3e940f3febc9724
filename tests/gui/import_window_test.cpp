// The import assistant in the program's window, offscreen, by mouse and keyboard: a file without a known layout opens
// the assistant, answers change the preview, and the saved description gives the same image without a window.
#include "gui/import_window.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/options/folders.h"
#include "app/stream/session.h"
#include "app/window/window_import.h"
#include "core/units.h"
#include "formats/open_recording.h"
#include "support/npy_file.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::import_window_test {
namespace {

using namespace import_window;

TEST_F(ImportWindow, AnswersGiveAnImageThatTheSavedDescriptionRepeats) {
  start();
  EXPECT_GT(import().n_needed(), 0U);
  EXPECT_EQ(import().preview.image, nullptr);
  click("import/axis/0");
  press(Key::x);
  EXPECT_EQ(import().axes[0].role, "transmit");
  answer("transmits", "-8 : 8 : 8");
  answer("sampling", "20");
  answer("elements", "0.3");
  ASSERT_TRUE(formed()) << import().preview.error;
  EXPECT_EQ(import().n_needed(), 0U);
  EXPECT_EQ(value_of("centre"), "4");  // of the echo spectrum
  answer("zero", "0.5");
  ASSERT_TRUE(formed());
  EXPECT_NE(import().preview.effect.find("sharpness"), std::string::npos);
  const std::shared_ptr<const Image> blurred = import().preview.image;
  press(Key::z, true);
  ASSERT_TRUE(formed());
  EXPECT_EQ(value_of("zero"), "0");
  const std::shared_ptr<const Image> shown = import().preview.image;
  EXPECT_NE(shown, blurred);
  press(Key::s, true);
  ASSERT_TRUE(until([&] { return !import().open && app_->state().source.acquisition != nullptr; }));
  EXPECT_TRUE(fs::exists(data_ / "points.json"));
  app_.reset();
  const NpyImage image = headless(file_);
  ASSERT_EQ(image.values.size(), shown->host().size());
  EXPECT_EQ(std::memcmp(image.values.data(), shown->host().data(), image.values.size() * sizeof(float)), 0);
}

// The head, the section Missing and the button follow from the same fields.
TEST_F(ImportWindow, WhatIsMissingIsConfirmedOrSavedAsAssumed) {
  start();
  click("import/axis/0");
  press(Key::x);
  answer("transmits", "-8 : 8 : 8");
  answer("sampling", "20");
  EXPECT_NE(import().why_not_open.find("Missing: Elements"), std::string::npos) << import().why_not_open;
  press(Key::s, true);
  EXPECT_TRUE(import().open) << "an answer is needed";
  answer("elements", "0.3");
  ASSERT_TRUE(formed());
  EXPECT_EQ(import().n_needed(), 0U);
  EXPECT_EQ(import().count(ImportGroup::missing), 3U);  // centre frequency, time zero, frame rate
  click("import/confirm/centre");
  ASSERT_TRUE(formed());
  EXPECT_EQ(import().count(ImportGroup::missing), 2U);
  press(Key::s, true);
  ASSERT_TRUE(until([&] { return !import().open && app_->state().source.acquisition != nullptr; }));
  const auto json = nlohmann::json::parse(read_text(data_ / "points.json"));
  EXPECT_EQ(json.at("assumed"), nlohmann::json::parse(R"(["c_m_s", "t0_s", "t_zero"])"));
}

// A click where the next row was meets the next row.
TEST_F(ImportWindow, RowsStayInTheirPlacesWhenTheyAreAnswered) {
  start();
  const auto top = [&](const char* id) {
    return app_->viewer().screen().ui().rect_of(std::string("import/field/") + id).y0;
  };
  const float elements = top("elements"), zero = top("zero");
  EXPECT_GT(zero, elements);
  const auto stay = [&](const char* after) {
    EXPECT_EQ(top("elements"), elements) << after;
    EXPECT_EQ(top("zero"), zero) << after;
  };
  click("import/axis/0");
  press(Key::x);
  stay("the role of an axis");
  answer("transmits", "-8 : 8 : 8");
  stay("transmits");
  answer("sampling", "20");
  stay("sampling");
  answer("elements", "0.3");
  ASSERT_TRUE(formed());
  stay("elements");
  click("import/confirm/centre");
  ASSERT_TRUE(formed());
  stay("centre frequency");
}

// A reason that is longer than its column is whole in a tooltip; the rows below stay.
TEST_F(ImportWindow, ALongReasonHasATooltip) {
  start(1024);
  const auto show = [&](const std::string& reason) {
    auto& fields = app_->state().import.fields;
    std::ranges::find(fields, "sampling", &ImportField::id)->reason = reason;
    app_->turn();
  };
  const auto rect = [&](const char* id) { return app_->viewer().screen().ui().rect_of(id); };
  show("Short.");
  const float below = rect("import/field/elements").y0;
  EXPECT_EQ(rect("import/reason/sampling").width(), 0.0F);
  show("Of the samples as they are stored in the file, one channel after the other, before any filter.");
  EXPECT_GT(rect("import/reason/sampling").width(), 0.0F);
  EXPECT_EQ(rect("import/field/elements").y0, below);
}

// Raw samples behind a header of 512 bytes, int16, with one axis too few: joined and divided by the mouse.
TEST_F(ImportWindow, AxesOfRawBytesAreDividedByTheMouse) {
  const std::string npy = read_text(file_);
  const std::string floats = npy.substr(npy.size() - sizeof(float) * kTransmits * kScanElements * kScanSamples);
  std::string raw(512, '\0');
  for (int frame = 0; frame < 2; ++frame) {
    for (std::size_t k = 0; k < floats.size(); k += sizeof(float)) {
      float value = 0.0F;
      std::memcpy(&value, floats.data() + k, sizeof value);
      const auto whole = static_cast<std::int16_t>(8.0F * value);
      raw.append(reinterpret_cast<const char*>(&whole), sizeof whole);
    }
  }
  const fs::path file = data_ / "points.raw";
  write_text_file(file, raw);
  start_with(file, 1600);
  const auto lengths = [&] {
    std::vector<std::size_t> all;
    for (const ImportAxis& axis : import().axes) all.push_back(axis.length);
    return all;
  };
  while (import().axes.size() > 2) {  // whatever was guessed: one line is right, all lines are one axis
    click("import/axis/" + std::to_string(import().axes.size() - 1));
    click("import/join");
  }
  ASSERT_EQ(lengths(), (std::vector<std::size_t>{kScanSamples, 2 * kTransmits * kScanElements}));
  const auto divide = [&](std::size_t axis, std::size_t faster) {
    click("import/axis/" + std::to_string(axis));
    std::size_t row = 0;
    for (std::size_t n = 2; n < faster; ++n) row += import().axes[axis].length % n == 0 ? 1 : 0;
    click("import/divide");
    click("import/divide/" + std::to_string(row));
  };
  divide(1, kScanElements);
  divide(2, kTransmits);
  ASSERT_EQ(lengths(), (std::vector<std::size_t>{kScanSamples, kScanElements, kTransmits, 2}));
  const char* const roles[] = {"time", "element", "transmit", "frame"};
  for (std::size_t k = 0; k < 4; ++k) {
    if (import().axes[k].role == roles[k]) continue;
    click("import/axis/" + std::to_string(k));
    click(std::string("import/role/") + roles[k]);
  }
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(import().axes[k].role, roles[k]);
  EXPECT_NE(import().raw.account.find("the whole file"), std::string::npos) << import().raw.account;
  answer("transmits", "-8 : 8 : 8");
  answer("sampling", "20");
  answer("elements", "0.3");
  ASSERT_TRUE(formed()) << import().preview.error;
  EXPECT_EQ(import().preview.n_frames, 2U);
}

TEST_F(ImportWindow, ARefusedAnswerKeepsTheLastImage) {
  start();
  answer_all();
  ASSERT_TRUE(formed());
  const std::shared_ptr<const Image> shown = import().preview.image;
  answer("elements", "300");
  EXPECT_EQ(import().preview.image, shown);
  EXPECT_FALSE(import().preview.current);
  EXPECT_EQ(import().preview.error, "pitch = 300 mm is out of range (0.01 to 10)");
  EXPECT_EQ(import().why_not_open, import().preview.error);
  answer("elements", "0.31");
  ASSERT_TRUE(formed());
  EXPECT_NE(import().preview.image, shown);
}

// A file that opens, but whose samples contradict its facts, is no file in order: a card has the contradiction, one
// frame with the stated facts and with the cure, and the answers.
class DoubtWindow : public ImportWindow {
 protected:
  void SetUp() override {
    ImportWindow::SetUp();
    testing::write_text_file(data_ / "points.json",
                             R"({"axes": ["transmit", "element", "time"], "fs_hz": 20e6, "fc_hz": 4e6,
                                 "pitch_m": 0.3e-3, "t0_s": 0, "t_zero": "origin",
                                 "tx_angles_rad": [-0.13962634, 0, 0.13962634]})");  // counted from the first firing
    Options options;
    options.source = file_.string();
    options.backend = BackendChoice::cpu;
    options.width = 1600;
    options.height = 900;
    begin(options);
  }
  [[nodiscard]] const DoubtsView& doubts() { return app_->state().opening.doubts; }
  [[nodiscard]] bool card_shown() { return app_->viewer().screen().ui().rect_of("doubt/keep").width() > 0.0F; }
};

TEST_F(DoubtWindow, TheCureOfTheCardIsApplied) {
  ASSERT_TRUE(until([&] { return doubts().card() != nullptr && card_shown(); }));
  EXPECT_NE(doubts().cards.front().text.find("Time 0 at the passage of the wave"), std::string::npos);
  const std::vector<Message>& messages = app_->state().notices.messages.list();
  ASSERT_TRUE(standing(messages).has_value());
  EXPECT_TRUE(messages[*standing(messages)].text.starts_with("Time 0 at"));
  ASSERT_TRUE(until([&] { return !doubts().preview.busy; }));
  EXPECT_EQ(doubts().preview.error, "");
  ASSERT_NE(doubts().preview.after, nullptr);
  EXPECT_GT(doubts().preview.sharper_db, 0.1);
  EXPECT_GT(doubts().preview.rms_db, 0.5);
  EXPECT_EQ(doubts().preview.left, 0U);
  const AcquisitionPtr before = app_->state().source.acquisition;
  click("doubt/use");
  ASSERT_TRUE(until([&] { return app_->state().source.acquisition != before; }));
  ASSERT_TRUE(until([&] { return app_->viewer().shown_image().acquisition == app_->state().source.acquisition; }));
  app_->turn();
  EXPECT_EQ(doubts().card(), nullptr);
  EXPECT_FALSE(card_shown());
  EXPECT_LT(app_->state().source.acquisition->transmits[0].t0_s, -1e-7);  // of the first firing
  app_->commands().send(command::Reset{});  // also of the description that was not in a file
  ASSERT_TRUE(until([&] { return app_->state().source.acquisition->transmits[0].t0_s > -1e-7; }));
}

TEST_F(DoubtWindow, ADismissedDoubtStaysDismissed) {
  ASSERT_TRUE(until([&] { return doubts().card() != nullptr && card_shown(); }));
  app_->commands().send(command::Doubts{DoubtAct::later});
  ASSERT_TRUE(until([&] { return !card_shown(); }));
  EXPECT_EQ(doubts().cards.size(), 1U);
  click("doubts");
  ASSERT_TRUE(until([&] { return card_shown(); }));
  click("doubt/keep");
  ASSERT_TRUE(until([&] { return !card_shown(); }));
  EXPECT_TRUE(doubts().cards.empty());
  EXPECT_EQ(doubts().n_dismissed, 1U);
  const AcquisitionPtr before = app_->state().source.acquisition;
  app_->commands().send(command::FactsChanged{});  // opens it again
  ASSERT_TRUE(until([&] { return app_->state().source.acquisition != before; }));
  ASSERT_TRUE(until([&] { return doubts().n_dismissed == 1; }));
  EXPECT_EQ(doubts().card(), nullptr);
}

// Lines are demodulated where they are read: at a quarter of the sampling frequency, rows between samples lose up to
// 2 dB.
TEST_F(ImportWindow, TheCentreFrequencyOfLinesIsMeasured) {
  constexpr int kLines = 16, kLength = 2048;
  std::vector<float> samples;
  for (int line = 0; line < kLines; ++line) {
    for (int i = 0; i < kLength; ++i) {  // echoes of 3.5 MHz at 100 MHz
      const double t = static_cast<double>(i % 512 - 256 - 3 * line) / 100e6;
      samples.push_back(static_cast<float>(std::cos(2.0 * kPi * 3.5e6 * t) * std::exp(-0.5 * std::pow(t / 0.2e-6, 2))));
    }
  }
  const fs::path file = data_ / "lines.npy";
  const std::string data(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(float));
  testing::write_text_file(file, testing::npy("<f4", false, "(16, 2048)", data));
  const auto backend = choose_backend(BackendChoice::cpu).backend;
  const PreviewResult formed = form_preview(
      {.number = 1,
       .file = file.string(),
       .description = R"({"axes": ["line", "time"], "fs_hz": 100e6, "fc_hz": 25e6, "pitch_m": 0.5e-3, "t0_s": 0})"},
      *backend, Options(), {});
  ASSERT_TRUE(formed.spectrum.has_value());
  EXPECT_NEAR(formed.spectrum->center_hz, 3.5e6, 0.2e6);
}

TEST_F(ImportWindow, TheEventIsChosenFromAList) {
  start();
  click("import/form/event");
  click("import/form/event/1");
  app_->turn();
  EXPECT_EQ(value_of("event"), "origin");
}

TEST_F(ImportWindow, ANarrowWindowHasTwoColumns) {
  start(1024);
  EXPECT_EQ(app_->viewer().screen().ui().rect_of("import/entry/0").width(), 0.0F);
  click("import/contents");
  EXPECT_GT(app_->viewer().screen().ui().rect_of("import/entry/0").width(), 0.0F);
  click("import/contents");
  EXPECT_EQ(app_->viewer().screen().ui().rect_of("import/entry/0").width(), 0.0F);
}

TEST_F(ImportWindow, ANarrowWindowHasAllRoles) {
  const fs::path file = data_ / "lines.npy";
  testing::write_text_file(file, testing::npy("<f4", false, "(32, 900)", std::string(sizeof(float) * 32 * 900, '\0')));
  start_with(file, 1024);
  click("import/axis/0");
  press(Key::l);
  for (const char* const role : {"element", "transmit", "frame", "iq"})
    EXPECT_GT(app_->viewer().screen().ui().rect_of(std::string("import/role/") + role).width(), 0.0F) << role;
}

TEST_F(ImportWindow, ANarrowWindowHasTheBytesOfARawFileToo) {
  const std::string npy = read_text(file_);
  const fs::path raw = data_ / "points.raw";
  testing::write_text_file(raw, npy.substr(npy.size() - sizeof(float) * kTransmits * kScanElements * kScanSamples));
  start_with(raw, 1024);
  EXPECT_TRUE(import().raw.on);
  EXPECT_GT(app_->viewer().screen().ui().rect_of("import/contents").width(), 0.0F);
}

TEST_F(ImportWindow, ALongDescriptionTakesTwoLines) {
  start(1024);
  const float one_line = app_->viewer().screen().ui().rect_of("import/undo").y0;
  const fs::path named = data_ / "points_of_a_wire_phantom_in_water.npy";
  fs::copy_file(file_, named);
  press(Key::escape);
  press(Key::escape);
  ASSERT_TRUE(until([&] { return !import().open; }));
  InjectedInput input;
  input.dropped_files = {named};
  inject(input);
  ASSERT_TRUE(until([&] { return import().open; }));
  app_->turn();
  app_->turn();
  EXPECT_LT(app_->viewer().screen().ui().rect_of("import/undo").y0, one_line - 10);
}

TEST_F(ImportWindow, AFolderThatCannotBeWrittenIsServedFromTheOwnOne) {
  const ImportContents contents = read_contents(file_);
  ImportDraft draft = make_draft(file_, contents);
  EXPECT_EQ(draft.set_role(0, "transmit"), "");
  EXPECT_EQ(draft.answer("transmits", "-8 : 8 : 8"), "");
  EXPECT_EQ(draft.answer("sampling", "20"), "");
  EXPECT_EQ(draft.answer("elements", "0.3"), "");
  const fs::path own = own_descriptions_folder();
  fs::permissions(data_, fs::perms::owner_read | fs::perms::owner_exec);
  const bool root = ::access(data_.c_str(), W_OK) == 0;
  const fs::path saved = save_description(file_, draft, own);
  fs::permissions(data_, fs::perms::owner_all);
  if (root) GTEST_SKIP() << "every folder can be written here";
  EXPECT_EQ(saved.parent_path(), own);
  const fs::path moved = folder_ / "renamed.npy";
  fs::copy_file(file_, moved);
  EXPECT_FALSE(headless(moved).values.empty());
}

TEST_F(ImportWindow, ADescriptionInTheOwnFolderIsFoundByContent) {
  ImportDraft draft = make_draft(file_, read_contents(file_));
  EXPECT_EQ(draft.set_role(0, "transmit"), "");
  EXPECT_EQ(draft.answer("transmits", "-8 : 8 : 8"), "");
  EXPECT_EQ(draft.answer("sampling", "20"), "");
  EXPECT_EQ(draft.answer("elements", "0.3"), "");
  const std::string content = read_text(file_);
  fs::create_directories(own_descriptions_folder());
  std::ofstream(own_descriptions_folder() / content_name(std::as_bytes(std::span(content))))
      << draft.description(ImportDraft::Naming::any_file);
  const fs::path moved = folder_ / "renamed.npy";
  fs::copy_file(file_, moved);
  EXPECT_FALSE(headless(moved).values.empty());
}

}  // namespace
}  // namespace echoloop::testing::import_window_test
