// One function per parser of ours: accepts any bytes, lets only Error escape, returns true if they were read. Called by
// libFuzzer (fuzz_main.cpp), and by a test with the seeds and their mutations (fuzz_test.cpp).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace echoloop::fuzz {

using Target = bool (*)(std::span<const std::byte> input);

struct NamedTarget {
  std::string_view name;  // also the folder of its seeds
  Target run;
};

bool read_pickle(std::span<const std::byte> input);
bool read_npy_array(std::span<const std::byte> input);
bool read_npz_archive(std::span<const std::byte> input);
bool read_description(std::span<const std::byte> input);
bool read_preset_text(std::span<const std::byte> input);

bool read_live(std::span<const std::byte> input);  // the first byte selects the kind of message

inline constexpr NamedTarget kTargets[] = {
    {"pickle", read_pickle},       {"npy", read_npy_array},      {"npz", read_npz_archive},
    {"sidecar", read_description}, {"preset", read_preset_text}, {"live", read_live},
};

}  // namespace echoloop::fuzz
