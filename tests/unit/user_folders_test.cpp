// Where files go: the desktop's folders, else the home folder, never the current one; and what they are called.
#include "app/options/user_folders.h"

#include <gtest/gtest.h>

#include "support/environment_variable.h"
#include "support/temporary_folder.h"

namespace echoloop::user_folders_test {
namespace {

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
  stamp.sequence = 1234;
  stamp.time_s = 24.68;
  EXPECT_EQ(file_stem(source, stamp), "heart_phantom_f1234_24.68s");
  source.name = "my scan/PWI disk.mat";
  source.phantom.clear();
  EXPECT_EQ(file_stem(source), "PWI_disk");
  acquisition->frame_rate_hz = 0.0;
  EXPECT_EQ(file_stem(source, stamp), "PWI_disk_f1234") << "no time is known";
  const TemporaryFolder folder;
  testing::write_text_file(folder / "PWI_disk_f1234.png", "x");
  EXPECT_EQ(describe_place({.folder = folder.path().string()}, source, stamp).exists, "PWI_disk_f1234.png");
}

}  // namespace
}  // namespace echoloop::user_folders_test
