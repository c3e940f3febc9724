// Undamaged files of a campaign: one or more of every format, and presets.
#include <matio.h>

#include <algorithm>
#include <array>
#include <span>

#include "formats/blosc_fixture.h"
#include "formats/containers/archives.h"
#include "formats/containers/hdf5_file.h"
#include "formats/mutation/mutator.h"
#include "formats/support.h"
#include "formats/verasonics_fixture.h"
#include "history/hdf5_recording.h"
#include "support/recordings.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 4U << 20;  // bigger files only slow the campaign down
constexpr int kFrames = 3;

// Files as kept by users of MUST.
void write_with_matio(const fs::path& path, mat_ft version, matio_compression compression) {
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, version);
  double samples[24], numbers[] = {20e6, 5e6, 0.3e-3, 1540};
  for (int k = 0; k < 24; ++k) samples[k] = k;
  std::size_t dims[] = {4, 3, 2}, one[] = {1, 1};
  matvar_t* const rf = Mat_VarCreate("RF", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, samples, 0);
  const char* names[] = {"fs", "fc", "pitch", "c"};
  matvar_t* const param = Mat_VarCreateStruct("param", 2, one, names, 4);
  for (int k = 0; k < 4; ++k) {
    Mat_VarSetStructFieldByName(param, names[k], 0,
                                Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, numbers + k, 0));
  }
  for (matvar_t* const variable : {rf, param}) {
    Mat_VarWrite(file, variable, compression);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
}

// Recordings of this program; killed: as left by a killed program.
enum class Recorded { ended, killed };
fs::path write_own(const fs::path& path, const Acquisition& acquisition, Recorded how) {
  Hdf5Writer writer(path, share(acquisition), {.version = "test"});
  const std::vector<float> values = noise(acquisition.frame_bytes() / sizeof(float), 1);
  const std::vector<std::byte> samples = to_bytes(values);
  for (std::uint64_t k = 0; k < kFrames; ++k) {
    writer.append(
        {.stamp = {.sequence = k, .source_index = k, .acquired_ns = static_cast<std::int64_t>(k) * 20'000'000},
         .samples = samples});
  }
  writer.flush();
  if (how == Recorded::killed) return writer.partial();
  writer.finish();
  return path;
}

// Stores samples in compressed chunks, as other programs do, which are never lent in place.
void compress_samples(test::Hdf5Fixture& file, const std::string& path, const std::string& axes,
                      const test::Extents& n) {
  std::vector<hsize_t> chunk = test::sample_dims(axes, n);
  chunk[0] = 1;
  file.numbers(path, test::sample_dims(axes, n), test::sample_table(axes, n),
               {.type = H5T_STD_I16LE, .chunk = chunk, .deflate = 4});
}

std::vector<fs::path> write_fixtures(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const NamedAcquisition& kind : every_kind_of_acquisition()) {
    files.push_back(write_own(folder / ("own_" + kind.name), kind.acquisition, Recorded::ended));
  }
  files.push_back(write_own(folder / "own_killed", every_kind_of_acquisition().front().acquisition, Recorded::killed));
  for (const mat_ft version : {MAT_FT_MAT5, MAT_FT_MAT73}) {
    for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
      files.push_back(folder / ("must_" + std::to_string(files.size())));
      write_with_matio(files.back(), version, compression);
    }
  }
  files.push_back(test::verasonics::write_workspace(folder, {}));
  const test::Extents small{.frames = kFrames}, wide{.frames = kFrames, .elements = 16, .samples = 400};
  void (*const kinds[])(test::Hdf5Fixture&, const test::Extents&) = {
      test::write_uff,          test::write_picmus, test::write_pybf, test::write_zea,
      test::write_zea_contents, test::write_mfmc,   test::write_urx,  test::write_ipasc};
  for (const auto write : kinds) {
    for (const test::Extents& n : {small, wide}) {
      test::Hdf5Fixture file(folder / ("hdf5_" + std::to_string(files.size())));
      write(file, n);
      if (write == test::write_uff && n.samples == wide.samples) {
        compress_samples(file, "channel_data/data", "ftei", n);
      }
      if (write == test::write_zea && n.samples == wide.samples && hdf5::kHaveBlosc) {
        test::write_blosc(file, "data/raw_data", "ftieq", n);
      }
      files.push_back(file.close());
    }
  }
  test::Hdf5Fixture plain(folder / ("hdf5_" + std::to_string(files.size())));  // by the names of its arrays
  plain.numbers("acq/rf", test::sample_dims("tei", wide), test::sample_table("tei", wide),
                {.type = H5T_STD_I16LE, .chunk = {}});
  for (const auto& [name, value] : {std::pair{"acq/fs_MHz", 20.0},
                                    {"acq/f0", 5e6},
                                    {"acq/t_start", 2e-6},
                                    {"medium/c", 1500.0},
                                    {"probe/pitch_mm", 0.3}})
    plain.number(name, value);
  plain.numbers("tx/angles", {2}, {-10.0, 10.0});
  files.push_back(plain.close());
  return files;
}

