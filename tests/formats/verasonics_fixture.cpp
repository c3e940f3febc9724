#include "formats/verasonics_fixture.h"

#include <matio.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace echoloop::test::verasonics {
namespace {

using Variable = matvar_t*;  // owned by the struct or file that contains it

Variable numbers(const char* name, std::vector<std::size_t> dims, std::vector<double> values) {
  return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(dims.size()), dims.data(), values.data(), 0);
}
Variable number(double value) { return numbers(nullptr, {1, 1}, {value}); }
Variable row(std::vector<double> values) {
  const std::size_t n = values.size();
  return numbers(nullptr, {1, n}, std::move(values));
}
Variable text(std::string words) {
  std::size_t dims[2] = {1, words.size()};
  return Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UINT8, 2, dims, words.data(), 0);
}

using Fields = std::vector<std::pair<const char*, Variable>>;

Variable structure(const char* name, std::vector<Fields> elements) {
  std::vector<const char*> names;
  for (const auto& [field, value] : elements.front()) names.push_back(field);
  std::size_t dims[2] = {1, elements.size()};
  Variable made = Mat_VarCreateStruct(name, 2, dims, names.data(), static_cast<unsigned>(names.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (const auto& [field, value] : elements[i]) Mat_VarSetStructFieldByName(made, field, i, value);
  }
  return made;
}

// Returns a cell of one struct each.
Variable cell_of_structs(const char* name, const std::vector<Fields>& elements) {
  std::size_t dims[2] = {1, elements.size()};
  Variable made = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
  for (std::size_t i = 0; i < elements.size(); ++i)
    Mat_VarSetCell(made, static_cast<int>(i), structure(nullptr, {elements[i]}));
  return made;
}

Variable list(const Workspace& w, const char* name, std::vector<Fields> elements) {
  return w.in_cells ? cell_of_structs(name, elements) : structure(name, std::move(elements));
}

Variable transmits(const Workspace& w) {
  std::vector<Fields> all;
  for (const double angle : w.angles_rad) {
    std::vector<double> delays(kElements);
    double least = HUGE_VAL;
    for (std::size_t e = 0; e < kElements; ++e) {
      const double sx = w.focus * std::sin(angle), sz = w.focus * std::cos(angle);
      delays[e] = w.focus == 0.0  ? element_x(e) * std::sin(angle)
                  : w.focus < 0.0 ? std::hypot(element_x(e) - sx, sz)
                                  : -std::hypot(element_x(e) - sx, sz);
      least = std::min(least, delays[e]);
    }
    for (double& d : delays) d -= least;  // the first element fires at 0
    std::vector<double> weights(kElements, w.one_by_one ? 0.0 : 1.0);
    if (w.one_by_one) weights[3 * all.size()] = 1.0, delays.assign(kElements, 0.0);
    if (!w.weights.empty()) weights = w.weights[all.size()], delays.assign(kElements, 0.0);
    const auto number_of = static_cast<double>(all.size() + 1);
    if (w.switched) {
      weights.resize(4);
      delays.erase(all.empty() ? delays.begin() + 4 : delays.begin(), all.empty() ? delays.end() : delays.begin() + 4);
    }
    Fields tx = {{"Origin", row({0.0, 0.0, 0.0})}, {"Apod", row(weights)}, {"aperture", number(number_of)}};
    if (!w.peaks.empty()) tx.emplace_back("waveform", number(number_of));
    if (!w.focal_point.empty()) tx.emplace_back("FocalPt", row(w.focal_point));
    if (w.with_notes) tx.insert(tx.end(), {{"Steer", row({angle, 0.0})}, {"focus", number(w.focus)}});
    if (w.with_delays) tx.emplace_back("Delay", row(delays));
    all.push_back(std::move(tx));
  }
  return list(w, "TX", std::move(all));
}

// Two buffers, of which the second is not saved; of each, columns 9 to 16.
std::vector<Variable> dump_lists() {
  std::vector<double> mask(kColumns, 0.0);
  std::fill(mask.begin() + kColumns - kElements, mask.end(), 1.0);
  std::size_t two[2] = {1, 2};
  Variable masks = Mat_VarCreate("NonzeroRFcolumns", MAT_C_CELL, MAT_T_CELL, 2, two, nullptr, 0);
  for (int k = 0; k < 2; ++k) Mat_VarSetCell(masks, k, row(mask));
  return {numbers("RF_rows", {1, 2}, {2.0 * kSamples, 2.0 * kSamples}),
          numbers("RF_cols", {1, 2}, {static_cast<double>(kElements), static_cast<double>(kElements)}),
          numbers("RF_frames", {1, 2}, {static_cast<double>(kFrames), 1.0}), masks};
}

void write_dump_part(const std::filesystem::path& folder) {
  std::vector<std::int16_t> saved;
  for (std::size_t p = 0; p < kFrames; ++p)
    for (std::size_t c = kColumns - kElements; c < kColumns; ++c)
      for (std::size_t r = 0; r < 2 * kSamples; ++r) saved.push_back(sample_at(r, c, p));
  std::ofstream(folder / "RF_data_1.bin", std::ios::binary) << packed(saved);
}

}  // namespace

