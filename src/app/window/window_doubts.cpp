#include "app/window/window_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/window/window_import.h"
#include "app/window/window_review.h"
#include "core/error.h"
#include "core/facts.h"
#include "core/units.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"
#include "measure/levels.h"

namespace echoloop {
namespace {

// Returns half of the cores: the other half is for the stream.
int search_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2); }

// What a wrong fact does to the image.
struct Effect {
  std::string_view fact, text;
};
constexpr Effect kEffects[] = {
    {"fc_hz", "The band of the filter and the demodulation depend on the frequency; positions do not."},
    {"fs_hz", "The depths of all echoes depend on the sampling frequency."},
    {"c", "The depths of all echoes and their focusing depend on the sound speed."},
    {"pitch", "The width of the image and the focusing of echoes depend on the pitch."},
    {"t0_s", "The depths of all echoes and the focusing of shallow ones depend on the time of sample 0."},
    {"t_zero", "Echoes of steered and focused transmits are shifted against each other."},
    {"side", "Transmits and elements count from opposite sides: echoes beside the axis are smeared."},
    {"tx", "Echoes are summed with the delays of other transmits: beside the axis they are smeared."},
    {"angles", "Echoes of steered transmits are summed at other places."},
    {"kind", "The transmits reach the echoes at other times."},
    {"element_order", "Echoes are summed with the delays of other elements: the image is smeared."},
    {"element_sign", "Elements of opposite sign cancel in the sum."},
    {"demod_hz", "The phase of the samples turns at another frequency: echoes do not add up."},
    {"axes", "Samples are read as those of other elements, transmits or times."},
    {"scale", "Only pitch x fs / c shows in the samples: positions are right up to one common factor."}};

std::string effect_of(const Doubt& doubt) {
  const auto* const found = std::ranges::find(kEffects, doubt.key, &Effect::fact);
  return found == std::end(kEffects) ? std::string() : std::string(found->text);
}

// Returns the label of the button that applies the cure: the value where it is one number.
std::string use_of(const Doubt& doubt) {
  if (doubt.patch.size() != 1) return doubt.patch.empty() ? "" : "Use the cure";
  const auto change = doubt.patch.begin();
  const nlohmann::json& value = change.value();
  const FactRow* const row = find_description_key(change.key());
  if (row == nullptr || !value.is_number()) return "Use the cure";
  return fmt::format("Use {:.4g} {}", value.get<double>() / row->unit.si, row->unit.symbol);
}

// Values that need no other description.
bool is_only(const Doubt& doubt, const char* key) { return doubt.patch.size() == 1 && doubt.patch.contains(key); }

constexpr const char* kOfSender = "A scanner's description comes from its sender, where it has to be corrected.";

double rms_above(const Image& a, const Image& b, double least_db) {
  if (a.grid.nx != b.grid.nx || a.grid.nz != b.grid.nz || std::abs(a.grid.z1_m - b.grid.z1_m) > 1e-4 ||
      std::abs(a.grid.x1_m - b.grid.x1_m) > 1e-4)
    return std::numeric_limits<double>::quiet_NaN();
  double sum = 0.0, n = 0.0;
  for (std::size_t i = 0; i < a.host().size(); ++i) {
    const double x = std::max<double>(a.host()[i], least_db), y = std::max<double>(b.host()[i], least_db);
    if (x <= least_db && y <= least_db) continue;
    sum += (x - y) * (x - y), n += 1.0;
  }
  return n > 0.0 ? std::sqrt(sum / n) : 0.0;
}

}  // namespace

void WindowDoubts::begin() {
  with_.state.opening.doubts = {};
  with_.in_use.doubts.reset();
  use_when_formed_ = false;
  const bool kiosk = !with_.state.no_effect.files.empty();  // nothing can be corrected
  const bool live = with_.in_use.source != nullptr && with_.in_use.source->live() != nullptr;
  wanted_ = cards_ != DoubtCards::none && !kiosk && (live || is_file_source(with_.in_use.named));
}

void WindowDoubts::look() {
  if (work_.valid()) {
    if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    try {
      std::vector<Doubt> doubts = work_.get();
      if (!wanted_) show(std::move(doubts));
    } catch (const std::exception& error) {
      with_.state.say(Severity::error, error.what(), "source");
    }
  }
  if (wanted_) measure();
  take_images();
}

