// Rows of the import assistant.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/window/window_import.h"

namespace echoloop::import_fields_test {
namespace {

// Where a value is from: a variable, a description beside the file, or what reads the format.
TEST(ImportFields, NameTheOriginOfTheirValues) {
  FileOutline outline;
  outline.is_read = true;
  outline.entries = {{.path = "rf", .type = "double", .shape = {8, 32, 900}, .numeric = true, .value = ""}};
  outline.guesses = {{.key = "data", .value = "\"rf\"", .reason = "MFMC", .assumed = false},
                     {.key = "fs_hz", .value = "40e6", .reason = "MFMC", .assumed = false}};
  ImportDraft draft(outline, "a.mfmc");
  const auto origin = [&](const std::string& id) {
    ImportState state;
    fill_import_fields({.draft = draft, .doubts = {}, .spectrum = {}, .kept = {}, .refused = {}, .lists_axes = false},
                       state);
    return std::ranges::find(state.fields, id, &ImportField::id)->origin;
  };
  EXPECT_EQ(origin("sampling"), "format");
  draft.take_description(R"({"fs_hz": 20e6})", kFromDescription + std::string("a.json."));
  EXPECT_EQ(origin("sampling"), "a.json");
}

TEST(ImportFields, LinesAreNoElements) {
  FileOutline outline;
  outline.entries = {{.path = "rf", .type = "double", .shape = {32, 900}, .numeric = true, .value = ""}};
  ImportDraft draft(outline, "a.mat");
  EXPECT_EQ(question_label(draft, {.id = "elements", .key = ""}), "Elements");
  EXPECT_EQ(draft.set_role(0, "line"), "");
  EXPECT_EQ(question_label(draft, {.id = "elements", .key = ""}), "Lines");
}

}  // namespace
}  // namespace echoloop::import_fields_test
