#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "core/units.h"
#include "formats/import/guess.h"

namespace echoloop {
namespace {

// Returns true for whole numbers without a unit that cannot be times in seconds.
bool may_be_index(const FactNumbers& t0, double factor) {
  constexpr double kFew = 20.0;
  return factor != 1.0 && t0.named.unit == nullptr && largest(t0.values) > kFew &&
         std::ranges::all_of(t0.values, [](double v) { return v == std::floor(v); });
}

// Reads a text of the file that names the event, as a keyword or in a sentence: "wave passes the origin". Returns false
// if there is none.
bool named_event(const ArrayTree& tree, GuessedDescription& out) {
  constexpr const char* kNames[] = {"tzero",         "timezero",      "timeorigin",  "zerotime",
                                    "timereference", "referencetime", "t0reference", "t0definition"};
  constexpr std::pair<const char*, const char*> kWords[] = {{"firstfiring", "first_firing"},
                                                            {"firstelement", "first_firing"},
                                                            {"origin", "origin"},
                                                            {"centre", "centre"},
                                                            {"center", "centre"}};
  for (const TreeEntry& entry : tree.entries()) {
    std::string text = lower_case(entry.text);
    std::erase_if(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
    if (text.empty() || std::ranges::find(kNames, plain_name(entry.path)) == std::end(kNames)) continue;
    std::string said;
    std::size_t n_said = 0;
    for (const auto& [word, event] : kWords)
      if (text.find(word) != std::string::npos) said = event, ++n_said;
    if (n_said != 1) continue;
    out.say("t_zero", said, words(entry.path, " = ", entry.text));
    return true;
  }
  return false;
}

// Returns the writer whose delays are 0 at the centre of the array, by the names that it uses; empty: none.
std::string origin_writer(const SentWaves& sent, const std::string& t0) {
  struct Names {
    const char *t0, *angles, *text;
  };
  constexpr Names kNames[] = {{"tstart", "", "tstart of Field II"},  // t_start is not specific
                              {"start_time", "transmitdirection", "start_time beside transmit_direction of CUBDL"},
                              {"t0", "senderangle", "t0 beside sender_angle of vbeam"}};
  const FactNumbers* const angles = sent.plane_angles();
  const std::string name = angles == nullptr ? "" : plain_name(angles->path);
  const std::string last = t0.substr(t0.find_last_of("./@") + 1);
  for (const Names& row : kNames)
    if (last == row.t0 && (*row.angles == '\0' || name == row.angles)) return row.text;
  return {};
}

// Returns the time from first firing to passage of the centre for each plane wave; empty if not as many as times.
std::vector<double> ways_along(const TimeFacts& of, const FactNumbers& t0) {
  const FactNumbers* const angles = of.sent.plane_angles();
  std::vector<double> ways_s;
  if (angles == nullptr || angles->values.size() != t0.values.size() || of.reach_m == 0.0) return ways_s;
  const double of_angle = radians(*angles);
  for (const double angle : angles->values)
    ways_s.push_back(0.5 * of.reach_m * std::abs(std::sin(angle * of_angle)) / of.speed_m_s);
  return ways_s;
}

double spread_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

// Returns t0 plus `times` the path time of each wave.
std::vector<double> with_ways(const FactNumbers& t0, const std::vector<double>& ways_s, double times) {
  const double of_t0 = seconds(t0, 1e-2);
  std::vector<double> sums_s;
  for (std::size_t k = 0; k < ways_s.size(); ++k) sums_s.push_back(of_t0 * t0.values[k] + times * ways_s[k]);
  return sums_s;
}

// Finds first samples at a constant time after each first firing, counted from the wave's passage: the times are
// smaller by the wave's path time along half of the array (1), or larger by it (-1). Returns 0 for neither.
int sign_of_leads(const FactNumbers& t0, const std::vector<double>& ways_s) {
  constexpr double kLeastSpread_s = 0.1e-6, kMostRest = 0.1;
  const double all_s = ways_s.empty() ? 0.0 : spread_of(ways_s);
  if (all_s < kLeastSpread_s) return 0;
  for (const int sign : {1, -1})
    if (spread_of(with_ways(t0, ways_s, sign)) < kMostRest * all_s) return sign;
  return 0;
}

// Meaning of times that are larger by the path time of each wave, by name: of the passage, counted from sample 0, or of
// sample 0, counted from the first firing. "t0" may be both.
enum class LongerTime { passage, sample, either };
LongerTime longer_time(const FactNumbers& t0) {
  const std::string name = plain_name(t0.path);
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("start") || has("initial") || has("first")) return LongerTime::sample;
  return has("zero") || has("offset") || has("mwb") ? LongerTime::passage : LongerTime::either;
}

// Handles "t0": the time of the passage of the centre, in a recording that starts with the first firing, or of sample
// 0, in one that starts with this passage. Assumes the first: point echoes of the first frame decide between them. With
// an additional time, both remain open.
void say_either(const FactNumbers& t0, const std::vector<double>& rest_s, GuessedDescription& out) {
  constexpr double kNone_s = 0.05e-6;
  if (largest(rest_s) < kNone_s && !out.meta.contains("demod_hz")) {
    out.assume("t0_s", 0,
               words(t0.path,
                     " is the waves' way along the array: samples begin with the first firing (or with the "
                     "passage through the centre: \"t_zero\": \"centre\")"));
    return;
  }
  out.say("t0_s", named(t0, seconds(t0, 1e-2)), words(t0.path, ", of sample 0"));
  out.miss("t0_s", words("meaning of ", t0.path,
                         " (larger for larger angles: of sample 0 after the first firing, or "
                         "of the passage of the wave after sample 0)"));
}

double mean_step(const FactNumbers& times) {
  return (times.values.back() - times.values.front()) / static_cast<double>(times.values.size() - 1);
}

void assume_index(const FactNumbers& index, double sampling_hz, GuessedDescription& out) {
  Json times_s = Json::array();
  for (const double sample : index.values) times_s.push_back(sample / sampling_hz);
  const bool one = times_s.size() == 1;
  out.assume("t0_s", one ? times_s[0] : times_s,
             words(index.path, " = ", index.values[0], one ? "" : " ...", " samples, ", times_s[0].get<double>() * 1e6,
                   " us"));
}

// Guesses t0_s from the other facts.
void guess_t0_without(const TimeFacts& of, GuessedDescription& out) {
  const FactNumbers* const index = of.facts.first(
      "first_index", [&](const FactNumbers& c) { return c.values.size() == 1 || c.values.size() == of.n_times; });
  if (index != nullptr && of.sampling_hz > 0.0) return assume_index(*index, of.sampling_hz, out);
  if (const FactNumbers* const depth = of.facts.scalar("first_depth_m"); depth != nullptr && depth->values[0] > 0.0) {
    const bool waves = in_unit(depth->named.unit, Quantity::wavelengths) && of.center_hz > 0.0;
    const double depth_m = depth->values[0] * (waves ? of.speed_m_s / of.center_hz : metres(*depth, 0.05));
    out.say("t0_s", 2.0 * depth_m / of.speed_m_s, words(depth->path, ", ", depth_m * 1e3, " mm there and back"));
    return out.miss("t0_s",
                    words("time of the first sample (", depth->path, " = ", depth->values[0],
                          ": recorded from that depth on, ", 2e6 * depth_m / of.speed_m_s, " us, or only shown)"));
  }
  if (of.times != nullptr) {
    const double t0_s = of.times->values[0] * times_factor(*of.times, of.center_hz);
    return out.say("t0_s", t0_s, words("the first of ", of.times->path, ", ", t0_s * 1e6, " us"));
  }
  out.assume("t0_s", 0, "first sample at time 0, not in the file");
  const auto any = [](const FactNumbers&) { return true; };
  const FactNumbers* other = of.facts.first("t0_s", any);
  if (other == nullptr) other = of.facts.first("first_index", any);
  if (other != nullptr)
    out.miss("t0_s", words("time of the first sample (", other->path, " has ", other->values.size(),
                           " values, the samples ", of.n_times, " transmits)"));
}

struct FirstTime {
  const FactNumbers* t0;  // null: none
  int along;              // as sign_of_leads(), unless the times may have another meaning
};

FirstTime guess_t0(const TimeFacts& of, GuessedDescription& out) {
  const FactNumbers* t0 = of.facts.first(
      "t0_s", [&](const FactNumbers& c) { return c.values.size() == 1 || c.values.size() == of.n_times; });
  const bool same = t0 == nullptr && (t0 = of.facts.first("t0_s", [](const FactNumbers& c) {
                                       return std::ranges::count(c.values, c.values[0]) == std::ssize(c.values);
                                     })) != nullptr;
  if (out.meta.contains("time_s")) return {t0, 0};
  if (t0 == nullptr) {
    guess_t0_without(of, out);
    return {};
  }
  // The beamformer with these names subtracts t0 from the samples' times.
  const bool known = of.tree.find("ActElePosX").has_value() && of.tree.find("tx_angle").has_value();
  const std::vector<double> ways_s = of.lines ? std::vector<double>() : ways_along(of, *t0);
  const int along = ways_s.empty() ? 0 : sign_of_leads(*t0, ways_s);
  const LongerTime longer = along < 0 && !known ? longer_time(*t0) : LongerTime::passage;
  if (longer == LongerTime::either) {
    say_either(*t0, with_ways(*t0, ways_s, -1.0), out);
    return {t0, 0};
  }
  const bool subtracted = known || (along < 0 && longer == LongerTime::passage);
  const double factor = seconds(*t0, 1e-2) * (subtracted ? -1.0 : 1.0);
  out.say("t0_s", same ? Json(t0->values[0] * factor) : Json(named(*t0, factor)),
          words(t0->path, ", ", t0->values[0] * factor * 1e6, " us",
                known        ? ", subtracted from the samples' times as beside ActElePosX"
                : subtracted ? ", of the passage of the wave, counted from sample 0"
                             : ""));
  if (may_be_index(*t0, factor))
    out.miss("t0_s", words("unit of ", t0->path, " = ", t0->values[0], ": microseconds or samples"));
  return {t0, longer == LongerTime::passage ? along : 0};
}

void guess_event(const TimeFacts& of, const FirstTime& first, GuessedDescription& out) {
  if (of.lines || named_event(of.tree, out)) return;
  const bool by_times = out.meta.contains("time_s");
  const bool elements =
      out.meta.contains("tx_elements") || out.meta.contains("tx_of_trace");  // their delays are 0 themselves
  const bool ustb = of.tree.find("geom").has_value() && of.tree.find("c0").has_value() && by_times;
  const std::string writer = elements                          ? ""
                             : ustb                            ? "geom and c0 of USTB"
                             : first.t0 == nullptr || by_times ? ""
                                                               : origin_writer(of.sent, first.t0->path);
  if (first.along != 0) {
    out.assume("t_zero", "centre",
               words("time counted from the passage of the wave through the centre, as ", first.t0->path,
                     " differs by the waves' ways along the array"));
  } else if (of.sent.delays_have_zero()) {
    out.assume(
        "t_zero", "delays",
        "time counted from the zero of the delays, not in the file (or from the first firing: \"first_firing\")");
  } else if (!writer.empty()) {
    out.assume("t_zero", "origin", "time counted from the passage of the wave through x = 0, as " + writer);
  } else {
    // Beams along the array, fired by an unknown number of elements: time zero is the first firing of these.
    if (const FactNumbers* const depth = of.facts.scalar("tx_foci_m");
        depth != nullptr && out.meta.contains("tx_foci_m") && of.facts.all("focus_z_m").empty())
      out.miss("t_zero", words("event at time 0 (", depth->path, ": foci, whose apertures are not in the file: ",
                               "first firing of all elements, or passage of the wave through x = 0)"));
    out.assume("t_zero", "first_firing",
               words("time counted from the first firing, not in the file",
                     elements ? "" : " (or from the passage of the wave through x = 0: \"origin\")"));
  }
}

}  // namespace

double step_factor(const FactNumbers& named, double step, double center_hz) {
  if (named.named.unit != nullptr) return seconds(named, 1e-4);
  return step < 1e-4 ? 1.0 : step * center_hz > 1e6 ? 1e-9 : 1e-6;
}

double times_factor(const FactNumbers& times, double center_hz) {
  return step_factor(times, mean_step(times), center_hz);
}

void guess_first_sample(const TimeFacts& of, GuessedDescription& out) { guess_event(of, guess_t0(of, out), out); }

namespace {

class SamplingGuesser {
 public:
  SamplingGuesser(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out)
      : facts_(facts), times_(times), signal_(signal), out_(out) {}

