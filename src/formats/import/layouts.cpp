// BRAIN (University of Bristol): a struct exp_data with time_data (time x A-scan), tx and rx (element of each A-scan,
// from 1), time (s), array.el_xc and el_zc (m), array.centre_freq, ph_velocity. Every transmit fires one element, time
// counts from its firing.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "formats/import/described.h"
#include "formats/import/import.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostBrainSamples = std::size_t{1} << 28;
constexpr const char* kExpData = "exp_data with time_data, tx, rx, time, array and ph_velocity";

std::size_t element_at(const std::string& what, double number, std::size_t n_elements) {
  if (!(number >= 1.0 && number <= static_cast<double>(n_elements) && number == std::floor(number)))
    throw Error(what, "element " + std::to_string(number) + " in tx or rx", "1 to " + std::to_string(n_elements));
  return static_cast<std::size_t>(number) - 1;
}

}  // namespace

std::optional<LibraryRecording> read_named_layout(const OpenRequest& request, const ArrayTree& tree) {
  const auto data = tree.find("exp_data.time_data"), tx = tree.find("exp_data.tx"), rx = tree.find("exp_data.rx"),
             x = tree.find("exp_data.array.el_xc"), time = tree.find("exp_data.time");
  if (!data || !tx || !rx || !x || !time) return std::nullopt;
  const std::string what = request.what();
  const std::vector<double> sent = tree.numbers(*tx, 1 << 24), received = tree.numbers(*rx, 1 << 24);
  const std::vector<double> x_m = tree.numbers(*x, static_cast<std::size_t>(kMaxElements));
  const std::vector<double> times_s = tree.numbers(*time, static_cast<std::size_t>(kMaxSamples));
  const auto value = [&](const char* name) -> std::optional<double> {
    const auto entry = tree.find(name);
    return entry ? std::optional(tree.numbers(*entry, 16).at(0)) : std::nullopt;
  };
  const auto speed = value("exp_data.ph_velocity"), center = value("exp_data.array.centre_freq");
  const auto y = tree.find("exp_data.array.el_yc");
  if (y) {
    const std::vector<double> y_m = tree.numbers(*y, static_cast<std::size_t>(kMaxElements));
    const auto [low, high] = std::ranges::minmax(y_m);
    if (high - low > 1e-4) throw Error(what, "a matrix array (several values of array.el_yc)", "one row of elements");
  }
  const std::size_t n_lines = sent.size(), n_samples = times_s.size(), n = x_m.size();
  const std::vector<std::size_t>& shape = tree.entries()[*data].shape;
  if (!speed || received.size() != n_lines || shape != std::vector<std::size_t>{n_samples, n_lines} || n_samples < 2)
    throw Error(what,
                "exp_data with time_data of shape " + shape_text(shape) + ", " + std::to_string(n_lines) + " tx and " +
                    std::to_string(n_samples) + " times",
                kExpData);
  std::vector<std::size_t> transmits;  // elements that fire, in their order
  for (const double number : sent) transmits.push_back(element_at(what, number, n));
  std::ranges::sort(transmits);
  transmits.erase(std::unique(transmits.begin(), transmits.end()), transmits.end());
  const auto bytes = checked_bytes(std::vector{transmits.size(), n, n_samples}, sizeof(float));
  if (!bytes || *bytes > std::size_t{4} << 30) throw Error(what, "too many A-scans", "up to 4 GiB");
  const std::vector<double> samples = tree.numbers(*data, kMostBrainSamples);
  std::vector<float> ordered_samples(transmits.size() * n * n_samples, 0.0F);
  std::vector<bool> filled(transmits.size() * n, false);
  const auto place = [&](std::size_t t, std::size_t e, std::size_t line) {
    const auto row = static_cast<std::size_t>(std::ranges::lower_bound(transmits, t) - transmits.begin());
    if (row == transmits.size() || transmits[row] != t || filled[row * n + e]) return false;
    filled[row * n + e] = true;
    float* const to = ordered_samples.data() + (row * n + e) * n_samples;
    for (std::size_t i = 0; i < n_samples; ++i) to[i] = static_cast<float>(samples[i * n_lines + line]);
    return true;
  };
  for (std::size_t line = 0; line < n_lines; ++line)
    place(element_at(what, sent[line], n), element_at(what, received[line], n), line);
  std::size_t n_mirrored = 0, n_missing = 0;
  for (std::size_t line = 0; line < n_lines; ++line)
    n_mirrored += place(element_at(what, received[line], n), element_at(what, sent[line], n), line) ? 1 : 0;
  n_missing = static_cast<std::size_t>(std::ranges::count(filled, false));
  const auto ordered =
      view_tree(tree.container(), array_of(std::move(ordered_samples), {transmits.size(), n, n_samples}), "time_data");
  Json fired = Json::array();
  for (const std::size_t t : transmits) fired.push_back(t + 1);
  Json meta = {{"axes", {"transmit", "element", "time"}},
               {"time_s", times_s},
               {"c_m_s", *speed},
               {"fc_hz", center.value_or(0.25 * static_cast<double>(n_samples - 1) / (times_s.back() - times_s[0]))},
               {"element_x_m", x_m},
               {"tx_elements", fired},
               {"t_zero", "first_firing"}};
  if (const auto z = tree.find("exp_data.array.el_zc"))
    meta["element_z_m"] = tree.numbers(*z, static_cast<std::size_t>(kMaxElements));
  LibraryRecording recording = described_tree(request, what, meta, *ordered, tree.container() + " (BRAIN exp_data)");
  Acquisition a = *recording.acquisition;
  if (!center) a.assumptions.emplace_back("centre frequency fs / 4 assumed: no array.centre_freq", "center_hz");
  if (n_mirrored > 0)
    a.assumptions.push_back("half matrix: " + std::to_string(n_mirrored) +
                            " A-scans are taken from the opposite direction (reciprocity)");
  if (n_missing > 0) a.assumptions.push_back(std::to_string(n_missing) + " A-scans are not in the file: zeros");
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  recording.named.why_not = "A-scans are put in order by tx and rx";
  return recording;
}

}  // namespace echoloop
