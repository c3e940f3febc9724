// Campaign of a running viewer: the program's own window class on an offscreen surface, with files dropped on the
// image. It checks the visible state: the image, message lines, the fault on screen, and continued drawing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "app/window/window_app.h"
#include "core/units.h"
#include "formats/mutation/campaign.h"
#include "formats/mutation/process_size.h"
#include "formats/sandbox/reader_child.h"
#include "gui/screen.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience_s = 90.0;       // longer than any reader process may be silent
constexpr double kSlow_s = 2.0;            // an open file without an image for this long is reported
constexpr double kStall_s = 2.0;           // a window frame of this duration violates a rule
constexpr double kSlowestPlayed_hz = 2.0;  // of recordings observed while playing
constexpr std::size_t kStreamedEvery = 4;  // every n-th file is streamed rather than read into memory at once
constexpr std::size_t kViewerLookEvery = 1000;

double seconds_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-9; }

class WatchedViewer {
 public:
  WatchedViewer(fs::path recording, const CampaignLimits& limits)
      : limits_(limits), recording_(std::move(recording)), app_(options(recording_), SurfaceKind::offscreen) {
    app_.begin();
    draw_until([&] { return has_picture(); });
  }

  // Drops the file and returns its outcome. Violations of a rule are counted and printed.
  std::string drop(const fs::path& file) {
    const std::size_t largest = largest_child();
    const std::string outcome = open_and_watch(file);
    require(largest_child() <= std::max(largest, limits_.memory_bytes), "the reader process needs too much memory",
            file);
    require(process_size().resident_bytes <= limits_.memory_bytes, "the viewer needs too much memory", file);
    return outcome;
  }

  // Plays the same recording again, to compare the process's resources.
  void rest() {
    open(recording_);
    draw_until([&] { return app_.state().numbers.counts.processed >= 20; });
    require(plays() && app_.state().source.opened_as == recording_.string(), "does not go on", recording_);
  }

  [[nodiscard]] std::size_t broken() const { return broken_; }
  [[nodiscard]] double longest_frame_s() const { return longest_frame_s_; }
  [[nodiscard]] double slowest_open_s() const { return slowest_open_s_; }
  [[nodiscard]] double slowest_picture_s() const { return slowest_picture_s_; }
  [[nodiscard]] std::size_t frames_drawn() const { return frames_drawn_; }

 private:
  std::string open_and_watch(const fs::path& file) {
    const std::size_t errors = app_.state().numbers.errors;
    app_.state().notices.messages.clear();
    const std::string shown_before = app_.state().source.opened_as;
    const bool played = plays();
    open(file);
    if (app_.state().source.opened_as != file.string()) return refused(file, shown_before, played, errors);
    const std::int64_t begin = now_ns();
    draw_until([&] { return has_picture() || app_.state().notices.fault.has_value(); });
    slowest_picture_s_ = std::max(slowest_picture_s_, seconds_since(begin));
    if (seconds_since(begin) > kSlow_s) std::printf("%s: picture after %.1f s\n", file.c_str(), seconds_since(begin));
    for (const Message& message : app_.state().notices.messages.list())
      require(is_one_line(message.text), "not one line", file);
    if (!app_.state().notices.fault.has_value()) {
      require(has_picture(), "no picture", file);
      return "opened";
    }
    const std::string end = "opened, then: " + app_.state().notices.fault->title;
    require(app_.state().numbers.errors == errors + 1, "more than one fault", file);
    rest();
    return end;
  }

  static Options options(const fs::path& recording) {
    Options options;
    options.source = recording.string();
    options.source_given = true;
    options.backend = BackendChoice::cpu;
    options.duration_s = 1e9;  // a script: no tour of the window
    options.width = 960;
    options.height = 540;
    return options;
  }

