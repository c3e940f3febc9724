#include "gui/overlay/caption.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/own_method.h"
#include "core/param_table.h"
#include "core/params.h"
#include "core/units.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

CaptionItem transmits_of(const ImagingParams& p, const Acquisition& a) {
  const bool plane = std::all_of(a.transmits.begin(), a.transmits.end(),
                                 [](const Transmit& t) { return t.kind == TransmitKind::plane; });
  const bool one = a.n_transmits() == 1;
  const int used = picked_transmits(p, a).count;
  const std::string all = std::to_string(a.n_transmits());
  return {"", used == a.n_transmits() ? all : fmt::format("{} of {}", used, all),
          plane ? (one ? "angle" : "angles") : (one ? "transmit" : "transmits")};
}

CaptionItem cone_of(const ImagingParams& p) {
  const double f_number = p.transmits.cone_f_number;
  const std::string opening = f_number > 0.0 ? "F " + fixed(f_number, 2) : "all beams";
  return {"cone", std::string(get_choice(p, param("transmit_cone")).label) + ", " + opening, ""};
}

// Returns the number of averaged frames, over which motion is blurred: placed directly after the time.
CaptionItem average_of(const Image& image) {
  if (image.averaged_frames <= 0.0) return {"", "not averaged", ""};
  return {"average of", fixed(image.averaged_frames, 1), "frames"};
}

CaptionItem method_of(const FormationParams& p) {
  std::string name(kAdaptiveMethods[static_cast<std::size_t>(p.adaptive)].label);
  if (p.adaptive == Adaptive::own && p.own != nullptr) {
    name = p.own->name + " (" + p.own->sha256.substr(0, 8) + ")";
    for (const std::string& setting : own_settings(p)) name += " " + setting.substr(4);
  } else if (is_weight(p.adaptive) && p.adaptive_strength < 1.0)
    name += " " + fixed(p.adaptive_strength, 2);
  const bool ours = p.adaptive != Adaptive::own || p.own == nullptr || p.own->process == nullptr;
  return {shows_weight(p) ? "weight of" : "method", ours ? name + ", " + method_channels(p) : name, ""};
}

std::string value_text(const ImagingParams& p, const ParamSpec& spec, int decimals) {
  if (!spec.choices.empty()) return std::string(get_choice(p, spec).label);
  const double value = get_number(p, spec);
  if (spec.key == "f_number" && value == 0) return "full aperture";
  if ((spec.key == "grid_nx" || spec.key == "grid_nz") && value == 0) return "auto";
  if (spec.key == "reference_db" && value <= kAutoReference) return "auto";
  return fixed(value * spec.shown_per_si, decimals);
}

}  // namespace

std::optional<CaptionItem> time_item(const Image& image) {
  const double rate_hz = image.acquisition != nullptr ? image.acquisition->frame_rate_hz : 0.0;
  if (!(rate_hz > 0.0)) return std::nullopt;
  if (rate_hz > 1000.0) return CaptionItem{"t", fixed(1e3 * image.stamp.time_s, 2), "ms"};  // steps below 1 ms
  return CaptionItem{"t", fixed(image.stamp.time_s, 3), "s"};
}

std::vector<CaptionItem> caption_items(const Image& image, const FrameNumbers& numbers, const SampleFaults& faults,
                                       ElementWords elements) {
  const ImagingParams& p = image.params;
  std::vector<CaptionItem> items = {{"frame", numbers.text(image.stamp), ""}};
  if (const std::optional<CaptionItem> time = time_item(image)) items.push_back(*time);
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    const auto fault = static_cast<SampleFault>(i);
    if (faults.of(fault).samples == 0) continue;
    items.push_back({std::string(kSampleFaultRows[i].key), fault_share_text(faults, fault),
                     "in " + elements_text(faults.of(fault).elements, elements)});
  }
  if (image.torn_share > 0.0)
    items.push_back({"torn", fixed(100.0 * image.torn_share, 1) + " %", "of an earlier frame"});
  if (p.refine.persistence_s > 0.0) items.push_back(average_of(image));
  items.push_back({"c", fixed(p.formation.sound_speed_m_s, 0), "m/s"});
  const bool formed = image.acquisition != nullptr && image.acquisition->data == DataKind::beamformed;
  const bool course = p.formation.recipe == Recipe::course;
  if (formed) {  // without own aperture, transmits and filters
    items.push_back({"", "beamformed data", ""});
  } else if (course) {
    items.push_back({"", "course recipe", ""});
  } else {
    const bool dynamic = p.formation.f_number > 0.0;
    items.push_back({dynamic ? "F" : "", dynamic ? fixed(p.formation.f_number, 2) : "full aperture", ""});
    if (p.formation.adaptive != Adaptive::off) items.push_back(method_of(p.formation));
  }
  if (image.acquisition != nullptr && !formed) {
    items.push_back(transmits_of(p, *image.acquisition));
    if (uses_cones(p, *image.acquisition)) items.push_back(cone_of(p));
  }
  if (!course && !formed) {
    items.push_back(
        {"", span_text(p.formation.band_low_hz / kHertzPerMegahertz, p.formation.band_high_hz / kHertzPerMegahertz, 1),
         "MHz"});
    items.push_back({"", std::string(get_choice(p, param("apodization")).label), ""});
  }
  items.push_back(
      {"", fmt::format("{} × {}", image.grid.nx, image.grid.nz), image.grid.polar() ? "lines × radii" : "px"});
  return items;
}

