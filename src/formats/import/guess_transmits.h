// What was sent: lists of angles, virtual sources, foci and delays, and the transmits that they describe. Internal to
// src/formats/import.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/import/guess_axes.h"
#include "formats/import/guess_facts.h"
#include "formats/import/guessed_description.h"

namespace echoloop {

struct ArrayCounts {
  std::size_t n_elements = 0, n_transmits = 0;  // of the samples; 0: not known
  double reach_m = 0.0;                         // from the first to the last element; 0: not known
  double speed_m_s = 0.0;
  double sampling_hz = 0.0;   // 0: not known
  double wavelength_m = 0.0;  // likewise
};

class SentWaves {
 public:
  explicit SentWaves(const GuessFacts& facts) : facts_(facts) {}

  // Those that fit the axes of the samples; how many there are, and elements of delays, to `hints`.
  void choose(const std::vector<std::size_t>& shape, AxisHints& hints);
  // A list that says of several transmits what was sent; null: there is none.
  [[nodiscard]] const FactNumbers* list(std::size_t n_elements) const;
  [[nodiscard]] std::size_t rows_of(const FactNumbers& list, std::size_t n_elements) const;  // transmits of it
  // Null: other waves, or nothing is said of them.
  [[nodiscard]] const FactNumbers* plane_angles() const {
    return sources_ == nullptr && foci_ == nullptr && delays_ == nullptr ? angles_ : nullptr;
  }
  // Whether the transmits are laws of delays of which one begins at another time than their zero.
  [[nodiscard]] bool delays_have_zero() const;
  // The transmits, or what is missing. `axes`: as they were guessed. False: nothing is known of them.
  bool describe(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const;

 private:
  [[nodiscard]] bool is_axis(std::size_t n) const;
  [[nodiscard]] const FactNumbers* fired_element(std::size_t n_elements) const;
  [[nodiscard]] const FactNumbers* focal_depth() const;
  void delays(const ArrayCounts& counts, std::size_t n, GuessedDescription& out) const;
  // The values of each law, in the unit of the file.
  [[nodiscard]] std::vector<std::vector<double>> laws() const;
  void angles(GuessedDescription& out) const;
  void elements(GuessedDescription& out) const;
  // Weights of the elements that say which of them fire; `hints` as of choose().
  void choose_apodization(AxisHints& hints);
  bool waves(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const;
  void points(const FactNumbers& c, const ArrayCounts& counts, GuessedDescription& out) const;

  const GuessFacts& facts_;
  std::vector<std::size_t> shape_;
  std::size_t n_laws_ = 0;  // of delays
  const FactNumbers *delays_ = nullptr, *sources_ = nullptr, *foci_ = nullptr, *angles_ = nullptr, *fired_ = nullptr;
  const FactNumbers* apodization_ = nullptr;  // of which some elements are silent, or inverted
  FactNumbers alone_;                         // the elements of `fired_`, from weights
};

}  // namespace echoloop
