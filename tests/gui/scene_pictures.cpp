// Contents of a Scene: images from formulas, published as by the stream.
#include <cmath>

#include "core/units.h"
#include "gui/scene.h"

namespace echoloop::testing {

void Scene::put(Mailbox<Image>& box, const Grid& grid, const Field& level_db, std::uint64_t sequence) {
  auto pixels = std::make_shared<std::vector<float>>();
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix)
      pixels->push_back(level_db(grid.point(ix, iz).x_m * 1e3, grid.point(ix, iz).z_m * 1e3));
  }
  pixels_.push_back(pixels);
  Image& image = box.back();
  image = {};
  image.number = ++number_;
  image.stamp.sequence = sequence > 0 ? sequence : number_;
  image.stamp.source_index = image.stamp.sequence - 1;
  image.stamp.time_s = 0.02 * static_cast<double>(image.stamp.sequence);
  image.grid = grid;
  image.params = &box == &past_[1] ? state.cine.a : state.params;
  image.acquisition = state.source.acquisition;
  image.host_db = pixels->data();
  image.mask = mask;
  if (state.view.inspected && &box != &past_[1]) put_line(&box == &live_.images ? live_.line : past_.line, image);
  box.publish();
}

// Puts the line through the inspected place, as the processing thread does.
void Scene::put_line(LineQueue& queue, const Image& image) {
  LineOrigin origin{.grid = image.grid,
                    .column = line_column(image.grid, *state.view.inspected),
                    .acquisition = image.acquisition,
                    .params = image.params};
  std::vector<float> levels;
  for (int iz = 0; iz < image.grid.nz; ++iz) {
    levels.push_back(image.host()[static_cast<std::size_t>(iz * image.grid.nx + origin.column)]);
  }
  queue.push(image.stamp, std::make_shared<const LineOrigin>(std::move(origin)), levels);
}

void Scene::put_image(const Grid& grid, const Field& level_db, std::uint64_t sequence) {
  put(live_.images, grid, level_db, sequence);
}

void Scene::put_past(std::size_t side, const Grid& grid, const Field& level_db, std::uint64_t sequence) {
  put(past_[side], grid, level_db, sequence);
}

void Scene::put_flow(const Grid& grid, const Field& power_db, const Field& velocity_m_s, double aliasing_m_s) {
  put_flow_into(live_.of<FlowImage>(), grid, power_db, velocity_m_s, aliasing_m_s, {.acquired_ns = now_ns()});
}

void Scene::put_past_flow(const Grid& grid, const Field& power_db, const Field& velocity_m_s, std::uint64_t sequence) {
  put_flow_into(past_.flow, grid, power_db, velocity_m_s, 0.1, {.sequence = sequence});
}

void Scene::put_flow_into(Mailbox<FlowImage>& box, const Grid& grid, const Field& power_db, const Field& velocity_m_s,
                          double aliasing_m_s, const FrameStamp& stamp) {
  FlowImage& flow = box.back();
  flow = {};
  flow.number = ++number_;
  flow.stamp = stamp;
  flow.ready_ns = now_ns();
  flow.grid = grid;
  flow.acquisition = state.source.acquisition;
  flow.params = state.params;
  flow.frames = 64;
  flow.prf_hz = 500.0;
  flow.aliasing_m_s = aliasing_m_s;
  const bool low_rank = state.params.color_flow.mode == FlowMode::low_rank;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const PlanePoint at = grid.point(ix, iz);
      flow.power_db.push_back(power_db(at.x_m * 1e3, at.z_m * 1e3));
      flow.velocity_m_s.push_back(velocity_m_s(at.x_m * 1e3, at.z_m * 1e3));
      if (low_rank) flow.low_rank_db.push_back(flow.power_db.back());
    }
  }
  find_flow_mask(flow);
  for (int i = 0; i < 64; ++i) flow.singular_values.push_back(std::pow(0.9F, static_cast<float>(i)));
  for (int k = 0; k < 64; ++k) {  // component k has k / 64 of the limit, towards the probe
    for (int t = 0; t < 64; ++t) {
      flow.temporal_vectors.push_back(std::polar(0.125F, 3.14159265F * static_cast<float>(k * t) / 64.0F));
    }
  }
  flow.components.first = low_rank ? 1 : 9;
  flow.components.last = low_rank ? 8 : 40;
  box.publish();
}

