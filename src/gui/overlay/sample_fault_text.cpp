#include "gui/overlay/sample_fault_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/number.h"
#include "core/plain_text.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr double kLeastShare = 1e-4;  // shown as a share: 0.01 %
constexpr int kMostRanges = 4;

std::string named(SampleFault fault) { return std::string(kSampleFaultRows[static_cast<std::size_t>(fault)].key); }

template <class Visit>  // visit(words, fault) for each kind that occurs
void for_each_fault(const SampleFaults& faults, Visit&& visit) {
  for (std::size_t i = 0; i < kSampleFaults; ++i) {
    if (faults.found[i].samples > 0) visit(static_cast<SampleFault>(i));
  }
}

}  // namespace

std::string fault_title(SampleFault fault) { return capitalized(named(fault)); }

std::string fault_share_text(const SampleFaults& faults, SampleFault fault) {
  const double share = faults.share(fault);
  if (share >= kLeastShare) return fixed(100.0 * share, 2) + " %";
  return counted_grouped(faults.of(fault).samples, "sample");
}

std::string elements_text(const std::vector<bool>& elements, ElementWords words) {
  const auto all = static_cast<std::size_t>(std::count(elements.begin(), elements.end(), true));
  if (words == ElementWords::count) return counted(all, "element");
  if (all == elements.size()) return "all elements";
  std::string text;
  std::size_t listed = 0;
  int ranges = 0;
  for (std::size_t e = 0; e < elements.size() && ranges < kMostRanges; ++e) {
    if (!elements[e]) continue;
    std::size_t last = e;
    while (last + 1 < elements.size() && elements[last + 1]) ++last;
    text += text.empty() ? "" : ", ";
    text += last == e ? fmt::format("{}", e + 1) : fmt::format("{}–{}", e + 1, last + 1);
    listed += last - e + 1;
    e = last;
    ++ranges;
  }
  if (listed < all) text += fmt::format(" and {} more", all - listed);
  return plural(all, "element") + " " + text;
}

std::string faults_text(const SampleFaults& faults) {
  std::string text;
  for_each_fault(faults, [&](SampleFault fault) {
    text += (text.empty() ? "" : ", ") + named(fault) + " " + fault_share_text(faults, fault);
  });
  return text;
}

std::string faults_sentence(const SampleFaults& faults) {
  std::string text;
  for_each_fault(faults, [&](SampleFault fault) {
    const std::string share = fault_share_text(faults, fault);
    const std::vector<bool>& elements = faults.of(fault).elements;  // empty: not known
    text += fmt::format("{}{}: {}{}{}{}.", text.empty() ? "" : " ", fault_title(fault), share,
                        share.ends_with("%") ? " of samples" : "", elements.empty() ? "" : ", ",
                        elements.empty() ? "" : elements_text(elements, ElementWords::listed));
  });
  return text;
}

SampleFaults faults_of(const SampleLogPtr& log, std::uint64_t frame) {
  return log != nullptr ? log->of(frame) : SampleFaults{};
}

}  // namespace echoloop
