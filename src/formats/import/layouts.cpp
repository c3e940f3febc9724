// BRAIN (University of Bristol): a struct exp_data with time_data (time x A-scan), tx and rx (element of each A-scan,
// from 1), time (s), array.el_xc and el_zc (m), array.centre_freq, material.vel_spherical_harmonic_coeffs (older files:
// ph_velocity). Every transmit fires one element, time counts from its firing.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "formats/import/described.h"
#include "formats/import/import.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

constexpr const char* kExpData =
    "exp_data with time_data, tx, rx, time, array and material.vel_spherical_harmonic_coeffs or ph_velocity";

bool is_speed(double c_m_s) { return c_m_s >= 300.0 && c_m_s <= 20'000.0; }

struct MaterialSpeed {
  double c_m_s = 0.0;     // 0: not in the file
  std::string note = {};  // of one that depends on direction
};

// The coefficient of degree 0 is the mean of a velocity that depends on direction: the middle of the first row.
MaterialSpeed brain_speed(const ArrayTree& tree) {
  if (const auto entry = tree.find("exp_data.material.vel_spherical_harmonic_coeffs")) {
    const std::vector<std::size_t>& shape = tree.entries()[*entry].shape;
    const std::vector<double> all = tree.numbers(*entry, 1 << 16);
    const std::size_t columns = shape.empty() ? 1 : std::max<std::size_t>(shape.back(), 1);
    const double mean = all.size() == 1 ? all[0] : all.at((columns - 1) / 2);
    const std::string note =
        all.size() == 1 ? "" : words("mean velocity ", mean, " m/s of a material whose velocity depends on direction");
    if (is_speed(mean)) return {mean, note};
  }
  for (const char* const name : {"exp_data.ph_velocity", "exp_data.material_L_velocity"}) {
    const auto entry = tree.find(name);
    const double speed = entry ? tree.numbers(*entry, 16).at(0) : 0.0;
    if (is_speed(speed)) return {speed};
  }
  return {};
}

}  // namespace

std::optional<LibraryRecording> read_named_layout(const OpenRequest& request, const ArrayTree& tree) {
  const auto data = tree.find("exp_data.time_data"), tx = tree.find("exp_data.tx"), rx = tree.find("exp_data.rx"),
             x = tree.find("exp_data.array.el_xc"), time = tree.find("exp_data.time");
  if (!data || !tx || !rx || !x || !time) return std::nullopt;
  const std::string what = request.what();
  if (const auto y = tree.find("exp_data.array.el_yc")) {
    const std::vector<double> y_m = tree.numbers(*y, static_cast<std::size_t>(kMaxElements));
    const auto [low, high] = std::ranges::minmax(y_m);
    if (high - low > 1e-4) throw Error(what, "a matrix array (several values of array.el_yc)", "one row of elements");
  }
  const MaterialSpeed speed = brain_speed(tree);
  const std::size_t n_lines = tree.entries()[*tx].count(), n_samples = tree.entries()[*time].count();
  const std::vector<std::size_t>& shape = tree.entries()[*data].shape;
  const bool by_column = shape == std::vector{n_samples, n_lines}, by_row = shape == std::vector{n_lines, n_samples};
  if (speed.c_m_s == 0.0 || tree.entries()[*rx].count() != n_lines || (!by_column && !by_row) || n_samples < 2)
    throw Error(what,
                speed.c_m_s == 0.0 ? "exp_data without a velocity"
                                   : "exp_data with time_data of shape " + shape_text(shape) + ", " +
                                         std::to_string(n_lines) + " tx and " + std::to_string(n_samples) + " times",
                kExpData);
  const auto center = tree.find("exp_data.array.centre_freq");
  const std::vector<double> times_s = tree.numbers(*time, static_cast<std::size_t>(kMaxSamples));
  Json meta = {{"data", tree.entries()[*data].path},
               {"axes", by_column ? Json{"time", "trace"} : Json{"trace", "time"}},
               {"time_s", times_s},
               {"c_m_s", speed.c_m_s},
               {"fc_hz", center ? tree.numbers(*center, 16).at(0)
                                : 0.25 * static_cast<double>(n_samples - 1) / (times_s.back() - times_s[0])},
               {"element_x_m", tree.entries()[*x].path},
               {"tx_of_trace", tree.entries()[*tx].path},
               {"rx_of_trace", tree.entries()[*rx].path},
               {"t_zero", "first_firing"}};
  if (const auto z = tree.find("exp_data.array.el_zc")) meta["element_z_m"] = tree.entries()[*z].path;
  LibraryRecording recording = described_tree(request, what, meta, tree, tree.container() + " (BRAIN exp_data)");
  Acquisition a = *recording.acquisition;
  if (!center) a.assumptions.emplace_back("centre frequency fs / 4 assumed: no array.centre_freq", "center_hz");
  if (!speed.note.empty()) a.assumptions.emplace_back(speed.note);
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  recording.named.why_not = "A-scans are put in order by tx and rx";
  return recording;
}

}  // namespace echoloop
