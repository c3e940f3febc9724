// Derives a description of a file of arrays with plain names from the spellings of names, sizes and values.
#include "formats/import/guess.h"

#include <memory>

namespace echoloop {
namespace {

constexpr FactId kSentFacts[] = {"tx_angles_rad", "virtual_source_m", "tx_foci_m", "tx_delays_s"};

class Guesser {
 public:
  explicit Guesser(const ArrayTree& tree) : tree_(tree) {}

  GuessedDescription run() {
    choose_samples();
    if (!out_.has_samples) return std::move(out_);
    sent_ = std::make_unique<SentWaves>(*facts_);
    out_.refusal = why_not_imaged(tree_, facts_->all("element_pos_m"));
    if (!out_.refusal.empty()) return std::move(out_);
    if (names_picture(plain_name(entries()[data_].path))) {
      out_.refusal = entries()[data_].path +
                     ", by its name beamformed already, which is not beamformed again without a "
                     "description: \"axes\" with \"line\" (beamformed) or \"element\" (channels)";
    }
    axes();
    sampling_ = guess_sampling(*facts_, times_, is_iq_ ? SignalKind::iq : SignalKind::rf, out_);
    elements();
    if (n_elements_ > 0 && !is_lines_) places();
    transmits();
    guess_first_sample({.tree = tree_,
                        .facts = *facts_,
                        .sent = *sent_,
                        .times = times_,
                        .n_times = traces_     ? traces_->tx.size()
                                   : is_lines_ ? n_elements_
                                               : std::max<std::size_t>(n_transmits_, 1),
                        .lines = is_lines_,
                        .sampling_hz = sampling_.fs_hz,
                        .center_hz = sampling_.center_hz,
                        .reach_m = reach_m_,
                        .speed_m_s = sampling_.speed_m_s},
                       out_);
    if (!axes_.open.empty() && !transmits_known_)
      out_.miss("tx", "transmits (angles, sources, delays or single elements; " + axes_.open + ")");
    ask_unknown_units(*facts_, out_);
    order_missing();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const std::vector<TreeEntry>& entries() const { return tree_.entries(); }

  void choose_samples() {
    const auto chosen = guess_samples(tree_);
    out_.has_samples = chosen.has_value();
    if (!chosen) return;
    data_ = chosen->entry;
    facts_ = std::make_unique<GuessFacts>(tree_, data_, chosen->prefix);
    shape_ = entries()[data_].shape;
    out_.named_samples = chosen->named;
    out_.say("data", entries()[data_].path, chosen->reason);
    if (chosen->n_alike > 1)
      out_.miss("data", words("choice among ", chosen->n_alike, " arrays named ", plain_name(entries()[data_].path),
                              " ", shape_text(shape_), " (only one is read: save them as one array)"));
    if (!chosen->quadrature) return;
    out_.say("imag", entries()[*chosen->quadrature].path, "quadrature part by name");
    is_iq_ = true;
  }

  [[nodiscard]] bool is_picture() const { return !out_.refusal.empty(); }
  [[nodiscard]] bool is_axis(std::size_t n) const { return n > 1 && std::ranges::find(shape_, n) != shape_.end(); }

  void axes() {
    hints_.first_fastest = tree_.container().starts_with("MATLAB");
    if (find_traces()) return;
    if (!out_.meta.contains("shape")) split();
    const FactNumbers* const times = facts_->first("time_s", [&](const FactNumbers& c) {
      return is_list(c.shape) && is_axis(c.values.size()) && c.values.back() > c.values.front();
    });
    times_ = times;
    positions_ = facts_->first("element_pos_m", [&](const FactNumbers& c) {
      const auto dims = long_axes(c.shape);
      if (dims.size() == 1) return is_axis(dims[0]);
      return dims.size() == 2 && std::min(dims[0], dims[1]) <= 5 && is_axis(std::max(dims[0], dims[1]));
    });
    if (times != nullptr) hints_.n_times = times->values.size();
    if (positions_ != nullptr) hints_.n_elements = std::ranges::max(long_axes(positions_->shape));
    const FactNumbers* const n = facts_->scalar("n_elements");
    if (hints_.n_elements == 0 && n != nullptr && n->values[0] > 1.0 && n->values[0] < 1e5 &&
        is_axis(static_cast<std::size_t>(n->values[0])))
      hints_.n_elements = static_cast<std::size_t>(n->values[0]);
    sent_->choose(shape_, hints_);
    hints_.complex = is_iq_ || tree_.is_complex(data_);
    hints_.named_iq = plain_name(entries()[data_].path).starts_with("iq") || facts_->scalar("demod_hz") != nullptr;
    auto guessed = guess_axes(shape_, hints_);
    if (!guessed && hints_.n_transmits > 1) {  // more angles than any axis has
      hints_.n_transmits = 0;
      guessed = guess_axes(shape_, hints_);
    }
    if (!guessed) {
      out_.miss("axes", "axes of " + entries()[data_].path + " " + shape_text(shape_));
      return;
    }
    axes_ = *guessed;
    split_pairs();
    if (!axes_.undecided.empty())
      out_.miss("axes", "axes of " + entries()[data_].path + " " + shape_text(shape_) + " (" + axes_.undecided + ")");
    find_lines();
    std::string text;
    for (std::size_t a = 0; a < axes_.axes.size(); ++a) {
      text += (a == 0 ? "" : ", ") + axes_.axes[a] + " " + std::to_string(shape_[a]);
      if (axes_.axes[a] == "element" || axes_.axes[a] == "line") n_elements_ = shape_[a];
      if (axes_.axes[a] == "transmit") n_transmits_ = shape_[a];
      if (axes_.axes[a] == "iq" && shape_[a] == 2) is_iq_ = true;
    }
    is_iq_ = is_iq_ || hints_.complex;
    out_.say("axes", axes_.axes,
             "lengths: " + text +
                 (is_picture() ? "; beamformed, by its name"
                  : is_lines_  ? "; beamformed, by a first time or a place of each line"
                               : ""));
  }

  // Adds an axis to real numbers that are I and Q by name, but have none for the two.
  void split_pairs() {
    const std::string& path = entries()[data_].path;
    if (!plain_name(path).starts_with("iq") || hints_.complex || std::ranges::count(axes_.axes, "iq") > 0) return;
    const auto time = std::ranges::find(axes_.axes, "time") - axes_.axes.begin();
    std::size_t& n_samples = shape_[static_cast<std::size_t>(time)];
    std::string asked = words("axes of ", path, " ", shape_text(shape_), " (by its name I and Q");
    if (n_samples % 2 == 0 && !out_.meta.contains("shape")) {
      const auto at = time + (tree_.axis_order() == MemoryOrder::fortran ? 0 : 1);
      n_samples /= 2;
      shape_.insert(shape_.begin() + at, 2);
      axes_.axes.insert(axes_.axes.begin() + at, "iq");
      out_.say("shape", shape_, words(path, ": I and Q alternate along the samples"));
      asked += ": alternating along the samples, \"shape\": " + Json(shape_).dump() + ", or RF";
    }
    out_.miss("axes", asked + ")");
  }

  // Finds lines: one transmit and as many times of the first sample as elements (Field II's tstart of each line), or
  // positions named after lines; or frames of lines, if the samples' name is that of an image.
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
    if (hints_.n_transmits > 0) return;
    const auto& lengths = shape_;
    const std::size_t n = lengths[static_cast<std::size_t>(element - axes_.axes.begin())];
    for (std::size_t a = 0; a < axes_.axes.size(); ++a)
      if (axes_.axes[a] == "transmit" && lengths[a] > 1) return;
    const bool timed =
        n > 1 && facts_->first("t0_s", [&](const FactNumbers& c) { return c.values.size() == n; }) != nullptr;
    const bool by_name = positions_ != nullptr && plain_name(positions_->path).find("line") != std::string::npos;
    is_lines_ = by_name || (timed && (positions_ == nullptr || entries()[positions_->entry].of_files));
    if (is_lines_) *element = "line";
  }

