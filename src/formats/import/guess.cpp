#include "formats/import/guess.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/error.h"
#include "formats/import/guess_axes.h"
#include "formats/import/guess_samples.h"
#include "formats/import/guess_units.h"
#include "formats/import/spellings.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostValues = 65'536;  // of a fact

bool is_list(const std::vector<std::size_t>& shape) {
  return std::ranges::count_if(shape, [](std::size_t n) { return n > 1; }) == 1;
}

class Guesser {
 public:
  explicit Guesser(const ArrayTree& tree) : tree_(tree), entries_(tree.entries()) {}

  GuessedDescription run() {
    choose_samples();
    if (!out_.has_samples) return std::move(out_);
    collect();
    refuse();
    if (!out_.refusal.empty()) return std::move(out_);
    axes();
    sampling();
    elements();
    transmits();
    if (!axes_.open.empty() && !transmits_known_)
      miss("tx", "transmits (angles, sources, delays or single elements; " + axes_.open + ")");
    order_missing();
    return std::move(out_);
  }

 private:
  void say(const std::string& key, Json value, std::string reason, bool assumed = false, std::string fact = {}) {
    out_.meta[key] = std::move(value);
    out_.guesses.push_back({key, std::move(reason), assumed, std::move(fact)});
  }
  void miss(const char* key, std::string text) { out_.missing.push_back({key, std::move(text)}); }

  void choose_samples() {
    const auto chosen = guess_samples(tree_);
    out_.has_samples = chosen.has_value();
    if (!chosen) return;
    data_ = chosen->entry;
    say("data", entries_[data_].path, chosen->reason);
    if (!chosen->quadrature) return;
    say("imag", entries_[*chosen->quadrature].path, "quadrature part by name");
    is_iq_ = true;
  }

