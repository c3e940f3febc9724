// The program with a window: owns every long-lived object and their start and stop order.
// backend < trace, images < session < viewer: each uses only what stands before it. Everything here runs on the UI
// thread; commands from panels are queued and carried out between two window frames, never in the middle of one.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cine_film.h"
#include "app/compared_source.h"
#include "app/fine_points.h"
#include "app/folders.h"
#include "app/inspecting.h"
#include "app/m_mode_review.h"
#include "app/options.h"
#include "app/preset_shelf.h"
#include "app/review.h"
#include "app/session.h"
#include "app/session_file.h"
#include "app/setup.h"
#include "app/source_opener.h"
#include "app/ui_feed.h"
#include "app/user_folders.h"
#include "app/window_recording.h"
#include "app/window_times.h"
#include "core/live_images.h"
#include "formats/recording.h"
#include "gui/display_loss.h"
#include "gui/viewer.h"

namespace echoloop {

class WindowApp {
 public:
  explicit WindowApp(const Options& options, SurfaceKind surface = SurfaceKind::window);
  int run();

  // What run() does, a step at a time: for tests.
  void begin();
  void turn();  // one window frame
  [[nodiscard]] Viewer& viewer() { return *viewer_; }
  [[nodiscard]] UiState& state() { return state_; }

 private:
  UiCommands make_commands();
  // A command that fails says so with this cause; once it succeeds the message is resolved.
  void later(std::function<void()> act, std::string cause = {}) {
    commands_.push_back({std::move(act), std::move(cause)});
  }
  void open(const std::string& name, const Facts& facts);
  void run_commands();
  void take_opened();
  // `saved`: where the stream begins; null: at the source's beginning.
  void make_session(const std::shared_ptr<Source>& source, const StreamSettings& stream, const ImagingParams& params,
                    const SavedSession* saved = nullptr);
  void start_session(OpenedSource opened);
  [[nodiscard]] ImagingParams params_to_start(const ImagingParams& defaults) const;
  [[nodiscard]] ImagingParams params_with_facts(const ImagingParams& defaults) const;
  void require_room(const OpenedSource& opened, const StreamSettings& stream) const;
  void choose_queue(StreamSettings& stream, const SourceInfo& source);
  void restart(const StreamSettings& stream);
  void use_cpu();
  void describe_backend();
  void recall(const ViewSettings& settings);
  void offer_repair();
  void remember(const std::filesystem::path& file);
  void wait_for_frame();
  [[nodiscard]] bool must_draw() const;
  void apply_params();
  void apply_stream();
  void go_on_with_stream();
  void look_at_stream();
  void count_picture();
  [[nodiscard]] HostCopy host_copy() const;
  void toggle_freeze();
  void freeze();
  void go_live();
  void apply_cine();
  void freeze_when_still();
  void look_back();
  [[nodiscard]] OpenedSource current_source() const;
  void compare_with(CompareSide side, const std::filesystem::path& path);
  void use_as_a(OpenedSource opened, const ImagingParams& params);
  void swap_recordings();
  void go_on_with_comparison();
  void end_other_recording(const std::string& why);
  void set_reference();
  void say_reference();
  void save(SaveWhat what);
  void save_timings(TimingFile format);
  void save_timings_as(TimingFile format);
  void try_to_save(UserFolder kind, const std::function<void()>& act);
  void save_picture(SaveWhat what);
  void save_measurements();
  void save_objects();
  void save_film();
  void go_on_with_film();
  void open_file(const std::filesystem::path& file);
  void save_session();
  void restore_view(const SavedSession* saved);
  void freeze_restored_frame();
  void refine_points_on_screen(FinePoints::Moment moment);
  void give_up_film(const std::string& why);
  void describe_saving();
  [[nodiscard]] bool folder_ready(UserFolder kind);
  [[nodiscard]] std::filesystem::path new_save(UserFolder kind, const std::string& name, const char* ending) const;
  [[nodiscard]] Image image_on_screen(std::vector<float>& pixels) const;
  [[nodiscard]] Measured measured_on(const Image& shown) const;
  [[nodiscard]] ImagingParams display_on_screen(const Image& shown) const;
  void save_figure(const std::filesystem::path& path, const Image& shown) const;
  void report_saved(const std::string& text, Severity severity);
  std::function<void(const Image&)> video_taker();
  struct DefaultPreset {
    ImagingParams params;
    std::filesystem::path file;  // empty: none
    std::string note;
  };
  [[nodiscard]] DefaultPreset default_preset(const ImagingParams& params, const Acquisition& acquisition) const;
  void describe_presets();
  void look_at_presets();
  void load_preset(std::size_t index, const std::string& why);
  void obey_preset(const PresetOrder& order);
  void opening_failed(const Error& error);
  enum class Asker { opened, compared };  // whose opener found no sandbox
  void ask_without_sandbox(Asker asker, const NoSandbox& why);
  void go_on_with_question();
  void cancel();
  void toggle_record();
  // `cause`: what resolves an error or a warning, once it is gone.
  void say(Severity severity, const std::string& text, const std::string& cause = {});
  void hint(const std::string& text);  // why nothing happened: it goes by itself
  void report_faulty_presets();
  void write_outputs();
  void write_files(const nlohmann::json& display);
  void end_without_display(DisplayLoss loss);
  [[nodiscard]] bool limits_reached() const;
  [[nodiscard]] bool ended_by_fault() const;
  enum class ResetCause { user, idle };
  [[nodiscard]] Setup setup() const;
  void apply_setup(const Setup& wanted);
  void take_setup(const Setup& wanted);
  void reset(ResetCause cause);
  void undo_reset();
  void reset_when_idle();
  void forget_messages();
  [[nodiscard]] bool refused_in_kiosk();