  // Finds A-scans listed by pairs of elements; returns true if any. A full matrix is split like other adjacent waves.
  bool find_traces() {
    traces_ = guess_traces(tree_, data_);
    if (!traces_) return false;
    const bool sent = std::ranges::any_of(kSentFacts, [&](FactId fact) {
      return facts_->first(fact, [](const FactNumbers&) { return true; }) != nullptr;
    });
    if (traces_->places && traces_->is_alone() && sent) traces_.reset();  // positions of the elements themselves
    if (traces_ && traces_->is_full()) {
      const std::size_t n = traces_->n_elements;
      if (const auto found = guess_split(shape_, n, n, tree_.axis_order())) {
        out_.say("shape", found->shape,
                 words(entries()[data_].path, " ", shape_text(shape_), ": full matrix of ", n, " elements, columns by ",
                       traces_->names));
        shape_ = found->shape;
        traces_.reset();
      }
    }
    if (traces_) trace_axes();
    return traces_.has_value();
  }

  void trace_axes() {
    const std::size_t n = traces_->tx.size();
    times_ = facts_->first("time_s", [&](const FactNumbers& c) {
      return is_list(c.shape) && is_axis(c.values.size()) && c.values.size() != n;
    });
    std::size_t n_times = times_ != nullptr ? times_->values.size() : 0;
    for (const std::size_t length : shape_)
      if (times_ == nullptr && length != n) n_times = std::max(n_times, length);
    std::string text;
    for (const std::size_t length : shape_) {
      const bool taken = std::ranges::find(axes_.axes, "time") != axes_.axes.end();
      axes_.axes.emplace_back(length == n                   ? "trace"
                              : length == n_times && !taken ? "time"
                              : length == 1                 ? "one"
                                                            : "frame");
      text += (text.empty() ? "" : ", ") + axes_.axes.back() + " " + std::to_string(length);
    }
    if (traces_->places) {
      positions_ = &*traces_->places;
    } else {
      positions_ = facts_->first("element_pos_m", [&](const FactNumbers& c) {
        const auto dims = long_axes(c.shape);
        return !dims.empty() && dims.size() <= 2 && std::ranges::max(dims) >= traces_->n_elements &&
               (dims.size() == 1 || std::min(dims[0], dims[1]) <= 5);
      });
    }
    const FactNumbers* const counted = facts_->scalar("n_elements");
    n_elements_ = positions_ != nullptr ? std::ranges::max(long_axes(positions_->shape))
                  : counted != nullptr && counted->values[0] >= static_cast<double>(traces_->n_elements) &&
                          counted->values[0] <= kMaxElements
                      ? static_cast<std::size_t>(counted->values[0])
                      : traces_->n_elements;
    hints_.n_elements = n_elements_;
    out_.say("axes", axes_.axes, "lengths: " + text);
    const std::string names =
        traces_->names + (traces_->is_alone() ? ", one element a shot, which receives its own echoes" : "");
    for (const auto& [key, list] : {std::pair{"tx_of_trace", &traces_->tx}, {"rx_of_trace", &traces_->rx}})
      if (traces_->is_alone() && traces_->places)
        out_.assume(key, *list, names);
      else
        out_.say(key, *list, names);
    if (!positions_ && counted != nullptr) out_.say("n_elements", n_elements_, counted->path);
    const bool complex = is_iq_ || tree_.is_complex(data_);
    if (complex) out_.miss("data", words("real samples (", traces_->names, " beside complex ones)"));
    if (!traces_->question.empty())
      out_.miss("axes", "axes of " + entries()[data_].path + " (" + traces_->question + ")");
  }