std::vector<ArchiveMember> members_of(const std::string& archive) {
  std::vector<ArchiveMember> members;
  const auto bytes = std::as_bytes(std::span(archive));
  for (const ZipMember& member : zip_directory("fixture", bytes)) {
    const MemberData data = zip_extract("fixture", bytes, member);
    members.push_back({member.name, std::string(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size())});
  }
  return members;
}

void add(std::vector<Fixture>& fixtures, const fs::path& file) {
  const std::string bytes = read_text(file);
  const std::optional<FileKind> kind = kind_of(bytes, file);
  if (!kind) return;
  Fixture fixture{.kind = *kind, .bytes = bytes};
  fs::path description = file;
  description += ".json";
  for (const fs::path& beside :
       {description, fs::path(file).replace_extension(".json"), file.parent_path() / "params.json"}) {
    if (*kind == FileKind::npy && fixture.description.empty() && fs::exists(beside))
      fixture.description = read_text(beside);
  }
  if (*kind == FileKind::npz) fixture.members = members_of(bytes);
  fixtures.push_back(std::move(fixture));
}

// Returns a described array of the fuzz tests (targets.cpp): the first byte selects the array.
Fixture described_array(const std::string& seed) {
  const auto choice = static_cast<unsigned>(static_cast<unsigned char>(seed[0])) % 8;
  const bool integers = choice < 4;
  const std::array shapes{"(8, 16)", "(3, 8, 16)", "(2, 3, 8, 16)", "(3, 16, 8, 2)"};
  const std::array counts{128U, 384U, 768U, 768U};
  return {.kind = FileKind::npy,
          .bytes = test::npy(integers ? "<i2" : "<f4", false, shapes[choice % 4],
                             std::string(counts[choice % 4] * (integers ? 2U : 4U), '\1')),
          .description = seed.substr(1)};
}

// Returns sorted files, as folders are listed in any order.
template <class Folder>
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : Folder(folder)) {
    if (entry.is_regular_file() && entry.file_size() <= kMostBytes && entry.file_size() > 0)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::optional<FileKind> kind_of(const std::string& bytes, const fs::path& name) {
  if (bytes.starts_with("\x89HDF") || bytes.substr(0, 600).find("\x89HDF") != std::string::npos) return FileKind::hdf5;
  if (bytes.starts_with("MATLAB 5.0")) return FileKind::mat5;
  if (bytes.starts_with("\x93NUMPY")) return FileKind::npy;
  if (bytes.starts_with("PK")) return FileKind::npz;
  if (name.extension() == ".pkl") return FileKind::pickle;
  if (name.extension() == ".toml") return FileKind::preset;
  return std::nullopt;
}

std::vector<Fixture> find_fixtures(const fs::path& scratch, const std::vector<fs::path>& folders) {
  std::vector<Fixture> fixtures;
  for (const fs::path& file : write_fixtures(scratch)) {
    add(fixtures, file);
    fs::remove(file);
  }
  const fs::path source = ECHO_SOURCE_DIR;
  for (const char* const parser : {"npy", "npz", "pickle", "preset"}) {
    for (const fs::path& file : files_in<fs::directory_iterator>(source / "tests/fuzz/corpus" / parser)) {
      if (file.filename().string().starts_with("good_")) add(fixtures, file);
    }
  }
  for (const fs::path& file : files_in<fs::directory_iterator>(source / "assets/presets")) add(fixtures, file);
  for (const fs::path& file : files_in<fs::directory_iterator>(source / "tests/fuzz/corpus/sidecar")) {
    if (file.filename().string().starts_with("good_")) fixtures.push_back(described_array(read_text(file)));
  }
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_in<fs::recursive_directory_iterator>(folder)) add(fixtures, file);
  }
  return fixtures;
}

}  // namespace echoloop::testing
