// Where a zea file keeps what: its versions have put data, scan and the array into different groups. Internal to
// src/formats, reader process.
#pragma once

#include <cstddef>
#include <string>

#include "core/acquisition.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/placed_probe.h"

namespace echoloop {

inline constexpr std::size_t kMaxZeaTable = std::size_t{1} << 24;  // values: (transmit, element), (frame, transmit)

// Path of the group of data and scan: "" (the root), "event_0", or the first track that has channel data, "tracks/...".
// What is left out goes to a.assumptions.
std::string zea_part(const hdf5::Node& root, Acquisition& a);

// The channel data of the group `data`; Error that says what is there instead, pictures most likely.
hdf5::Node zea_raw_data(const hdf5::Node& data);

// Element positions: in scan, in later files in a group `probe` of their own.
PlacedProbe zea_probe(const hdf5::Node& root, const hdf5::Node& scan);

}  // namespace echoloop