  // Splits a matrix with a list of transmits that matches none of its axes: the waves may be adjacent.
  void split() {
    if (long_axes(shape_).size() != 2 || shape_.size() != 2) return;
    const FactNumbers* const list = sent_->list(0);
    if (list == nullptr || is_axis(sent_->rows_of(*list, 0))) return;
    const FactNumbers* const n = facts_->scalar("n_elements");
    const FactNumbers* const places =
        facts_->first("element_pos_m", [](const FactNumbers& c) { return c.values.size() > 3; });
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
    out_.say("shape", shape_,
             words(entries()[data_].path, " ", whole, " beside ", n_waves, " values of ", list->path, ": ", waves));
    if (!found->certain)
      out_.miss("axes", words("axes of ", entries()[data_].path, " ", whole, " beside ", n_waves, " values of ",
                              list->path, ": ", waves, " (\"shape\": ", Json(shape_).dump(), ") or one wave"));
  }

  // Verasonics' Trans has `spacing` in wavelengths; the pitch does not exceed two of them.
  [[nodiscard]] bool may_be_wavelengths(const FactNumbers& c, double pitch_m) const {
    constexpr double kMost = 2.0;
    return c.named.unit == nullptr && (plain_name(c.path) == "spacing" || pitch_m > kMost * wavelength_m());
  }
  [[nodiscard]] double wavelength_m() const {
    return sampling_.center_hz > 0.0 ? sampling_.speed_m_s / sampling_.center_hz : HUGE_VAL;
  }
  double length_factor(const FactNumbers& c, double reach_m) {
    if (!in_unit(c.named.unit, Quantity::wavelengths)) return metres(c, reach_m);
    if (sampling_.center_hz > 0.0) return wavelength_m();
    out_.miss("fc_hz", words("centre frequency (", c.path, " is in wavelengths)"));
    return 1.0;
  }
  static std::string length_note(const FactNumbers& c, double factor) {
    return in_unit(c.named.unit, Quantity::wavelengths) ? ", wavelengths" : unit_note(factor, Quantity::length);
  }

