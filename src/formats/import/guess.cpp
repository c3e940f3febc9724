// A description of a file of arrays with plain names, made from the spellings of names, sizes and values.
#include <algorithm>
#include <cmath>
#include <memory>

#include "formats/import/guess_axes.h"
#include "formats/import/guess_facts.h"
#include "formats/import/guess_samples.h"
#include "formats/import/guess_time.h"
#include "formats/import/guess_transmits.h"
#include "formats/import/guess_units.h"
#include "formats/import/guessed_description.h"
#include "formats/import/spellings.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

class Guesser {
 public:
  explicit Guesser(const ArrayTree& tree) : tree_(tree), entries_(tree.entries()) {}

  GuessedDescription run() {
    choose_samples();
    if (!out_.has_samples) return std::move(out_);
    sent_ = std::make_unique<SentWaves>(*facts_);
    out_.refusal = why_not_imaged(tree_, facts_->all(Fact::positions));
    if (!out_.refusal.empty()) return std::move(out_);
    if (names_picture(plain_name(entries_[data_].path))) {
      out_.refusal = entries_[data_].path +
                     ", by its name beamformed already, which is not beamformed again without a "
                     "description: \"axes\" with \"line\" (beamformed) or \"element\" (channels)";
    }
    axes();
    sampling();
    elements();
    if (n_elements_ > 0 && !is_lines_) places();
    transmits();
    guess_first_sample({.tree = tree_,
                        .facts = *facts_,
                        .sent = *sent_,
                        .times = times_,
                        .n_times = is_lines_ ? n_elements_ : std::max<std::size_t>(n_transmits_, 1),
                        .lines = is_lines_,
                        .sampling_hz = fs_hz_,
                        .center_hz = center_hz_,
                        .reach_m = reach_m_,
                        .speed_m_s = speed_m_s_},
                       out_);
    if (!axes_.open.empty() && !transmits_known_)
      miss("tx", "transmits (angles, sources, delays or single elements; " + axes_.open + ")");
    ask_unknown_units(*facts_, out_);
    order_missing();
    return std::move(out_);
  }

 private:
  template <class... Of>
  void say(Of&&... said) {
    out_.say(std::forward<Of>(said)...);
  }
  template <class... Of>
  void assume(Of&&... said) {
    out_.assume(std::forward<Of>(said)...);
  }
  void miss(const char* key, std::string text) { out_.miss(key, std::move(text)); }
  template <class Fits>
  const FactNumbers* first(Fact fact, Fits&& fits) const {
    return facts_->first(fact, fits);
  }
  const FactNumbers* scalar(Fact fact) const { return facts_->scalar(fact); }

  void choose_samples() {
    const auto chosen = guess_samples(tree_);
    out_.has_samples = chosen.has_value();
    if (!chosen) return;
    data_ = chosen->entry;
    facts_ = std::make_unique<GuessFacts>(tree_, data_, chosen->prefix);
    shape_ = entries_[data_].shape;
    out_.named_samples = chosen->named;
    say("data", entries_[data_].path, chosen->reason);
    if (chosen->n_alike > 1)
      miss("data", words("choice among ", chosen->n_alike, " arrays named ", plain_name(entries_[data_].path), " ",
                         shape_text(shape_), " (only one is read: save them as one array)"));
    if (!chosen->quadrature) return;
    say("imag", entries_[*chosen->quadrature].path, "quadrature part by name");
    is_iq_ = true;
  }

  [[nodiscard]] bool is_picture() const { return !out_.refusal.empty(); }
  [[nodiscard]] bool is_axis(std::size_t n) const { return n > 1 && std::ranges::find(shape_, n) != shape_.end(); }

