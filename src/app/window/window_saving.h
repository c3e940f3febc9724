// What the user saves: images, figures, numbers, timings, sessions, and videos of history frames. UI thread only.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options/user_folders.h"
#include "app/outputs/cine_film.h"
#include "app/outputs/cine_iq.h"
#include "app/outputs/measure_image.h"
#include "app/outputs/save_queue.h"
#include "app/session_file.h"
#include "app/window/window_parts.h"

namespace echoloop {

class WindowSaving {
 public:
  explicit WindowSaving(WindowParts& parts) : parts_(parts) {}

  // Files are written on a thread (save_queue.h), of what is on screen at the call; advance() reports them.
  void save(SaveWhat what, SavedMoment moment);
  void save_table(const ResultTable& table);
  void save_timing_file(TimingFile format);
  void advance();  // once a window frame
  void finish();   // waits for all files
  void flush();    // before another source: pictures whose numbers are not there yet go without
  [[nodiscard]] bool busy() const { return !pictures_.empty() || files_.busy(); }

  // The file that is being made of history frames: once a window frame; ended with its stream, with the reason; ended
  // by the user.
  void advance_job();
  void cancel_job(const std::string& why);
  void stop_job() { job_->give_up({}); }
  [[nodiscard]] bool has_job() const { return job_ != nullptr; }

  void describe();  // for the window

  // Where no file can be made, an error says so, and the save panel opens at the folder's field.
  [[nodiscard]] bool folder_ready(UserFolder kind);
  [[nodiscard]] std::filesystem::path new_save(UserFolder kind, const std::string& name, const char* ending);

 private:
  // A picture, and what its numbers wait for.
  struct Picture {
    SaveWhat what = SaveWhat::picture;
    Image shown;  // with pixels of its own
    std::optional<Image> a;
    Measured measured;
    ImageAgain again;
    Measured measured_a = {};
    std::optional<ImageAgain> again_a = {};
    // True when all numbers are there, or the time is over.
    [[nodiscard]] bool step(Session* session) { return again.step(session) && (!again_a || again_a->step(session)); }
  };

  // `text`: called on the thread, for what is in the file.
  void save_text(const std::filesystem::path& path, std::function<std::string()> text, std::string note = {});
  void try_to_save(UserFolder kind, const std::function<void()>& act);
  void save_timings(TimingFile format);
  void save_picture(SaveWhat what);
  void write_picture_of(Picture picture);
  [[nodiscard]] std::function<void()> figure_of(const std::filesystem::path& path, const Picture& picture,
                                                const std::string& command) const;
  // A of the comparison, where B is drawn with its histogram; null: levels are drawn as they are.
  [[nodiscard]] const Image* matched_to(const Picture& picture) const;
  // As it is drawn: with mapped levels where it is matched. Called on the save thread.
  [[nodiscard]] std::function<Image()> as_drawn(const Picture& picture) const;
  [[nodiscard]] std::string name_of_a() const;
  [[nodiscard]] const std::vector<Doubt>* doubts() const { return parts_.doubts ? &*parts_.doubts : nullptr; }
  void save_measurements();
  void save_description();  // of the scanner
  void save_session(SavedMoment moment);
  void save_film(SavedMoment moment);
  void save_iq(SaveWhat what);
  [[nodiscard]] Image image_on_screen() const;
  // Of both images, for the figure.
  [[nodiscard]] nlohmann::json describe_compared(const std::filesystem::path& figure, Picture& picture) const;
  [[nodiscard]] ImagingParams display_on_screen(const Image& shown) const;
  void report(const std::string& text, Severity severity);

  WindowParts& parts_;
  std::unique_ptr<CineJob> job_;                 // null: none is being made
  std::deque<Picture> pictures_;                 // whose numbers are not there yet
  std::vector<std::filesystem::path> promised_;  // names of files that are still to be written
  SaveQueue files_;
};

}  // namespace echoloop
