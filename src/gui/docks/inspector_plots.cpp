// Plots of the inspector: two maps, of the raw lines and of the channels before summation; the line through the pixel,
// and spectra.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/docks/docks.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

struct PointedSample {
  int element = -1;  // -1: not over the plot
  int row = 0;
};

PointedSample pointed_at(Ui& ui, const char* id, const Plot& plot, int n_elements, int n_rows) {
  const Hit hit = ui.hit(id, plot.box);
  if (!hit.hovered) return {};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto index = [](float at, float first, float length, int n) {
    return std::clamp(static_cast<int>((at - first) / std::max(length, 1.0F) * static_cast<float>(n)), 0, n - 1);
  };
  return {index(mouse.x, plot.box.x0, plot.box.width(), n_elements),
          index(mouse.y, plot.box.y0, plot.box.height(), n_rows)};
}

// Returns the axis of elements from 1, each as wide as its column.
PlotAxis element_axis(std::size_t n, std::string_view unit) { return {0.5, static_cast<double>(n) + 0.5, unit, 0}; }

double time_us(const Inspection& p, double sample) { return 1e6 * (p.first_s + sample / p.sampling_hz); }

// Draws each element's segment, bright within the aperture.
void draw_delay_curve(const Ui& ui, const Plot& plot, const Inspection& p) {
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  const auto at = [&](std::size_t e) {
    return plot.px(static_cast<double>(e) + 1.0, time_us(p, p.channels[e].sample + 0.5));
  };
  for (std::size_t e = 1; e < p.channels.size(); ++e) {
    const bool seen = p.channels[e].weight > 0.0F && p.channels[e - 1].weight > 0.0F;
    ui.stroke(at(e - 1), at(e), theme::kHalo, 3.5F);
    ui.stroke(at(e - 1), at(e), seen ? theme::kAccent : theme::rgb(0x4CC3E0, 120), 1.5F);
  }
  ui.list().PopClipRect();
}

// Returns the index of the value under the pointer; -1: none.
int pointed_at(Ui& ui, const char* id, const Plot& plot, double first, double step, std::size_t n) {
  if (!ui.hit(id, plot.box).hovered || n == 0 || step <= 0.0) return -1;
  const double x = plot.x_at(ImGui::GetIO().MousePos.x);
  return std::clamp(static_cast<int>(std::lround((x - first) / step)), 0, static_cast<int>(n) - 1);
}

void legend(const Ui& ui, const Plot& plot, std::initializer_list<std::pair<std::string_view, ImU32>> words) {
  float x = plot.box.x0 + ui.px(6);
  for (const auto& [word, color] : words) {
    if (x + ui.width(Type::small, word) > plot.box.x1) return;
    x = ui.text(Type::small, x, plot.box.y0 + ui.px(2), ui.px(14), color, word) + ui.px(10);
  }
}

}  // namespace

void draw_raw_map(Ui& ui, const Rect& cell, const Inspection& p, ChannelMap& map) {
  const auto n_elements = static_cast<int>(p.channels.size());
  const std::string_view title = p.raw.iq ? "Channel data, I" : "Channel data, RF";
  const Plot plot = draw_plot(ui, cell,
                              {title,
                               element_axis(p.channels.size(), "element"),
                               {time_us(p, p.raw.first), time_us(p, p.raw.first + p.raw.count), "µs"}});
  map.draw(ui, plot);
  draw_delay_curve(ui, plot, p);
  const PointedSample at = pointed_at(ui, "raw_map", plot, n_elements, p.raw.count);
  if (at.element < 0) return;
  const auto index = static_cast<std::size_t>(at.element * p.raw.count + at.row);
  draw_plot_note(
      ui, cell, plot, title,
      fmt::format("element {}  sample {}  {:.4g}", at.element + 1, p.raw.first + at.row, p.raw.values[index]));
}