  static bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.npos; }

  void require(bool holds, const char* rule, const fs::path& file) {
    if (holds) return;
    ++broken_;
    std::printf("%s: %s\n", file.c_str(), rule);
  }

  void turn() {
    const std::int64_t begin = now_ns();
    app_.turn();
    ++frames_drawn_;
    const double seconds = seconds_since(begin);
    longest_frame_s_ = std::max(longest_frame_s_, seconds);
    require(seconds < kStall_s, "the window stood still", app_.state().source.opened_as);
  }

  void draw_until(const std::function<bool()>& holds, double patience_s = kPatience_s) {
    const std::int64_t begin = now_ns();
    while (!holds() && seconds_since(begin) < patience_s) turn();
  }

  // Drops the file on the image and draws until it is opened or refused.
  void open(const fs::path& file) {
    const std::int64_t begin = now_ns();
    InjectedInput input;
    input.dropped_files = {file};
    app_.viewer().inject(input);
    turn();  // receives the drop
    turn();  // may open the file
    draw_until([&] { return !app_.state().opening.progress.has_value(); });
    require(!app_.state().opening.progress.has_value(), "opens for ever", file);
    require(seconds_since(begin) <= limits_.seconds, "takes too long to open", file);
    slowest_open_s_ = std::max(slowest_open_s_, seconds_since(begin));
  }

  bool has_picture() {
    return app_.state().numbers.counts.processed > 0 && app_.state().numbers.shown > 0 &&
           app_.viewer().screen().picture().width() > 0.0F;
  }
  bool plays() { return has_picture() && !app_.state().notices.fault.has_value(); }

  // Checks for one line about the file and no other change. (Lines may also be about the end of the previous stream,
  // and about the facts of its recording.)
  std::string refused(const fs::path& file, const std::string& shown_before, bool played, std::size_t errors) {
    WindowState& state = app_.state();
    std::size_t about_it = 0, others = 0;
    std::string outcome = "broken";
    for (const Message& message : state.notices.messages.list()) {
      if (message.text.starts_with(file.string())) {
        ++about_it;
        outcome = outcome_of(message.text, file);
      } else if (std::ranges::none_of(state.opening.doubts.cards, [&](const DoubtCard& doubt) {
                   return message.text.find(doubt.text) != std::string::npos;
                 })) {
        ++others;
      }
    }
    if (outcome == "broken") {
      for (const Message& message : state.notices.messages.list()) std::printf("%s\n", message.text.c_str());
    }
    require(about_it == 1, "refused, but not by one line", file);
    require(outcome != "broken", "not a line as it should be", file);
    require(others == state.numbers.errors - errors, "other lines", file);
    require(state.source.opened_as == shown_before, "refused, but the source has changed", file);
    if (!played || state.numbers.errors != errors) {
      rest();
    } else if (state.source.rate_hz >= kSlowestPlayed_hz) {
      const std::uint64_t processed = state.numbers.counts.processed, shown = state.numbers.shown;
      draw_until([&] {
        return (state.numbers.counts.processed > processed && state.numbers.shown > shown) ||
               state.notices.fault.has_value();
      });
      require(state.numbers.shown > shown || state.notices.fault.has_value(), "the recording before does not play on",
              file);
      if (state.notices.fault.has_value()) rest();
    }
    return outcome;
  }

  CampaignLimits limits_;
  fs::path recording_;
  WindowApp app_;
  std::size_t broken_ = 0, frames_drawn_ = 0;
  double longest_frame_s_ = 0.0, slowest_open_s_ = 0.0, slowest_picture_s_ = 0.0;
};

}  // namespace

int run_viewer_campaign(Campaign campaign, const fs::path& recording) {
  ::setenv("XDG_CONFIG_HOME", (campaign.scratch / "config").c_str(), 1);  // does not read or change the user's files
  WatchedViewer viewer(recording, campaign.limits);
  std::map<std::string, std::size_t> outcomes;
  std::map<std::size_t, ProcessSize> sizes;  // after this many files
  const std::size_t tenth = std::max<std::size_t>(campaign.n_files / 10, 1);
  const std::int64_t begin = now_ns();
  for (std::size_t k = 0; k < campaign.n_files; ++k) {
    const fs::path path = campaign.scratch / ("file" + std::to_string(campaign.first + k));
    const Mutant mutant = next_recording(campaign.mutator);
    write_mutant(path, mutant);
    reader_settings().memory_budget = k % kStreamedEvery == 0 ? 1 : 0;
    const std::string outcome = viewer.drop(path);
    ++outcomes[outcome];
    if (outcome != "opened" && outcome != "refused") std::printf("file %zu: %s\n", campaign.first + k, outcome.c_str());
    remove_mutant(path);
    if ((k + 1) % kViewerLookEvery == 0 || k + 1 == tenth || k + 1 == campaign.n_files / 2 ||
        k + 1 == campaign.n_files) {
      viewer.rest();
      sizes[k + 1] = process_size();
      std::printf("after %zu (%.0f s): %s\n", k + 1, seconds_since(begin), to_text(sizes[k + 1]).c_str());
      std::fflush(stdout);
    }
  }
  const double seconds = seconds_since(begin);
  std::printf(
      "files %zu in %.1f s (%.1f a second), %zu window frames, the longest %.2f s; slowest to open %.2f s, to "
      "its first picture %.2f s\n",
      campaign.n_files, seconds, static_cast<double>(campaign.n_files) / seconds, viewer.frames_drawn(),
      viewer.longest_frame_s(), viewer.slowest_open_s(), viewer.slowest_picture_s());
  for (const auto& [outcome, n] : outcomes) std::printf("%s %zu\n", outcome.c_str(), n);
  const bool grew = has_grown(sizes[tenth], sizes[campaign.n_files]);
  std::printf("%s; broken rules %zu\n", grew ? "it has grown" : "no growth", viewer.broken());
  return grew || viewer.broken() > 0 ? 1 : 0;
}

}  // namespace echoloop::testing
