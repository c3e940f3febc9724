#include "gui/figure/figure_caption.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/number.h"
#include "core/plain_text.h"
#include "core/units.h"
#include "gui/overlay/caption.h"
#include "gui/state/number_text.h"

namespace echoloop {
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
  if (i.matched) words.push_back(std::string(kLevelsMatched) + " by a monotonic map, for display only");
  for (std::string& word : overlay_words(i.over, i.display)) words.push_back(std::move(word));
  return words;
}

// A value stays with its unit; a longer text may be broken.
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