void draw_aligned_map(Ui& ui, const Rect& cell, const Inspection& p, ChannelMap& map) {
  const auto n_elements = static_cast<int>(p.channels.size());
  const double reach_us = 1e6 * p.aligned.step_s * (0.5 * p.aligned.count);
  constexpr std::string_view kTitle = "Delayed, weighted";
  const Plot plot = draw_plot(ui, cell, {kTitle, element_axis(p.channels.size(), {}), {-reach_us, reach_us, "µs"}});
  map.draw(ui, plot);
  // Marks the summed row.
  const float y = std::round(plot.y_px(0.0));
  for (const float x : {plot.box.x0, plot.box.x1 - ui.px(6)})
    ui.fill({x, y - ui.px(1), x + ui.px(6), y + ui.px(1)}, theme::kAccent);
  const PointedSample at = pointed_at(ui, "aligned_map", plot, n_elements, p.aligned.count);
  if (at.element < 0) return;
  const InspectedChannel& c = p.channels[static_cast<std::size_t>(at.element)];
  draw_plot_note(ui, cell, plot, kTitle,
                 fmt::format("element {}  weight {}  contribution {:.3g}", at.element + 1,
                             fixed(static_cast<double>(c.weight), 2), c.value.real()));
}

void draw_level_line(Ui& ui, const Rect& cell, const Inspection& p, const DisplayParams& display) {
  const double first_mm = 1e3 * p.line.first_m, last_mm = 1e3 * p.line.last_m;
  const double step_mm = (last_mm - first_mm) / std::max<double>(static_cast<double>(p.line.db.size()) - 1.0, 1.0);
  constexpr std::string_view kTitle = "Line through the pixel";
  // Range: the display window, and levels above it.
  const double top = 6.0 - display.gain_db;
  const double bottom = -display.dynamic_range_db - display.gain_db - 6.0;
  const Plot plot = draw_plot(ui, cell, {kTitle, {first_mm, last_mm, "mm"}, {top, bottom, "dB"}});
  draw_curve(ui, plot, p.line.db, first_mm, step_mm, theme::kText);
  draw_cursor(ui, plot, first_mm + step_mm * p.iz);
  const int at = pointed_at(ui, "level_line", plot, first_mm, step_mm, p.line.db.size());
  if (at < 0) return;
  draw_plot_note(ui, cell, plot, kTitle,
                 fmt::format("{} mm  {} dB", fixed(first_mm + at * step_mm, 2),
                             fixed(static_cast<double>(p.line.db[static_cast<std::size_t>(at)]), 1)));
}

void draw_spectrum(Ui& ui, const Rect& cell, const Inspection& p) {
  const std::size_t n = p.spectra.raw_db.size();
  const double first = 1e-6 * p.spectra.first_hz, step = 1e-6 * p.spectra.step_hz;
  const std::string title = fmt::format("Spectrum, element {}", p.spectra.element + 1);
  const Plot plot =
      draw_plot(ui, cell, {title, {first, first + step * (static_cast<double>(n) - 1.0), "MHz"}, {16.0, -66.0, "dB"}});
  const float low = std::max(plot.x_px(1e-6 * p.spectra.band_low_hz), plot.box.x0);
  const float high = std::min(plot.x_px(1e-6 * p.spectra.band_high_hz), plot.box.x1);
  ui.fill({low, plot.box.y0, high, plot.box.y1}, theme::rgb(0x27505C, 70));
  draw_curve(ui, plot, p.spectra.response_db, first, step, theme::kAccent);
  draw_curve(ui, plot, p.spectra.raw_db, first, step, theme::kMuted);
  draw_curve(ui, plot, p.spectra.filtered_db, first, step, theme::kText);
  legend(ui, plot, {{"raw", theme::kMuted}, {"filtered", theme::kText}, {"filter", theme::kAccent}});
  const int at = pointed_at(ui, "spectrum", plot, first, step, n);
  if (at < 0) return;
  const auto db = [at](const std::vector<float>& values) {
    return fixed(std::max(static_cast<double>(values[static_cast<std::size_t>(at)]), -199.0), 0);
  };
  draw_plot_note(ui, cell, plot, title,
                 fmt::format("{} MHz  {}  {}  {} dB", fixed(first + at * step, 2), db(p.spectra.raw_db),
                             db(p.spectra.filtered_db), db(p.spectra.response_db)));
}

// Images of single transmits, small, in rows.

namespace {

constexpr float kLeastPictures = 44, kPictureTitle = 18, kCaption = 16, kPictureGap = 6;

}  // namespace

