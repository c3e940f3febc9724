// One function a parser of ours: takes any bytes, lets only Error out of the parser, returns whether they were read.
// libFuzzer drives them (fuzz_main.cpp), and a test drives them over the seeds and their mutations (fuzz_test.cpp).
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

bool read_live(std::span<const std::byte> input);  // the first byte chooses the kind of message

inline constexpr NamedTarget kTargets[] = {
    {"pickle", read_pickle},       {"npy", read_npy_array},      {"npz", read_npz_archive},
    {"sidecar", read_description}, {"preset", read_preset_text}, {"live", read_live},
};

}  // namespace echoloop::fuzz
