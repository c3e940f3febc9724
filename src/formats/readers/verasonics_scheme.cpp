// Assignment of lines to rows and pages of RcvData: Event and Receive, and the ring buffer.
#include "formats/readers/verasonics_scheme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "core/error.h"
#include "core/units.h"

namespace echoloop::verasonics {
namespace {

// Meaning of the rows of a line in RcvData: Receive.sampleMode and related rates. The vendor samples at four times
// demodFrequency; BS100BW keeps two adjacent samples of every four, BS50BW of every eight: these are I and -Q. BS67BW
// keeps every third, evenly spaced, as for RF.
struct Mode {
  std::string_view name;
  double rows_per_wave;
  double periods_per_pair;  // 0: no pairs
};
constexpr std::array kModes = {Mode{"NS200BW", 4.0, 0.0}, Mode{"BS100BW", 2.0, 1.0}, Mode{"BS67BW", 4.0 / 3.0, 0.0},
                               Mode{"BS50BW", 1.0, 2.0}};

// Finds a mode by name, or by samplesPerWave alone as in older scripts; null for "custom" and unknown ones.
const Mode* mode_of(const std::string& name, std::optional<double> per_wave) {
  for (const Mode& mode : kModes)
    if (name == mode.name || (name.empty() && per_wave == mode.rows_per_wave)) return &mode;
  return nullptr;
}

// Returns rows per second.
double row_rate(const MatNode& receive, std::size_t row, const Mode* mode, const Scales& s, Acquisition& a) {
  if (const auto rate = receive.number("decimSampleRate", row))
    return *rate * kHertzPerMegahertz / receive.number("quadDecim", row).value_or(1.0);
  if (const auto per_wave = receive.number("samplesPerWave", row)) return *per_wave * s.frequency_hz;
  if (mode != nullptr) {
    a.assumptions.emplace_back("sampling frequency from Receive.sampleMode " + std::string(mode->name) +
                               ": the file has neither decimSampleRate nor samplesPerWave");
    return mode->rows_per_wave * s.frequency_hz;
  }
  a.assumptions.emplace_back(
      "4 samples per wavelength assumed: the file has neither decimSampleRate nor samplesPerWave");
  return 4.0 * s.frequency_hz;
}

Sampling sampling(const std::string& what, const MatNode& receive, std::size_t row, const Scales& s, Acquisition& a) {
  const std::string name = receive.words("sampleMode", row);
  if (name == "NS200BWI") {
    throw Error(what, "Receive.sampleMode NS200BWI, which interleaves two acquisitions",
                "sample modes NS200BW, BS100BW, BS67BW, BS50BW and custom");
  }
  const Mode* const mode = mode_of(name, receive.number("samplesPerWave", row));
  Sampling sampling{.sampling_hz = row_rate(receive, row, mode, s, a), .demod_hz = 0.0};
  if (mode == nullptr || mode->periods_per_pair == 0.0) return sampling;
  sampling.sampling_hz *= 0.5;
  sampling.demod_hz = sampling.sampling_hz * mode->periods_per_pair;
  a.assumptions.emplace_back("adjacent samples are I and -Q, a quarter of a period apart (sample mode " +
                             std::string(mode->name) + ")");
  return sampling;
}

struct ReceiveRow {  // row of Receive
  std::size_t first, last, frame, buffer, aperture;
  bool adds;  // accumulates onto existing samples
};

ReceiveRow receive_row(const std::string& what, const MatNode& receive, std::size_t k) {
  const auto number = [&](const char* name, double otherwise) { return receive.number(name, k).value_or(otherwise); };
  const ReceiveRow row{.first = whole(what, "Receive.startSample", number("startSample", 0), 1) - 1,
                       .last = whole(what, "Receive.endSample", number("endSample", 0), 1),
                       .frame = whole(what, "Receive.framenum", number("framenum", 1), 1) - 1,
                       .buffer = whole(what, "Receive.bufnum", number("bufnum", 1), 1),
                       .aperture = whole(what, "Receive.aperture", number("aperture", 1), 1) - 1,
                       .adds = number("mode", 0) == 1.0};
  if (row.last <= row.first) refuse(what, "Receive(" + std::to_string(k + 1) + ") with endSample before startSample");
  return row;
}

struct Action {
  std::size_t tx, rcv;  // from 0
  double wait_s = 0.0;  // until the next action; 0: unknown
};

// Returns microseconds for each SeqControl that times the next acquisition, else 0.
std::vector<double> waits_us(const MatTree& tree) {
  const MatNode* controls = tree.find("SeqControl");
  std::vector<double> all(controls == nullptr ? 0 : controls->rows.size(), 0.0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string command = controls->words("command", k);
    if (command == "timeToNextAcq" || command == "timeToNextEB") all[k] = controls->number("argument", k).value_or(0.0);
  }
  return all;
}

// Returns the order of transmits and receives: the events, or without them that of Receive.
std::vector<Action> actions(const std::string& what, const MatTree& tree, const MatNode& receive, std::size_t n_tx) {
  std::vector<Action> all;
  const MatNode* events = tree.find("Event");
  if (events == nullptr || events->rows.empty()) {
    for (std::size_t k = 0; k < receive.rows.size(); ++k) {
      const double number = receive.number("acqNum", k).value_or(static_cast<double>(k % n_tx + 1));
      all.push_back({.tx = (whole(what, "Receive.acqNum", number, 1) - 1) % n_tx, .rcv = k});
    }
    return all;
  }
  const std::vector<double> wait_us = waits_us(tree);
  for (std::size_t k = 0; k < events->rows.size(); ++k) {
    const std::size_t rcv = whole(what, "Event.rcv", events->number("rcv", k).value_or(0), 0);
    const std::size_t tx = whole(what, "Event.tx", events->number("tx", k).value_or(0), 0);
    if (rcv == 0 || tx == 0) continue;
    if (rcv > receive.rows.size() || tx > n_tx) {
      refuse(what, "Event(" + std::to_string(k + 1) + ") of TX " + std::to_string(tx) + " and Receive " +
                       std::to_string(rcv));
    }
    Action action{.tx = tx - 1, .rcv = rcv - 1};
    for (const double control : events->values("seqControl", k))
      if (control >= 1.0 && control <= static_cast<double>(wait_us.size()))
        action.wait_s += wait_us[static_cast<std::size_t>(control) - 1] * 1e-6;
    all.push_back(action);
  }
  return all;
}

// Divides the rows equally among the transmits if there is no Receive.
Scheme even_scheme(const std::string& what, const Scales& s, const BufferSize& buffer, std::size_t n_tx,
                   Acquisition& a) {
  if (buffer.rows % n_tx != 0)
    refuse(what, counted(buffer.rows, "row") + " of RcvData for " + counted(n_tx, "transmit") + ", and no Receive");
  a.assumptions.emplace_back(
      "no Receive in the file: rows divided equally among the transmits, 4 samples per wavelength assumed");
  a.assumptions.emplace_back("no Receive in the file: first sample assumed at the first firing", "first_sample_s");
  Scheme scheme;
  scheme.n_rows = buffer.rows / n_tx;
  scheme.sampling.sampling_hz = 4.0 * s.frequency_hz;
  std::vector<std::size_t> first_rows;
  for (std::size_t k = 0; k < n_tx; ++k) {
    scheme.shots.push_back({.tx = k});
    first_rows.push_back(k * scheme.n_rows);
  }
  scheme.start_depth.assign(n_tx, 0.0);
  for (std::size_t f = 0; f < buffer.pages; ++f) scheme.frames.push_back({.page = f, .first_rows = first_rows});
  return scheme;
}

// Returns the index of the page received last, from Resource; nullopt if unknown.
std::optional<std::size_t> last_page(const MatTree& tree, const BufferSize& buffer) {
  const MatNode* resource = tree.find("Resource");
  const MatNode* buffers = resource == nullptr ? nullptr : resource->find("RcvBuffer");
  const auto last = buffers == nullptr ? std::nullopt : buffers->number("lastFrame", buffer.number - 1);
  if (!last || !(*last >= 1.0 && *last <= static_cast<double>(buffer.pages)) || *last != std::floor(*last))
    return std::nullopt;
  return static_cast<std::size_t>(*last) - 1;
}

class Sequence {  // shots received into one page, in order
 public:
  Sequence(const std::string& what, const MatNode& receive) : what_(what), receive_(receive) {}