  void axes() {
    hints_.first_fastest = tree_.container().starts_with("MATLAB");
    split();
    const FactNumbers* const times = first(Fact::times, [&](const FactNumbers& c) {
      return is_list(c.shape) && is_axis(c.values.size()) && c.values.back() > c.values.front();
    });
    times_ = times;
    positions_ = first(Fact::positions, [&](const FactNumbers& c) {
      const auto dims = long_axes(c.shape);
      if (dims.size() == 1) return is_axis(dims[0]);
      return dims.size() == 2 && std::min(dims[0], dims[1]) <= 5 && is_axis(std::max(dims[0], dims[1]));
    });
    if (times != nullptr) hints_.n_times = times->values.size();
    if (positions_ != nullptr) hints_.n_elements = std::ranges::max(long_axes(positions_->shape));
    const FactNumbers* const n = scalar(Fact::elements);
    if (hints_.n_elements == 0 && n != nullptr && n->values[0] > 1.0 && n->values[0] < 1e5 &&
        is_axis(static_cast<std::size_t>(n->values[0])))
      hints_.n_elements = static_cast<std::size_t>(n->values[0]);
    sent_->choose(shape_, hints_);
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
    split_pairs();
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
    say("axes", axes_.axes,
        "lengths: " + text +
            (is_picture() ? "; beamformed, by its name"
             : is_lines_  ? "; beamformed, by a first time of each line"
                          : ""));
  }

  // Real numbers that are I and Q by their name, and have no axis of the two.
  void split_pairs() {
    const std::string& path = entries_[data_].path;
    if (!plain_name(path).starts_with("iq") || hints_.complex || std::ranges::count(axes_.axes, "iq") > 0) return;
    const auto time = std::ranges::find(axes_.axes, "time") - axes_.axes.begin();
    std::size_t& n_samples = shape_[static_cast<std::size_t>(time)];
    std::string asked = words("axes of ", path, " ", shape_text(shape_), " (by its name I and Q");
    if (n_samples % 2 == 0 && !out_.meta.contains("shape")) {
      const auto at = time + (tree_.axis_order() == MemoryOrder::fortran ? 0 : 1);
      n_samples /= 2;
      shape_.insert(shape_.begin() + at, 2);
      axes_.axes.insert(axes_.axes.begin() + at, "iq");
      say("shape", shape_, words(path, ": I and Q alternate along the samples"));
      asked += ": alternating along the samples, \"shape\": " + Json(shape_).dump() + ", or RF";
    }
    miss("axes", asked + ")");
  }

  // As many times of the first sample as elements, and one transmit: lines of Field II, each with its tstart. By its
  // name an image: lines, and frames of them.
  void find_lines() {
    const auto element = std::ranges::find(axes_.axes, "element");
    if (element == axes_.axes.end()) return;
    if (is_picture()) {
      is_lines_ = true;
      *element = "line";
      const auto transmit = std::ranges::find(axes_.axes, "transmit"), frame = std::ranges::find(axes_.axes, "frame");
      if (transmit != axes_.axes.end() && frame == axes_.axes.end()) *transmit = "frame";
      axes_.open.clear();
      return;
    }
    if (positions_ != nullptr || hints_.n_transmits > 0) return;
    const auto& lengths = shape_;
    const std::size_t n = lengths[static_cast<std::size_t>(element - axes_.axes.begin())];
    for (std::size_t a = 0; a < axes_.axes.size(); ++a)
      if (axes_.axes[a] == "transmit" && lengths[a] > 1) return;
    is_lines_ =
        n > 1 && first(Fact::first_sample, [&](const FactNumbers& c) { return c.values.size() == n; }) != nullptr;
    if (is_lines_) *element = "line";
  }

