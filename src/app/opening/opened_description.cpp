#include "app/opening/opened_description.h"

#include <map>
#include <memory>
#include <mutex>

namespace echoloop {
namespace {

struct Kept {
  std::mutex mutex;
  std::map<std::weak_ptr<const Acquisition>, std::string, std::owner_less<>> texts;  // under mutex
};

Kept& kept() {
  static Kept all;
  return all;
}

}  // namespace

void remember_description(const AcquisitionPtr& acquisition, const std::string& json) {
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.texts, [](const auto& one) { return one.first.expired(); });
  if (!json.empty()) all.texts[acquisition] = json;
}

std::string opened_description(const AcquisitionPtr& acquisition) {
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.texts.find(acquisition);
  return found == all.texts.end() ? std::string() : found->second;
}

}  // namespace echoloop
