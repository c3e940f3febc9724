// Scene of pixels, elements and transmits for kernels of adaptive methods, without an acquisition.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "dsp/das.h"

namespace echoloop::testing {

struct SceneSize {
  int n_tx;
  int n_rows = 1;
  int n_samples = 220;  // records that end within a row; from 600 on they contain all of it
};

// Rows of a grid over a linear array; one element and one transmit have no weight.
struct MethodScene {
  static constexpr int kWidth = 150, kElements = 37;
  SceneSize size;
  std::vector<float> x_m, down_m, z_m, excess, weight, turns;
  std::vector<int> base;
  std::vector<ElementGeometry> elements;
  std::vector<Complex> lines;
  std::vector<float> cone;
  std::vector<PixelSpan> spans;
  DasGeometry geometry{};

  MethodScene(SceneSize of, bool polar, float f_number, float scale) : size(of) {
    const bool whole = size.n_samples >= 600;
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (int i = 0; i < kWidth; ++i) {
      const float place = -0.5f + static_cast<float>(i) / static_cast<float>(kWidth);
      x_m.push_back(polar ? std::sin(place) : 0.03f * place);
      down_m.push_back(std::cos(place));
    }
    for (int e = 0; e < kElements; ++e) {
      const float place = static_cast<float>(e) / static_cast<float>(kElements - 1) - 0.5f;
      elements.push_back({0.02f * place, 0.0f, 0.0f, 1.0f, place});
    }
    for (int iz = 0; iz < size.n_rows; ++iz) z_m.push_back(0.03f + 1e-4f * static_cast<float>(iz));
    for (int t = 0; t < size.n_tx; ++t) {
      weight.push_back(t == 1 ? 0.0f : 1.0f + 0.2f * static_cast<float>(t));
      for (int iz = 0; iz < size.n_rows; ++iz) {
        base.push_back(15 * t + iz + (whole ? 20 : -20));
        turns.push_back(0.13f * static_cast<float>(t + iz));
        for (int i = 0; i < kWidth; ++i) excess.push_back(5.0f + std::sin(0.05f * static_cast<float>(i * (t + 1))));
      }
    }
    for (int i = 0; i < size.n_tx * kElements * size.n_samples; ++i)
      lines.push_back({scale * normal(random), scale * normal(random)});
    geometry.nx = kWidth;
    geometry.nz = size.n_rows;
    geometry.n_tx = size.n_tx;
    geometry.n_el = kElements;
    geometry.n_line = geometry.n_valid = size.n_samples;
    geometry.x_m = x_m.data();
    geometry.z_m = z_m.data();
    geometry.down_m = polar ? down_m.data() : nullptr;
    geometry.elements = elements.data();
    geometry.row_base = base.data();
    geometry.row_turns = turns.data();
    geometry.tx_excess = excess.data();
    geometry.weights.all = weight.data();
    geometry.samples_per_m = 26000.0f;
    geometry.turns_per_sample = 0.25f;
    geometry.f_number = f_number;
    geometry.apodization = Apodization::hamming;  // a weight of nearly 0 counts, of 0 does not
  }

  // Adds transmits with weights in a part of the row only; pixels without any are black.
  void add_cones() {
    for (int k = 0; k < size.n_tx * size.n_rows; ++k) {
      const int t = k / size.n_rows;
      const PixelSpan span{11 * t + 3, 11 * t + 80};
      spans.push_back(span);
      for (int i = 0; i < kWidth; ++i) {
        const bool inside = i >= span.begin && i < span.end;
        cone.push_back(inside ? 0.1f + 0.01f * static_cast<float>((i + 7 * t) % 30) : 0.0f);
      }
    }
    geometry.weights.cone = cone.data();
    geometry.weights.cone_span = spans.data();
  }
};

}  // namespace echoloop::testing