  // Asks about samples whose channels are not in the elements' order; refuses moving receive apertures.
  void places() {
    const FactNumbers* const order = facts_->first("channel_of_element", [&](const FactNumbers& c) {
      const auto from = static_cast<std::size_t>(std::max(std::ranges::min(c.values), 0.0));
      std::vector<double> sorted = c.values;
      std::ranges::sort(sorted);
      bool permuted = sorted.size() == n_elements_ && from <= 1 && sorted != c.values;
      for (std::size_t e = 0; e < sorted.size() && permuted; ++e) permuted = sorted[e] == static_cast<double>(e + from);
      return permuted;
    });
    if (order != nullptr)
      out_.miss("pitch_m", words("order of the elements (", order->path,
                                 " lists channels in another order: \"element_x_m\", the place of each channel)"));
    const FactNumbers* const start = facts_->first("first_receiver", [&](const FactNumbers& c) {
      return is_axis(c.values.size()) && std::ranges::min(c.values) != std::ranges::max(c.values);
    });
    const FactNumbers* const n = facts_->scalar("n_elements");
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
      out_.say(list ? "element_x_m" : "element_pos_m", named(*positions_, factor),
               words(positions_->path, ", ", hints_.n_elements, " values", length_note(*positions_, factor)));
      if (factor != 1.0 && may_be_wavelengths(*positions_, reach_m_ / static_cast<double>(hints_.n_elements)))
        out_.miss("pitch_m", words("unit of ", positions_->path, " (up to ", largest(positions_->values),
                                   "): millimetres or wavelengths"));
      const FactNumbers* const z =
          facts_->first("element_z_m", [&](const FactNumbers& c) { return c.values.size() == n_elements_; });
      if (list && z != nullptr)
        out_.say("element_z_m", named(*z, factor), z->path + unit_note(factor, Quantity::length));
    } else if (const FactNumbers* const pitch = facts_->scalar("pitch_m"); pitch != nullptr && pitch->values[0] > 0.0) {
      const double factor = length_factor(*pitch, 0.02);
      out_.say("pitch_m", named(*pitch, factor),
               words(pitch->path, ", ", pitch->values[0] * factor * 1e3, " mm", length_note(*pitch, factor)));
      reach_m_ = pitch->values[0] * factor * static_cast<double>(n_elements_);
      const std::string name = plain_name(pitch->path);
      if (name == "dx" || name == "dy") {
        const FactNumbers* const other = facts_->first("pitch_m", [&](const FactNumbers& c) {
          return plain_name(c.path) == "dx" && c.values.size() == 1 && c.values[0] != pitch->values[0];
        });
        out_.miss("pitch_m", words("distance of the elements in steps of ", pitch->path,
                                   other == nullptr
                                       ? ""
                                       : words(", or of ", other->path, ": ", other->values[0] * factor * 1e3, " mm")));
      } else if (factor != 1.0 && may_be_wavelengths(*pitch, pitch->values[0] * factor))
        out_.miss("pitch_m", words("unit of ", pitch->path, " = ", pitch->values[0], ": millimetres or wavelengths"));
      if (const FactNumbers* const radius = facts_->scalar("radius_m");
          radius != nullptr && std::isfinite(radius->values[0]) && radius->values[0] > 0.0) {
        const double of_radius = metres(*radius, 1.0);
        out_.say("radius_m", named(*radius, of_radius),
                 words(radius->path, ", ", radius->values[0] * of_radius * 1e3, " mm"));
      }
    } else if (!pitch_of_kerf()) {
      out_.miss("pitch_m", is_lines_ ? "distance of the lines" : "element positions or pitch");
    }
    if (positions_ == nullptr && !is_lines_ && !traces_ && n_elements_ > 0) other_counts();
  }

