// Methods that read rows above and below the pixel, pixel by pixel: of any grid and transmits. Also compiled with the
// file of an own method.
#pragma once

#include "backend/cpu/isa_loops.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/element_rows.h"

namespace echoloop {

// Call::with(settings, run): run(functor).
template <class Call>
struct RowPixels {
  static long long row_floats(const MethodSettings& s, const DasGeometry& g) {
    long long slice = 0;
    Call::with(s, [&](const auto& method) { slice = slice_of(method, s, g); });
    return 2 * g.nx * slice;
  }

  static long long scratch_floats(const MethodSettings& s, const DasGeometry& g) {
    long long values = 0;
    Call::with(s, [&]<class Method>(const Method& method) {
      if constexpr (rows_read_by<Method>() == OwnRows::channels)
        values = method.n_scratch(n_channels(g.n_el, s.neighbours));
      else
        values = g.n_el + 1;  // a slice of channels
    });
    return 2 * values;
  }

  static void store(const MethodSettings& s, const MethodRow& row, float* kept) {
    Call::with(s, [&]<class Method>(const Method& method) {
      if (rows_read_by<Method>() == OwnRows::channels && is_plain(row.geometry))
        store_row<DasForm::plain>(method, s, row, kept);
      else
        store_row<DasForm::general>(method, s, row, kept);
    });
  }

  static void form(const MethodSettings& s, const KeptRows& rows, const MethodRow& row, int first) {
    const DasGeometry& g = row.geometry;
    Call::with(s, [&]<class Method>(const Method& method) {
      const int slice = slice_of(method, s, g);
      for (int ix = first; ix < first + kMethodPixels && ix < g.nx; ++ix) {
        const StridedRows around{.first = complex(const_cast<float*>(rows.values)) + static_cast<long long>(ix) * slice,
                                 .row_step = rows.row_floats / 2,
                                 .step = 1,
                                 .count = rows.count,
                                 .centre = rows.centre};
        if constexpr (rows_read_by<Method>() == OwnRows::channels) {
          row.pixels[ix] = method.pixel(around, n_channels(g.n_el, s.neighbours), Strided{complex(row.scratch), 1});
          row.weights[ix] = 1.0f;
        } else if constexpr (rows_read_by<Method>() == OwnRows::coherence) {
          row.weights[ix] = method.pixel(around);
          row.pixels[ix] = {row.weights[ix], 0.0f};
        }
      }
    });
  }

 private:
  static Complex* complex(float* values) { return reinterpret_cast<Complex*>(values); }

  template <class Method>
  static int slice_of(const Method& method, const MethodSettings& s, const DasGeometry& g) {
    if constexpr (rows_read_by<Method>() == OwnRows::coherence) return method.n_terms();
    return n_channels(g.n_el, s.neighbours) + 1;
  }

  template <DasForm form, class Method>
  static void store_row(const Method& method, const MethodSettings& s, const MethodRow& row, float* kept) {
    const DasGeometry& g = row.geometry;
    const int slice = slice_of(method, s, g);
    for (int ix = 0; ix < g.nx; ++ix) {
      const DasChannels<form> channels(g, row.lines, ix, row.iz);
      const Strided to{complex(kept) + static_cast<long long>(ix) * slice, 1};
      if constexpr (rows_read_by<Method>() == OwnRows::coherence) {
        const Strided elements{complex(row.scratch), 1};
        store_channels(channels, 1, elements);
        method.store_terms(ScaledElements(elements, g.n_el), g.n_el, to);
      } else {
        store_channels(channels, s.neighbours, to);
      }
    }
  }
};

}  // namespace echoloop
