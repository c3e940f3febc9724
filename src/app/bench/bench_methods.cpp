#include "app/bench/bench_methods.h"

#include "app/bench/bench_measure.h"

namespace echoloop {
namespace {

constexpr int kMethodTurns = 3;

struct MethodCase {
  Adaptive method;
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;
};

constexpr MethodCase kMethods[] = {
    {Adaptive::coherence, AdaptiveAxis::both},
    {Adaptive::coherence},
    {Adaptive::coherence, AdaptiveAxis::elements, AdaptiveOrder::compounded},
    {Adaptive::coherence, AdaptiveAxis::transmits},
    {Adaptive::generalized},
    {Adaptive::phase},
    {Adaptive::p_das},
    {Adaptive::slsc, AdaptiveAxis::elements, AdaptiveOrder::compounded},
    {Adaptive::minimum_variance, AdaptiveAxis::elements, AdaptiveOrder::compounded},
};

template <class Table, class Value>
std::string word_of(const Table& table, Value value) {
  return std::string(table[static_cast<std::size_t>(value)].name);
}

double beamform_ms(const BenchRun& run) { return stages_alone(run)[static_cast<std::size_t>(Stage::beamform)].p50_ms; }

}  // namespace

void bench_methods(Backend& backend, double seconds, BenchTable& table) {
  BenchCase plain = bench_case("S1", SampleType::float32, 0.0);
  plain.params.formation.precision = Precision::fp32;
  const auto source = make_bench_source(plain, BenchSignal::noise);
  const BenchRun das{backend, plain, source, nullptr, seconds};
  for (const MethodCase& c : kMethods) {
    BenchCase on = plain;
    FormationParams& formation = on.params.formation;
    formation.adaptive = c.method;
    formation.adaptive_axis = c.axis;
    formation.adaptive_order = c.order;
    const BenchRun with{backend, on, source, nullptr, seconds};
    std::vector<double> das_ms, method_ms;
    for (int i = 0; i < kMethodTurns; ++i) {
      das_ms.push_back(beamform_ms(das));
      method_ms.push_back(beamform_ms(with));
    }
    table.add(plain, "method",
              {{"method", word_of(kAdaptiveMethods, c.method)},
               {"axis", word_of(kAdaptiveAxes, c.axis)},
               {"order", word_of(kAdaptiveOrders, c.order)},
               {"precision", "fp32"},
               {"p50_ms", median(method_ms)},
               {"das_p50_ms", median(das_ms)},
               {"share", median(das_ms) / median(method_ms)}});
  }
}

}  // namespace echoloop