  Sampling found;

  void sampling() {
    double fs_hz = 0.0;
    const FactNumbers* fc = facts_.scalar("fc_hz");
    if (fc == nullptr && !is_iq()) fc = facts_.scalar("demod_hz");  // USTB and CUBDL: for RF as well
    const double stated_hz = fc != nullptr && fc->values[0] > 0.0 ? fc->values[0] * hertz(*fc) : 0.0;
    if (const FactNumbers* const fs = sampling_of_data(); fs != nullptr && fs->values[0] > 0.0) {
      const double factor = sampling_factor(*fs, stated_hz);
      fs_hz = fs->values[0] * factor;
      out_.say("fs_hz", named(*fs, factor),
               words(fs->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::frequency)));
    } else if (times_ != nullptr) {
      const double factor = times_factor(*times_, stated_hz);
      fs_hz = 1.0 / (mean_step(*times_) * factor);
      out_.say("time_s", named(*times_, factor),
               words(times_->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::duration)));
    } else if (const FactNumbers* const dt = facts_.scalar("step_s"); dt != nullptr && dt->values[0] > 0.0) {
      const double factor = step_factor(*dt, dt->values[0], stated_hz);
      fs_hz = 1.0 / (dt->values[0] * factor);
      out_.say("fs_hz", dt->literal ? Json(fs_hz) : Json(words(1.0 / factor, " / ", dt->path)),
               words(dt->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::duration)));
    } else {
      out_.miss("fs_hz", "sampling frequency");
    }
    if (stated_hz > 0.0) {
      const double factor = hertz(*fc);
      found.center_hz = fc->values[0] * factor;
      out_.say("fc_hz", named(*fc, factor),
               words(fc->path, ", ", found.center_hz * 1e-6, " MHz", unit_note(factor, Quantity::frequency)));
    } else if (fs_hz > 0.0 && !is_iq()) {
      out_.measure_center = true;
    } else if (const FactNumbers* const f = facts_.scalar("demod_hz"); f != nullptr && f->values[0] > 0.0) {
      found.center_hz = f->values[0] * hertz(*f);
      out_.assume("fc_hz", named(*f, hertz(*f)), words("IQ demodulated at the centre frequency, ", f->path));
    } else if (fs_hz > 0.0) {
      out_.miss("fc_hz", "centre frequency");
    }
    found.fs_hz = fs_hz;
    speed();
    if (is_iq()) demodulation();
    band_and_rate();
  }

 private:
  [[nodiscard]] bool is_iq() const { return signal_ == SignalKind::iq; }
  // Returns that of the data, after decimation, for ARRUS; of two with the same name neither is more likely.
  const FactNumbers* sampling_of_data() {
    if (const FactNumbers* const of_data = facts_.first("fs_hz", [](const FactNumbers& c) {
          return c.values.size() == 1 && c.path.find("data_char") != std::string::npos;
        }))
      return of_data;
    const FactNumbers* const fs = facts_.scalar("fs_hz");
    if (fs == nullptr) return nullptr;
    const FactNumbers* const other = facts_.first("fs_hz", [&](const FactNumbers& c) {
      return c.values.size() == 1 && plain_name(c.path) == plain_name(fs->path) && c.values[0] != fs->values[0];
    });
    if (other != nullptr)
      out_.miss("fs_hz", words("choice of the sampling frequency (", fs->path, " = ", fs->values[0], ", ", other->path,
                               " = ", other->values[0], ")"));
    return fs;
  }

  // Returns the unit that fits the times of the samples, if a number without a unit contradicts them. Times are certain
  // if they have a unit or can only be seconds; others if the number would be below the centre frequency.
  double sampling_factor(const FactNumbers& fs, double stated_hz) {
    const double by_name = hertz(fs), said_hz = fs.values[0] * by_name;
    if (times_ == nullptr) return by_name;
    const double of_times = times_factor(*times_, stated_hz), axis_hz = 1.0 / (mean_step(*times_) * of_times);
    const auto fits = [&](double hz) { return std::abs(hz / axis_hz - 1.0) < 0.01; };
    const bool certain = times_->named.unit != nullptr || of_times == 1.0;
    if (fits(said_hz) || !(certain || said_hz < stated_hz)) return by_name;
    for (const double factor : {1.0, 1e3, 1e6, 1e9})
      if (fs.named.unit == nullptr && fits(fs.values[0] * factor)) return factor;
    out_.miss("fs_hz", words("choice of the sampling frequency (", fs.path, ": ", said_hz * 1e-6, " MHz, the steps of ",
                             times_->path, ": ", axis_hz * 1e-6, " MHz)"));
    return by_name;
  }

  void speed() {
    const FactNumbers* const c = facts_.scalar("c_m_s");
    const FactNumbers* const map = c != nullptr ? c : facts_.first("c_m_s", [](const FactNumbers&) { return true; });
    double value = c == nullptr ? 0.0 : c->values[0];
    constexpr struct {
      double least, most, factor;
      const char* note;
    } kUnits[] = {{300.0, 12'000.0, 1.0, ""},
                  {0.3, 12.0, 1e3, ", read as mm/us"},
                  {30'000.0, 1'200'000.0, 1e-2, ", read as cm/s"}};
    const auto unit = std::ranges::find_if(kUnits, [&](const auto& u) { return value >= u.least && value <= u.most; });
    if (unit != std::end(kUnits)) {
      value *= unit->factor;
      out_.say("c_m_s", named(*c, unit->factor), words(c->path, ", ", value, " m/s", unit->note));
    } else if (map != nullptr && map->values.size() > 1 && std::ranges::min(map->values) >= 300.0) {
      std::vector<double> all = map->values;
      std::ranges::nth_element(all, all.begin() + std::ssize(all) / 2);
      value = all[all.size() / 2];
      out_.assume(
          "c_m_s", value,
          words("median of ", map->path, ", which has ", std::ranges::min(all), " to ", std::ranges::max(all), " m/s"));
    } else {
      const std::string why =
          c == nullptr ? "not in the file" : words("as ", c->path, " = ", value, " is no speed of sound");
      value = 1540.0;
      out_.assume("c_m_s", value, "1540 m/s, " + why);
    }
    found.speed_m_s = value;
  }

  void demodulation() {
    if (const FactNumbers* const f = facts_.scalar("demod_hz"); f != nullptr && f->values[0] > 0.0)
      out_.say("demod_hz", named(*f, hertz(*f)), words(f->path, ", ", f->values[0] * hertz(*f) * 1e-6, " MHz"));
    else if (found.center_hz > 0.0)
      out_.assume("demod_hz", found.center_hz, "IQ demodulated at the centre frequency");
  }

  void band_and_rate() {
    if (const FactNumbers* const bw = facts_.scalar("bandwidth_hz");
        bw != nullptr && bw->values[0] > 0.0 && found.center_hz > 0.0) {
      const double value = bw->values[0], factor = value <= 2.0     ? found.center_hz
                                                   : value <= 200.0 ? 0.01 * found.center_hz
                                                                    : 1.0;
      out_.say("bandwidth_hz", named(*bw, factor), words(bw->path, ", ", value * factor * 1e-6, " MHz"));
    }
    if (const FactNumbers* const rate = facts_.scalar("frame_rate_hz"); rate != nullptr && rate->values[0] > 0.0)
      out_.say("frame_rate_hz", named(*rate, 1.0), words(rate->path, ", ", rate->values[0], " Hz"));
    else if (const FactNumbers* const prf = facts_.scalar("prf_hz"); prf != nullptr && prf->values[0] > 0.0)
      out_.say("prf_hz", named(*prf, 1.0), words(prf->path, ", ", prf->values[0], " Hz, taken as transmits a second"));
  }

  const GuessFacts& facts_;
  const FactNumbers* times_;
  SignalKind signal_;
  GuessedDescription& out_;
};

}  // namespace

Sampling guess_sampling(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out) {
  SamplingGuesser guesser(facts, times, signal, out);
  guesser.sampling();
  return guesser.found;
}

}  // namespace echoloop
