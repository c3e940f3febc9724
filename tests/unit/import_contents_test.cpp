// What the import assistant knows of a file before any answer, and what it saves: the description is the one that
// opening takes, and a guess stays a guess.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "app/window/window_import.h"
#include "formats/open_recording.h"
#include "support/npy_file.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::import_contents_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;
using nlohmann::json;

std::string origin_of(const ImportDraft& draft, const char* id) {
  ImportState state;
  fill_import_fields({.draft = draft, .doubts = {}, .spectrum = {}, .kept = {}, .refused = {}, .lists_axes = false},
                     state);
  const auto field = std::ranges::find(state.fields, id, &ImportField::id);
  return field == state.fields.end() ? "" : field->origin;
}

// A params.json of another program, which names the file: the reader of the format does not ask for it.
TEST(ImportContents, TheDescriptionIsTheOneThatOpeningTakes) {
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const TemporaryFolder folder;
  const fs::path from = data_folder() / "fk_gammex_nylon", file = folder / "RFdata1.mat";
  fs::copy_file(from / "RFdata1.mat", file);
  fs::copy_file(from / "params.json", folder / "params.json");
  const ImportContents ignored = read_contents(file);
  EXPECT_EQ(ignored.description.text, "");
  EXPECT_EQ(origin_of(make_draft(file, ignored), "sampling"), "format");

  json description = json::parse(make_draft(file, ignored).description());
  description["fs_hz"] = 21e6;
  folder.write("RFdata1.json", description.dump());
  const ImportContents taken = read_contents(file);
  EXPECT_EQ(taken.description.name, "RFdata1.json");
  EXPECT_EQ(origin_of(make_draft(file, taken), "sampling"), "RFdata1.json");
  EXPECT_EQ(open_recording(file).acquisition->sampling_hz, 21e6);

  description["fs_hz"] = 22e6;
  use_description(file, description.dump());
  EXPECT_EQ(origin_of(make_draft(file, read_contents(file)), "sampling"), "answers");
  EXPECT_EQ(open_recording(file).acquisition->sampling_hz, 22e6);
  EXPECT_EQ(json::parse(description_from_elsewhere(file)), description);
  use_description(file, "");
  EXPECT_EQ(description_from_elsewhere(file), "");
}

// As many transmits as elements, and nothing said: all that is saved is a guess but what was answered.
TEST(ImportContents, ASavedGuessIsSaidWhenTheFileOpens) {
  const TemporaryFolder folder;
  const std::string samples(sizeof(float) * 8 * 8 * 600, '\0');
  const fs::path file = folder.write("scan.npy", npy("<f4", false, "(8, 8, 600)", samples));
  ImportDraft draft = make_draft(file, read_contents(file));
  for (std::size_t axis = 0; axis < 3; ++axis)
    ASSERT_EQ(draft.set_role(axis, std::vector{"transmit", "element", "time"}[axis]), "");
  ASSERT_EQ(draft.answer("sampling", "20"), "");
  ASSERT_EQ(draft.answer("elements", "0.3"), "");
  save_description(file, draft, {});
  const json saved = json::parse(read_text(folder / "scan.json"));
  EXPECT_EQ(saved.at("assumed"), json::parse(R"(["fc_hz", "c_m_s", "t0_s", "t_zero", "tx_elements"])"));
  std::vector<std::string> said;
  const AcquisitionPtr acquisition = open_recording(file).acquisition;
  for (const Assumption& one : acquisition->assumptions) said.push_back(one.text);
  for (const std::string key : saved.at("assumed")) {
    EXPECT_TRUE(std::ranges::any_of(said, [&](const std::string& text) { return text.starts_with(key + " = "); }))
        << key;
  }
  const ImportDraft again = make_draft(file, read_contents(file));
  EXPECT_EQ(json::parse(again.description()), saved);
  EXPECT_EQ(again.questions().size(), draft.questions().size());
}

// Of a file that opens by its names, and of one whose format has a reader.
TEST(ImportContents, ATemplateListsItsGuesses) {
  ECHO_NEED_DATA("pybf_field2_pw3/rf_dataset.hdf5");
  const fs::path file = data_folder() / "pybf_field2_pw3" / "rf_dataset.hdf5";
  const json of_format = json::parse(description_template(outline_file(file), file.filename()), nullptr, true, true);
  EXPECT_EQ(of_format.at("assumed"), json::parse(R"(["c_m_s"])")) << of_format;
}

}  // namespace
}  // namespace echoloop::import_contents_test
