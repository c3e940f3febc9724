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
constexpr double kWidestAngle = 0.8;         // of plane waves, rad; larger ones may be degrees

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
    out_.refusal = why_not_imaged(tree_, data_, all_[Fact::positions]);
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
    shape_ = entries_[data_].shape;
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

  [[nodiscard]] bool is_axis(std::size_t n) const { return n > 1 && std::ranges::find(shape_, n) != shape_.end(); }

  void axes() {
    hints_.first_fastest = tree_.container().starts_with("MATLAB");
    split();
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
    hints_.complex = is_iq_ || tree_.is_complex(data_);
    hints_.named_iq = plain_name(entries_[data_].path).starts_with("iq") || scalar(Fact::demodulation) != nullptr;
    auto guessed = guess_axes(shape_, hints_);
    if (!guessed && hints_.n_transmits > 1) {  // as many angles as no axis has
      hints_.n_transmits = 0;
      guessed = guess_axes(shape_, hints_);
    }
    if (!guessed) {
      miss("axes", "axes of " + entries_[data_].path + " " + shape_text(shape_));
      return;
    }
    axes_ = *guessed;
    if (!axes_.undecided.empty())
      miss("axes", "axes of " + entries_[data_].path + " " + shape_text(shape_) + " (" + axes_.undecided + ")");
    find_lines();
    std::string text;
    for (std::size_t a = 0; a < axes_.axes.size(); ++a) {
      text += (a == 0 ? "" : ", ") + axes_.axes[a] + " " + std::to_string(shape_[a]);
      if (axes_.axes[a] == "element" || axes_.axes[a] == "line") n_elements_ = shape_[a];
      if (axes_.axes[a] == "transmit") n_transmits_ = shape_[a];
      if (axes_.axes[a] == "iq" && shape_[a] == 2) is_iq_ = true;
    }
    is_iq_ = is_iq_ || hints_.complex;
    say("axes", axes_.axes, "lengths: " + text + (is_lines_ ? "; beamformed, by a first time of each line" : ""));
  }

  // As many times of the first sample as elements, and one transmit: lines of Field II, each with its tstart.
  void find_lines() {
    const auto element = std::ranges::find(axes_.axes, "element");
    if (element == axes_.axes.end() || positions_ != nullptr || hints_.n_transmits > 0) return;
    const auto& lengths = shape_;
    const std::size_t n = lengths[static_cast<std::size_t>(element - axes_.axes.begin())];
    for (std::size_t a = 0; a < axes_.axes.size(); ++a)
      if (axes_.axes[a] == "transmit" && lengths[a] > 1) return;
    is_lines_ =
        n > 1 && first(Fact::first_sample, [&](const FactNumbers& c) { return c.values.size() == n; }) != nullptr;
    if (is_lines_) *element = "line";
  }

  // Rows or values of a fact that has one a transmit.
  [[nodiscard]] std::size_t rows_of(const FactNumbers& c) const {
    const auto dims = long_axes(shape(c));
    if (c.named.fact == Fact::delays) {
      if (dims.size() < 2) return 1;
      return dims[0] == hints_.n_elements || dims[0] == n_elements_ ? dims[1] : dims[0];
    }
    const bool angles = c.named.fact == Fact::angles;
    if (!angles && dims.size() == 1 && dims[0] <= 3 && !is_axis(dims[0])) return 1;  // one point
    return dims.empty() ? 1 : std::ranges::max(dims);
  }

  // A list of what was sent that was not used for the samples' transmits.
  [[nodiscard]] const FactNumbers* lost_list() const {
    for (const Fact fact : {Fact::angles, Fact::sources, Fact::foci, Fact::delays}) {
      if (const FactNumbers* const list = first(fact, [&](const FactNumbers& c) { return rows_of(c) > 1; }))
        return list;
    }
    return nullptr;
  }

  // A full matrix as columns of one matrix, in the order of `tx` and `rx`. True: it is one.
  bool split_full_matrix() {
    const std::vector<double> tx = column_numbers(tree_, data_, "tx"), rx = column_numbers(tree_, data_, "rx");
    if (tx.empty() || rx.size() != tx.size()) return false;
    const auto n = static_cast<std::size_t>(std::clamp(std::ranges::max(tx), 1.0, 1e4));
    bool regular = n * n == tx.size();
    for (std::size_t k = 0; k < tx.size() && regular; ++k)
      regular = tx[k] == static_cast<double>(k / n + 1) && rx[k] == static_cast<double>(k % n + 1);
    const auto found = regular ? guess_split(shape_, n, n, tree_.axis_order()) : std::nullopt;
    if (!found) {
      miss("axes", words("axes of ", entries_[data_].path, " ", shape_text(shape_),
                         " (columns of pairs tx, rx in an "
                         "order that is no full matrix)"));
      return true;
    }
    say("shape", found->shape,
        words(entries_[data_].path, " ", shape_text(shape_), ": full matrix of ", n,
              " elements, columns by tx and rx"));
    shape_ = found->shape;
    return true;
  }

  // A matrix beside a list of what was sent that no axis is as long as: its waves may lie side by side.
  void split() {
    if (long_axes(shape_).size() != 2 || shape_.size() != 2 || split_full_matrix()) return;
    const FactNumbers* const list = lost_list();
    if (list == nullptr || is_axis(rows_of(*list))) return;
    const FactNumbers* const n = scalar(Fact::elements);
    const FactNumbers* const places = first(Fact::positions, [](const FactNumbers& c) { return c.values.size() > 3; });
    const std::size_t n_elements = places != nullptr ? std::ranges::max(shape(*places))
                                   : n != nullptr && n->values[0] > 1.0 && n->values[0] < 1e5
                                       ? static_cast<std::size_t>(n->values[0])
                                       : 0;
    const std::size_t n_waves = rows_of(*list);
    const auto found = guess_split(shape_, n_waves, n_elements, tree_.axis_order());
    if (!found) return;
    const std::string whole = shape_text(shape_);
    shape_ = found->shape;
    const std::string waves =
        words(n_waves, " waves of ", found->n_parts, found->of_elements ? " elements" : " samples", " side by side");
    say("shape", shape_,
        words(entries_[data_].path, " ", whole, " beside ", n_waves, " values of ", path(*list), ": ", waves));
    if (!found->certain)
      miss("axes", words("axes of ", entries_[data_].path, " ", whole, " beside ", n_waves, " values of ", path(*list),
                         ": ", waves, " (\"shape\": ", Json(shape_).dump(), ") or one wave"));
  }

  // What has one value, or one row, a transmit.
  void find_transmits() {
    const auto rows_fit = [&](const FactNumbers& c) {
      const auto dims = long_axes(shape(c));
      if (dims.size() == 1) return dims[0] <= 3 && !is_axis(dims[0]);  // one point
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
    if (const FactNumbers* const points = sources_ != nullptr ? sources_ : foci_; points != nullptr) {
      const auto dims = long_axes(shape(*points));
      hints_.n_transmits = dims.size() == 1 ? 1 : std::ranges::max(dims);
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
    const FactNumbers* t0 = first(Fact::first_sample, [&](const FactNumbers& c) {
      return c.values.size() == 1 ||
             c.values.size() == (is_lines_ ? n_elements_ : std::max<std::size_t>(n_transmits_, 1));
    });
    const bool same = t0 == nullptr && (t0 = scalar(Fact::first_sample)) != nullptr;
    const bool by_times = out_.meta.contains("time_s");
    // The beamformer that these names belong to subtracts t0 from the samples' times.
    const bool subtracted = tree_.find("ActElePosX").has_value() && tree_.find("tx_angle").has_value();
    if (t0 != nullptr && !by_times) {
      const double factor = seconds(*t0, 1e-2) * (subtracted ? -1.0 : 1.0);
      say("t0_s", same ? Json(t0->values[0] * factor) : Json(named(*t0, factor)),
          words(path(*t0), ", ", t0->values[0] * factor * 1e6, " us",
                subtracted ? ", subtracted from the samples' times as beside ActElePosX" : ""),
          false, "first_sample_s");
    } else if (!by_times && times_ != nullptr) {
      const double t0_s = times_->values[0] * times_factor();
      say("t0_s", t0_s, words("the first of ", path(*times_), ", ", t0_s * 1e6, " us"), false, "first_sample_s");
    } else if (!by_times) {
      say("t0_s", 0, "first sample at time 0, not in the file", true, "first_sample_s");
      if (const FactNumbers* const other = first(Fact::first_sample, [](const FactNumbers&) { return true; }))
        miss("t0_s", words("time of the first sample (", path(*other), " has ", other->values.size(),
                           " values, the samples ", std::max<std::size_t>(n_transmits_, 1), " transmits)"));
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
    } else if (const FactNumbers* const focus = focal_depth();
               focus != nullptr && (n == 1 || (angles_ != nullptr && angles_->values.size() == n))) {
      miss("tx",
           words("transmits (", path(*focus), " = ", focus->values[0], ": focused at that depth, or plane waves)"));
    } else if (angles_ != nullptr && angles_->values.size() == n) {
      const double factor = radians(*angles_);
      const bool degrees = factor != 1.0;
      if (angles_->named.unit == NamedUnit::none && !degrees && largest(angles_->values) > kWidestAngle)
        miss("tx", words("unit of ", path(*angles_), " (up to ", largest(angles_->values), ": degrees or radians)"));
      const auto [least, most] = std::ranges::minmax(angles_->values);
      say("tx_angles_rad", named(*angles_, factor),
          words(path(*angles_), ", plane waves of ", least * factor * 180.0 / std::numbers::pi, " to ",
                most * factor * 180.0 / std::numbers::pi, " degrees",
                degrees ? ", read as degrees" : ", read as radians"));
    } else if (const FactNumbers* const list = lost_list(); list != nullptr) {
      miss("tx",
           words("transmits (", path(*list), " has ", rows_of(*list), " values, the samples ",
                 n == 1 ? "one transmit" : words(n, " transmits"), axes_.open.empty() ? "" : "; ", axes_.open, ")"));
    } else if (n > 1 && n == n_elements_) {
      say("tx_elements", "all", "as many transmits as elements: single elements, one after another", true);
    } else if (n == 1 && axes_.open.empty()) {
      say("tx_angles_rad", Json::array({0.0}), "one transmit: a plane wave at 0 degrees", true);
    } else {
      transmits_known_ = false;
      if (axes_.open.empty()) miss("tx", "transmits (angles, sources, delays or single elements)");
    }
  }

  // One number for all transmits, neither 0 nor infinite as those of plane waves are.
  [[nodiscard]] const FactNumbers* focal_depth() const {
    const FactNumbers* const depth = scalar(Fact::foci);
    return depth != nullptr && depth->values[0] != 0.0 ? depth : nullptr;
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
    constexpr const char* kOrder[] = {"axes", "tx", "fs_hz", "pitch_m", "fc_hz", "t0_s"};
    std::ranges::stable_sort(out_.missing, {}, [&](const Missing& m) {
      return std::ranges::find_if(kOrder, [&](const char* key) { return m.key == key; }) - std::begin(kOrder);
    });
  }

  const ArrayTree& tree_;
  const std::vector<TreeEntry>& entries_;
  GuessedDescription out_;
  std::size_t data_ = 0;
  std::vector<std::size_t> shape_;  // of the samples, with axes that are split
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
