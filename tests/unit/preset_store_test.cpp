// The presets there are: slots, saving, renaming, removing, defaults, and files that others write meanwhile.
#include <gtest/gtest.h>

#include "app/session_file.h"
#include "support/acquisitions.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::preset_store_test {
namespace {

using namespace testing;

struct Store {
  TemporaryFolder folder;
  std::filesystem::path own = folder / "config/presets";
  std::unique_ptr<PresetStore> store;
  std::int64_t clock_ns = 1;

  Store() {
    std::filesystem::create_directory(folder / "shipped");
    write_text_file(folder / "shipped/b.toml", "name = \"Beta\"\nslot = 1\ngain_db = 1\n");
    write_text_file(folder / "shipped/a.toml", "name = \"Alpha\"\nslot = 2\ngain_db = 2\n");
    open();
  }
  void open() { store = std::make_unique<PresetStore>(folder / "shipped", own); }
  bool look() { return store->look(clock_ns += 250'000'000); }
  [[nodiscard]] std::string names() const {
    std::string text;
    for (const PresetItem& i : store->items()) text += std::to_string(i.preset.slot) + i.preset.name + " ";
    return text;
  }
  std::filesystem::path add(const std::string& name, double gain_db) {
    ImagingParams p;
    p.display.gain_db = gain_db;
    return store->add(make_preset(name, p, linear_acquisition()));
  }
  [[nodiscard]] std::size_t index(const std::filesystem::path& file) const { return store->find(file).value(); }
};

TEST(PresetStore, ShowsShippedOnesBySlotAndMakesNoFolder) {
  const Store s;
  EXPECT_EQ(s.names(), "1Beta 2Alpha ");
  EXPECT_FALSE(std::filesystem::exists(s.own));
}

TEST(PresetStore, APresetByOrganTakesNoFreeKey) {
  Store s;
  write_text_file(s.folder / "shipped/organ.toml", "name = \"Organ\"\norgan = true\ngain_db = 3\n");
  s.open();
  EXPECT_EQ(s.names(), "1Beta 2Alpha 0Organ ");
  const std::vector<PresetView> views = preset_views(*s.store, {}, nullptr);
  EXPECT_TRUE(views.back().organ);
  EXPECT_FALSE(views.front().organ);
  s.add("Mine", 0);
  EXPECT_EQ(s.names(), "1Beta 2Alpha 3Mine 0Organ ");
}

TEST(PresetStore, TheWindowsListHasTheSameOrderAndSaysWhatHasNoEffect) {
  Store s;
  s.add("Mine", 0);
  const Acquisition acquisition = linear_acquisition();
  const ImagingParams params = default_params(acquisition);
  const std::vector<PresetView> views = preset_views(*s.store, params, &acquisition);
  ASSERT_EQ(views.size(), s.store->items().size());
  EXPECT_EQ(views[0].name, "Beta");
  EXPECT_EQ(views[0].slot, 1);
  EXPECT_FALSE(views[0].own);
  EXPECT_TRUE(views.back().own);
  EXPECT_EQ(preset_views(*s.store, params, nullptr).size(), views.size());
}

TEST(PresetStore, ASavedOneTakesTheNextKeyAndIsThereNextTime) {
  Store s;
  const auto file = s.add("My Heart: 2 MHz", 5);
  EXPECT_EQ(file.filename(), "my_heart_2_mhz.toml");
  EXPECT_EQ(s.names(), "1Beta 2Alpha 3My Heart: 2 MHz ");
  s.open();
  EXPECT_EQ(s.names(), "1Beta 2Alpha 3My Heart: 2 MHz ");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(s.own), {}), 1);  // nothing half written beside it
}

TEST(PresetStore, TheUsersKeyComesBeforeTheProgramsOwn) {
  Store s;
  std::filesystem::create_directories(s.own);
  write_text_file(s.own / "x.toml", "slot = 1\ngain_db = 3\n");
  s.open();
  EXPECT_EQ(s.names(), "1x 2Alpha 3Beta ");
}

TEST(PresetStore, NamesAreUniqueAndNotEmpty) {
  Store s;
  s.add("Mine", 1);
  expect_refusal([&] { s.add("mine", 2); }, "Mine");
  expect_refusal([&] { s.add("BETA", 2); }, "Beta");
  expect_refusal([&] { s.add("  ", 2); }, "name");
  const auto other = s.add("M*i*n*e", 3), third = s.add("M-i-n-e", 4);
  EXPECT_NE(other, third);
  EXPECT_EQ(s.store->items().size(), 5U);
}