  [[nodiscard]] ReceiveRow row(const Action& action) const { return receive_row(what_, receive_, action.rcv); }

  [[nodiscard]] bool alike(const Action& x, const Action& y) const {
    return x.tx == y.tx && row(x).aperture == row(y).aperture &&
           receive_.values("Apod", x.rcv) == receive_.values("Apod", y.rcv);
  }

  // Returns the number of shots before they repeat: a page can contain many frames.
  [[nodiscard]] std::size_t period(const std::vector<Action>& done) const {
    for (std::size_t n = 1; n <= done.size() / 2; ++n)
      if (done.size() % n == 0 && repeats(done, done, n)) return n;
    return done.size();
  }

  // Returns true if `done` repeats the first n of `pattern`.
  [[nodiscard]] bool repeats(const std::vector<Action>& done, const std::vector<Action>& pattern, std::size_t n) const {
    if (done.empty() || done.size() % n != 0) return false;
    for (std::size_t k = 0; k < done.size(); ++k)
      if (!alike(done[k], pattern[k % n])) return false;
    return true;
  }

 private:
  const std::string& what_;
  const MatNode& receive_;
};

struct Pages : std::map<std::size_t, std::vector<Action>> {
  bool timed = true;  // no other action in between
};

Pages received_pages(const std::string& what, const MatTree& tree, const MatNode& receive, const BufferSize& buffer) {
  Pages pages;
  for (const Action& action : actions(what, tree, receive, tree.find("TX")->rows.size())) {
    const ReceiveRow row = receive_row(what, receive, action.rcv);
    if (row.buffer != buffer.number || row.adds) {
      pages.timed = false;
      continue;
    }
    if (row.last > buffer.rows)
      refuse(what, "Receive.endSample " + std::to_string(row.last) + " of " + counted(buffer.rows, "row"));
    if (row.frame < buffer.pages) pages[row.frame].push_back(action);
  }
  if (pages.empty()) refuse(what, "no event that receives into buffer " + std::to_string(buffer.number));
  return pages;
}

void set_shots(const Sequence& sequence, const MatNode& receive, const std::vector<Action>& done, std::size_t n_shots,
               Scheme& scheme) {
  double period_s = 0.0;
  bool timed = true;
  for (std::size_t k = 0; k < n_shots; ++k) {
    const ReceiveRow row = sequence.row(done[k]);
    scheme.shots.push_back({.tx = done[k].tx, .aperture = row.aperture});
    scheme.start_depth.push_back(receive.number("startDepth", done[k].rcv).value_or(0.0));
    timed = timed && done[k].wait_s > 0.0;
    period_s += done[k].wait_s;
  }
  for (const Action& action : done) {
    const std::size_t n = sequence.row(action).last - sequence.row(action).first;
    scheme.n_rows = scheme.n_rows == 0 ? n : std::min(n, scheme.n_rows);
  }
  if (timed && period_s > 1e-6) scheme.frame_rate_hz = 1.0 / period_s;
}

// Adds the frames of the pages, oldest first; returns the number of skipped pages.
std::size_t set_frames(const Sequence& sequence, const Pages& pages, std::size_t oldest, Scheme& scheme) {
  const std::vector<Action>& pattern = pages.begin()->second;
  const std::size_t n = scheme.shots.size();
  std::size_t n_left_out = 0;
  const auto add = [&](std::size_t page, const std::vector<Action>& done) {
    if (!sequence.repeats(done, pattern, n)) {
      ++n_left_out;
      return;
    }
    for (std::size_t k = 0; k < done.size(); ++k) {
      if (k % n == 0) scheme.frames.push_back({.page = page, .first_rows = {}});
      scheme.frames.back().first_rows.push_back(sequence.row(done[k]).first);
    }
  };
  for (const auto& [page, done] : pages)
    if (page >= oldest) add(page, done);
  for (const auto& [page, done] : pages)
    if (page < oldest) add(page, done);
  return n_left_out;
}

}  // namespace

void refuse(const std::string& what, const std::string& found) { throw Error(what, found, kVerasonicsAccepted); }

std::size_t whole(const std::string& what, const std::string& name, double value, double least) {
  if (!(value >= least && value < 1e9) || value != std::floor(value))
    refuse(what, name + " = " + std::to_string(value));
  return static_cast<std::size_t>(value);
}

Scheme scheme(const std::string& what, const MatTree& tree, const Scales& s, const BufferSize& buffer, Acquisition& a) {
  const MatNode* tx = tree.find("TX");
  if (tx == nullptr || tx->rows.empty()) refuse(what, "no TX");
  const auto last = last_page(tree, buffer);
  if (!last && buffer.pages > 1) a.assumptions.emplace_back("frames in buffer order; the ring buffer may have wrapped");
  const MatNode* receive = tree.find("Receive");
  if (receive == nullptr || receive->rows.empty()) return even_scheme(what, s, buffer, tx->rows.size(), a);
  const Pages pages = received_pages(what, tree, *receive, buffer);
  const Sequence sequence(what, *receive);
  const std::vector<Action>& first = pages.begin()->second;
  const std::size_t n_shots = sequence.period(first);
  Scheme scheme;
  set_shots(sequence, *receive, first, n_shots, scheme);
  if (!pages.timed) scheme.frame_rate_hz = 0.0;
  const std::size_t n_left_out = set_frames(sequence, pages, last.value_or(buffer.pages - 1) + 1, scheme);
  if (n_shots < first.size()) {
    a.assumptions.emplace_back("each buffer frame holds the " + counted(n_shots, "transmit") + " " +
                               std::to_string(first.size() / n_shots) +
                               " times, shown as separate frames without the pauses in between");
  }
  if (n_left_out > 0) {
    a.assumptions.emplace_back(counted(n_left_out, "frame") +
                               " skipped: their events differ from those of the first frame");
  }
  scheme.sampling = sampling(what, *receive, first.front().rcv, s, a);
  return scheme;
}

}  // namespace echoloop::verasonics