void Scene::put_objects(const Grid& grid, const Labels& label, std::uint64_t sequence) {
  ObjectImage& found = live_.of<ObjectImage>().back();
  found = {};
  found.stamp.sequence = sequence > 0 ? sequence : number_;
  found.stamp.source_index = found.stamp.sequence - 1;
  found.number = ++number_;
  found.ready_ns = now_ns();
  found.grid = grid;
  found.acquisition = state.source.acquisition;
  found.params = state.params;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const PlanePoint at = grid.point(ix, iz);
      const int l = label(at.x_m * 1e3, at.z_m * 1e3);
      found.labels.push_back(l);
      if (l == 0) continue;
      if (found.objects.size() < static_cast<std::size_t>(l)) found.objects.resize(static_cast<std::size_t>(l));
      FoundObject& o = found.objects[static_cast<std::size_t>(l - 1)];
      if (o.pixels == 0) o = {.ix0 = ix, .ix1 = ix, .iz0 = iz, .iz1 = iz};
      ++o.pixels;
      o.area_m2 += grid.polar() ? 1e-8 : grid.dx_m() * grid.dz_m();
      o.centroid.x_m += at.x_m;
      o.centroid.z_m += at.z_m;
      o.mean_db = -20.0;
      o.ix0 = std::min(o.ix0, ix);
      o.ix1 = std::max(o.ix1, ix);
      o.iz1 = iz;
    }
  }
  for (FoundObject& o : found.objects) {
    o.centroid = {o.centroid.x_m / static_cast<double>(o.pixels), o.centroid.z_m / static_cast<double>(o.pixels)};
  }
  found.found = found.objects.size() + 4;
  found.background = {.median_db = -49.0,
                      .mean_db = -50.0,
                      .sigma_db = 5.0,
                      .pixels = grid.pixels() * 9 / 10,
                      .rounds = 4,
                      .lowest_db = -65.0,
                      .highest_db = -35.0};
  found.smoothed = found.background;
  found.smoothed.sigma_db = 2.0;
  found.threshold_db = state.params.objects.kind == ObjectKind::dark ? -56.0 : -44.0;
  found.histogram = {.first_db = -120.0, .step_db = 0.5, .counts = std::vector<std::uint32_t>(320)};
  for (std::size_t i = 0; i < 320; ++i) {
    const double t = (-119.75 + 0.5 * static_cast<double>(i) + 50.0) / 5.0;
    found.histogram.counts[i] = static_cast<std::uint32_t>(400.0 * std::exp(-0.5 * t * t));
  }
  found.histogram.counts[219] = 30;  // up to -10 dB
  found.times = {.background_ms = 1.5, .objects_ms = 0.7, .total_ms = 2.3};
  live_.of<ObjectImage>().publish();
}

void Scene::put_spectrogram(int columns, const std::function<float(double, double)>& power_db, double aliasing_m_s,
                            const std::function<float(double)>& envelope_m_s) {
  Spectrogram& s = live_.of<Spectrogram>().back();
  s = {};
  s.number = s.begun = ++spectrograms_put_;
  s.acquisition = state.source.acquisition;
  s.params = state.params;
  s.centre = {state.params.doppler.x_m, state.params.doppler.z_m};
  s.length_m = state.params.doppler.length_m;
  s.frames = 64;
  s.hop = 5;
  s.bands = 1;
  s.n_bins = 64;
  s.prf_hz = 1000.0;
  s.aliasing_m_s = aliasing_m_s;
  s.power_db.resize(static_cast<std::size_t>(Spectrogram::kColumns * s.n_bins));
  s.envelope_m_s.assign(Spectrogram::kColumns, std::nanf(""));
  s.mean_m_s.assign(Spectrogram::kColumns, std::nanf(""));
  s.time_s.assign(Spectrogram::kColumns, 0.0);
  s.end = static_cast<std::uint64_t>(columns);
  for (std::uint64_t k = s.first(); k < s.end; ++k) {
    const double ago_s = (static_cast<double>(s.end - k) - 0.5) * s.step_s();
    for (int i = 0; i < s.n_bins; ++i) {
      const float level = power_db(ago_s, s.velocity_m_s(i));
      s.power_db[Spectrogram::slot(k) * static_cast<std::size_t>(s.n_bins) + static_cast<std::size_t>(i)] = level;
      if (level > s.brightest_db) s.brightest_db = level;
    }
    s.time_s[Spectrogram::slot(k)] = -ago_s;
    if (envelope_m_s) s.envelope_m_s[Spectrogram::slot(k)] = envelope_m_s(ago_s);
  }
  live_.of<Spectrogram>().publish();
}

}  // namespace echoloop::testing
