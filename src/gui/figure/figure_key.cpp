#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/figure/figure.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/caption.h"
#include "gui/state/marks.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

using All = std::vector<const Measured*>;

// Returns the value on each image, A | B.
template <class Value>
std::string of_each(const All& all, const Value& value) {
  std::string text;
  for (const Measured* m : all) text += (text.empty() ? "" : " | ") + value(*m);
  return text;
}

std::string name_in_key(const Mark& mark) {
  if (mark.role == RegionRole::none) return std::string(name_of(mark.kind));
  return (mark.role == RegionRole::target ? "Target, pair " : "Background, pair ") + std::to_string(mark.pair);
}

const RegionStats* stats_of(const Measured& m, const Mark& mark) {
  for (const MeasuredPair& pair : m.pairs) {
    if (pair.number != mark.pair || mark.role == RegionRole::none) continue;
    return mark.role == RegionRole::target ? &pair.stats.target : &pair.stats.background;
  }
  for (const MeasuredRegion& region : m.regions) {
    if (region.mark.number == mark.number) return &region.stats;
  }
  return nullptr;
}

// Returns the share of pixels with an echo in percent; statistics describe only these pixels.
std::string share_text(double share) { return std::isfinite(share) ? fixed(100.0 * share, 0) : "—"; }

std::string region_level(const Measured& m, const Mark& mark) {
  const RegionStats* stats = stats_of(m, mark);
  return stats != nullptr && stats->pixels > 0 ? fixed(stats->level_db(), 1) : "—";
}

std::string region_share(const Measured& m, const Mark& mark) {
  const RegionStats* stats = stats_of(m, mark);
  return share_text(stats != nullptr ? stats->share_with_echo : NAN);
}

std::string widths(const Measured& m, int number) {
  for (const MeasuredPoint& point : m.points) {
    if (point.mark != number || !point.spread) continue;
    return fixed(point.spread->axial.fwhm_m / kMetresPerMillimetre, 2) + " × " +
           fixed(point.spread->lateral.fwhm_m / kMetresPerMillimetre, 2);
  }
  return "—";
}

// Returns the values of one image, or of A and of B on separate lines.
template <class Value>
FigureKeyRow valued(const Mark& mark, std::string name, const All& all, const Value& value) {
  if (all.size() < 2) return {mark.number, std::move(name), value(*all[0])};
  return {mark.number, std::move(name), "A  " + value(*all[0]), "B  " + value(*all[1])};
}

FigureKeyRow row_of(const Mark& mark, const All& all) {
  if (is_region(mark.kind) && !all.empty()) {
    return valued(mark, name_in_key(mark) + ", " + mark_value(mark, 1), all, [&](const Measured& m) {
      return region_level(m, mark) + " dB, echo in " + region_share(m, mark) + " %";
    });
  }
  if (mark.kind == MarkKind::point && !all.empty()) {
    return valued(mark, "FWHM (−6 dB), axial × lateral", all,
                  [&](const Measured& m) { return widths(m, mark.number) + " mm"; });
  }
  return {mark.number, name_in_key(mark), mark_value(mark, 2)};
}

double row_height(const FigureKeyRow& row) {
  if (row.number == 0) return figure::kPairRow;
  return figure::kKeyRow + (row.value_b.empty() ? 0.0 : figure::kKeyLine);
}

}  // namespace

std::vector<FigureKeyRow> figure_key(const Marks& marks, const All& all) {
  std::vector<FigureKeyRow> rows;
  for (const Mark& mark : marks.list) rows.push_back(row_of(mark, all));
  if (all.empty()) return rows;
  for (std::size_t i = 0; i < all.front()->pairs.size(); ++i) {
    const auto add = [&](const char* name, const auto& value) {
      rows.push_back({0, name, of_each(all, [&](const Measured& m) {
                        return i < m.pairs.size() ? value(m.pairs[i].stats) : std::string("—");
                      })});
    };
    const std::string pair = "gCNR, pair " + std::to_string(all.front()->pairs[i].number);
    add(pair.c_str(), [](const PairStats& s) { return fixed(s.gcnr, 3); });
    add("contrast, dB", [](const PairStats& s) { return fixed(s.contrast_db, 1); });
    add("CNR", [](const PairStats& s) { return fixed(s.cnr, 2); });
  }
  return rows;
}

