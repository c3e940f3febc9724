#include <algorithm>
#include <cmath>

#include "core/results/image.h"
#include "gui/figure/figure.h"
#include "gui/overlay/caption.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/state/stream_text.h"
#include "render/canvas.h"

namespace echoloop {
namespace {

// Position of the two lines below a video's image, in pixels.
struct CaptionPlace {
  float left, right;
  float y;  // of the first line
};

constexpr float kEm = 24, kWordGap = 28, kLine = 40;
constexpr TextLook kName{.em = kEm, .weight = Weight::strong, .color = ink::kText};
constexpr TextLook kQuiet{.em = kEm, .color = ink::kMuted}, kValue{.em = kEm, .color = ink::kText};

class Lines {
 public:
  Lines(RgbImage& picture, TextRasterizer& rasterizer) : picture_(picture), rasterizer_(rasterizer) {}

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
  RgbImage& picture_;
  TextRasterizer& rasterizer_;
};

// Returns the longest part that fits.
std::string shortened(const std::string& name, TextRasterizer& rasterizer, float room) {
  std::string text = name;
  while (!text.empty() && rasterizer.width(kName, text + "…") > room) {
    do text.pop_back();
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80);
  }
  return text.size() < name.size() ? text + "…" : text;
}

// Draws the caption. Items that do not fit the second line are omitted; the source's name is shortened in the first.
void draw_film_caption(RgbImage& picture, TextRasterizer& rasterizer, const CaptionPlace& place, const FilmLook& film,
                       const Image& image) {
  Lines lines(picture, rasterizer);
  const std::vector<CaptionItem> items =
      caption_items(image, film.numbers, faults_of(film.samples, image.stamp.source_index));
  const std::size_t first_line = items.size() > 1 && items[1].key == "t" ? 2 : 1;
  std::string note = film.note;
  if (film.display.display.mirrored == Mirrored::on) note += (note.empty() ? "" : ", ") + std::string(kMirrored);
  float needed = note.empty() ? 0 : rasterizer.width(kQuiet, note) + kWordGap;
  for (std::size_t i = 0; i < first_line; ++i) needed += lines.width(items[i]);
  const std::string name = shortened(film.source, rasterizer, place.right - place.left - kWordGap - needed);
  float x = rasterizer.draw(picture, place.left, place.y, kName, name) + kWordGap;
  for (std::size_t i = 0; i < first_line; ++i) x = lines.draw(x, place.y, items[i]);
  if (!note.empty()) rasterizer.draw(picture, x, place.y, kQuiet, note);
  x = place.left;
  for (std::size_t i = first_line; i < items.size() && x + lines.width(items[i]) - kWordGap <= place.right; ++i) {
    x = lines.draw(x, place.y + kLine, items[i]);
  }
}

constexpr int kMaxWidth = 1920, kMaxHeight = 1080, kMinWidth = 960;
constexpr int kFilmLeft = 96, kFilmTop = 64, kRight = 132, kBottom = 112;  // rulers, colour bar, two lines of caption
constexpr int kFlowBar = 116;
constexpr ScaleLook kScales{.em = 20};

CanvasRect rect_of(const PixelArea& a) {
  return {static_cast<double>(a.x0), static_cast<double>(a.y0), static_cast<double>(a.x1), static_cast<double>(a.y1)};
}

int even(double length) { return 2 * static_cast<int>(std::lround(0.5 * length)); }

double pixels_per_m(const Grid& g, int width, int height) {
  return std::min(width / g.width_m(), height / g.height_m());
}

}  // namespace

FilmPainter::FilmPainter(FilmLook look) : look_(std::move(look)), sampler_(look_.display) {
  const bool flow_bar = look_.flow == FilmFlow::shown && is_overlay(look_.display.color_flow.mode);
  right_ = kRight + (flow_bar ? kFlowBar : 0);
  const double scale = pixels_per_m(look_.grid, kMaxWidth - kFilmLeft - right_, kMaxHeight - kFilmTop - kBottom);
  width_ = std::clamp(even(look_.grid.width_m() * scale) + kFilmLeft + right_, kMinWidth, kMaxWidth);
  height_ = std::clamp(even(look_.grid.height_m() * scale) + kFilmTop + kBottom, kFilmTop + kBottom + 64, kMaxHeight);
}

void FilmPainter::draw_ground(const Grid& grid) {
  ground_ = {.width = width_, .height = height_, .rgb = {}};
  ground_.rgb.assign(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0);
  ground_grid_ = grid;
  const int room_x = width_ - kFilmLeft - right_, room_y = height_ - kFilmTop - kBottom;
  const double scale = pixels_per_m(grid, room_x, room_y);
  const int w = std::clamp(static_cast<int>(std::lround(grid.width_m() * scale)), 1, room_x);
  const int h = std::clamp(static_cast<int>(std::lround(grid.height_m() * scale)), 1, room_y);
  const int x0 = kFilmLeft + (room_x - w) / 2;
  area_ = {x0, kFilmTop, x0 + w, kFilmTop + h};
  RasterCanvas canvas(ground_, rasterizer_);
  const CanvasRect image = rect_of(area_);
  canvas.fill(image.grown(1), {ink::kEdge});
  draw_x_ruler(canvas, image, grid, kScales, look_.display.display.mirrored);
  draw_z_ruler(canvas, image, grid, kScales, RulerLabels::numbers);
  canvas.text({image.x0 - 36, image.y0 - 32}, kScales.label(kScales.muted), TextAlign::right, "mm");
  draw_level_bar(canvas, {image.x1 + 28, image.y0, image.x1 + 48, image.y1}, look_.display, kScales);
}

const RgbImage& FilmPainter::paint(const Image& image, const FlowImage* flow) {
  if (ground_.rgb.empty() || !(image.grid == ground_grid_)) draw_ground(image.grid);
  picture_ = ground_;
  sampler_.draw(picture_, area_, image, {.flow = flow});
  if (flow != nullptr && is_overlay(look_.display.color_flow.mode)) {
    RasterCanvas canvas(picture_, rasterizer_);
    const double x0 = area_.x1 + kRight;
    draw_flow_bar(canvas, {x0, static_cast<double>(area_.y0), x0 + 20, static_cast<double>(area_.y1)}, *flow,
                  look_.display, kScales, {.away = 3, .length = 8, .thickness = 1});
  }
  if (const LabelMask* const mask = shown_mask(image, look_.display.display)) {
    RasterCanvas canvas(picture_, rasterizer_);
    draw_mask_legend(canvas, rect_of(area_), *mask, kScales.em);
  }
  draw_film_caption(picture_, rasterizer_,
                    {.left = static_cast<float>(std::min(area_.x0, kFilmLeft)),
                     .right = static_cast<float>(width_ - 24),
                     .y = static_cast<float>(height_ - kBottom + 42)},
                    look_, image);
  return picture_;
}

}  // namespace echoloop
