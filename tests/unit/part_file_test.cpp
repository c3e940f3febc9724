// Files that are written beside their place: new names only, whole or not there.
#include "history/part_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "app/options/folders.h"
#include "support/environment_variable.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::part_file_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(PartFile, IsWholeOrNotThere) {
  const TemporaryFolder folder;
  {
    const PartFile dropped(folder / "a.txt");
    dropped.write(bytes_of("half"));
  }
  EXPECT_EQ(folder.files(), 0U);
  PartFile file(folder / "a.txt");
  file.write(bytes_of("whole"));
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "whole");
  EXPECT_EQ(folder.files(), 1U);
}

// What a killed program of the same number has left, and what another user has put there.
TEST(PartFile, NeverWritesToAFileOrLinkOfItsName) {
  const TemporaryFolder folder;
  const std::string number = std::to_string(::getpid());
  write_text_file(folder / ("a.txt.part" + number), "stale");
  write_text_file(folder / "victim", "untouched");
  fs::create_symlink(folder / "victim", folder / ("a.txt.part" + number + "_2"));
  fs::create_symlink(folder / "nowhere", folder / ("a.txt.part" + number + "_3"));
  PartFile file(folder / "a.txt");
  EXPECT_EQ(file.part(), folder / ("a.txt.part" + number + "_4"));
  file.write(bytes_of("whole"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "whole");
  EXPECT_EQ(read_text(folder / "victim"), "untouched");
  EXPECT_EQ(read_text(folder / ("a.txt.part" + number)), "stale");
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST(PartFile, TwoOfOneNameAreTwoFiles) {
  const TemporaryFolder folder;
  PartFile first(folder / "a.txt"), second(folder / "a.txt");
  EXPECT_NE(first.part(), second.part());
  first.write(bytes_of("first"));
  second.write(bytes_of("second"));
  second.commit();
  first.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "first");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(PartFile, LinksStay) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "there");
  fs::create_symlink("there/new.txt", folder / "link");  // which is not there yet
  fs::create_symlink("link", folder / "second");
  PartFile file(folder / "second");
  file.write(bytes_of("x"));
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "second"));
  EXPECT_EQ(read_text(folder / "there/new.txt"), "x");
  fs::create_symlink("circle", folder / "circle");
  testing::expect_refusal([&] { PartFile refused(folder / "circle"); }, "a link that leads to itself");
}

TEST(PartFile, RefusesInOneLine) {
  testing::expect_refusal([] { PartFile("/nowhere/a.txt"); }, "/nowhere/a.txt: cannot be written");
  const TemporaryFolder folder;
  fs::create_directory(folder / "taken");
  testing::expect_refusal(
      [&] {
        PartFile file(folder / "taken");
        file.write(bytes_of("x"));
      },
      "taken: cannot be written");
}

// Where files go: the desktop's folders, else the home folder, never the current one; and what they are called.

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::Variable;

TEST(UserFolders, AreThoseOfTheDesktop) {
  const TemporaryFolder home;
  const Variable a("HOME", home.path().string()), b("XDG_CONFIG_HOME", ""), c("XDG_PICTURES_DIR", ""),
      d("XDG_VIDEOS_DIR", ""), e("XDG_DOCUMENTS_DIR", "");
  EXPECT_EQ(user_folder(UserFolder::pictures), home.path()) << "nothing is said: home";
  fs::create_directories(home / ".config");
  fs::create_directories(home / "Bilder");
  testing::write_text_file(home / ".config/user-dirs.dirs",
                           "# a comment\nXDG_PICTURES_DIR=\"$HOME/Bilder\"\nXDG_VIDEOS_DIR=\"$HOME/gone\"\n");
  EXPECT_EQ(user_folder(UserFolder::pictures), home / "Bilder");
  EXPECT_EQ(user_folder(UserFolder::videos), home.path()) << "that folder does not exist";
  EXPECT_EQ(user_folder(UserFolder::documents), home.path());
  EXPECT_EQ(save_folder({.folder = "~/Bilder"}, UserFolder::videos), home / "Bilder");
  EXPECT_EQ(save_folder({}, UserFolder::pictures), home / "Bilder");
}

TEST(UserFolders, AreNeverTheCurrentOne) {
  const Variable a("HOME", "/nowhere"), b("XDG_CONFIG_HOME", "/nowhere"), c("XDG_PICTURES_DIR", ".");
  const fs::path folder = user_folder(UserFolder::pictures);
  EXPECT_TRUE(folder.is_absolute());
  EXPECT_NE(folder, fs::current_path());
  EXPECT_TRUE(why_not_writable(folder).empty());
}

TEST(UserFolders, SayWhyTheyCannotBeUsed) {
  const TemporaryFolder folder;
  testing::write_text_file(folder / "file", "x");
  EXPECT_TRUE(why_not_writable(folder.path()).empty());
  EXPECT_EQ(why_not_writable(folder / "gone"), "The folder " + (folder / "gone").string() + " does not exist.");
  EXPECT_EQ(why_not_writable(folder / "file"), (folder / "file").string() + " is not a folder.");
  EXPECT_FALSE(why_not_writable("relative").empty());
  const SavePlace place = describe_place({.folder = (folder / "gone").string()}, {}, {});
  EXPECT_FALSE(place.problem.empty());
  EXPECT_TRUE(why_not_writable(place.offer).empty());
}

TEST(FileNames, AreOfRecordingFrameAndTime) {
  auto acquisition = std::make_shared<Acquisition>();
  acquisition->frame_rate_hz = 50.0;
  SourceInfo source;
  source.name = "Heart phantom";
  source.phantom = "heart";
  source.acquisition = acquisition;
  FrameStamp stamp;
  stamp.sequence = 5000;      // the recording has repeated
  stamp.source_index = 1234;  // named from 1
  stamp.time_s = 24.68;
  EXPECT_EQ(file_stem(source, stamp), "heart_phantom_f1235_24.68s");
  source.name = "my scan/PWI disk.mat";
  source.phantom.clear();
  EXPECT_EQ(file_stem(source), "PWI_disk");
  acquisition->frame_rate_hz = 0.0;
  EXPECT_EQ(file_stem(source, stamp), "PWI_disk_f1235") << "no time is known";
  const TemporaryFolder folder;
  testing::write_text_file(folder / "PWI_disk_f1235.png", "x");
  EXPECT_EQ(describe_place({.folder = folder.path().string()}, source, stamp).exists, "PWI_disk_f1235.png");
}

}  // namespace
}  // namespace echoloop::part_file_test
