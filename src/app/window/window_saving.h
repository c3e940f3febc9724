// What the user saves: images, figures, numbers, timings, sessions, and videos of history frames. UI thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options/user_folders.h"
#include "app/outputs/cine_job.h"
#include "app/session_file.h"
#include "app/window/window_parts.h"

namespace echoloop {

class WindowSaving {
 public:
  explicit WindowSaving(WindowParts& parts) : parts_(parts) {}

  void save(SaveWhat what, SavedMoment moment);
  void save_table(const ResultTable& table);
  void save_timing_file(TimingFile format);

  // The file that is being made of history frames: once a window frame; ended with its stream, with the reason; ended
  // by the user.
  void advance_job();
  void cancel_job(const std::string& why);
  void stop_job() { job_->give_up({}); }
  [[nodiscard]] bool has_job() const { return job_ != nullptr; }

  void describe();  // for the window

  // Where no file can be made, an error says so, and the save panel opens at the folder's field.
  [[nodiscard]] bool folder_ready(UserFolder kind);
  [[nodiscard]] std::filesystem::path new_save(UserFolder kind, const std::string& name, const char* ending) const;

 private:
  void save_text(const std::filesystem::path& path, const std::string& text);
  void try_to_save(UserFolder kind, const std::function<void()>& act);
  void save_timings(TimingFile format);
  void save_picture(SaveWhat what);
  void save_figure(const std::filesystem::path& path, const Image& shown) const;
  // A of the comparison, where B is drawn with its histogram; null: levels are drawn as they are.
  [[nodiscard]] const Image* matched_to() const;
  // `shown` as it is drawn: with mapped levels, in `pixels`, where it is matched.
  [[nodiscard]] Image as_drawn(const Image& shown, std::vector<float>& pixels) const;
  [[nodiscard]] std::string name_of_a() const;
  void save_measurements();
  void save_description();  // of the scanner
  void save_session(SavedMoment moment);
  void save_film(SavedMoment moment);
  void save_iq(SaveWhat what);
  [[nodiscard]] Image image_on_screen(std::vector<float>& pixels) const;
  [[nodiscard]] Measured measured_on(const Image& shown) const;
  [[nodiscard]] ImagingParams display_on_screen(const Image& shown) const;
  void report(const std::string& text, Severity severity);

  WindowParts& parts_;
  std::unique_ptr<CineJob> job_;  // null: none is being made
};

}  // namespace echoloop