  Options options_;
  std::unique_ptr<Backend> backend_;
  TimingTrace trace_;
  LiveImages live_;
  PastImages past_;
  InspectionAnswers inspections_;
  RfHistory history_;
  WindowRecording recording_{&history_, state_.recording, frame_file(options_, kRecordOption),
                             [this](Severity severity, const std::string& text) { say(severity, text, "recording"); }};
  ComparedSource compared_;  // side A of a comparison, while it is a recording of its own
  Review review_{history_, &compared_};
  Inspecting inspecting_{history_, inspections_};
  FinePoints fine_points_{history_}, fine_points_a_{history_};  // the latter of a comparison's side A
  MModeReview m_mode_review_{history_, past_.line};
  bool fresh_ = false;                  // the last window frame had a new picture
  std::uint64_t processed_looked_ = 0;  // frames, before the last window frame took its picture
  bool frozen_by_itself_ = false;       // the source stands still: what is on screen is the past already
  SourceOpener opener_;
  struct OpenQuestion {
    Asker asker;
    NoSandbox why;
    std::optional<SandboxAnswer> answer;
  };
  std::optional<OpenQuestion> open_question_;  // UiState::unsandboxed
  bool current_becomes_a_ = false;             // the source that is opened is to be compared with the one at hand
  std::shared_ptr<Source> source_;
  std::shared_ptr<const SavedSession> pending_session_;  // to restore when its source is open
  std::optional<std::uint64_t> frame_to_freeze_;         // of a session, until it is on screen
  std::string named_;                                    // the source, as the user named it
  Facts facts_;                                          // that it was opened with
  std::shared_ptr<FilmJob> video_;                       // --video
  std::unique_ptr<Session> session_;
  std::unique_ptr<CineFilm> film_;  // of kept frames, while it is being made
  UiState state_;
  std::optional<StreamSettings> chosen_queue_;  // policy and slots that no user chose; nothing: the command line's
  PresetShelf shelf_{share_folder() / "assets" / "presets", own_presets_folder()};
  std::filesystem::path active_preset_;                          // empty: none
  std::map<std::filesystem::path, std::string> faulty_presets_;  // as reported
  ImagingParams accepted_;  // the last parameters that the source could be imaged with
  UiFeed feed_;
  struct Command {
    std::function<void()> act;
    std::string cause;
  };
  std::vector<Command> commands_;
  std::unique_ptr<Viewer> viewer_;
  bool host_image_wanted_ = false;  // somebody here reads pixels, whatever the texture needs
  double first_picture_s_ = 0.0;    // after the program was started; 0 = none yet
  std::uint64_t shown_ = 0;
  std::int64_t shown_ready_ns_ = 0;  // of the last image that was counted
  std::int64_t started_ns_ = 0;
  WindowTimes times_;
  std::uint64_t window_frame_ = 0;
  std::optional<ImagingParams> reference_before_;  // of the picture when a new 0 dB level was asked for
  std::int64_t reference_until_ns_ = 0;            // when it is told that nothing changed
  std::uint64_t asked_ = 0;                        // requests of the review that have been seen
  std::uint64_t asked_frame_ = 0;                  // window frame after which the last one was made
  std::int64_t due_ns_ = 0;                        // of the next window frame
  std::int64_t drawn_ns_ = 0;                      // of the last one
  double fraction_drawn_ = 0.0;
  std::optional<Setup> start_;         // when the first source began
  std::optional<Setup> before_reset_;  // of the last one, as long as it can be undone
  std::optional<Setup> next_setup_;    // taken as soon as its source is open
  std::int64_t reset_ns_ = 0;          // when the last one was made
  bool reference_set_ = false;         // the 0 dB level, by the user
};

}  // namespace echoloop
