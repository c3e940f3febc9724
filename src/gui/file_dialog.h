// Choosing a recording: folders, files with their sizes, a typed path, the keyboard. What is typed after the folder
// narrows the list. Folders are listed on a thread of their own, so that a slow disk never stops the picture.
// Everything else: UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/keys.h"
#include "gui/scroll.h"
#include "gui/ui.h"

namespace echoloop {

class FileDialog {
 public:
  void open(Ui& ui, const std::filesystem::path& folder);
  // Every frame; the chosen file.
  std::optional<std::filesystem::path> draw(Ui& ui, std::span<const KeyPress> keys);
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Entry {
    std::string name;
    bool folder = false;
    std::uint64_t bytes = 0;
  };
  struct Listing;  // filled by the listing thread

  void enter(const std::filesystem::path& folder);
  void set_path_text(const std::filesystem::path& path);
  std::optional<std::filesystem::path> take(const std::filesystem::path& path);
  void move_selection(int by);
  void take_keys(const Ui& ui, std::span<const KeyPress> keys, int page);
  std::optional<std::filesystem::path> draw_list(Ui& ui, const Rect& r);
  void narrow();

  bool open_ = false;
  std::filesystem::path folder_;
  std::shared_ptr<Listing> listing_;
  std::vector<Entry> entries_;  // of the list on screen: those whose names have what was typed
  bool listed_ = false;         // entries_ are of listing_
  std::array<char, 1024> path_text_{};
  std::string known_text_;  // path_text_ before somebody typed
  int revision_ = 0;        // a new text needs a new identity: ImGui keeps the old one of an active field
  bool focus_ = false;
  int selected_ = -1;
  std::string complaint_;
  Scroll scroll_;
};

}  // namespace echoloop