std::string transmit_text(const Acquisition* acquisition, int transmit) {
  if (acquisition == nullptr || transmit < 0 || transmit >= acquisition->n_transmits()) return {};
  const Transmit& t = acquisition->transmits[static_cast<std::size_t>(transmit)];
  const std::string number = fmt::format("{} of {}", transmit + 1, acquisition->n_transmits());
  if (t.kind == TransmitKind::plane) return number + ", " + signed_fixed(t.angle_rad / kRadiansPerDegree, 1) + "°";
  if (t.kind == TransmitKind::delays || t.kind == TransmitKind::none) return number;
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
  RgbImage rgb = render_rgb(image, display);
  if (rgb.width < 1) return;
  if (display.mirrored == Mirrored::on) mirror(rgb, {0, 0, rgb.width, rgb.height});
  shown.texture.update(rgb);
  const Grid& g = picture->grid;
  shown.height_per_width = static_cast<float>((g.z1_m - g.z0_m) / std::max(g.x1_m - g.x0_m, 1e-6));
}

// Draws a picture in `r` of that size, with its own aspect ratio.
void TransmitImages::draw_picture(PanelContext& c, int k, const Rect& r, ImVec2 size) {
  Ui& ui = c.ui;
  const auto& picture = c.model.image.inspector.pictures[static_cast<std::size_t>(k)];
  if (picture == nullptr)
    return ui.text_centred(Type::small, r, theme::kMuted,
                           ui.width(Type::small, "computing") < r.width() ? "computing" : "…");
  ui.fill(r, theme::kBlack);
  Shown& shown = shown_[k];
  update(shown, picture, c.edits.params.display);
  const float fit = std::min(size.x, size.y / std::max(shown.height_per_width, 1e-3F));
  const Rect box{r.cx() - 0.5F * fit, r.y0, r.cx() + 0.5F * fit, r.y0 + fit * shown.height_per_width};
  if (shown.texture.id() != 0)
    ui.list().AddImage(compat::texture_id(shown.texture.id()), {box.x0, box.y0}, {box.x1, box.y1});
}

void TransmitImages::draw(PanelContext& c, const Rect& cell) {
  Ui& ui = c.ui;
  const InspectorView& view = c.model.image.inspector;
  InspectorEdits& edits = c.edits.view.inspector;
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
  // Scrolls to a transmit that was chosen elsewhere.
  if (view.pixel != nullptr && std::exchange(followed_, view.pixel->transmit) != view.pixel->transmit) {
    const float top = static_cast<float>(view.pixel->transmit / across) * row;
    scroll_ = std::clamp(scroll_, top - std::max(0.0F, area.height() - row + gap), top);
  }
  scroll_ = std::clamp(scroll_, 0.0F, most);
  head(most > 0.0F ? fmt::format("{} transmits (scroll)", n) : "Individual transmits");
  ui.list().PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  edits.pictures_seen.clear();
  for (int k = 0; k < n; ++k) {
    const float x = area.x0 + static_cast<float>(k % across) * (width + gap);
    const float y = area.y0 + static_cast<float>(k / across) * row - std::round(scroll_);
    if (y >= area.y1 || y + row <= area.y0) continue;
    edits.pictures_seen.push_back(k);
    const Rect r{x, y, x + width, y + height};
    draw_picture(c, k, r, {width, height});
    const bool chosen = view.pixel != nullptr && view.pixel->transmit == k;
    ui.outline(r, chosen ? theme::kAccent : theme::kLine2);
    const auto labels = transmit_labels(inspected_acquisition(c.model), k);
    const auto* const fits = std::find_if(labels.begin(), labels.end() - 1,
                                          [&](const std::string& l) { return ui.width(Type::small, l) <= r.width(); });
    ui.text_fitted(Type::small, r.x0, r.x1, r.y1 + ui.px(1), ui.px(14), chosen ? theme::kText : theme::kMuted, *fits);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (over.clicked && r.contains(mouse.x, mouse.y)) edits.transmit = k;
  }
  ui.list().PopClipRect();
  std::erase_if(shown_, [&edits](const auto& entry) {
    return std::find(edits.pictures_seen.begin(), edits.pictures_seen.end(), entry.first) == edits.pictures_seen.end();
  });
}

}  // namespace echoloop
