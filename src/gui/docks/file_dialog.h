// Dialog that chooses a recording: folders, files with their sizes, a typed path, keyboard. The list shows the typed
// folder, filtered by the text after it. Folders are listed on a separate thread, so that a slow disk never blocks the
// image. All else: UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/state/focus.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::uint64_t bytes = 0;
};
struct FolderListing {
  std::vector<FolderEntry> entries;  // folders first, by name
  std::string complaint;             // reason for an empty list
};
using FolderLister = std::function<FolderListing(const std::filesystem::path& folder)>;

class FileDialog {
 public:
  void open(Ui& ui, const std::filesystem::path& folder);
  // Draws the dialog, every frame; returns the chosen file or folder.
  std::optional<std::filesystem::path> draw(Ui& ui, std::span<const KeyPress> keys);
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  void list_with(FolderLister lister) { lister_ = std::move(lister); }  // replaces the disk

 private:
  struct Listing;  // filled by the listing thread

  void enter(const std::filesystem::path& folder);
  void list(const std::filesystem::path& folder);
  [[nodiscard]] std::filesystem::path typed_path() const;
  void set_path_text(const std::filesystem::path& path);
  std::optional<std::filesystem::path> take(const std::filesystem::path& path);
  void move_selection(const Ui& ui, int by);
  bool take_list_keys(Ui& ui, const Rect& r, int page);
  void take_keys(const Ui& ui, std::span<const KeyPress> keys, int page);
  std::optional<std::filesystem::path> draw_list(Ui& ui, const Rect& r);
  std::optional<std::filesystem::path> draw_path(Ui& ui, const Rect& row);
  void narrow();
  void count_folder_files();

  bool open_ = false;
  std::filesystem::path folder_;  // base of relative typed paths
  std::filesystem::path listed_folder_;
  FolderLister lister_;
  std::shared_ptr<Listing> listing_;
  std::vector<FolderEntry> entries_;    // in the displayed list: names that contain the typed text
  bool listed_ = false;                 // entries_ are of listing_
  std::size_t n_folder_files_ = 0;      // in the listed folder, if they may form one recording; else 0
  std::array<char, 4096> path_text_{};  // PATH_MAX
  std::string known_text_;              // path_text_ before it was edited
  int revision_ = 0;                    // a new text needs a new id: ImGui keeps the old text of an active field
  bool focus_ = false;
  int selected_ = -1;
  std::string complaint_;
  Scroll scroll_;
};

}  // namespace echoloop
