#include "gui/docks/file_dialog.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/units.h"
#include "formats/base/format_table.h"
#include "gui/state/number_text.h"

namespace echoloop {

namespace fs = std::filesystem;

struct FileDialog::Listing {
  std::atomic<bool> ready = false;
  FolderListing of;  // valid once ready
};

namespace {

constexpr std::size_t kMostEntries = 20000;
constexpr float kRowHeight = 26;

// Returns true for usual names of recordings; other files can be opened as well, but are drawn fainter.
bool usual_name(const std::string& name) {
  static const std::vector<std::string_view> endings = recording_endings();
  const std::string lower = lower_case(name);
  return std::ranges::any_of(endings, [&](std::string_view end) { return lower.ends_with(end); });
}

// Returns the rows that a key moves the selection by; 0: another key.
int rows_of(Key key, int page) {
  return key == Key::down ? 1 : key == Key::up ? -1 : key == Key::page_down ? page : key == Key::page_up ? -page : 0;
}

// Returns the folder without a trailing slash.
fs::path plain(const fs::path& folder) { return (folder / "").parent_path(); }

FolderListing list_of_disk(const fs::path& folder) {
  FolderListing listing;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (name.starts_with('.') || listing.entries.size() >= kMostEntries) continue;
    const bool is_folder = it->is_directory(ignored);
    const std::uint64_t bytes = is_folder ? 0 : it->file_size(ignored);
    listing.entries.push_back({name, is_folder, ignored ? 0 : bytes});
  }
  if (error) listing.complaint = error.message();
  std::ranges::sort(listing.entries, [](const FolderEntry& a, const FolderEntry& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
  return listing;
}

}  // namespace

// Returns the typed path: absolute, relative to folder_, or with ~ for the home folder.
fs::path FileDialog::typed_path() const {
  const std::string text = path_text_.data();
  const char* home = std::getenv("HOME");
  if (text.starts_with("~/") && home != nullptr) return fs::path(home) / text.substr(2);
  return folder_ / text;
}

// Counts recordings of one common extension: they may be one file per frame or line.
void FileDialog::count_folder_files() {
  n_folder_files_ = 0;
  std::string ending;
  for (const FolderEntry& entry : listing_->of.entries) {
    const std::string its = lower_case(fs::path(entry.name).extension().string());
    if (entry.folder || its == ".json" || !usual_name(entry.name)) continue;
    if (!ending.empty() && its != ending) {
      n_folder_files_ = 0;
      return;
    }
    ending = its;
    ++n_folder_files_;
  }
  if (n_folder_files_ < 2) n_folder_files_ = 0;
}

// Updates entries_ for the typed text and the listed folder.
void FileDialog::narrow() {
  const std::string text = path_text_.data();
  const bool typed = text != known_text_;
  const fs::path path = typed_path();
  if (typed && plain(path.parent_path()) != listed_folder_) list(plain(path.parent_path()));
  if (listing_ == nullptr || !listing_->ready.load(std::memory_order_acquire) || (listed_ && !typed)) return;
  const std::string part = typed ? lower_case(path.filename().string()) : "";
  listed_ = true;
  count_folder_files();
  known_text_ = text;
  entries_.clear();
  std::ranges::copy_if(listing_->of.entries, std::back_inserter(entries_), [&](const FolderEntry& entry) {
    return part.empty() || lower_case(entry.name).find(part) != std::string::npos;
  });
  selected_ = -1;
  complaint_.clear();
  scroll_.reset();
}

void FileDialog::enter(const fs::path& folder) {
  folder_ = plain(folder);
  complaint_.clear();
  set_path_text(folder_ / "");
  list(folder_);
}

void FileDialog::list(const fs::path& folder) {
  listed_folder_ = folder;
  selected_ = -1;
  scroll_.reset();
  entries_.clear();
  listed_ = false;
  listing_ = std::make_shared<Listing>();
  std::thread([folder, lister = lister_ ? lister_ : list_of_disk, listing = listing_] {
    listing->of = lister(folder);
    listing->ready.store(true, std::memory_order_release);
  }).detach();
}

void FileDialog::set_path_text(const fs::path& path) {
  const std::string text = path.string();
  const std::size_t n = std::min(text.size(), path_text_.size() - 1);
  std::memcpy(path_text_.data(), text.data(), n);
  path_text_[n] = '\0';
  known_text_ = path_text_.data();
  ++revision_;
  focus_ = true;
}

void FileDialog::open(Ui& ui, const fs::path& folder) {
  std::error_code error;
  const bool usable = !folder.empty() && fs::is_directory(folder, error);
  enter((usable ? fs::absolute(folder, error) : fs::current_path(error)).lexically_normal());
  open_ = true;
  ui.open_popup("file_dialog");
  ui.await_text(EarlyText::From::now);
}

// Enters a folder, returns a file; also the only file whose name contains the typed text.
std::optional<fs::path> FileDialog::take(const fs::path& path) {
  std::error_code error;
  const fs::path whole = path.is_absolute() ? path : folder_ / path;
  if (fs::is_directory(whole, error)) {
    enter(fs::weakly_canonical(whole, error));
    return std::nullopt;
  }
  if (fs::exists(whole, error)) {
    folder_ = whole.parent_path();
    return whole;
  }
  if (entries_.size() == 1 && whole == typed_path()) return take(listed_folder_ / entries_.front().name);
  focus_ = true;  // for further typing
  complaint_ = entries_.size() > 1 ? "Several names match: choose one." : "No such file or folder.";
  return std::nullopt;
}

void FileDialog::move_selection(const Ui& ui, int by) {
  const int count = static_cast<int>(entries_.size());
  if (count == 0) return;
  selected_ = std::clamp(selected_ + by, 0, count - 1);
  set_path_text(listed_folder_ / entries_[static_cast<std::size_t>(selected_)].name);
  const float row = ui.px(kRowHeight);
  scroll_.show(row * static_cast<float>(selected_), row * static_cast<float>(selected_ + 1));
}

void FileDialog::take_keys(const Ui& ui, std::span<const KeyPress> keys, int page) {
  for (const KeyPress& press : keys) {
    if (const int by = rows_of(press.key, page); by != 0) move_selection(ui, by);
  }
}

// Handles the keys of the list, which keeps the focus; returns true if the selected entry should be opened.
bool FileDialog::take_list_keys(Ui& ui, const Rect& r, int page) {
  const int count = static_cast<int>(entries_.size());
  const Hit h = ui.key_stop("files", r, FocusKind::slider, "Files and folders");
  for (const KeyPress& press : h.keys) {
    if (press.key == Key::enter) return selected_ >= 0;
    const int by = press.key == Key::home ? -count : press.key == Key::end ? count : rows_of(press.key, page);
    if (by == 0) continue;
    move_selection(ui, by);
    focus_ = false;
  }
  return false;
}

std::optional<fs::path> FileDialog::draw_list(Ui& ui, const Rect& r) {
  ui.fill(r, theme::kCanvas, 3);
  std::optional<fs::path> wanted;
  const float row = ui.px(kRowHeight);
  float y = scroll_.begin(ui, "files_bar", r);
  const auto& list = entries_;
  for (std::size_t i = 0; i < list.size(); ++i, y += row) {
    if (y + row < r.y0 || y > r.y1) continue;
    const Rect line{r.x0, y, r.x1 - ui.px(8), y + row};
    const std::string id = "file/" + std::to_string(i);
    const Hit h = ui.hit(id.c_str(), line);
    const bool on = static_cast<int>(i) == selected_;
    if (on || h.hovered) ui.fill(line, on ? theme::kSelected : theme::kField, 3);
    const float x = line.x0 + ui.px(12);
    const ImU32 ink = list[i].folder || on || usual_name(list[i].name) ? theme::kText : theme::kMuted;
    if (list[i].folder) ui.chevron(x + ui.px(4), line.cy(), Direction::right, theme::kMuted, 7);
    ui.text_fitted(Type::body, x + ui.px(18), line.x1 - ui.px(96), y, row, ink, list[i].name);
    if (!list[i].folder)
      ui.text_right(Type::small, line.x1 - ui.px(8), y, row, on ? theme::kText2 : theme::kMuted,
                    byte_text(list[i].bytes));
    if (h.clicked) {
      selected_ = static_cast<int>(i);
      set_path_text(listed_folder_ / list[i].name);
    }
    if (h.hovered && ImGui::IsMouseDoubleClicked(0)) wanted = listed_folder_ / list[i].name;
  }
  scroll_.end(ui, y);
  const bool ready = listing_ != nullptr && listing_->ready.load(std::memory_order_acquire);
  if (!ready || list.empty()) {
    const std::string why = ready ? listing_->of.complaint : complaint_;
    ui.text_centred(Type::body, r, theme::kMuted,
                    !ready                         ? "Reading the folder…"
                    : !why.empty()                 ? why
                    : listing_->of.entries.empty() ? "Empty folder"
                                                   : "No matching name");
  }
  return wanted;
}

// Draws the button for the parent folder and the typed path; returns the one that was entered.
std::optional<fs::path> FileDialog::draw_path(Ui& ui, const Rect& row) {
  std::optional<fs::path> wanted;
  const float up = ui.px(40);
  if (ui.button("parent", {row.x0, row.y0, row.x0 + up, row.y1}, {.label = "↑"}, {"Up", "Parent folder.", {}}))
    wanted = listed_folder_.parent_path();
  const std::string id = "##path" + std::to_string(revision_);
  if (ui.text_line(id.c_str(), {row.x0 + up + ui.px(8), row.y0, row.x1, row.y1}, path_text_, focus_))
    wanted = typed_path();
  focus_ = false;
  return wanted;
}

std::optional<fs::path> FileDialog::draw(Ui& ui, std::span<const KeyPress> keys) {
  if (!open_) return std::nullopt;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float w = std::min(ui.px(680), screen.x - ui.px(40));
  const float h = std::min(ui.px(520), screen.y - ui.px(40));
  const float x0 = std::round(0.5F * (screen.x - w)), y0 = std::round(0.5F * (screen.y - h));
  const Rect box{x0, y0, x0 + w, y0 + h};
  if (!ui.begin_popup("file_dialog", box, theme::kPanel)) {
    open_ = false;
    return std::nullopt;
  }
  narrow();
  const int page = std::max(1, static_cast<int>((h - ui.px(180)) / ui.px(kRowHeight)) - 1);
  take_keys(ui, keys, page);
  const float pad = ui.px(16), left = box.x0 + pad, right = box.x1 - pad;
  ui.text(Type::strong, left, box.y0 + ui.px(12), ui.px(24), theme::kText, "Open a recording");
  const float names = box.y0 + ui.px(36);
  const float y = names + ui.px(8) +
                  ui.paragraph(Type::small, left, names, right - left, ui.px(16), theme::kMuted,
                               format_names() + "; others by the import assistant");
  std::optional<fs::path> wanted = draw_path(ui, {left, y, right, y + ui.px(theme::kRow)});
  const float bottom = box.y1 - pad - ui.px(theme::kRow);
  const Rect files{left, y + ui.px(40), right, bottom - ui.px(12)};
  if (const auto clicked = draw_list(ui, files)) wanted = clicked;
  if (take_list_keys(ui, files, page)) wanted = listed_folder_ / entries_[static_cast<std::size_t>(selected_)].name;
  const bool many = n_folder_files_ > 0;
  const float button = ui.px(100), folder = many ? ui.px(170) : 0.0F, end = bottom + ui.px(theme::kRow);
  std::optional<fs::path> chosen;
  if (many &&
      ui.button("open_folder", {left, bottom, left + folder - ui.px(12), end},
                {.label = "Open all " + std::to_string(n_folder_files_) + " files"},
                {"Open the folder", "All files as one recording, in natural order: one file a frame or a line.", {}}))
    chosen = listed_folder_;
  ui.text_fitted(Type::small, left + folder, right - 2 * button - ui.px(24), bottom, ui.px(theme::kRow),
                 complaint_.empty() ? theme::kMuted : theme::kRed,
                 !complaint_.empty() ? complaint_
                 : many              ? "Recognised by content."
                                     : "Files are recognised by content, not by extension.");
  const bool cancelled =
      ui.button("cancel_open", {right - 2 * button - ui.px(8), bottom, right - button - ui.px(8), end},
                {.label = "Cancel", .shortcut = "Esc"}, {});
  if (ui.button("open_file", {right - button, bottom, right, end}, {.label = "Open", .emphasis = Emphasis::primary},
                {}))
    wanted = typed_path();
  if (wanted) chosen = take(*wanted);
  if (chosen || cancelled) {
    ui.close_popup();
    open_ = false;
  }
  ui.end_popup();
  return chosen;
}

}  // namespace echoloop