void WindowDoubts::measure() {
  const auto kept = with_.engine.history.at(0);
  if (!kept || kept->acquisition != with_.in_use.source->acquisition()) return;
  wanted_ = false;
  const bool live = with_.in_use.source->live() != nullptr;
  work_ = std::async(std::launch::async, [frame = *kept, live] {
    return live ? measure_live_doubts(frame.acquisition, frame.frame.samples)
                : measure_doubts(frame.acquisition, frame.frame.samples);
  });
}

void WindowDoubts::show(std::vector<Doubt> doubts) {
  for (Doubt& doubt : doubts) {
    doubt.dismissed = dismissed_.contains(with_.in_use.named + "\n" + doubt.text);
    if (!doubt.dismissed) with_.state.say(Severity::warning, capitalized(doubt.text) + ".", "source");
  }
  with_.in_use.doubts = std::move(doubts);
  make_cards();
  const bool recording = is_file_source(with_.in_use.named);
  if (cards_ == DoubtCards::opened && recording && !with_.state.opening.doubts.cards.empty()) act(DoubtAct::show);
}

void WindowDoubts::make_cards() {
  DoubtsView& view = with_.state.opening.doubts;
  const bool live = !is_file_source(with_.in_use.named);
  view.cards.clear();
  view.n_dismissed = 0;
  for (const Doubt& doubt : *with_.in_use.doubts) {
    if (doubt.dismissed) ++view.n_dismissed;
    if (doubt.dismissed) continue;
    const bool described = !is_only(doubt, "fc_hz") && !is_only(doubt, "c_m_s");
    view.cards.push_back({.text = capitalized(doubt.text) + ".",
                          .effect = effect_of(doubt),
                          .cure = doubt.cure,
                          .use = use_of(doubt),
                          .why_not = live && described ? kOfSender : "",
                          .stated = doubt.agreement_stated,
                          .found = doubt.agreement_found,
                          .readings = doubt.readings});
  }
  view.at = 0;
  view.open = view.open && !view.cards.empty();
}

Doubt* WindowDoubts::on_card() {
  if (with_.state.opening.doubts.card() == nullptr || !with_.in_use.doubts) return nullptr;
  std::size_t at = with_.state.opening.doubts.at;
  for (Doubt& doubt : *with_.in_use.doubts)
    if (!doubt.dismissed && at-- == 0) return &doubt;
  return nullptr;
}

void WindowDoubts::act(DoubtAct what) {
  DoubtsView& view = with_.state.opening.doubts;
  const std::size_t n = view.cards.size();
  if (n == 0) return;
  switch (what) {
    case DoubtAct::show:
    case DoubtAct::previous:
      view.at = !view.open ? 0 : (view.at + (what == DoubtAct::show ? 1 : n - 1)) % n;
      view.open = true;
      return form_images();
    case DoubtAct::use:
      return use();
    case DoubtAct::keep:
      if (Doubt* const doubt = on_card(); doubt != nullptr) {
        doubt->dismissed = true;
        dismissed_.insert(with_.in_use.named + "\n" + doubt->text);
      }
      make_cards();
      if (view.open) form_images();
      return;
    case DoubtAct::later:
      stop_.request_stop();
      view.open = false;
  }
}

