#include "app/outputs/csv_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/number.h"

namespace echoloop {
namespace {

struct Row {
  const char* table;
  const std::string& object;
  std::string_view quantity;
  std::string_view unit;
  std::string_view at_unit;
};

using Out = std::back_insert_iterator<std::string>;

void add(Out out, const Row& row, double value) {
  if (!std::isfinite(value)) return;
  fmt::format_to(out, "{},{},{},{},,,{:.9g}\n", row.table, row.object, row.quantity, row.unit, value);
}

void add(Out out, const Row& row, double at, double value) {
  if (!std::isfinite(value)) return;
  fmt::format_to(out, "{},{},{},{},{:.9g},{},{:.9g}\n", row.table, row.object, row.quantity, row.unit, at, row.at_unit,
                 value);
}

void add_lobe(Out out, const std::string& object, const char* name, const Lobe& lobe) {
  const Row row{"curve", object, std::string_view(name), "dB", "mm"};
  for (std::size_t i = 0; i < lobe.offset_m.size(); ++i) {
    add(out, row, lobe.offset_m[i] * 1e3, static_cast<double>(lobe.level_db[i]));
  }
  if (!lobe.fit) return;
  const std::string fit = std::string(name) + " fit";
  for (const double offset_m : lobe.offset_m) {
    const double level_db = lobe.fit->level_db(offset_m);
    constexpr double kLowest_db = -20.0;  // as far as the window draws it
    if (level_db >= kLowest_db) add(out, {"curve", object, fit, "dB", "mm"}, offset_m * 1e3, level_db);
  }
}

}  // namespace

std::string measurements_csv(const Measured& m, const std::string& comments, const Measured& a) {
  std::string text = comments + "table,object,quantity,unit,at,at_unit,value\n";
  const Out out = std::back_inserter(text);
  for (const MeasuredValue& v : m.values) add(out, {"now", v.object, v.quantity, v.unit, ""}, v.value);
  for (const MeasuredValue& v : a.values) add(out, {"A", v.object, v.quantity, v.unit, ""}, v.value);
  for (const MeasuredValue& v : m.values) {
    const MeasuredValue* of_a = a.find(v.object, v.quantity);
    if (of_a != nullptr) add(out, {"B-A", v.object, v.quantity, v.unit, ""}, v.value - of_a->value);
  }
  for (const MeasuredValue& v : m.values) {
    const auto last = static_cast<double>(v.trend.size()) - 1.0;
    for (std::size_t i = 0; i < v.trend.size(); ++i) {
      add(out, {"trend", v.object, v.quantity, v.unit, "s"}, (static_cast<double>(i) - last) * kTrendStep_s,
          static_cast<double>(v.trend[i]));
    }
  }
  for (const MeasuredPoint& point : m.points) {
    if (!point.spread) continue;
    add_lobe(out, point.object, "lateral", point.spread->lateral);
    add_lobe(out, point.object, "axial", point.spread->axial);
  }
  for (const MeasuredProfile& line : m.profiles) {
    for (std::size_t i = 0; i < line.profile.at_m.size(); ++i) {
      add(out, {"curve", line.object, "level", "dB", "mm"}, line.profile.at_m[i] * 1e3,
          static_cast<double>(line.profile.level_db[i]));
    }
  }
  for (const MeasuredScatter& scatter : m.scatters) {
    for (const ScatterPoint& p : scatter.points) {
      add(out, {"scatter", scatter.object, "level over delay-and-sum", "dB", "dB"}, static_cast<double>(p.das_db),
          static_cast<double>(p.method_db));
    }
  }
  if (!m.histogram) return text;
  const std::string picture = "picture";
  for (std::size_t i = 0; i < m.histogram->counts.size(); ++i) {
    const double middle_db = m.histogram->first_db + (static_cast<double>(i) + 0.5) * m.histogram->step_db;
    add(out, {"histogram", picture, "pixels", "", "dB"}, middle_db, static_cast<double>(m.histogram->counts[i]));
  }
  return text;
}

}  // namespace echoloop