  // Of each fact the clearest spelling, with its numbers.
  void collect() {
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const TreeEntry& entry = entries_[k];
      if (k == data_ || !entry.numeric || entry.complex || entry.count() > kMostValues) continue;
      const auto named = named_fact(entry.path);
      if (!named || named->fact == Fact::samples) continue;
      const std::string name = plain_name(entry.path), data = plain_name(entries_[data_].path);
      if ((name == "dx" || name == "dy") && data != "sensordata" && data != "p") continue;  // of pixels
      all_[named->fact].push_back({.entry = k, .named = *named, .values = {}});
    }
    for (auto& [fact, list] : all_) {
      std::ranges::stable_sort(list, {}, [](const FactNumbers& c) { return c.named.rank; });
      std::erase_if(list, [&](FactNumbers& candidate) {
        try {
          candidate.values = tree_.numbers(candidate.entry, kMostValues);
        } catch (const Error&) {
          return true;
        }
        return false;
      });
    }
  }

  // The first of a fact that `fits`; null: none.
  template <class Fits>
  const FactNumbers* first(Fact fact, Fits&& fits) const {
    const auto found = all_.find(fact);
    if (found == all_.end()) return nullptr;
    for (const FactNumbers& candidate : found->second) {
      if (fits(candidate)) return &candidate;
    }
    return nullptr;
  }
  const FactNumbers* scalar(Fact fact) const {
    return first(fact, [](const FactNumbers& c) {
      return std::isfinite(c.values[0]) && std::ranges::all_of(c.values, [&](double v) { return v == c.values[0]; });
    });
  }

  [[nodiscard]] const std::string& path(const FactNumbers& c) const { return entries_[c.entry].path; }
  [[nodiscard]] const std::vector<std::size_t>& shape(const FactNumbers& c) const { return entries_[c.entry].shape; }

  // The name with the factor that makes SI of it.
  [[nodiscard]] std::string named(const FactNumbers& c, double factor) const {
    return factor == 1.0 ? path(c) : words(path(c), " * ", exact_number(factor));
  }

  void refuse() {
    for (const TreeEntry& entry : entries_) {
      const std::string name = plain_name(entry.path);
      if (name.find("photoacoustic") != std::string::npos || name.find("laserenergy") != std::string::npos) {
        out_.refusal = "photoacoustic data (" + entry.path + "): one-way travel times, which are not imaged";
        return;
      }
    }
    for (const FactNumbers& c : all_[Fact::positions]) {
      const auto dims = long_axes(shape(c));
      if (dims.size() != 2 || std::min(dims[0], dims[1]) != 3) continue;
      const bool rows = shape(c).back() == 3;
      const std::size_t n = c.values.size() / 3;
      double least = HUGE_VAL, most = -HUGE_VAL, span = 0.0;
      for (std::size_t e = 0; e < n; ++e) {
        const double y = c.values[rows ? 3 * e + 1 : n + e];
        least = std::min(least, y), most = std::max(most, y);
        span = std::max(span, std::abs(c.values[rows ? 3 * e : e]));
      }
      if (most - least > 0.05 * span && span > 0.0) {
        out_.refusal = "a matrix probe (" + path(c) + " with several rows of elements): volumes are not imaged";
        return;
      }
    }
    if (names_picture(plain_name(entries_[data_].path))) {
      out_.refusal = entries_[data_].path +
                     ", by its name beamformed already, which is not beamformed again without a "
                     "description: \"axes\" with \"line\" (beamformed) or \"element\" (channels)";
    }
  }

  [[nodiscard]] bool is_axis(std::size_t n) const {
    return n > 1 && std::ranges::find(entries_[data_].shape, n) != entries_[data_].shape.end();
  }

  void axes() {
    const FactNumbers* const times = first(Fact::times, [&](const FactNumbers& c) {
      return is_list(shape(c)) && is_axis(c.values.size()) && c.values.back() > c.values.front();
    });
    times_ = times;
    positions_ = first(Fact::positions, [&](const FactNumbers& c) {
      const auto dims = long_axes(shape(c));
      if (dims.size() == 1) return is_axis(dims[0]);
      return dims.size() == 2 && std::min(dims[0], dims[1]) <= 5 && is_axis(std::max(dims[0], dims[1]));
    });
    if (times != nullptr) hints_.n_times = times->values.size();
    if (positions_ != nullptr) hints_.n_elements = std::ranges::max(long_axes(shape(*positions_)));
    const FactNumbers* const n = scalar(Fact::elements);
    if (hints_.n_elements == 0 && n != nullptr && n->values[0] > 1.0 && n->values[0] < 1e5 &&
        is_axis(static_cast<std::size_t>(n->values[0])))
      hints_.n_elements = static_cast<std::size_t>(n->values[0]);
    find_transmits();
    hints_.first_fastest = tree_.container().starts_with("MATLAB");
    hints_.complex = is_iq_ || tree_.is_complex(data_);
    hints_.named_iq = plain_name(entries_[data_].path).starts_with("iq") || scalar(Fact::demodulation) != nullptr;
    auto guessed = guess_axes(entries_[data_].shape, hints_);
    if (!guessed && hints_.n_transmits > 1) {  // as many angles as no axis has
      hints_.n_transmits = 0;
      guessed = guess_axes(entries_[data_].shape, hints_);
    }
    if (!guessed) {
      miss("axes", "axes of " + entries_[data_].path + " " + shape_text(entries_[data_].shape));
      return;
    }
    axes_ = *guessed;
    find_lines();
    std::string text;
    for (std::size_t a = 0; a < axes_.axes.size(); ++a) {
      text += (a == 0 ? "" : ", ") + axes_.axes[a] + " " + std::to_string(entries_[data_].shape[a]);
      if (axes_.axes[a] == "element" || axes_.axes[a] == "line") n_elements_ = entries_[data_].shape[a];
      if (axes_.axes[a] == "transmit") n_transmits_ = entries_[data_].shape[a];
      if (axes_.axes[a] == "iq" && entries_[data_].shape[a] == 2) is_iq_ = true;
    }
    is_iq_ = is_iq_ || hints_.complex;
    say("axes", axes_.axes, "lengths: " + text + (is_lines_ ? "; beamformed, by a first time of each line" : ""));
  }

  // As many times of the first sample as elements, and one transmit: lines of Field II, each with its tstart.
  void find_lines() {
    const auto element = std::ranges::find(axes_.axes, "element");
    if (element == axes_.axes.end() || positions_ != nullptr || hints_.n_transmits > 0) return;
    const auto& lengths = entries_[data_].shape;
    const std::size_t n = lengths[static_cast<std::size_t>(element - axes_.axes.begin())];
    for (std::size_t a = 0; a < axes_.axes.size(); ++a)
      if (axes_.axes[a] == "transmit" && lengths[a] > 1) return;
    is_lines_ =
        n > 1 && first(Fact::first_sample, [&](const FactNumbers& c) { return c.values.size() == n; }) != nullptr;
    if (is_lines_) *element = "line";
  }

  // What has one value, or one row, a transmit.
  void find_transmits() {
    const auto& data = entries_[data_].shape;
    const auto rows_fit = [&](const FactNumbers& c) {
      const auto dims = long_axes(shape(c));
      return dims.size() == 2 && std::min(dims[0], dims[1]) <= 3 && is_axis(std::max(dims[0], dims[1]));
    };
    delays_ = first(Fact::delays, [&](const FactNumbers& c) {
      const auto dims = long_axes(shape(c));
      return (dims.size() == 1 && is_axis(dims[0])) || (dims.size() == 2 && is_axis(dims[0]) && is_axis(dims[1]));
    });
    sources_ = first(Fact::sources, rows_fit);
    foci_ = first(Fact::foci, rows_fit);
    angles_ = first(Fact::angles, [&](const FactNumbers& c) {
      return c.values.size() == 1 || (is_list(shape(c)) && is_axis(c.values.size()));
    });
    static_cast<void>(data);
    if (sources_ != nullptr) {
      hints_.n_transmits = std::ranges::max(long_axes(shape(*sources_)));
    } else if (foci_ != nullptr) {
      hints_.n_transmits = std::ranges::max(long_axes(shape(*foci_)));
    } else if (delays_ != nullptr) {
      const auto dims = long_axes(shape(*delays_));
      if (hints_.n_elements == 0) hints_.n_elements = std::ranges::max(dims);
      hints_.n_transmits = dims.size() == 1 ? 1 : dims[0] == hints_.n_elements ? dims[1] : dims[0];
    } else if (angles_ != nullptr) {
      hints_.n_transmits = angles_->values.size();
    }
  }

  void sampling() {
    double fs_hz = 0.0;
    if (const FactNumbers* const fs = scalar(Fact::sampling); fs != nullptr && fs->values[0] > 0.0) {
      const double factor = hertz(*fs);
      fs_hz = fs->values[0] * factor;
      say("fs_hz", named(*fs, factor),
          words(path(*fs), ", ", fs_hz * 1e-6, " MHz",
                factor == 1.0 ? "" : unit_note(factor, factor > 1e5 ? "MHz" : "kHz")));
    } else if (times_ != nullptr) {
      const double step =
          (times_->values.back() - times_->values.front()) / static_cast<double>(times_->values.size() - 1);
      const double factor = times_factor();
      fs_hz = 1.0 / (step * factor);
      say("time_s", named(*times_, factor),
          words(path(*times_), ", ", fs_hz * 1e-6, " MHz", unit_note(factor, "microseconds")));
    } else if (const FactNumbers* const dt = scalar(Fact::sample_step); dt != nullptr && dt->values[0] > 0.0) {
      const double factor = seconds(*dt, 1e-4);
      fs_hz = 1.0 / (dt->values[0] * factor);
      say("fs_hz", words(1.0 / factor, " / ", path(*dt)), words(path(*dt), ", ", fs_hz * 1e-6, " MHz"));
    } else {
      miss("fs_hz", "sampling frequency");
    }
    if (const FactNumbers* const fc = scalar(Fact::center); fc != nullptr && fc->values[0] > 0.0) {
      const double factor = hertz(*fc);
      center_hz_ = fc->values[0] * factor;
      say("fc_hz", named(*fc, factor),
          words(path(*fc), ", ", center_hz_ * 1e-6, " MHz",
                factor == 1.0 ? "" : unit_note(factor, factor > 1e5 ? "MHz" : "kHz")),
          false, "center_hz");
    } else if (fs_hz > 0.0 && !is_iq_) {
      out_.meta["fc_hz"] = 0.25 * fs_hz;
      out_.measure_center = true;
    } else if (fs_hz > 0.0) {
      miss("fc_hz", "centre frequency");
    }
    speed();
    if (is_iq_) demodulation();
    band_and_rate();
    first_sample();
  }

  void speed() {
    const FactNumbers* const c = scalar(Fact::speed);
    const double value = c == nullptr ? 0.0 : c->values[0];
    if (value >= 300.0 && value <= 12'000.0) {
      say("c_m_s", path(*c), words(path(*c), ", ", value, " m/s"));
    } else if (value >= 0.3 && value <= 12.0) {
      say("c_m_s", named(*c, 1e3), words(path(*c), ", ", value * 1e3, " m/s, read as mm/us"));
    } else {
      say("c_m_s", 1540, "1540 m/s, not in the file", true);
    }
  }

  void demodulation() {
    if (const FactNumbers* const f = scalar(Fact::demodulation); f != nullptr && f->values[0] > 0.0) {
      say("demod_hz", named(*f, hertz(*f)), words(path(*f), ", ", f->values[0] * hertz(*f) * 1e-6, " MHz"));
    } else if (center_hz_ > 0.0) {
      say("demod_hz", center_hz_, "IQ demodulated at the centre frequency", true);
    }
  }

  void band_and_rate() {
    if (const FactNumbers* const bw = scalar(Fact::bandwidth);
        bw != nullptr && bw->values[0] > 0.0 && center_hz_ > 0.0) {
      const double value = bw->values[0], factor = value <= 2.0 ? center_hz_ : value <= 200.0 ? 0.01 * center_hz_ : 1.0;
      say("bandwidth_hz", named(*bw, factor), words(path(*bw), ", ", value * factor * 1e-6, " MHz"));
    }
    if (const FactNumbers* const rate = scalar(Fact::frame_rate); rate != nullptr && rate->values[0] > 0.0) {
      say("frame_rate_hz", path(*rate), words(path(*rate), ", ", rate->values[0], " Hz"), false, "frame_rate_hz");
    } else if (const FactNumbers* const prf = scalar(Fact::transmit_rate); prf != nullptr && prf->values[0] > 0.0) {
      say("prf_hz", path(*prf), words(path(*prf), ", ", prf->values[0], " Hz, taken as transmits a second"), false,
          "frame_rate_hz");
    }
  }

  [[nodiscard]] double times_factor() const {
    const auto n = static_cast<double>(times_->values.size());
    const double step = (times_->values.back() - times_->values.front()) / (n - 1.0);
    return times_->named.unit != NamedUnit::none ? seconds(*times_, 1.0) : step < 1e-4 ? 1.0 : 1e-6;
  }

  void first_sample() {
    const FactNumbers* const t0 = first(Fact::first_sample, [&](const FactNumbers& c) {
      return c.values.size() == 1 ||
             c.values.size() == (is_lines_ ? n_elements_ : std::max<std::size_t>(n_transmits_, 1));
    });
    const bool by_times = out_.meta.contains("time_s");
    // The beamformer that these names belong to subtracts t0 from the samples' times.
    const bool subtracted = tree_.find("ActElePosX").has_value() && tree_.find("tx_angle").has_value();
    if (t0 != nullptr && !by_times) {
      const double factor = seconds(*t0, 1e-2) * (subtracted ? -1.0 : 1.0);
      say("t0_s", named(*t0, factor),
          words(path(*t0), ", ", t0->values[0] * factor * 1e6, " us",
                subtracted ? ", subtracted from the samples' times as beside ActElePosX" : ""),
          false, "first_sample_s");
    } else if (!by_times && times_ != nullptr) {
      const double t0_s = times_->values[0] * times_factor();
      say("t0_s", t0_s, words("the first of ", path(*times_), ", ", t0_s * 1e6, " us"), false, "first_sample_s");
    } else if (!by_times) {
      const auto other = all_.find(Fact::first_sample);
      const bool unused = other != all_.end() && !other->second.empty();
      say("t0_s", 0,
          unused ? words("first sample at time 0: ", path(other->second[0]), " has ", other->second[0].values.size(),
                         " values, the samples ", n_transmits_, " transmits")
                 : "first sample at time 0, not in the file",
          true, "first_sample_s");
    }
    // tstart: what calc_scat and its kin of Field II return, whose delays are 0 at the centre of the aperture.
    if (is_lines_) return;
    if (t0 != nullptr && !by_times && plain_name(path(*t0)) == "tstart") {
      say("t_zero", "origin", "time counted from the passage of the wave through the centre, as tstart of Field II",
          true);
    } else {
      say("t_zero", "first_firing", "time counted from the first firing, not in the file", true);
    }
  }

  void elements() {
    if (positions_ != nullptr) {
      const double factor = metres(*positions_, 0.5);
      const bool list = is_list(shape(*positions_));
      say(list ? "element_x_m" : "element_pos_m", named(*positions_, factor),
          words(path(*positions_), ", ", hints_.n_elements, " values",
                unit_note(factor, factor > 1e-4 ? "millimetres" : "micrometres")));
      const FactNumbers* const z =
          first(Fact::positions_z, [&](const FactNumbers& c) { return c.values.size() == n_elements_; });
      if (list && z != nullptr)
        say("element_z_m", named(*z, factor),
            path(*z) + unit_note(factor, factor > 1e-4 ? "millimetres" : "micrometres"));
    } else if (const FactNumbers* const pitch = scalar(Fact::pitch); pitch != nullptr && pitch->values[0] > 0.0) {
      const double factor = metres(*pitch, 0.02);
      say("pitch_m", named(*pitch, factor),
          words(path(*pitch), ", ", pitch->values[0] * factor * 1e3, " mm",
                unit_note(factor, factor > 1e-4 ? "millimetres" : "micrometres")));
      if (const FactNumbers* const radius = scalar(Fact::radius);
          radius != nullptr && std::isfinite(radius->values[0]) && radius->values[0] > 0.0) {
        const double of_radius = metres(*radius, 1.0);
        say("radius_m", named(*radius, of_radius),
            words(path(*radius), ", ", radius->values[0] * of_radius * 1e3, " mm"));
      }
    } else {
      miss("pitch_m", is_lines_ ? "distance of the lines" : "element positions or pitch");
    }
  }

  void transmits() {
    if (n_elements_ == 0) return;
    transmits_known_ = true;
    if (is_lines_) return;
    const std::size_t n = std::max<std::size_t>(n_transmits_, 1);
    if (sources_ != nullptr || foci_ != nullptr) {
      points(sources_ != nullptr ? *sources_ : *foci_);
    } else if (delays_ != nullptr) {
      const double factor = seconds(*delays_, 1e-3);
      say("tx_delays_s", named(*delays_, factor),
          words(path(*delays_), ", ", n, " laws", unit_note(factor, "microseconds")));
    } else if (angles_ != nullptr && angles_->values.size() == n) {
      const bool degrees =
          angles_->named.unit == NamedUnit::degree ||
          (angles_->named.unit == NamedUnit::none && largest(angles_->values) > 0.5 * std::numbers::pi);
      const double factor = degrees ? std::numbers::pi / 180.0 : 1.0;
      const auto [least, most] = std::ranges::minmax(angles_->values);
      say("tx_angles_rad", named(*angles_, factor),
          words(path(*angles_), ", plane waves of ", least * factor * 180.0 / std::numbers::pi, " to ",
                most * factor * 180.0 / std::numbers::pi, " degrees",
                degrees ? ", read as degrees" : ", read as radians"));
    } else if (n > 1 && n == n_elements_) {
      say("tx_elements", "all", "as many transmits as elements: single elements, one after another", true);
    } else if (n == 1 && axes_.open.empty() && !all_[Fact::angles].empty() && angles_ == nullptr) {
      const FactNumbers& other = all_[Fact::angles][0];
      miss("tx", words("transmits (", path(other), " has ", other.values.size(), " values, the samples one transmit)"));
    } else if (n == 1 && axes_.open.empty()) {
      say("tx_angles_rad", Json::array({0.0}), "one transmit: a plane wave at 0 degrees", true);
    } else {
      transmits_known_ = false;
      if (axes_.open.empty()) miss("tx", "transmits (angles, sources, delays or single elements)");
    }
  }

  // Virtual sources or foci: behind the array or in front of it.
  void points(const FactNumbers& c) {
    const std::size_t n = std::max<std::size_t>(n_transmits_, 1);
    const std::vector<std::size_t> dims = long_axes(shape(c));
    const bool rows = dims[0] == n;  // one a transmit
    const std::size_t n_axes = c.values.size() / n;
    double deepest = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double z = rows ? c.values[k * n_axes + n_axes - 1] : c.values[(n_axes - 1) * n + k];
      if (std::abs(z) > std::abs(deepest)) deepest = z;
    }
    const double factor = metres(c, 0.5);
    say(deepest > 0.0 ? "tx_foci_m" : "virtual_source_m", named(c, factor),
        words(path(c), ", ", n, " ", deepest > 0.0 ? "foci" : "virtual sources",
              unit_note(factor, factor > 1e-4 ? "millimetres" : "micrometres")));
  }

  void order_missing() {
    constexpr const char* kOrder[] = {"axes", "tx", "fs_hz", "pitch_m", "fc_hz"};
    std::ranges::stable_sort(out_.missing, {}, [&](const Missing& m) {
      return std::ranges::find_if(kOrder, [&](const char* key) { return m.key == key; }) - std::begin(kOrder);
    });
  }

  const ArrayTree& tree_;
  const std::vector<TreeEntry>& entries_;
  GuessedDescription out_;
  std::size_t data_ = 0;
  std::map<Fact, std::vector<FactNumbers>> all_;
  const FactNumbers *times_ = nullptr, *positions_ = nullptr, *delays_ = nullptr, *sources_ = nullptr, *foci_ = nullptr,
                    *angles_ = nullptr;
  AxisHints hints_;
  AxesGuess axes_;
  std::size_t n_elements_ = 0, n_transmits_ = 0;
  bool is_iq_ = false, is_lines_ = false, transmits_known_ = false;
  double center_hz_ = 0.0;
};

}  // namespace

GuessedDescription guess_description(const ArrayTree& tree) { return Guesser(tree).run(); }

}  // namespace echoloop
