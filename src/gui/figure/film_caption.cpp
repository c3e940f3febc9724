#include "gui/figure/film_caption.h"

#include "gui/overlay/caption.h"
#include "render/palette.h"

namespace echoloop {
namespace {

constexpr float kEm = 24, kWordGap = 28, kLine = 40;
constexpr TextLook kName{.em = kEm, .weight = Weight::strong, .color = ink::kText};
constexpr TextLook kQuiet{.em = kEm, .color = ink::kMuted}, kValue{.em = kEm, .color = ink::kText};

class Lines {
 public:
  Lines(RgbPicture& picture, TextRasterizer& rasterizer) : picture_(picture), rasterizer_(rasterizer) {}

  float width(const CaptionItem& i) {
    return rasterizer_.width(kQuiet, i.key) + rasterizer_.width(kQuiet, i.value) + rasterizer_.width(kQuiet, i.unit) +
           40;
  }
  float draw(float x, float y, const CaptionItem& item) {
    if (!item.key.empty()) x = rasterizer_.draw(picture_, x, y, kQuiet, item.key) + 7;
    x = rasterizer_.draw(picture_, x, y, kValue, item.value);
    if (!item.unit.empty()) x = rasterizer_.draw(picture_, x + 5, y, kQuiet, item.unit);
    return x + kWordGap;
  }

 private:
  RgbPicture& picture_;
  TextRasterizer& rasterizer_;
};

// As much of it as has room.
std::string shortened(const std::string& name, TextRasterizer& rasterizer, float room) {
  std::string text = name;
  while (!text.empty() && rasterizer.width(kName, text + "…") > room) {
    do text.pop_back();
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80);
  }
  return text.size() < name.size() ? text + "…" : text;
}

}  // namespace

void draw_film_caption(RgbPicture& picture, TextRasterizer& rasterizer, const CaptionPlace& place, const FilmLook& film,
                       const Image& image) {
  Lines lines(picture, rasterizer);
  const std::vector<CaptionItem> items = caption_items(image, faults_of(film.samples, image.stamp.source_index));
  const std::size_t first_line = items.size() > 1 && items[1].key == "t" ? 2 : 1;
  float needed = film.note.empty() ? 0 : rasterizer.width(kQuiet, film.note) + kWordGap;
  for (std::size_t i = 0; i < first_line; ++i) needed += lines.width(items[i]);
  const std::string name = shortened(film.source, rasterizer, place.right - place.left - kWordGap - needed);
  float x = rasterizer.draw(picture, place.left, place.y, kName, name) + kWordGap;
  for (std::size_t i = 0; i < first_line; ++i) x = lines.draw(x, place.y, items[i]);
  if (!film.note.empty()) rasterizer.draw(picture, x, place.y, kQuiet, film.note);
  x = place.left;
  for (std::size_t i = first_line; i < items.size() && x + lines.width(items[i]) - kWordGap <= place.right; ++i) {
    x = lines.draw(x, place.y + kLine, items[i]);
  }
}

}  // namespace echoloop
