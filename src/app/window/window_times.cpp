#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/window/window_review.h"
#include "core/params.h"
#include "core/units.h"
#include "dsp/das.h"

namespace echoloop {
namespace {

// Returns the seconds since the start of the process, to about 10 ms (Linux: /proc/self/stat); 0 if not available.
double process_age_s() {
  std::ifstream stat("/proc/self/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');  // the name may contain anything
  if (name_end == std::string::npos) return 0.0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kStartTime = 20;  // the 22nd field of proc(5), counted from the one after the name
  std::string field;
  for (int i = 0; i < kStartTime; ++i) fields >> field;
  const double started_s = std::strtod(field.c_str(), nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  if (started_s <= 0.0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0.0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - started_s;
}

}  // namespace

void WindowTimes::Values::add(double value) {
  if (values_.empty()) values_.reserve(kMost);
  if (values_.size() < kMost) {
    values_.push_back(value);
  } else {
    values_[next_] = value;
  }
  next_ = (next_ + 1) % kMost;
}

nlohmann::json WindowTimes::Values::summary() const {
  std::vector<double> sorted = values_;
  const StageSummary s = summarize(sorted);
  return {{"p50", s.p50_ms}, {"p99", s.p99_ms}, {"p999", s.p999_ms}, {"max", s.max_ms}, {"count", s.count}};
}

void WindowTimes::add_times(const Viewer::FrameTimes& times) {
  constexpr double kMs = 1e-6;
  frame_ms_.add(static_cast<double>(times.draw_end - times.draw_start) * kMs);
  if (times.texture_ns > 0) texture_ms_.add(static_cast<double>(times.texture_ns) * kMs);
  device_wait_ms_.add(static_cast<double>(times.device_wait_ns) * kMs);
  if (last_shown_ns_ != 0) interval_ms_.add(static_cast<double>(times.shown - last_shown_ns_) * kMs);
  last_shown_ns_ = times.shown;
}

void WindowTimes::add_frame(const Viewer& viewer, NewImage news, const Playback& playback, TimingTrace& trace) {
  if (!viewer.drawn()) return;
  const Viewer::FrameTimes& times = viewer.times();
  const Image& image = viewer.shown_image();
  ++window_frame_;
  add_times(times);
  const auto add = [&](std::uint64_t frame, Stage stage, std::int64_t begin, std::int64_t end) {
    trace.add({.frame = frame, .stage = stage, .lane = 0, .start_ns = begin, .end_ns = end});
  };
  // Idle, the timeline must not change: each window frame would otherwise cause the next one.
  if (news == NewImage::yes || !playback.frozen()) {
    add(image.stamp.sequence, Stage::draw, times.draw_start, times.draw_end);
    add(image.stamp.sequence, Stage::vsync, times.shown, times.shown);
  }
  if (times.present_end > times.present_start) {
    add(times.present_sequence, Stage::present, times.present_start, times.present_end);
  }
  if (news == NewImage::no) return;
  if (first_image_s_ == 0.0) first_image_s_ = process_age_s();
  if (playback.frozen()) {
    if (!playback.answered_by(image) || request_frame_ == 0) return;
    review_frames_.add(static_cast<double>(window_frame_ - std::exchange(request_frame_, 0)));
    return;
  }
  if (std::exchange(shown_ready_ns_, image.ready_ns) == image.ready_ns) return;  // new image is side A of a comparison
  ++shown_;
  trace.add_latency(Latency::ready_of_shown, image.stamp.acquired_ns, image.ready_ns);
  trace.add_latency(Latency::shown, image.stamp.acquired_ns, times.shown);
}

void WindowTimes::count_requests(const Playback& playback) {
  if (std::exchange(requests_, playback.requests()) != playback.requests()) request_frame_ = window_frame_;
}

void WindowTimes::add_turn(const Viewer& viewer, std::int64_t began_ns) {
  const Viewer::FrameTimes& times = viewer.times();
  const std::int64_t waited_ns = times.shown - times.draw_end;
  turn_ms_.add(static_cast<double>(now_ns() - began_ns - waited_ns) * 1e-6);
}

nlohmann::json WindowTimes::report() const {
  return {{"turn_ms", turn_ms_.summary()},         {"frame_ms", frame_ms_.summary()},
          {"texture_ms", texture_ms_.summary()},   {"device_wait_ms", device_wait_ms_.summary()},
          {"interval_ms", interval_ms_.summary()}, {"review_frames", review_frames_.summary()}};
}

// Limits to 60 frames per second, as swapping buffers may not wait for the display (software OpenGL, a virtual one).
// Without a new image or input nothing is drawn: the panels are laid out at intervals to check for changed counters,
// messages or files on disk, and drawn only then (Viewer::drawn).
void WindowPacer::wait(Viewer& viewer, std::int64_t idle_ns, const std::function<bool()>& must_draw) {
  constexpr std::int64_t kFrameNs = 1'000'000'000 / 60;
  const std::int64_t last_drawn_ns = drawn_ns_;
  bool touched = false;  // the wait ended early by input
  do {
    due_ns_ = std::max(due_ns_ + kFrameNs, now_ns() - kFrameNs);
    for (std::int64_t left = due_ns_ - now_ns(); left > 0; left = due_ns_ - now_ns()) {
      viewer.wait_events(static_cast<double>(left) * 1e-9);
      touched = touched || now_ns() < due_ns_;
    }
    drawn_ns_ = now_ns();
  } while (!touched && !must_draw() && drawn_ns_ - last_drawn_ns < idle_ns);
}

namespace {

// Returns the delay difference between the ends of the aperture: smallest for an unsteered wave.
double slant_s(const std::vector<double>& delays_s) {
  double first = std::numeric_limits<double>::quiet_NaN(), last = first;
  for (const double delay : delays_s) {
    if (std::isnan(delay)) continue;
    if (std::isnan(first)) first = delay;
    last = delay;
  }
  return std::abs(last - first);
}

// Returns a value per transmit: smaller is nearer to broadside, for beams and waves from a point to the position.
std::vector<double> off_axis(const Acquisition& a, PlanePoint at) {
  std::vector<double> off;
  const auto lines = find_scan_lines(a);
  const double along = !lines ? 0.0 : lines->parallel ? at.x_m : std::atan2(at.x_m, at.z_m - sector_apex_z_m(a.probe));
  for (std::size_t i = 0; i < a.transmits.size(); ++i) {
    const Transmit& t = a.transmits[i];
    if (lines) {
      off.push_back(std::abs(lines->at[i] - along));
    } else if (t.kind == TransmitKind::plane) {
      off.push_back(std::abs(t.angle_rad));
    } else if (t.kind == TransmitKind::none) {
      off.push_back(0.0);
    } else if (t.kind == TransmitKind::delays) {
      off.push_back(slant_s(t.element_delays_s));
    } else {
      off.push_back(std::abs(t.source_x_m - at.x_m));
    }
  }
  return off;
}

}  // namespace

std::optional<EchoPlace> nearest_echo(const Acquisition& a, double c_m_s, PlanePoint at) {
  if (a.transmits.empty()) return std::nullopt;
  EchoPlace echo;
  const std::vector<double> off = off_axis(a, at);
  echo.transmit = static_cast<int>(std::min_element(off.begin(), off.end()) - off.begin()) + 1;
  double way_back_m = std::numeric_limits<double>::infinity();
  for (int e = 0; e < a.n_elements(); ++e) {
    const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
    const double away = std::hypot(at.x_m - element.x_m, at.z_m - element.z_m);
    if (!(away < way_back_m)) continue;
    way_back_m = away;
    echo.element = e + 1;
  }
  if (echo.element == 0) return std::nullopt;
  const Transmit& t = a.transmits[static_cast<std::size_t>(echo.transmit - 1)];
  const auto axes = picked_axes(a, {.first = echo.transmit - 1, .count = 1});
  const double time_s = transmit_delay_s(t, a.probe, at.x_m, at.z_m, c_m_s, axes.empty() ? nullptr : &axes[0]) +
                        way_back_m / c_m_s - t.t0_s;
  const double sample = std::round(time_s * a.sampling_hz);
  if (!(sample >= 0.0 && sample < a.n_samples)) return std::nullopt;
  echo.sample = static_cast<int>(sample);
  return echo;
}

Queries queries_of(const Model& model, const Edits& edits) {
  return {.program_facts = program_facts, .echo_at = [&model, &edits](PlanePoint at) -> std::optional<EchoPlace> {
            if (model.source.acquisition == nullptr) return std::nullopt;
            return nearest_echo(*model.source.acquisition, edits.params.formation.sound_speed_m_s, at);
          }};
}

}  // namespace echoloop