  // A full matrix as columns of one matrix, in the order of `tx` and `rx`. True: it is one.
  bool split_full_matrix() {
    const std::vector<double> tx = column_numbers(tree_, data_, "tx"), rx = column_numbers(tree_, data_, "rx");
    if (tx.empty() || rx.size() != tx.size()) return false;
    const double from = std::ranges::min(tx) == 0.0 ? 0.0 : 1.0;
    const auto n = static_cast<std::size_t>(std::clamp(std::ranges::max(tx) + 1.0 - from, 1.0, 1e4));
    bool regular = n * n == tx.size();
    for (std::size_t k = 0; k < tx.size() && regular; ++k)
      regular = tx[k] == static_cast<double>(k / n) + from && rx[k] == static_cast<double>(k % n) + from;
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
    const FactNumbers* const list = sent_->list(0);
    if (list == nullptr || is_axis(sent_->rows_of(*list, 0))) return;
    const FactNumbers* const n = scalar(Fact::elements);
    const FactNumbers* const places = first(Fact::positions, [](const FactNumbers& c) { return c.values.size() > 3; });
    const std::size_t n_elements = places != nullptr ? std::ranges::max(places->shape)
                                   : n != nullptr && n->values[0] > 1.0 && n->values[0] < 1e5
                                       ? static_cast<std::size_t>(n->values[0])
                                       : 0;
    const std::size_t n_waves = sent_->rows_of(*list, 0);
    const auto found = guess_split(shape_, n_waves, n_elements, tree_.axis_order());
    if (!found) return;
    const std::string whole = shape_text(shape_);
    shape_ = found->shape;
    const std::string waves =
        words(n_waves, " waves of ", found->n_parts, found->of_elements ? " elements" : " samples", " side by side");
    say("shape", shape_,
        words(entries_[data_].path, " ", whole, " beside ", n_waves, " values of ", list->path, ": ", waves));
    if (!found->certain)
      miss("axes", words("axes of ", entries_[data_].path, " ", whole, " beside ", n_waves, " values of ", list->path,
                         ": ", waves, " (\"shape\": ", Json(shape_).dump(), ") or one wave"));
  }

  // Of ARRUS that of the data, after decimation; of two with one name neither is more likely.
  const FactNumbers* sampling_of_data() {
    if (const FactNumbers* const of_data = first(Fact::sampling, [](const FactNumbers& c) {
          return c.values.size() == 1 && c.path.find("data_char") != std::string::npos;
        }))
      return of_data;
    const FactNumbers* const fs = scalar(Fact::sampling);
    if (fs == nullptr) return nullptr;
    const FactNumbers* const other = first(Fact::sampling, [&](const FactNumbers& c) {
      return c.values.size() == 1 && plain_name(c.path) == plain_name(fs->path) && c.values[0] != fs->values[0];
    });
    if (other != nullptr)
      miss("fs_hz", words("choice of the sampling frequency (", fs->path, " = ", fs->values[0], ", ", other->path,
                          " = ", other->values[0], ")"));
    return fs;
  }