  // Asks or notes, if positions or the number of elements exceed the channels: some elements are not in the samples.
  void other_counts() {
    const FactNumbers* const places = facts_->first("element_pos_m", [&](const FactNumbers& c) {
      const auto dims = long_axes(c.shape);
      return !dims.empty() && std::ranges::max(dims) > n_elements_ && (dims.size() == 1 || std::ranges::min(dims) <= 5);
    });
    if (places != nullptr) {
      out_.miss("pitch_m", words("which of the ", std::ranges::max(places->shape), " elements of ", places->path,
                                 " the ", n_elements_, " channels are (\"element_x_m\")"));
      return;
    }
    const FactNumbers* const n = facts_->scalar("n_elements");
    if (n == nullptr || !out_.meta.contains("pitch_m") || n->values[0] == static_cast<double>(n_elements_)) return;
    const auto pitch = std::ranges::find(out_.guesses, "pitch_m", &Guess::key);
    pitch->reason += words("; ", n->path, " = ", n->values[0], " but ", n_elements_,
                           " channels: taken as neighbours, centred at x = 0 (else \"element_x_m\")");
    pitch->assumed = true;
  }

  // Computes the pitch from Field II's width and kerf, in one unit unless named; returns false unless both exist.
  bool pitch_of_kerf() {
    const FactNumbers *const width = facts_->scalar("element_width_m"), *const kerf = facts_->scalar("kerf_m");
    if (is_lines_ || width == nullptr || kerf == nullptr || !(width->values[0] > 0.0 && kerf->values[0] >= 0.0))
      return false;
    const double of_width = metres(*width, 0.02);
    const bool alike = width->named.unit == nullptr && kerf->named.unit == nullptr;
    const double of_kerf = alike ? of_width : metres(*kerf, 0.02);
    const double pitch_m = width->values[0] * of_width + kerf->values[0] * of_kerf;
    out_.say("pitch_m", pitch_m, words(width->path, " + ", kerf->path, ", ", pitch_m * 1e3, " mm"));
    reach_m_ = pitch_m * static_cast<double>(n_elements_);
    return true;
  }

  void transmits() {
    if (n_elements_ == 0) return;
    transmits_known_ = is_lines_ || traces_ ||
                       sent_->describe({.n_elements = n_elements_,
                                        .n_transmits = n_transmits_,
                                        .reach_m = reach_m_,
                                        .speed_m_s = sampling_.speed_m_s,
                                        .sampling_hz = sampling_.fs_hz,
                                        .wavelength_m = sampling_.center_hz > 0.0 ? wavelength_m() : 0.0},
                                       axes_, out_);
  }

  void order_missing() {
    constexpr const char* kOrder[] = {"data", "axes", "tx", "fs_hz", "pitch_m", "fc_hz", "t0_s"};
    std::ranges::stable_sort(out_.missing, {}, [&](const Missing& m) {
      return std::ranges::find_if(kOrder, [&](const char* key) { return m.key == key; }) - std::begin(kOrder);
    });
  }

  const ArrayTree& tree_;
  GuessedDescription out_;
  std::size_t data_ = 0;
  std::vector<std::size_t> shape_;  // of the samples, with split axes
  std::unique_ptr<GuessFacts> facts_;
  std::unique_ptr<SentWaves> sent_;
  const FactNumbers *times_ = nullptr, *positions_ = nullptr;
  AxisHints hints_;
  AxesGuess axes_;
  std::size_t n_elements_ = 0, n_transmits_ = 0;
  bool is_iq_ = false, is_lines_ = false, transmits_known_ = false;
  std::optional<TraceGuess> traces_;
  Sampling sampling_;
  double reach_m_ = 0.0;
};

}  // namespace

GuessedDescription guess_description(const ArrayTree& tree) { return Guesser(tree).run(); }

}  // namespace echoloop