namespace figure {

double key_height(const Figure& f, int columns) {
  double all = 0.0, tallest = 0.0;
  for (const FigureKeyRow& row : f.key) all += row_height(row), tallest = std::max(tallest, row_height(row));
  return kKeyHead + (columns > 1 ? all / columns + tallest : all);
}

void draw_key(Canvas& canvas, const Figure& f, const FigureLayout& l) {
  const ScaleLook look = scales(f.ground);
  const double width = l.key_place == KeyPlace::beside ? l.key.width() : kKeyColumn - kBetween;
  double x = l.key.x0, y = l.key.y0 + kKeyHead;
  canvas.text({x, l.key.y0 + 0.5 * kEm}, look.label(look.text, Weight::strong), TextAlign::left, "Marks");
  for (const FigureKeyRow& row : f.key) {
    if (y + row_height(row) > l.key.y1 + 0.5 && l.key_place == KeyPlace::below) {
      x += kKeyColumn;
      y = l.key.y0 + kKeyHead;
    }
    const double middle = y + 0.5 * kKeyLine;
    if (row.number > 0) {
      canvas.text({x, middle}, look.label(look.text, Weight::strong), TextAlign::left, std::to_string(row.number));
      canvas.text({x + 2.2 * kEm, middle}, look.label(look.text2), TextAlign::left, row.name);
      const TextLook strong = look.label(look.text, Weight::strong);
      canvas.text({x + 2.2 * kEm, middle + kKeyLine}, strong, TextAlign::left, row.value);
      canvas.text({x + 2.2 * kEm, middle + 2.0 * kKeyLine}, strong, TextAlign::left, row.value_b);
    } else {
      canvas.text({x, middle}, look.label(look.text2), TextAlign::left, row.name);
      canvas.text({x + width, middle}, look.label(look.text, Weight::strong), TextAlign::right, row.value);
    }
    y += row_height(row);
  }
}

}  // namespace figure
namespace {

constexpr std::size_t kMostInTitle = 3;

std::string text_of(const CaptionItem& item) {
  std::string text = item.key;
  for (const std::string* part : {&item.value, &item.unit}) {
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  return text;
}

std::vector<std::string> words_of(const FigureImage& i) {
  std::vector<std::string> words;
  for (const CaptionItem& item : caption_items(i.image, i.numbers, i.faults, ElementWords::listed)) {
    words.push_back(text_of(item));
  }
  const double top_db = -i.display.display.gain_db;
  if (shows_weight(i.display.formation)) {
    words.push_back("weight, 0 to 1");
  } else {
    words.push_back(
        fmt::format("{} to {} dB", fixed(top_db - i.display.display.dynamic_range_db, 0), fixed(top_db, 0)));
  }
  if (i.display.display.mirrored == Mirrored::on) words.emplace_back(kMirrored);
  if (i.matched) words.push_back(std::string(kLevelsMatched) + " by a monotonic map, for display only");
  for (std::string& word : overlay_words(i.over, i.display)) words.push_back(std::move(word));
  return words;
}

// Keeps a value and its unit on one line; a longer text may be broken.
std::string unbroken(std::string word) {
  constexpr std::size_t kLongest = 32;
  if (word.size() > kLongest) return word;
  for (std::size_t at = word.find(' '); at != std::string::npos; at = word.find(' ', at + 1)) {
    word.replace(at, 1, kNoBreak);
  }
  return word;
}

std::string listed(const std::vector<std::string>& words, std::size_t from = 0) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text += (text.empty() ? "" : ", ") + unbroken(words[i]);
  return text;
}

std::string probe_of(const Image& image) {
  if (image.acquisition == nullptr || image.acquisition->probe.name.empty()) return {};
  const double mhz = image.acquisition->center_hz / kHertzPerMegahertz;
  const std::string name = capitalized(image.acquisition->probe.name);
  return fmt::format(" {}, {}{}MHz.", name, fixed(mhz, 1), kNoBreak);
}

}  // namespace

std::string figure_caption(const std::vector<FigureImage>& images, const std::string& source, const std::string& note) {
  const std::vector<std::string> a = words_of(images[0]), b = words_of(images.back());
  std::vector<std::string> common = {source}, only_a, only_b;
  for (const std::string& word : a) {
    const bool both = std::find(b.begin(), b.end(), word) != b.end();
    (both ? common : only_a).push_back(word);
  }
  for (const std::string& word : b) {
    if (std::find(a.begin(), a.end(), word) == a.end()) only_b.push_back(word);
  }
  std::string text = listed(common) + ".";
  if (images.size() > 1 && !only_a.empty()) text += " A: " + listed(only_a) + ".";
  if (images.size() > 1 && !only_b.empty()) text += " B: " + listed(only_b) + ".";
  text += probe_of(images[0].image);
  return note.empty() ? text : text + " " + note;
}

void title_images(std::vector<FigureImage>& images) {
  if (images.size() != 2) return;
  const std::vector<ParamDifference> all = differing_params(images[0].image.params, images[1].image.params);
  for (std::size_t i = 0; i < std::min(all.size(), kMostInTitle); ++i) {
    const auto add = [&](std::string& title, const std::string& value) {
      title += (title.empty() ? "" : ", ") + all[i].label + " " + value;
      if (!all[i].unit.empty()) title += " " + all[i].unit;
    };
    add(images[0].title, all[i].a);
    add(images[1].title, all[i].b);
  }
  if (all.size() > kMostInTitle) {
    for (FigureImage& image : images) image.title += fmt::format(" and {} more", all.size() - kMostInTitle);
  }
  for (FigureImage& image : images) {
    if (image.matched) image.title += (image.title.empty() ? "" : ", ") + std::string(kLevelsMatched);
  }
}

}  // namespace echoloop
