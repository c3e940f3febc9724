// Parts of the hostile HDF5 table: modifications of a valid example.
#pragma once

#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "formats/hdf5_fixture.h"

namespace echoloop::test {

inline const std::string kUff = "channel_data/";

using Spoil = std::function<void(Hdf5Fixture&)>;

struct Hostile {
  const char* name;
  void (*write)(Hdf5Fixture&, const Extents&);
  Spoil spoil;
};
inline void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = HUGE_VAL;

Spoil set(const std::string& path, double value);  // `path` becomes one number
Spoil drop(const std::string& path);
Spoil shape(const std::string& path, const std::vector<hsize_t>& dims);
// Makes `path` a dataset never written; if chunked, the library allocates nothing for it.
Spoil huge(const std::string& path, const std::vector<hsize_t>& dims, const std::vector<hsize_t>& chunk,
           int deflate = 0);
Spoil words(const std::string& path);  // text instead of numbers
Spoil of_class(const std::string& path, hid_t (*make)());
Spoil soft(const std::string& path, const std::string& target);

std::vector<Hostile> hostile_uff();      // numbers, probes and waves of UFF
std::vector<Hostile> hostile_storage();  // samples; links, chunks and filters

}  // namespace echoloop::test