TEST(PresetStore, RenamesAndRemovesTheUsersOnly) {
  Store s;
  const auto file = s.add("Mine", 1);
  Preset renamed = s.store->items()[s.index(file)].preset;
  renamed.name = "Yours";
  s.store->write(s.index(file), renamed);
  EXPECT_EQ(s.store->items()[s.index(file)].preset.name, "Yours");
  renamed.name = "Alpha";
  expect_refusal([&] { s.store->write(s.index(file), renamed); }, "Alpha");
  expect_refusal([&] { s.store->remove(0); }, "built-in presets are read-only");
  expect_refusal([&] { s.store->write(0, renamed); }, "built-in presets are read-only");
  s.store->remove(s.index(file));
  EXPECT_EQ(s.names(), "1Beta 2Alpha ");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(PresetStore, OneDefaultAProbe) {
  Store s;
  const auto a = s.add("A", 1), b = s.add("B", 2);
  const PresetProbe probe = s.store->items()[s.index(a)].preset.probe;
  s.store->set_default(s.index(a), probe);
  s.store->set_default(s.index(b), probe);
  s.open();
  EXPECT_FALSE(s.store->items()[s.index(a)].preset.is_default);
  EXPECT_TRUE(s.store->items()[s.index(b)].preset.is_default);
  s.store->unset_default(s.index(b));
  EXPECT_FALSE(s.store->items()[s.index(b)].preset.is_default);
}

TEST(PresetStore, NoticesWhatOthersWriteOnceItRests) {
  Store s;
  const auto mine = s.add("Mine", 1), other = s.add("Other", 2);
  EXPECT_FALSE(s.look());
  EXPECT_FALSE(s.look());
  write_text_file(mine, "name = \"Mine\"\n[parameters]\ngain_db = 9\n");
  EXPECT_FALSE(s.look());  // may still be written
  EXPECT_TRUE(s.look());
  EXPECT_TRUE(s.store->was_written(mine));
  EXPECT_FALSE(s.store->was_written(other));
  EXPECT_EQ(s.store->items()[s.index(mine)].preset.values.at(0).value, 9);
  EXPECT_FALSE(s.look());
}

TEST(PresetStore, ABadFileIsFaultyUntilItIsMendedAndWhatWasReadStays) {
  Store s;
  const auto mine = s.add("Mine", 1);
  write_text_file(mine, "gain_db = [broken");
  s.look();
  EXPECT_TRUE(s.look());
  ASSERT_TRUE(s.store->faulty().contains(mine));
  EXPECT_NE(s.store->faulty().at(mine).find("mine.toml"), std::string::npos);
  EXPECT_FALSE(s.store->was_written(mine));
  EXPECT_EQ(s.store->items()[s.index(mine)].preset.name, "Mine");
  s.add("Another", 2);  // reads the folder again
  EXPECT_TRUE(s.store->faulty().contains(mine)) << "nothing has mended it";
  EXPECT_EQ(s.store->items()[s.index(mine)].preset.name, "Mine");
  write_text_file(mine, "name = \"Mine\"\ngain_db = 4\n");
  s.look();
  EXPECT_TRUE(s.look());
  EXPECT_TRUE(s.store->faulty().empty());
  EXPECT_TRUE(s.store->was_written(mine));
}

TEST(PresetStore, FilesThatComeAndGoAreNoticed) {
  Store s;
  const auto mine = s.add("Mine", 1);
  std::filesystem::copy_file(mine, s.own / "copy.toml");
  write_text_file(s.own / "notes.txt", "no preset");
  s.look();
  EXPECT_TRUE(s.look());
  EXPECT_EQ(s.store->items().size(), 4U);
  std::filesystem::remove(mine);
  s.look();
  EXPECT_TRUE(s.look());
  EXPECT_FALSE(s.store->find(mine).has_value());
}

TEST(PresetStore, AFolderThatCannotBeWrittenIsOneLine) {
  Store s;
  write_text_file(s.folder / "config", "a file where the folder should be");
  expect_refusal([&] { s.add("Mine", 1); }, "presets");
  EXPECT_EQ(s.names(), "1Beta 2Alpha ");
  PresetStore homeless(s.folder / "shipped", {});
  expect_refusal([&] { homeless.add(make_preset("p", {}, linear_acquisition())); }, "home folder");
}

}  // namespace
}  // namespace echoloop::preset_store_test