  void sampling() {
    double fs_hz = 0.0;
    const FactNumbers* fc = scalar(Fact::center);
    if (fc == nullptr && !is_iq_) fc = scalar(Fact::demodulation);  // USTB and CUBDL: of RF as well
    const double stated_hz = fc != nullptr && fc->values[0] > 0.0 ? fc->values[0] * hertz(*fc) : 0.0;
    if (const FactNumbers* const fs = sampling_of_data(); fs != nullptr && fs->values[0] > 0.0) {
      const double factor = hertz(*fs);
      fs_hz = fs->values[0] * factor;
      say("fs_hz", named(*fs, factor),
          words(fs->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::frequency)));
    } else if (times_ != nullptr) {
      const double step =
          (times_->values.back() - times_->values.front()) / static_cast<double>(times_->values.size() - 1);
      const double factor = times_factor(*times_, stated_hz);
      fs_hz = 1.0 / (step * factor);
      say("time_s", named(*times_, factor),
          words(times_->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::duration)));
    } else if (const FactNumbers* const dt = scalar(Fact::sample_step); dt != nullptr && dt->values[0] > 0.0) {
      const double factor = step_factor(*dt, dt->values[0], stated_hz);
      fs_hz = 1.0 / (dt->values[0] * factor);
      say("fs_hz", dt->literal ? Json(fs_hz) : Json(words(1.0 / factor, " / ", dt->path)),
          words(dt->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::duration)));
    } else {
      miss("fs_hz", "sampling frequency");
    }
    if (stated_hz > 0.0) {
      const double factor = hertz(*fc);
      center_hz_ = fc->values[0] * factor;
      say("fc_hz", named(*fc, factor),
          words(fc->path, ", ", center_hz_ * 1e-6, " MHz", unit_note(factor, Quantity::frequency)), "center_hz");
    } else if (fs_hz > 0.0 && !is_iq_) {
      out_.measure_center = true;
    } else if (const FactNumbers* const f = scalar(Fact::demodulation); f != nullptr && f->values[0] > 0.0) {
      center_hz_ = f->values[0] * hertz(*f);
      assume("fc_hz", named(*f, hertz(*f)), words("IQ demodulated at the centre frequency, ", f->path), "center_hz");
    } else if (fs_hz > 0.0) {
      miss("fc_hz", "centre frequency");
    }
    fs_hz_ = fs_hz;
    speed();
    if (is_iq_) demodulation();
    band_and_rate();
  }

  void speed() {
    const FactNumbers* const c = scalar(Fact::speed);
    const FactNumbers* const map = c != nullptr ? c : first(Fact::speed, [](const FactNumbers&) { return true; });
    double value = c == nullptr ? 0.0 : c->values[0];
    if (value >= 300.0 && value <= 12'000.0) {
      say("c_m_s", named(*c, 1.0), words(c->path, ", ", value, " m/s"));
    } else if (value >= 0.3 && value <= 12.0) {
      value *= 1e3;
      say("c_m_s", named(*c, 1e3), words(c->path, ", ", value, " m/s, read as mm/us"));
    } else if (value >= 30'000.0 && value <= 1'200'000.0) {
      value *= 1e-2;
      say("c_m_s", named(*c, 1e-2), words(c->path, ", ", value, " m/s, read as cm/s"));
    } else if (map != nullptr && map->values.size() > 1 && std::ranges::min(map->values) >= 300.0) {
      std::vector<double> all = map->values;
      std::ranges::nth_element(all, all.begin() + std::ssize(all) / 2);
      value = all[all.size() / 2];
      assume(
          "c_m_s", value,
          words("median of ", map->path, ", which has ", std::ranges::min(all), " to ", std::ranges::max(all), " m/s"));
    } else {
      const std::string why =
          c == nullptr ? "not in the file" : words("as ", c->path, " = ", value, " is no speed of sound");
      value = 1540.0;
      assume("c_m_s", value, "1540 m/s, " + why);
    }
    speed_m_s_ = value;
  }

  void demodulation() {
    if (const FactNumbers* const f = scalar(Fact::demodulation); f != nullptr && f->values[0] > 0.0) {
      say("demod_hz", named(*f, hertz(*f)), words(f->path, ", ", f->values[0] * hertz(*f) * 1e-6, " MHz"));
    } else if (center_hz_ > 0.0) {
      assume("demod_hz", center_hz_, "IQ demodulated at the centre frequency");
    }
  }

  void band_and_rate() {
    if (const FactNumbers* const bw = scalar(Fact::bandwidth);
        bw != nullptr && bw->values[0] > 0.0 && center_hz_ > 0.0) {
      const double value = bw->values[0], factor = value <= 2.0 ? center_hz_ : value <= 200.0 ? 0.01 * center_hz_ : 1.0;
      say("bandwidth_hz", named(*bw, factor), words(bw->path, ", ", value * factor * 1e-6, " MHz"));
    }
    if (const FactNumbers* const rate = scalar(Fact::frame_rate); rate != nullptr && rate->values[0] > 0.0) {
      say("frame_rate_hz", named(*rate, 1.0), words(rate->path, ", ", rate->values[0], " Hz"), "frame_rate_hz");
    } else if (const FactNumbers* const prf = scalar(Fact::transmit_rate); prf != nullptr && prf->values[0] > 0.0) {
      say("prf_hz", named(*prf, 1.0), words(prf->path, ", ", prf->values[0], " Hz, taken as transmits a second"),
          "frame_rate_hz");
    }
  }

  // `spacing` is in wavelengths in Verasonics' Trans; elements are not farther apart than two of them.
  [[nodiscard]] bool may_be_wavelengths(const FactNumbers& c, double pitch_m) const {
    constexpr double kMost = 2.0;
    return c.named.unit == NamedUnit::none && (plain_name(c.path) == "spacing" || pitch_m > kMost * wavelength_m());
  }
  [[nodiscard]] double wavelength_m() const { return center_hz_ > 0.0 ? speed_m_s_ / center_hz_ : HUGE_VAL; }
  double length_factor(const FactNumbers& c, double reach_m) {
    if (c.named.unit != NamedUnit::wavelengths) return metres(c, reach_m);
    if (center_hz_ > 0.0) return wavelength_m();
    miss("fc_hz", words("centre frequency (", c.path, " is in wavelengths)"));
    return 1.0;
  }
  static std::string length_note(const FactNumbers& c, double factor) {
    return c.named.unit == NamedUnit::wavelengths ? ", wavelengths" : unit_note(factor, Quantity::length);
  }

  // Samples whose channels are not the elements in their order.
  void places() {
    const FactNumbers* const order = first(Fact::channel_order, [&](const FactNumbers& c) {
      const auto from = static_cast<std::size_t>(std::max(std::ranges::min(c.values), 0.0));
      std::vector<double> sorted = c.values;
      std::ranges::sort(sorted);
      bool permuted = sorted.size() == n_elements_ && from <= 1 && sorted != c.values;
      for (std::size_t e = 0; e < sorted.size() && permuted; ++e) permuted = sorted[e] == static_cast<double>(e + from);
      return permuted;
    });
    if (order != nullptr)
      miss("pitch_m", words("order of the elements (", order->path,
                            " lists channels in another order: \"element_x_m\", the place of each channel)"));
    const FactNumbers* const start = first(Fact::first_receiver, [&](const FactNumbers& c) {
      return is_axis(c.values.size()) && std::ranges::min(c.values) != std::ranges::max(c.values);
    });
    const FactNumbers* const n = scalar(Fact::elements);
    const bool few = n != nullptr && n->values[0] > static_cast<double>(n_elements_);
    if (start != nullptr && (few || plain_name(start->path).find('r') == 0))  // rx..., receive...
      out_.refusal =
          words("receive apertures that move with the transmit (", start->path, ", ", n_elements_, " channels)");
  }

  void elements() {
    if (positions_ != nullptr) {
      const double factor = length_factor(*positions_, 0.5);
      const bool list = is_list(positions_->shape);
      const auto [left, right] = std::ranges::minmax(positions_->values);
      reach_m_ = (right - left) * factor;
      say(list ? "element_x_m" : "element_pos_m", named(*positions_, factor),
          words(positions_->path, ", ", hints_.n_elements, " values", length_note(*positions_, factor)));
      if (factor != 1.0 && may_be_wavelengths(*positions_, reach_m_ / static_cast<double>(hints_.n_elements)))
        miss("pitch_m", words("unit of ", positions_->path, " (up to ", largest(positions_->values),
                              "): millimetres or wavelengths"));
      const FactNumbers* const z =
          first(Fact::positions_z, [&](const FactNumbers& c) { return c.values.size() == n_elements_; });
      if (list && z != nullptr) say("element_z_m", named(*z, factor), z->path + unit_note(factor, Quantity::length));
    } else if (const FactNumbers* const pitch = scalar(Fact::pitch); pitch != nullptr && pitch->values[0] > 0.0) {
      const double factor = length_factor(*pitch, 0.02);
      say("pitch_m", named(*pitch, factor),
          words(pitch->path, ", ", pitch->values[0] * factor * 1e3, " mm", length_note(*pitch, factor)));
      reach_m_ = pitch->values[0] * factor * static_cast<double>(n_elements_);
      const std::string name = plain_name(pitch->path);
      if (name == "dx" || name == "dy") {
        const FactNumbers* const other = first(Fact::pitch, [&](const FactNumbers& c) {
          return plain_name(c.path) == "dx" && c.values.size() == 1 && c.values[0] != pitch->values[0];
        });
        miss("pitch_m",
             words(
                 "distance of the elements in steps of ", pitch->path,
                 other == nullptr ? "" : words(", or of ", other->path, ": ", other->values[0] * factor * 1e3, " mm")));
      } else if (factor != 1.0 && may_be_wavelengths(*pitch, pitch->values[0] * factor))
        miss("pitch_m", words("unit of ", pitch->path, " = ", pitch->values[0], ": millimetres or wavelengths"));
      if (const FactNumbers* const radius = scalar(Fact::radius);
          radius != nullptr && std::isfinite(radius->values[0]) && radius->values[0] > 0.0) {
        const double of_radius = metres(*radius, 1.0);
        say("radius_m", named(*radius, of_radius),
            words(radius->path, ", ", radius->values[0] * of_radius * 1e3, " mm"));
      }
    } else if (!pitch_of_kerf()) {
      miss("pitch_m", is_lines_ ? "distance of the lines" : "element positions or pitch");
    }
    if (positions_ == nullptr && !is_lines_ && n_elements_ > 0) other_counts();
  }

  // Places or a number of elements that are not as many as the channels: some elements are not in the samples.
  void other_counts() {
    const FactNumbers* const places = first(Fact::positions, [&](const FactNumbers& c) {
      const auto dims = long_axes(c.shape);
      return !dims.empty() && std::ranges::max(dims) > n_elements_ && (dims.size() == 1 || std::ranges::min(dims) <= 5);
    });
    if (places != nullptr) {
      miss("pitch_m", words("which of the ", std::ranges::max(places->shape), " elements of ", places->path, " the ",
                            n_elements_, " channels are (\"element_x_m\")"));
      return;
    }
    const FactNumbers* const n = scalar(Fact::elements);
    if (n == nullptr || !out_.meta.contains("pitch_m") || n->values[0] == static_cast<double>(n_elements_)) return;
    const auto pitch = std::ranges::find(out_.guesses, "pitch_m", &Guess::key);
    pitch->reason += words("; ", n->path, " = ", n->values[0], " but ", n_elements_,
                           " channels: taken as neighbours, centred at x = 0 (else \"element_x_m\")");
    pitch->assumed = true;
  }

  // Of Field II: width and kerf, in one unit unless a name says it. False: not both are there.
  bool pitch_of_kerf() {
    const FactNumbers *const width = scalar(Fact::width), *const kerf = scalar(Fact::kerf);
    if (is_lines_ || width == nullptr || kerf == nullptr || !(width->values[0] > 0.0 && kerf->values[0] >= 0.0))
      return false;
    const double of_width = metres(*width, 0.02);
    const bool alike = width->named.unit == NamedUnit::none && kerf->named.unit == NamedUnit::none;
    const double of_kerf = alike ? of_width : metres(*kerf, 0.02);
    const double pitch_m = width->values[0] * of_width + kerf->values[0] * of_kerf;
    say("pitch_m", pitch_m, words(width->path, " + ", kerf->path, ", ", pitch_m * 1e3, " mm"));
    reach_m_ = pitch_m * static_cast<double>(n_elements_);
    return true;
  }

  void transmits() {
    if (n_elements_ == 0) return;
    transmits_known_ = is_lines_ || sent_->describe({.n_elements = n_elements_,
                                                     .n_transmits = n_transmits_,
                                                     .reach_m = reach_m_,
                                                     .speed_m_s = speed_m_s_,
                                                     .sampling_hz = fs_hz_,
                                                     .wavelength_m = center_hz_ > 0.0 ? wavelength_m() : 0.0},
                                                    axes_, out_);
  }

  void order_missing() {
    constexpr const char* kOrder[] = {"data", "axes", "tx", "fs_hz", "pitch_m", "fc_hz", "t0_s"};
    std::ranges::stable_sort(out_.missing, {}, [&](const Missing& m) {
      return std::ranges::find_if(kOrder, [&](const char* key) { return m.key == key; }) - std::begin(kOrder);
    });
  }

  const ArrayTree& tree_;
  const std::vector<TreeEntry>& entries_;
  GuessedDescription out_;
  std::size_t data_ = 0;
  std::vector<std::size_t> shape_;  // of the samples, with axes that are split
  std::unique_ptr<GuessFacts> facts_;
  std::unique_ptr<SentWaves> sent_;
  const FactNumbers *times_ = nullptr, *positions_ = nullptr;
  AxisHints hints_;
  AxesGuess axes_;
  std::size_t n_elements_ = 0, n_transmits_ = 0;
  bool is_iq_ = false, is_lines_ = false, transmits_known_ = false;
  double center_hz_ = 0.0, fs_hz_ = 0.0, speed_m_s_ = 1540.0, reach_m_ = 0.0;
};

}  // namespace

GuessedDescription guess_description(const ArrayTree& tree) { return Guesser(tree).run(); }

}  // namespace echoloop