std::vector<ParamDifference> differing_params(const ImagingParams& a, const ImagingParams& b) {
  std::vector<ParamDifference> list;
  for (const ParamSpec& spec : param_table()) {
    if (spec.member.part == kPart<&ImagingParams::display> || get_number(a, spec) == get_number(b, spec)) continue;
    constexpr int kMoreDecimals = 4;
    for (int more = 0; more <= kMoreDecimals; ++more) {
      ParamDifference d{.label = std::string(spec.label),
                        .a = value_text(a, spec, spec.decimals + more),
                        .b = value_text(b, spec, spec.decimals + more),
                        .unit = std::string(spec.unit)};
      if (d.a == d.b) continue;
      list.push_back(std::move(d));
      break;
    }
  }
  return list;
}

namespace {

constexpr double kLeastShare = 1e-4;  // smallest share given in percent: 0.01 %
constexpr int kMostRanges = 4;

std::string named(SampleFault fault) { return std::string(kSampleFaultRows[static_cast<std::size_t>(fault)].key); }

template <class Visit>  // visit(fault) for each kind found
void for_each_fault(const SampleFaults& faults, Visit&& visit) {
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    if (faults.found[i].samples > 0) visit(static_cast<SampleFault>(i));
  }
}

}  // namespace

std::string fault_title(SampleFault fault) { return capitalized(named(fault)); }

std::string fault_share_text(const SampleFaults& faults, SampleFault fault) {
  const double share = faults.share(fault);
  if (share >= kLeastShare) return fixed(100.0 * share, 2) + " %";
  return counted_grouped(faults.of(fault).samples, "sample");
}

std::string elements_text(const std::vector<bool>& elements, ElementWords words) {
  const auto all = static_cast<std::size_t>(std::count(elements.begin(), elements.end(), true));
  if (words == ElementWords::count) return counted(all, "element");
  if (all == elements.size()) return "all elements";
  std::string text;
  std::size_t listed = 0;
  int ranges = 0;
  for (std::size_t e = 0; e < elements.size() && ranges < kMostRanges; ++e) {
    if (!elements[e]) continue;
    std::size_t last = e;
    while (last + 1 < elements.size() && elements[last + 1]) ++last;
    text += text.empty() ? "" : ", ";
    text += last == e ? fmt::format("{}", e + 1) : fmt::format("{}–{}", e + 1, last + 1);
    listed += last - e + 1;
    e = last;
    ++ranges;
  }
  if (listed < all) text += fmt::format(" and {} more", all - listed);
  return plural(all, "element") + " " + text;
}

std::string faults_text(const SampleFaults& faults) {
  std::string text;
  for_each_fault(faults, [&](SampleFault fault) {
    text += (text.empty() ? "" : ", ") + named(fault) + " " + fault_share_text(faults, fault);
  });
  return text;
}

std::string faults_sentence(const SampleFaults& faults) {
  std::string text;
  for_each_fault(faults, [&](SampleFault fault) {
    const std::string share = fault_share_text(faults, fault);
    const std::vector<bool>& elements = faults.of(fault).elements;  // empty: unknown
    text += fmt::format("{}{}: {}{}{}{}.", text.empty() ? "" : " ", fault_title(fault), share,
                        share.ends_with("%") ? " of samples" : "", elements.empty() ? "" : ", ",
                        elements.empty() ? "" : elements_text(elements, ElementWords::listed));
  });
  return text;
}

SampleFaults faults_of(const SampleLogPtr& log, std::uint64_t frame) {
  return log != nullptr ? log->of(frame) : SampleFaults{};
}

}  // namespace echoloop
