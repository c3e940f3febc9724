// Window with the import assistant open on an array without a description.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/options/folders.h"
#include "core/units.h"
#include "formats/open_recording.h"
#include "gui/turning.h"
#include "support/npy_file.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::import_window {

namespace fs = std::filesystem;

inline constexpr int kTransmits = 3, kScanElements = 32, kScanSamples = 900;

// Writes plane waves at -8, 0 and 8 degrees on one point at 12 mm depth: 0.3 mm pitch, 20 MHz, 4 MHz.
inline void write_points(const fs::path& path) {
  std::vector<float> samples;
  for (int k = 0; k < kTransmits; ++k) {
    const double angle = (k - 1) * 8.0 / 180.0 * 3.141592653589793;
    const double first = -std::abs(std::sin(angle)) * 0.5 * (kScanElements - 1) * 0.3e-3 / 1540.0;
    for (int e = 0; e < kScanElements; ++e) {
      const double x = (e - 0.5 * (kScanElements - 1)) * 0.3e-3, z = 12e-3;
      for (int i = 0; i < kScanSamples; ++i) {
        const double late = i / 20e6 + first - (z * std::cos(angle) + std::hypot(x, z)) / 1540.0;
        const double value = std::exp(-std::pow(0.9 * late * 4e6, 2)) * std::cos(2.0 * 3.141592653589793 * 4e6 * late);
        samples.push_back(static_cast<float>(1000.0 * value));
      }
    }
  }
  const std::string data(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(float));
  testing::write_text_file(path, testing::npy("<f4", false, "(3, 32, 900)", data));
}

class ImportWindow : public WindowTest {
 protected:
  ImportWindow() {
    keep_descriptions_in(own_descriptions_folder());
    write_points(file_);
  }
  ~ImportWindow() override { keep_descriptions_in({}); }

  void start(int width = 1600) { start_with(file_, width); }
  void start_with(const fs::path& file, int width) {
    Options options;
    options.source = file.string();
    options.backend = BackendChoice::cpu;
    options.width = width;
    options.height = 900;
    begin(options);
    ASSERT_TRUE(until([&] { return import().open; }));
    app_->turn();
    app_->turn();
  }
  const ImportState& import() { return app_->state().import; }
  void inject(const InjectedInput& input) { testing::inject(*app_, input); }
  void click(const std::string& control) {
    testing::click(*app_, control, 1);
    app_->turn();
  }
  void press(Key key, bool control = false) {
    WindowTest::press(key, control);
    inject({});
  }
  void answer(const std::string& field, const std::string& text) {
    click("import/field/" + field);
    app_->turn();
    app_->turn();
    InjectedInput input;
    input.text = text;
    inject(input);
    press(Key::tab);  // Enter belongs to the window system
    app_->turn();
  }
  // Enters the true facts missing in the file of write_points().
  void answer_all() {
    click("import/axis/0");
    press(Key::x);
    answer("transmits", "-8 : 8 : 8");
    answer("sampling", "20");
    answer("elements", "0.3");
  }
  bool formed() {
    const auto ended = [&] { return import().preview.current && !import().preview.busy; };
    return until([&] { return ended() || import().n_needed() > 0; }) && ended();
  }
  std::string value_of(const std::string& id) {
    const auto found = std::ranges::find(import().fields, id, &ImportField::id);
    return found == import().fields.end() ? "" : found->value;
  }
  // Returns the first image of the file, made without a window.
  NpyImage headless(const fs::path& file) {
    Options options;
    options.source = file.string();
    options.headless = true;
    options.backend = BackendChoice::cpu;
    options.frames = 1;
    options.files["--image-out"] = folder_ / "image.npy";
    EXPECT_EQ(run_headless(options), 0);
    return read_npy_image(options.files["--image-out"]);
  }

  const fs::path data_ = folder_ / "data";
  const fs::path file_ = (fs::create_directory(data_), data_ / "points.npy");
};

}  // namespace echoloop::testing::import_window
