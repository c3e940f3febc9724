#include "app/stream/process_age.h"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace echoloop {

double process_age_s() {
  std::ifstream stat("/proc/self/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return 0.0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kStartTime = 20;  // the 22nd field of proc(5), counted from the one after the name
  std::string field;
  for (int i = 0; i < kStartTime; ++i) fields >> field;
  const double started_s = std::strtod(field.c_str(), nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  if (started_s <= 0.0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0.0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - started_s;
}

}  // namespace echoloop
