// The seam between the window and the program. The application fills Model before each window frame; the
// window draws it, writes Edits and sends commands (commands.h). UI thread only. gui/ never includes backend/ or dsp/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.h"
#include "core/params.h"
#include "core/sample_log.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"
#include "gui/state/analysis_views.h"
#include "gui/state/dock_list.h"
#include "gui/state/import_state.h"
#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/state/window_commands.h"

namespace echoloop {

// The messages of the program: severity, time, how long each stays in the line below the window, and the list of them.
// An error stays until it is dismissed or its cause is gone: an error with a cause is resolved by the success of the
// same action, and replaced by the next error of the same cause. Pure; UI thread only.

enum class Severity { info, warning, error };

// In the line below the window; the list keeps every message.
enum class Stay {
  as_newest,  // until the next one; an error: until it is dismissed
  passing,    // for a few seconds: why a key has no effect here
  resolved    // no longer: its cause is gone
};

struct Message {
  Severity severity = Severity::info;
  std::string clock = {};  // "14:32:07"
  std::string text = {};   // one line
  std::string cause = {};  // of an error or a warning: resolved by this name; empty = only dismissed
  Stay stay = Stay::as_newest;
};

// Severity where it is not info, text, and whether it is resolved.
[[nodiscard]] std::string message_words(const Message& message);
// With the time in front, as in the clipboard.
[[nodiscard]] std::string message_line(const Message& message);

// Of the run, the newest first; beyond kMost the oldest are removed and counted.
class MessageLog {
 public:
  static constexpr std::size_t kMost = 200;

  void post(Message message);
  void resolve(std::string_view cause);  // errors and warnings; an empty cause: none
  void dismiss(std::size_t index);       // beyond the end: nothing
  void clear() { *this = {}; }

