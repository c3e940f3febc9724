// The adaptive methods on channels of known values against a float64 specification (tests/reference/method_reference.py
// says how the channels are made).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/units.h"
#include "dsp/methods/methods.h"
#include "test_paths.h"
#include "unit/given_channels.h"

namespace echoloop::method_reference_test {
namespace {

using testing::GivenChannels;

constexpr int kRows = 9, kElements = 24, kTransmits = 3;

std::vector<GivenChannels> make_rows() {
  std::uint32_t state = 1;
  const auto draw = [&state] {
    state = 1664525U * state + 1013904223U;
    return state / 4294967296.0 - 0.5;
  };
  GivenChannels empty;
  for (int e = 0; e < kElements; ++e) {
    empty.receive.push_back(
        e < 2 ? 0.0F : static_cast<float>(0.54 + 0.46 * std::cos(2.0 * kPi * (e / (kElements - 1.0) - 0.5))));
  }
  empty.transmits = {1.0F, 0.5F, 0.75F};
  empty.x.assign(kTransmits, std::vector<ChannelSample>(kElements));
  std::vector<GivenChannels> rows(kRows, empty);
  for (int r = 0; r < kRows; ++r) {
    for (int e = 0; e < kElements; ++e) {
      for (int t = 0; t < kTransmits; ++t) {
        const double re = 0.4 * std::cos(0.3 * r) + draw();
        const double im = 0.4 * std::sin(0.3 * r) + draw();
        const bool recorded = e != 22 && !(e == 23 && t == 1);
        rows[static_cast<std::size_t>(r)].x[static_cast<std::size_t>(t)][static_cast<std::size_t>(e)] = {
            recorded ? Complex{static_cast<float>(re), static_cast<float>(im)} : Complex{0.0F, 0.0F}, recorded};
      }
    }
  }
  return rows;
}

class MethodReference : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(ECHO_SOURCE_DIR "/tests/reference/method_reference.json");
    reference_ = nlohmann::json::parse(file);
  }

  [[nodiscard]] const nlohmann::json& row(const std::string& name, int r) const {
    return reference_.at(name).at(static_cast<std::size_t>(r));
  }
  [[nodiscard]] static Complex pair(const nlohmann::json& value) {
    return {value.at(0).get<float>(), value.at(1).get<float>()};
  }

  std::vector<GivenChannels> rows_ = make_rows();
  nlohmann::json reference_;
};

double decibels(double a, double b) { return std::abs(20.0 * std::log10(a / b)); }
constexpr double kClose_db = 2e-4;  // of floats

void expect_near(Complex found, Complex expected, const std::string& name) {
  EXPECT_LE(magnitude(found + -1.0F * expected), 3e-5F * magnitude(expected)) << name;
}

TEST_F(MethodReference, ChannelsAreThoseOfTheScript) {
  for (int e = 0; e < 2; ++e) {
    const Complex expected = pair(reference_.at("first").at(static_cast<std::size_t>(e)));
    EXPECT_EQ(rows_[0].x[0][static_cast<std::size_t>(e)].value.re, expected.re);
    EXPECT_EQ(rows_[0].x[0][static_cast<std::size_t>(e)].value.im, expected.im);
  }
}

TEST_F(MethodReference, WeightsOverEveryAxisAndOrder) {
  struct Named {
    const char* name;
    MethodSettings settings;
  };
  const Named methods[] = {{"coherence", {.method = Adaptive::coherence}},
                           {"wiener", {.method = Adaptive::coherence, .strength = 0.0F}},
                           {"generalized", {.method = Adaptive::generalized}},
                           {"generalized_5", {.method = Adaptive::generalized, .bins = 5}},
                           {"phase", {.method = Adaptive::phase}}};
  const Named axes[] = {{" elements each_transmit", {}},
                        {" elements compounded", {.order = AdaptiveOrder::compounded}},
                        {" transmits", {.axis = AdaptiveAxis::transmits}},
                        {" both", {.axis = AdaptiveAxis::both}}};
  int compared = 0;
  for (const Named& method : methods) {
    for (const Named& axis : axes) {
      const std::string name = std::string(method.name) + axis.name;
      if (!reference_.contains(name)) continue;
      MethodSettings settings = method.settings;
      settings.axis = axis.settings.axis;
      settings.order = axis.settings.order;
      with_method(settings, [&](const auto& functor) {
        for (int r = 0; r < kRows; ++r) {
          const MethodPixel made = functor(rows_[static_cast<std::size_t>(r)]);
          expect_near(made.sum, pair(row("das", r)), name);
          EXPECT_LE(decibels(static_cast<double>(made.weight * magnitude(made.sum)), row(name, r).get<double>()),
                    kClose_db)
              << name << ", row " << r;
          ++compared;
        }
      });
    }
  }
  EXPECT_EQ(compared, 19 * kRows);
}

