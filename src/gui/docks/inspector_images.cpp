// The images that single transmits make, small, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kLeastPictures = 44, kPictureTitle = 18, kCaption = 16, kPictureGap = 6;

}  // namespace

std::string transmit_text(const Acquisition* acquisition, int transmit) {
  if (acquisition == nullptr || transmit < 0 || transmit >= acquisition->n_transmits()) return {};
  const Transmit& t = acquisition->transmits[static_cast<std::size_t>(transmit)];
  const std::string number = fmt::format("{} of {}", transmit + 1, acquisition->n_transmits());
  if (t.kind == TransmitKind::plane) return number + ", " + signed_fixed(t.angle_rad / kRadiansPerDegree, 1) + "°";
  if (t.kind == TransmitKind::delays) return number;
  return fmt::format("{}, {} {} mm", number, t.kind == TransmitKind::focused ? "focus x" : "source x",
                     fixed(1e3 * t.source_x_m, 1));
}

std::array<std::string, 3> transmit_labels(const Acquisition* acquisition, int transmit) {
  const std::string text = transmit_text(acquisition, transmit);
  const std::string number = std::to_string(transmit + 1);
  const std::size_t comma = text.find(", ");
  if (comma == text.npos) return {number, number, number};
  const std::string whole = text.substr(comma + 2);
  const std::size_t place = whole.find("x ");
  return {whole, place == whole.npos ? whole : whole.substr(place), number};
}

Tiles lay_out_tiles(const Rect& room, int count, float ratio, float caption, float gap, float least) {
  const float tallest = std::max(room.height() - caption, 1.5F * caption);
  const int most = std::max(1, static_cast<int>((room.width() + gap) / (least + gap)));
  const auto with = [&](int across) {
    Tiles t{.across = across};
    t.width = std::floor((room.width() - static_cast<float>(across - 1) * gap) / static_cast<float>(across));
    t.height = std::min(std::round(t.width * ratio), tallest);
    t.width = std::min(t.width, std::max(std::ceil(t.height / std::max(ratio, 1e-3F)), least));  // no empty sides
    t.row = t.height + caption + gap;
    return t;
  };
  for (int across = 1; across <= most; ++across) {
    const Tiles t = with(across);
    const int rows = (count + across - 1) / across;
    if (static_cast<float>(rows) * t.row - gap <= room.height()) return t;
  }
  const int whole = static_cast<int>(std::ceil((room.width() + gap) * ratio / (tallest + gap * ratio)));
  return with(std::clamp(whole, 1, most));
}

void TransmitImages::update(Shown& shown, const std::shared_ptr<const TransmitImage>& picture,
                            const DisplayParams& display) {
  if (shown.of == picture && shown.display == display) return;
  shown.of = picture;
  shown.display = display;
  Image image;
  image.grid = picture->grid;
  std::vector<float> db = picture->db;  // an image's pixels are not const
  image.host_db = db.data();
  const RgbImage rgb = render_rgb(image, display);
  if (rgb.width < 1) return;
  std::vector<std::uint32_t> colors;
  for (std::size_t i = 0; i + 2 < rgb.rgb.size(); i += 3) {
    colors.push_back(IM_COL32(rgb.rgb[i], rgb.rgb[i + 1], rgb.rgb[i + 2], 255));
  }
  shown.texture.update(rgb.width, rgb.height, colors);
  const Grid& g = picture->grid;
  shown.height_per_width = static_cast<float>((g.z1_m - g.z0_m) / std::max(g.x1_m - g.x0_m, 1e-6));
}

void TransmitImages::draw(PanelContext& c, const Rect& cell) {
  Ui& ui = c.ui;
  InspectorView& view = c.state.image.inspector;
  const auto n = static_cast<int>(view.pictures.size());
  const Rect area{cell.x0, cell.y0 + ui.px(kPictureTitle), cell.x1, cell.y1};
  const auto head = [&](const std::string& words) {
    ui.text_fitted(Type::small, cell.x0, cell.x1, cell.y0, ui.px(kPictureTitle), theme::kText2, words);
  };
  if (n == 0) return head("Individual transmits");
  const Hit over = ui.hit("transmit_pictures", area);
  const Grid& grid = c.shown_grid;
  const auto ratio = static_cast<float>((grid.z1_m - grid.z0_m) / std::max(grid.x1_m - grid.x0_m, 1e-6));
  const float gap = ui.px(kPictureGap);
  const auto [across, width, height, row] = lay_out_tiles(area, n, ratio, ui.px(kCaption), gap, ui.px(kLeastPictures));
  const int rows = (n + across - 1) / across;
  const float most = std::max(0.0F, static_cast<float>(rows) * row - gap - area.height());
  if (over.hovered) scroll_ -= ImGui::GetIO().MouseWheel * 0.5F * row;
  // A transmit that was chosen elsewhere comes into view.
  if (view.pixel != nullptr && std::exchange(followed_, view.pixel->transmit) != view.pixel->transmit) {
    const float top = static_cast<float>(view.pixel->transmit / across) * row;
    scroll_ = std::clamp(scroll_, top - std::max(0.0F, area.height() - row + gap), top);
  }
  scroll_ = std::clamp(scroll_, 0.0F, most);
  head(most > 0.0F ? fmt::format("{} transmits (scroll)", n) : "Individual transmits");
  ui.list().PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  view.pictures_seen.clear();
  for (int k = 0; k < n; ++k) {
    const float x = area.x0 + static_cast<float>(k % across) * (width + gap);
    const float y = area.y0 + static_cast<float>(k / across) * row - std::round(scroll_);
    if (y >= area.y1 || y + row <= area.y0) continue;
    view.pictures_seen.push_back(k);
    const Rect r{x, y, x + width, y + height};
    const auto& picture = view.pictures[static_cast<std::size_t>(k)];
    if (picture == nullptr) {
      ui.text_centred(Type::small, r, theme::kMuted,
                      ui.width(Type::small, "computing") < r.width() ? "computing" : "…");
    } else {
      ui.fill(r, theme::kBlack);
      Shown& shown = shown_[k];
      update(shown, picture, c.state.params.display);
      // Aspect true within its place.
      const float fit = std::min(width, height / std::max(shown.height_per_width, 1e-3F));
      const Rect box{r.cx() - 0.5F * fit, r.y0, r.cx() + 0.5F * fit, r.y0 + fit * shown.height_per_width};
      if (shown.texture.id() != 0) {
        ui.list().AddImage(compat::texture_id(shown.texture.id()), {box.x0, box.y0}, {box.x1, box.y1});
      }
    }
    const bool chosen = view.pixel != nullptr && view.pixel->transmit == k;
    ui.outline(r, chosen ? theme::kAccent : theme::kLine2);
    const auto labels = transmit_labels(inspected_acquisition(c.state), k);
    const auto* const fits = std::find_if(labels.begin(), labels.end() - 1,
                                          [&](const std::string& l) { return ui.width(Type::small, l) <= r.width(); });
    ui.text_fitted(Type::small, r.x0, r.x1, r.y1 + ui.px(1), ui.px(14), chosen ? theme::kText : theme::kMuted, *fits);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (over.clicked && r.contains(mouse.x, mouse.y)) view.transmit = k;
  }
  ui.list().PopClipRect();
  std::erase_if(shown_, [&view](const auto& entry) {
    return std::find(view.pictures_seen.begin(), view.pictures_seen.end(), entry.first) == view.pictures_seen.end();
  });
}

}  // namespace echoloop
