// Window without a display, plausible state and a generated image: basis of all tests here.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "gui/screen.h"
#include "gui/viewer.h"

namespace echoloop::testing {

struct WindowPoint {  // pixels
  float x, y;
};
struct WindowSize {
  int width, height;
  double scale;
};

// Level in dB as a function of the position in millimetres.
using Field = std::function<float(double x_mm, double z_mm)>;
// From 1, 0 = no object; labels must be contiguous from 1.
using Labels = std::function<int(double x_mm, double z_mm)>;

AcquisitionPtr scene_acquisition();
WindowState plausible_state();

class Scene {
 public:
  Scene(int width, int height, double scale = 1.0, const std::filesystem::path& settings = {},
        FirstTour tour = FirstTour::off, Motion motion = Motion::off);

  // Puts an image over `grid` into the mailbox; shown by the next frame.
  void put_image(const Grid& grid, const Field& level_db, std::uint64_t sequence = 0);
  // Puts a reprocessed history frame: side 0 is B, with the panels' parameters, 1 is A, with the comparison's.
  void put_past(std::size_t side, const Grid& grid, const Field& level_db, std::uint64_t sequence = 0);
  // Puts a flow image over `grid`; shown by the next frame. Power and velocity if the parameters have one of these
  // modes; levels of the low-rank image are `power_db`.
  void put_flow(const Grid& grid, const Field& power_db, const Field& velocity_m_s, double aliasing_m_s = 0.1);
  // Puts objects of an image over `grid`, by label: areas, centroids and boxes follow from these, mean levels are -20
  // dB. For the frame `sequence`; 0: the last image put.
  void put_objects(const Grid& grid, const Labels& label, std::uint64_t sequence = 0);
  // Puts a spectrogram of `columns` columns 5 ms apart, 64 bins; shown by the next frame. A column of NaN levels is a
  // gap. `envelope_m_s`: null: none.
  void put_spectrogram(int columns, const std::function<float(double ago_s, double velocity_m_s)>& power_db,
                       double aliasing_m_s = 0.5, const std::function<float(double ago_s)>& envelope_m_s = {});
  // Puts the flow of the ensemble that ends with the history frame `sequence`.
  void put_past_flow(const Grid& grid, const Field& power_db, const Field& velocity_m_s, std::uint64_t sequence);
  // Freezes with `frames` history frames, `rate_hz` per second, at the newest.
  void freeze(std::size_t frames, double rate_hz);
  void frames(int count);
  // Draws frames until `holds`; returns false after half a minute.
  bool frames_until(const std::function<bool()>& holds);
  void press(Key key, bool control = false, bool shift = false);
  // Presses, and draws two frames for the window to follow.
  void tap(Key key, bool control = false, bool shift = false) { press(key, control, shift), frames(2); }
  void inject(const InjectedInput& input) { viewer->inject(input), frames(2); }
  [[nodiscard]] Rect rect(const std::string& id) const { return viewer->screen().ui().rect_of(id); }
  void move(float x, float y);
  // Drags between places with the left button.
  void drag(WindowPoint from, WindowPoint to);
  // Drags along the middle of the control `id`, between shares of its width.
  void drag(const std::string& id, float from_share, float to_share);
  void click(const std::string& id, bool right = false, bool control = false);
  void type(const std::string& text);
  RgbImage shot();
  [[nodiscard]] int gl_error() const;

  WindowState state = plausible_state();
  LabelMaskPtr mask;  // of the images that are put
  int params_changed = 0, stream_changed = 0, freezes = 0, pictures = 0, restarts = 0, resets = 0, cine_changed = 0,
      records = 0, cancels = 0;
  std::string opened_phantom, opened_lesson;
  std::filesystem::path opened_file;
  std::vector<std::pair<CompareSide, std::filesystem::path>> compared_with;
  int recordings_swapped = 0;
  std::optional<std::size_t> dismissed;
  std::vector<TimingFile> saved_timings;
  std::vector<SaveWhat> saved;
  std::vector<ResultTable> saved_tables;
  std::vector<PresetOrder> preset_orders;
  std::vector<std::string> said;
  std::unique_ptr<Viewer> viewer;

 private:
  void note(const AnyCommand& given);
  void put_flow_into(Mailbox<FlowImage>& box, const Grid& grid, const Field& power_db, const Field& velocity_m_s,
                     double aliasing_m_s, const FrameStamp& stamp);
  void put_line(LineQueue& queue, const Image& image);
  void put(Mailbox<Image>& box, const Grid& grid, const Field& level_db, std::uint64_t sequence);

  Commands commands_;
  LiveImages live_;
  PastImages past_;
  std::uint64_t spectrograms_put_ = 0;
  std::vector<std::shared_ptr<std::vector<float>>> pixels_;  // kept for the scene's lifetime
  std::uint64_t number_ = 0;
};

inline constexpr Grid kSquare{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 25e-3, .nx = 101, .nz = 101};

// Makes a scene; without OpenGL 4.5 the tests report it and stop.
#define ECHO_SCENE(name, ...)                                               \
  std::unique_ptr<echoloop::testing::Scene> name##_owner;                   \
  try {                                                                     \
    name##_owner = std::make_unique<echoloop::testing::Scene>(__VA_ARGS__); \
  } catch (const echoloop::Error& error) {                                  \
    GTEST_SKIP() << error.what();                                           \
  }                                                                         \
  echoloop::testing::Scene& name = *name##_owner

}  // namespace echoloop::testing