TEST_F(MethodReference, PDas) {
  for (const double root : {1.0, 2.0, 3.5}) {
    for (const auto order : {AdaptiveOrder::each_transmit, AdaptiveOrder::compounded}) {
      const std::string name = "p_das " +
                               std::string(root == 3.5   ? "3.5"
                                           : root == 2.0 ? "2.0"
                                                         : "1.0") +
                               (order == AdaptiveOrder::compounded ? " compounded" : " each_transmit");
      for (int r = 0; r < kRows; ++r) {
        const MethodPixel made = PDas{static_cast<float>(root), order}(rows_[static_cast<std::size_t>(r)]);
        expect_near(made.sum, pair(row(name, r)), name);
        if (root == 1.0) expect_near(made.sum, pair(row("das", r)), "delay-and-sum");
      }
    }
  }
}

TEST_F(MethodReference, ShortLagCoherence) {
  struct Case {
    int lags, rows;
  };
  for (const Case c : {Case{1, 0}, Case{10, 2}, Case{32, 3}}) {
    const ShortLagCoherence method{c.lags};
    const testing::StoredRows terms(rows_, method.n_terms(), [&](const GivenChannels& channels, Strided slice) {
      std::vector<Complex> elements(kElements + 1);
      store_channels(channels, 1, {elements.data(), 1});
      method.store_terms([&](int e) { return elements[static_cast<std::size_t>(e)]; }, kElements, slice);
    });
    const std::string name = "slsc " + std::to_string(c.lags) + " " + std::to_string(c.rows);
    for (int r = 0; r < kRows; ++r) {
      EXPECT_NEAR(static_cast<double>(method.pixel(terms.around(r, c.rows))), row(name, r).get<double>(), 1e-5)
          << name << ", row " << r;
    }
  }
}

TEST_F(MethodReference, MinimumVariance) {
  struct Case {
    const char* name;
    int neighbours;
    float subarray, loading;
    int rows;
  };
  for (const Case& c : {Case{"minimum_variance 1 0.5 0.01 2", 1, 0.5F, 0.01F, 2},
                        Case{"minimum_variance 2 0.5 0.01 1", 2, 0.5F, 0.01F, 1},
                        Case{"minimum_variance 3 0.4 0.1 0", 3, 0.4F, 0.1F, 0},
                        Case{"minimum_variance 1 0.3 1000.0 2", 1, 0.3F, 1000.0F, 2}}) {
    const MinimumVariance method{c.subarray, c.loading};
    const int n = n_channels(kElements, c.neighbours);
    const testing::StoredRows slices(rows_, n + 1, [&](const GivenChannels& channels, Strided slice) {
      store_channels(channels, c.neighbours, slice);
    });
    std::vector<Complex> scratch(static_cast<std::size_t>(method.n_scratch(n)));
    for (int r = 0; r < kRows; ++r) {
      const Complex made = method.pixel(slices.around(r, c.rows), n, {scratch.data(), 1});
      const Complex expected = pair(row(c.name, r));
      EXPECT_LE(magnitude(made + -1.0F * expected), 1e-4F * magnitude(expected)) << c.name << ", row " << r;
    }
  }
}

}  // namespace
}  // namespace echoloop::method_reference_test