std::filesystem::path write_workspace(const std::filesystem::path& folder, const Workspace& w) {
  const std::filesystem::path path = folder / (w.dump ? "Parameters.mat" : "workspace.mat");
  std::filesystem::remove(path);
  const bool v73 = w.container == Workspace::Container::v73;
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, v73 ? MAT_FT_MAT73 : MAT_FT_MAT5);
  Fields nested;
  const auto put = [&](Variable v) {
    if (!w.inside.empty()) {
      nested.emplace_back(v->name, v);
      return;
    }
    Mat_VarWrite(file, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
  };
  std::vector<std::int16_t> samples;
  const std::size_t rows = w.reshaped ? kSamples : 2 * kSamples, pages = w.reshaped ? 2 : kFrames;
  for (std::size_t p = 0; p < pages; ++p) {
    for (std::size_t c = 0; c < w.n_columns; ++c) {
      for (std::size_t r = 0; r < rows; ++r)
        samples.push_back(w.reshaped ? sample_at(p * rows + r, c, 0) : sample_at(r, c, p));
    }
  }
  std::size_t dims[3] = {rows, w.n_columns, pages};
  std::vector<double> wide(samples.begin(), samples.end());
  Variable cell_value = w.as_double ? Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, wide.data(), 0)
                                    : Mat_VarCreate(nullptr, MAT_C_INT16, MAT_T_INT16, 3, dims, samples.data(), 0);
  std::size_t cells[2] = {1, static_cast<std::size_t>(w.buffer)};
  Variable cell = Mat_VarCreate(w.name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, cells, nullptr, 0);
  if (w.buffer == 2) Mat_VarSetCell(cell, 0, numbers(nullptr, {0, 0}, {}));
  Mat_VarSetCell(cell, w.buffer - 1, cell_value);
  if (w.dump) {
    Mat_VarFree(cell);
    for (Variable v : dump_lists()) put(v);
    write_dump_part(folder);
  } else {
    put(cell);
  }
  const double unit = w.units == "mm" ? kWavelength_m * 1e3 : 1.0;  // of a wavelength
  std::vector<double> positions(kElements * 5, 0.0);
  for (std::size_t e = 0; e < kElements; ++e) positions[e] = element_x(e) * unit;
  Fields trans = {{"name", text("L8")},
                  {"units", text(w.units)},
                  {"frequency", number(kFrequency_mhz)},
                  {"ElementPos", numbers(nullptr, {kElements, 5}, positions)},
                  {"Connector", numbers(nullptr, {w.connector.size(), 1}, w.connector)},
                  {"Bandwidth", row({3.0, 7.0})},
                  {"lensCorrection", number(w.lens * unit)}};
  std::vector<double> switches(2 * kElements, 0.0);
  for (std::size_t e = 0; e < kElements; ++e) switches[e < 4 ? e : kElements + e] = static_cast<double>(e % 4 + 1);
  if (w.switched)
    trans.emplace_back("HVMux", structure(nullptr, {{{"Aperture", numbers(nullptr, {kElements, 2}, switches)}}}));
  put(list(w, "Trans", {trans}));
  Fields resource = {{"Parameters", structure(nullptr, {{{"speedOfSound", number(kSpeed_m_s)}}})}};
  if (w.last_frame > 0) resource.emplace_back("RcvBuffer", structure(nullptr, {{{"lastFrame", number(w.last_frame)}}}));
  put(structure("Resource", {resource}));
  if (w.wait_us > 0.0) {
    put(list(w, "SeqControl",
             {{{"command", text("jump")}, {"argument", number(1)}},
              {{"command", text("timeToNextAcq")}, {"argument", number(w.wait_us)}}}));
  }
  put(transmits(w));
  if (w.with_peak) {
    std::vector<Fields> waveforms;
    for (const double peak : w.peaks.empty() ? std::vector<double>{w.peak} : w.peaks)
      waveforms.push_back({{"peak", number(peak)}});
    put(list(w, "TW", waveforms));
  }
  if (w.with_receive) {
    std::vector<Fields> receive, events;
    for (std::size_t f = 0; f < kFrames; ++f) {
      for (std::size_t k = 0; k < 2; ++k) {
        receive.push_back({{"startSample", number(static_cast<double>(first_row(k) + 1))},
                           {"endSample", number(static_cast<double>(first_row(k) + kSamples) + w.end_sample_excess)},
                           {"framenum", number(static_cast<double>(f + 1))},
                           {"acqNum", number(static_cast<double>(k + 1))},
                           {"bufnum", number(w.buffer)},
                           {"aperture", number(w.switched ? static_cast<double>(k + 1) : 1.0)},
                           {"startDepth", number(w.start_depth)},
                           w.sample_mode.empty() ? Fields::value_type{"decimSampleRate", number(20.0)}
                                                 : Fields::value_type{"sampleMode", text(w.sample_mode)}});
        events.push_back({{"tx", number(w.one_transmit ? 1.0 : static_cast<double>(k + 1))},
                          {"rcv", number(static_cast<double>(2 * f + k + 1))},
                          {"seqControl", row({1.0, 2.0})}});
      }
      events.push_back({{"tx", number(0)}, {"rcv", number(0)}, {"seqControl", number(1)}});  // a pause
    }
    put(list(w, "Receive", std::move(receive)));
    put(list(w, "Event", std::move(events)));
  }
  if (!nested.empty()) {
    Variable all = structure(w.inside.c_str(), {nested});
    Mat_VarWrite(file, all, MAT_COMPRESSION_NONE);
    Mat_VarFree(all);
  }
  Mat_Close(file);
  return path;
}

}  // namespace echoloop::test::verasonics
