// numpy's .npz: one member holds the samples, its description is a JSON sidecar, or further members named like the
// sidecar's keys (fs_hz, axes, t_zero, ...), or both (the sidecar wins). Internal to src/formats.
#pragma once

#include <map>

#include "formats/npy.h"
#include "formats/reader.h"
#include "formats/sidecar.h"

namespace echoloop {

struct NpzMember {
  NpyFile npy;
  std::shared_ptr<const void> owner;  // of an inflated member; empty: the bytes lie in the file
};

// Every .npy member by its name without the ending; other members are skipped. Throws Error naming `what`.
// `check_stop` as of zip_extract().
std::map<std::string, NpzMember> read_npz_members(const std::string& what, std::span<const std::byte> bytes,
                                                  const std::function<void()>& check_stop = {});

LibraryRecording read_npz(const OpenRequest& request);

}  // namespace echoloop