// Forms one frame with the description as it is, and with the cure. A recording is read again, by the reader process.
WindowDoubts::Formed WindowDoubts::formed(const Doubt& doubt, const KeptFrame& kept) const {
  Formed result;
  const Acquisition& a = *kept.acquisition;
  if (doubt.key == "fc_hz" && doubt.measured > 0.0) {
    if (auto s = measure_spectrum(a, kept.frame.samples))
      result.preview.spectrum = {s->power,   s->first_hz,  s->step_hz,    s->low_hz,
                                 s->high_hz, doubt.stated, doubt.measured};
  }
  if (doubt.patch.empty()) return result;
  try {
    const std::filesystem::path file = with_.in_use.named;
    if (!is_file_source(with_.in_use.named)) throw Error::from_line(kOfSender);
    const std::stop_token stop = stop_.get_token();
    const std::unique_ptr<Backend> backend = make_cpu_backend(search_threads());
    const std::string stated = patched_description(file, nlohmann::json::object(), stop);
    result.description = patched_description(file, doubt.patch, stop);
    ImagingOptions options = with_.imaging;
    const auto preview = [&](const std::string& description) {
      return form_preview({.file = file.string(), .description = description, .frame = kept.frame.stamp.source_index},
                          *backend, options, stop);
    };
    const PreviewResult before = preview(stated);
    if (const Grid& g = before.image->grid; !g.polar()) {  // the same place
      for (const auto& [key, value] : {std::pair{"depth_min_m", g.z0_m},
                                       {"depth_max_m", g.z1_m},
                                       {"lateral_min_m", g.x0_m},
                                       {"lateral_max_m", g.x1_m},
                                       {"grid_nx", static_cast<double>(g.nx)},
                                       {"grid_nz", static_cast<double>(g.nz)}})
        options.settings.push_back(fmt::format("{}={:.9g}", key, value));
    }
    const PreviewResult after = preview(result.description);
    result.preview.before = before.image;
    result.preview.after = after.image;
    result.preview.rms_db = rms_above(*before.image, *after.image, -50.0);
    const auto levels = [](const Image& image) { return LevelImage{image.host(), image.grid, 1, 0.0}; };
    result.preview.sharper_db = sharpness_db(levels(*after.image)) - sharpness_db(levels(*before.image));
    result.preview.left = after.doubts.size();
  } catch (const std::exception& error) {
    result.preview.error = error.what();
  }
  return result;
}

void WindowDoubts::form_images() {
  DoubtsView& view = with_.state.opening.doubts;
  view.preview = {};
  description_.clear();
  use_when_formed_ = false;
  const auto kept = with_.engine.history.at(0);
  const Doubt* const doubt = on_card();
  if (doubt == nullptr || !kept) return;
  stop_.request_stop();
  if (images_.valid()) images_.wait();
  stop_ = {};
  view.preview.busy = true;
  images_ = std::async(std::launch::async, [this, doubt = *doubt, kept = *kept] { return formed(doubt, kept); });
}

