#include "app/bench/bench_methods.h"

#include "app/bench/bench_measure.h"

namespace echoloop {
namespace {

constexpr int kMethodTurns = 3;

struct MethodCase {
  Adaptive method;
  AdaptiveAxis axis = AdaptiveAxis::elements;
  AdaptiveOrder order = AdaptiveOrder::each_transmit;
  double root = 2.0;
};

// Delay-and-sum in the same executor: the loops of the methods, not the tuned kernels.
constexpr MethodCase kSameExecutor{.method = Adaptive::p_das, .root = 1.0};

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

BenchCase with_method_case(BenchCase on, const MethodCase& c) {
  FormationParams& formation = on.params.formation;
  formation.adaptive = c.method;
  formation.adaptive_axis = c.axis;
  formation.adaptive_order = c.order;
  formation.adaptive_root = c.root;
  return on;
}

double beamform_ms(const BenchRun& run) { return stages_alone(run)[static_cast<std::size_t>(Stage::beamform)].p50_ms; }

}  // namespace

void bench_methods(Backend& backend, double seconds, BenchTable& table) {
  BenchCase plain = bench_case("S1", SampleType::float32, 0.0);
  plain.params.formation.precision = Precision::fp32;
  const auto source = make_bench_source(plain, BenchSignal::noise);
  const BenchRun das{backend, plain, source, nullptr, seconds};
  const BenchRun same{backend, with_method_case(plain, kSameExecutor), source, nullptr, seconds};
  const auto add = [&](const MethodCase& c, const std::string& name) {
    const BenchRun with{backend, with_method_case(plain, c), source, nullptr, seconds};
    std::vector<double> das_ms, same_ms, method_ms;
    for (int i = 0; i < kMethodTurns; ++i) {
      das_ms.push_back(beamform_ms(das));
      same_ms.push_back(beamform_ms(same));
      method_ms.push_back(beamform_ms(with));
    }
    table.add(plain, "method",
              {{"method", name},
               {"axis", word_of(kAdaptiveAxes, c.axis)},
               {"order", word_of(kAdaptiveOrders, c.order)},
               {"precision", "fp32"},
               {"p50_ms", median(method_ms)},
               {"das_p50_ms", median(das_ms)},
               {"same_executor_das_p50_ms", median(same_ms)},
               {"share", median(das_ms) / median(method_ms)},
               {"share_same_executor", median(same_ms) / median(method_ms)}});
  };
  add(kSameExecutor, "delay-and-sum in the same executor");
  for (const MethodCase& c : kMethods) add(c, word_of(kAdaptiveMethods, c.method));
}

}  // namespace echoloop