  [[nodiscard]] const std::vector<Message>& list() const { return list_; }
  [[nodiscard]] std::size_t removed() const { return removed_; }  // older ones, for lack of room
  // All in the list, one a line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Message> list_;
  std::size_t removed_ = 0;
};

// The one in the message line: the newest error that stays, else the newest message that stays. None: nothing.
[[nodiscard]] std::optional<std::size_t> standing(const std::vector<Message>& messages);

// The comparison of two images, A and B. Plain values; UI thread only.

enum class CompareLook { wipe, side_by_side };

// A where it is a recording of its own. Filled by the application.
struct ComparedRecording {
  std::string name;            // empty: A is B's recording with held settings
  AcquisitionPtr acquisition;  // null while the recording is being opened
  std::string opened_as = {};  // what to open to have it again
  std::uint64_t frame_count = 0;
  SampleLogPtr samples = {};
};

// For the badge alone (badge_state() in bars.h): opening, the first image is awaited; waiting and no_sender, of a
// scanner, while the stream is live or idle; still, of a recording of one frame, which is frozen.
enum class RunState { live, replay, frozen, fault, idle, opening, waiting, no_sender, still };
struct SourceInfo {
  std::string opened_as;  // what to open to have it again
  std::string name;       // "Heart phantom", "PWI_disk.mat"
  bool live = false;      // a scanner, whose frames come when they come
  std::string phantom;    // a name of phantoms(), or empty for a recording
  std::string format;     // recordings: what the reader recognised
  AcquisitionPtr acquisition;
  std::uint64_t frame_count = 0;  // 0 = endless
  double rate_hz = 0.0;           // the rate it plays at unless the user sets another
  SampleLogPtr samples = {};      // null: a phantom, whose samples are right
  // Of a recording of a scanner: frames between its own that the sender had lost, that nothing accounts for.
  std::uint64_t recorded_lost = 0, recorded_missing = 0;
  bool scanner_times = false;  // the frames' times are those of the scanner's clock
};

struct Progress {
  std::string text;       // "Opening big_file.npy"
  double fraction = 0.0;  // 0..1
};

struct FaultNotice {
  std::string title;   // what happened
  std::string detail;  // facts
  std::string advice =
      {};  // what to do, one or two sentences; empty = the window knows advice for a refused frame only
  bool can_restart = false;
  bool can_use_cpu = false;
  std::optional<RingRefusal> refusal = {};  // policy error: what the slots looked like
};

// Looking back: what the window shows of the frames kept in memory, index 0 the oldest. While frozen nothing is added
// to them.
struct Cine {
  std::size_t index = 0;       // the frame on screen while frozen
  bool playing = false;        // while frozen
  double speed = 1.0;          // seconds of acquisition in a second: 0.01 to 10
  std::size_t mark_in = 0;     // playing loops from here
  std::size_t mark_out = 0;    // to here, both included
  bool keep_acquiring = true;  // frozen, the stream goes on behind the image; otherwise the source rests
  bool compare = false;        // A, with parameters of its own, against B, with those in the panels; live too
  CompareLook compare_look = CompareLook::wipe;
  bool match_levels = false;  // B is drawn with A's histogram of levels; display only
  ImagingParams a;            // set by the window when a comparison begins, and when the user swaps
  float wipe = 0.5F;          // share of the image's width that is A's
};
struct KeptFrames {
  std::size_t frames = 0;
  double seconds = 0.0;        // of acquisition, from the oldest to the newest
  std::vector<float> times_s;  // while frozen: each frame's time before the newest, from -seconds to 0
  double frame_rate_hz = 0.0;  // of the acquisition; 0: unknown
  std::size_t bytes = 0;       // memory that they hold; 0 when a recording in memory holds them
  std::size_t budget_bytes = 0;
  std::string why_no_flow;  // of the frame on screen while frozen; empty = it has one, or it is being made
  std::string why_not;      // why looking back is not possible now; empty = it is
  ComparedRecording a_recording;
};

// The recording of the live stream. Filled by the application.
struct RecordingView {
  bool on = false;         // frames are being recorded
  bool finishing = false;  // no more come, but some still wait for the disk
  std::string file;        // its name, without folders
  double seconds = 0.0;
  std::uint64_t frames = 0;
  std::uint64_t not_recorded = 0;  // the disk was too slow for them
  double bytes_per_second = 0.0;
};

// Memory, in bytes. Device numbers are 0 on the CPU.
struct MemoryView {
  std::size_t device_used = 0;   // by this stream
  std::size_t device_free = 0;   // that anybody could still take
  std::size_t host_used = 0;     // slots, copies of recordings and the history
  std::size_t history_used = 0;  // of that, frames kept to look back
  std::size_t host_free = 0;
  std::size_t slot_bytes = 0;      // one slot; 0 when frames are lent in place
  std::size_t lane_bytes = 0;      // one lane, on the device
  bool page_locked = false;        // host_used is
  std::size_t in_place_bytes = 0;  // of a long recording: page-locked while it is streamed
};

enum class FilmRange { loop, all };
enum class FilmContainer { mp4, webm, mkv };

struct FilmChoice {
  FilmRange range = FilmRange::loop;
  double speed = 1.0;  // seconds of acquisition in a second of the video
  FilmContainer container = FilmContainer::mp4;
};

struct SavingEdits {
  FilmChoice film;
  bool seen = false;  // the panel is
  bool ask = false;   // the panel opens
};
struct Saving {
  SavePlace place;          // while the panel is seen
  std::string why_no_film;  // this program or machine cannot, or one is being made; empty = it can
  bool writing = false;     // other files
  std::string why_no_iq;    // the image consists of no complex pixels: the end of a sentence; empty = it does
  std::string busy;         // a file is being made of history frames: a sentence; empty = none is
  RecordingView recording;
  std::string last;     // what the last one became, in a line; empty = nothing yet
  bool failed = false;  // `last` says why
};

// A preset as the window shows it.
struct PresetView {
  std::string name;
  std::string about;
  std::string probe;      // whose it is, in words; empty = any
  std::string no_effect;  // why it changes nothing on this source, or less than it names; empty = it does
  int slot = 0;           // key 1 to 9; 0 = none
  bool own = false;       // the user's: may be changed and removed
  bool fits = true;       // its probe is at hand
  bool is_default = false;
};

// Filled by the application.
struct Presets {
  std::vector<PresetView> list;
  int active = -1;          // the last one that was loaded; -1 = none
  bool changed = false;     // since then
  std::uint64_t loads = 0;  // so far: each is one step of undo
  std::string probe;        // at hand, in words
};

// Why a control has no effect at the moment, in the tooltip's words; empty = it has one.
struct ControlReasons {
  std::string host_memory = {};
  std::string streams = {};
  std::string lanes = {};
  std::string precision = {};
  std::string reference = {};
  std::string files = {};  // all that opens, saves, records or deletes: a kiosk
};

// What the user says about the recording; see command::FactsChanged.
struct FactsEdits {
  Facts given;
  bool edited = false;  // by a control that is still held
};

struct DeviceView {
  std::string backend;  // "CUDA" or "CPU"
  std::string name;     // "NVIDIA H200", "2 threads"
  MemoryView memory;
};

// Latencies of the frames that were shown.
struct LatencyView {
  StageSummary recent, since_start;  // the last 10 s; the stream
  std::vector<float> history_ms;     // as StreamNumbers::occupancy
};

// Numbers of the stream that runs. Filled by the application.
struct StreamNumbers {
  bool idle = false;  // no frame comes or is under way: paused, at a recording's end, or without a sender
  double processed_fps = 0.0;
  double shown_fps = 0.0;
  std::uint64_t shown = 0;
  std::uint64_t errors = 0;
  RingCounts counts;
  LatencyView latency;        // acquired to image ready
  LatencyView shown_latency;  // acquired to shown
  // Slots in use: the last 10 s of the clock in equal steps, oldest first; not a number where nothing is known.
  std::vector<float> occupancy;
  StreamPace pace;
  double bytes_per_second = 0.0;  // channel data processed
  // Rates and shares are of one window, the last 2 s (app/stats_collector.h).
  double producer_wait_share = 0.0;  // of the time, policy block: 0 .. 1
  double dropped_share = 0.0;        // of the frames: 0 .. 1
  StreamTiming timing;
  std::vector<Span> spans;  // of the last frames, oldest first; filled while Edits::timeline_wanted
  std::array<StageSummary, kStageCount> stages{};
  const char* why_fp32 = nullptr;  // Session::why_fp32()
  StageSummary frame_total;        // a frame's stages together; count 0 = not measured: the panel shows sums
  double frame_budget_ms = 0.0;    // 1000 / source rate; 0 at rate max
};

// The image on screen is the last one of the source before: it is drawn, but is not the image of this source.
struct AwaitedImage {
  std::string shown_of;       // the source before
  std::int64_t since_ns = 0;  // this source
};

// What the image on screen is to be replaced by, with other parameters or of another kept frame.
struct ImageWork {
  std::int64_t since_ns = 0;  // when it was asked for; 0: the image on screen is the one
  double remaining_s = 0.0;   // of the frame under way, of whatever source; 0: unknown
};
inline constexpr std::int64_t kWorkSeen_ns = 300'000'000;  // shorter work is not mentioned

// What is seen of the image.
struct ViewEdits {
  PanZoom pan_zoom;
  std::optional<PlanePoint> inspected;  // where the inspector looks; nothing = nowhere yet
  InspectorEdits inspector;
  MModeEdits m_mode;
};
struct ImageState {
  InspectorView inspector;
  MModeView m_mode;
  std::optional<AwaitedImage> awaited;  // filled by the viewer; nothing: the image is the source's, or there is none
  bool coarse = false;  // filled by the viewer: a coarse image is drawn before the image, which takes long; no numbers
  ImageWork work;
};

// What can be opened, and what is being opened. Filled by the application.
struct OpeningView {
  std::vector<std::filesystem::path> recent;  // newest first
  std::filesystem::path continue_with;        // the last run's recording, offered; empty = nothing
  std::filesystem::path unfinished;  // a recording that a killed program has left, offered for repair; likewise
  std::string scanner_token;         // file whose word senders on other machines have to know
  std::string host;                  // this machine, as others on its network name it
  bool sends_phantom = false;        // a sender of a phantom, started here, runs
  std::optional<Progress> progress;
  std::string former;  // the source before, that cancel() goes back to while an image is awaited; empty: none
  std::vector<std::string> doubts;         // about the facts of the recording, a sentence each
  std::optional<std::string> unsandboxed;  // a recording that waits for the answer whether to open without a sandbox
};

struct Notices {
  std::optional<FaultNotice> fault;
  MessageLog messages;
  std::string formation_warning;  // e.g. the course recipe aliases on this grid; empty = none
};

struct ResetView {
  bool undoable = false;    // by undo, once there is no later step
  std::uint64_t count = 0;  // so far, those that were undone too
};

// What the window shows. Filled by the application before each window frame, and by the viewer where it belongs to the
// image on screen; panels only read it.
struct Model {
  ImagingParams defaults;  // for the source at hand
  SourceInfo source;
  std::optional<LiveStatus> scanner;  // that is the source, or is waited for; nothing: neither
  Facts assumed;                      // of a recording, by its reader, as far as that is known
  DeviceView device;
  RunState run = RunState::idle;
  StreamNumbers numbers;
  KeptFrames kept;
  Saving saving;
  Presets presets;
  ImageState image;
  AnalysisViews analyses;
  ImportState import;
  OpeningView opening;
  Notices notices;
  ControlReasons no_effect;
  ResetView reset;

  // Puts a line into the log. `cause`: the name that resolves an error or a warning, as in MessageLog::resolve().
  void say(Severity severity, const std::string& text, const std::string& cause = {});
  void hint(const std::string& text);  // why an action has no effect: shown for a few seconds
};

// What the window edits, and what it wants to be shown. The application reads it when a command comes, and once a
// window frame.
struct Edits {
  ImagingParams params;
  StreamSettings stream;
  Marks marks;
  FactsEdits facts;
  ViewEdits view;
  Cine cine;
  SavingEdits save;
  ObjectPick objects;
  Measured measured;             // on the image on screen
  Measured measured_a;           // on side A of a comparison
  bool timeline_wanted = false;  // its panel is open and not paused
};

// Both, as the application has them.
struct WindowState : Model, Edits {};

// Why a control that opens, saves, records or deletes has no effect: the kiosk, then `why`.
inline std::string_view why_no_files(const Model& model, std::string_view why = {}) {
  return model.no_effect.files.empty() ? why : std::string_view(model.no_effect.files);
}

// No new image comes to the screen; numbers of the last seconds are those before this rest.
inline bool image_rests(const Model& model) {
  return model.numbers.idle || (model.run != RunState::live && model.run != RunState::replay);
}

}  // namespace echoloop