void WindowDoubts::take_images() {
  if (!images_.valid() || images_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  Formed result = images_.get();
  if (stop_.stop_requested() || !with_.state.opening.doubts.open) return;
  with_.state.opening.doubts.preview = std::move(result.preview);
  description_ = std::move(result.description);
  DoubtCard& card = with_.state.opening.doubts.cards[with_.state.opening.doubts.at];
  if (description_.empty() && card.why_not.empty() && !with_.state.opening.doubts.preview.error.empty()) {
    const Doubt& doubt = *on_card();
    if (!is_only(doubt, "fc_hz") && !is_only(doubt, "c_m_s")) card.why_not = with_.state.opening.doubts.preview.error;
  }
  if (use_when_formed_) use();
}

void WindowDoubts::use() {
  const Doubt* const doubt = on_card();
  if (doubt == nullptr || doubt->patch.empty()) return;
  WindowState& state = with_.state;
  if (is_only(*doubt, "c_m_s")) {
    state.params.formation.sound_speed_m_s = doubt->patch["c_m_s"].get<double>();
    with_.commands.send(command::ParamsChanged{});
    state.say(Severity::info, fmt::format("Sound speed {:.0f} m/s.", state.params.formation.sound_speed_m_s));
    std::erase_if(*with_.in_use.doubts, [doubt](const Doubt& one) { return &one == doubt; });
    return make_cards();
  }
  if (is_only(*doubt, "fc_hz")) {
    state.facts.given["center_hz"] = doubt->patch["fc_hz"].get<double>();
  } else {
    const std::string& why = state.opening.doubts.cards[state.opening.doubts.at].why_not;
    if (!why.empty()) return state.hint(why);
    use_when_formed_ = description_.empty();
    if (use_when_formed_) return;
    use_description(with_.in_use.named, description_);
  }
  state.say(Severity::info, "Opened with the cure: " + doubt->cure);
  state.opening.doubts.open = false;
  with_.commands.send(command::FactsChanged{});
}

std::vector<std::string> WindowDoubts::dismissed() const {
  std::vector<std::string> texts;
  for (const Doubt& doubt : with_.in_use.doubts.value_or(std::vector<Doubt>()))
    if (doubt.dismissed) texts.push_back(doubt.text);
  return texts;
}

void WindowDoubts::set_dismissed(const std::string& source, const std::vector<std::string>& texts) {
  dismissed_.clear();
  for (const std::string& text : texts) dismissed_.insert(source + "\n" + text);
}

namespace {

const Mark* selected_region(const Marks& marks) {
  const auto found = std::ranges::find(marks.list, marks.selected, &Mark::number);
  return found != marks.list.end() && is_region(found->kind) ? &*found : nullptr;
}

FoundSpeed shown(const SoundSpeedCurve& curve) {
  return {.phi = {curve.phi.begin(), curve.phi.end()},
          .peak_m_s = curve.peak_m_s,
          .prominence = curve.prominence,
          .warnings = curve.warnings};
}

}  // namespace

std::string WindowSoundSpeed::why_not() const {
  const WindowState& state = state_;
  if (engine_.session == nullptr || state.source.acquisition == nullptr) return "No source is open.";
  if (!state.kept.why_not.empty()) return state.kept.why_not;
  return why_no_sound_speed(state.params, *state.source.acquisition);
}

void WindowSoundSpeed::begin() {
  const WindowState& state = state_;
  if (work_.valid() || !why_not().empty()) return;
  const auto kept = find_kept(engine_.history, viewer_.shown_image().stamp.sequence);
  if (!kept) throw Error("speed of sound", "the frame on screen is not in the history", "a frame of the history");
  SoundSpeedTask task{.acquisition = state.source.acquisition,
                      .params = state.params,
                      .grid = sound_speed_grid(state.params, *state.source.acquisition),
                      .pixels = {},
                      .speeds_m_s = speeds_around(state.params.formation.sound_speed_m_s)};
  const Mark* region = selected_region(state.marks);
  if (region != nullptr) {
    task.pixels = pixels_in(region_of(*region), task.grid).index;
    if (task.pixels.empty()) {
      throw Error("speed of sound", fmt::format("no pixel of the image lies in region {}", region->number),
                  "a region in the image");
    }
  }
  searched_ = {.first_m_s = task.speeds_m_s.front(),
               .last_m_s = task.speeds_m_s.back(),
               .assumed_m_s = state.params.formation.sound_speed_m_s,
               .region = region == nullptr ? "whole image" : fmt::format("region {}", region->number),
               .f_number = search_f_number_note(state.params),
               .elements = {},
               .transmits = {}};
  stop_ = false;
  done_ = 0.0;
  state_.analyses.of<SoundSpeedView>().found.reset();
  // Copies the samples: the stream may restart meanwhile, and free its memory.
  work_ = std::async(
      std::launch::async, [this, task = std::move(task), stamp = kept->frame.stamp,
                           samples = std::vector<std::byte>(kept->frame.samples.begin(), kept->frame.samples.end())] {
        const std::unique_ptr<Backend> backend = make_cpu_backend(search_threads());
        return find_sound_speed(*backend, task, {.stamp = stamp, .samples = samples}, [this](double done) {
          done_ = done;
          return !stop_;
        });
      });
}

void WindowSoundSpeed::stop() {
  if (!work_.valid()) return;
  stop_ = true;
  work_.wait();  // for one image of the coarse grid
  work_ = {};
}

void WindowSoundSpeed::forget() {
  stop();
  state_.analyses.of<SoundSpeedView>() = {};
}

void WindowSoundSpeed::act(SoundSpeedAct what) {
  if (what == SoundSpeedAct::find) return begin();
  stop();
  state_.analyses.of<SoundSpeedView>().found.reset();
}

void WindowSoundSpeed::update() {
  SoundSpeedView& view = state_.analyses.of<SoundSpeedView>();
  view.why_not = why_not();
  view.fraction.reset();
  if (!work_.valid()) return;
  if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    view.fraction = done_.load();
    return;
  }
  try {
    const SoundSpeedResult result = work_.get();
    view.found = std::exchange(searched_, {});
    view.found->elements = shown(result.elements);
    view.found->transmits = shown(result.transmits);
  } catch (const std::exception& error) {
    state_.say(Severity::error, error.what(), "sound speed");
  }
}

}  // namespace echoloop
