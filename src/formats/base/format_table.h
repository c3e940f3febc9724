// Table of all readable formats, one row per format: its words (list of accepted files, extensions for the file dialog,
// table of the manual) and its reader. A new format is a new file with its two functions, declared here, and a row. All
// readers run in the reader process, in its sandbox; the viewer uses only the words (format_table.cpp) and links none
// of the functions. Internal to src/formats.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/base/library_recording.h"

namespace echoloop {

class MatFile;
struct LibraryRecording;
struct NpzMember;
struct MapRequest;
struct MapValues;
struct OpenRequest;
namespace hdf5 {
class Node;
}
using NpzMembers = std::map<std::string, NpzMember>;

// Functions that recognise and read a file, by its container; format_registry.cpp opens the containers. A null
// `looks_like` matches every file of the container that no earlier row matched. `read` throws Error of one line.
struct BytesReader {
  bool (*looks_like)(std::span<const std::byte> bytes);
  LibraryRecording (*read)(const OpenRequest& request);
};
struct NpzReader {
  bool (*looks_like)(const OpenRequest& request, const NpzMembers& members);
  LibraryRecording (*read)(const OpenRequest& request, const NpzMembers& members);
};
struct Hdf5Reader {
  bool (*looks_like)(const hdf5::Node& root);
  LibraryRecording (*read)(const OpenRequest& request, const hdf5::Node& root);
};
struct MatReader {
  bool (*looks_like)(const MatFile& file);
  LibraryRecording (*read)(const OpenRequest& request, const MatFile& file);
};

struct FormatWords {
  std::string_view group;    // rows with the same group are listed together: "channel data in HDF5 (USTB UFF, PICMUS)"
  std::string_view name;     // within the group
  std::string_view endings;  // file name extensions, separated by spaces
  std::string_view help;     // Markdown: the manual's table
};

struct FormatRow {
  FormatWords words;
  // no reader: files that no row matches are read by names, by a description or by their header (import/import.h).
  std::variant<std::monostate, BytesReader, NpzReader, Hdf5Reader, MatReader> reader;
};

// Readers, each in its own file.
bool looks_like_pickle(std::span<const std::byte> bytes);  // pickle protocols 2 to 5
LibraryRecording read_short_course_pickle(const OpenRequest& request);
bool looks_like_course_doppler(const OpenRequest& request, const NpzMembers& members);
LibraryRecording read_course_doppler(const OpenRequest& request, const NpzMembers& members);
bool looks_like_npy(std::span<const std::byte> bytes);
LibraryRecording read_described_npy(const OpenRequest& request);
LibraryRecording read_described_npz(const OpenRequest& request, const NpzMembers& members);
bool looks_like_uff(const hdf5::Node& root);  // object of class uff.channel_data, or another uff.*
LibraryRecording read_uff(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_picmus(const hdf5::Node& root);  // group US
LibraryRecording read_picmus(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_pybf(const hdf5::Node& root);  // data/rf_data and trans_params
LibraryRecording read_pybf(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_zea(const hdf5::Node& root);  // groups data and scan, or event_0
LibraryRecording read_zea(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_mfmc(const hdf5::Node& root);  // TYPE is MFMC
LibraryRecording read_mfmc(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_urx(const hdf5::Node& root);  // dataset/acquisition/groups
LibraryRecording read_urx(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_ipasc(const hdf5::Node& root);  // binary_time_series_data and meta_data
LibraryRecording read_ipasc(const OpenRequest& request, const hdf5::Node& root);
bool looks_like_verasonics(const MatFile& file);          // structs Trans and TX
bool looks_like_part_of_verasonics(const MatFile& file);  // some of its variables, sufficient or not
LibraryRecording read_verasonics(const OpenRequest& request, const MatFile& file);
LibraryRecording read_must(const OpenRequest& request, const MatFile& file);

// The first matching row of a container is used.
inline constexpr std::array kFormats{
    FormatRow{
        {"GPU short-course data", ".pkl", ".pkl", "the pickle of the GPU short course; the reader never executes code"},
        BytesReader{looks_like_pickle, read_short_course_pickle}},
    FormatRow{{"GPU short-course data", "Doppler .npz", ".npz",
               "Doppler data of the course, beamformed IQ (`iq`, `xgrid`, `zgrid`, `prf`, `c`, `tx_frequency`): shown "
               "without aperture or filter"},
              NpzReader{looks_like_course_doppler, read_course_doppler}},
    FormatRow{{"arrays with a JSON sidecar", ".npy", ".npy .json",
               "channel data with a JSON sidecar that names the axes (below)"},
              BytesReader{looks_like_npy, read_described_npy}},
    FormatRow{{"arrays with a JSON sidecar", ".npz", ".npz",
               "channel data with a JSON sidecar, or with members named as its keys"},
              NpzReader{nullptr, read_described_npz}},
    FormatRow{{"channel data in HDF5", "USTB UFF", ".uff",
               "channel data as written by USTB: plane, diverging and focused waves, single elements, RF and IQ"},
              Hdf5Reader{looks_like_uff, read_uff}},
    FormatRow{{"channel data in HDF5", "PICMUS", ".hdf5 .h5", "channel data in the layout of PICMUS"},
              Hdf5Reader{looks_like_picmus, read_picmus}},
    FormatRow{
        {"channel data in HDF5", "PyBF", ".hdf5 .h5", "channel data in the layout of PyBF, simulated or measured"},
        Hdf5Reader{looks_like_pybf, read_pybf}},
    FormatRow{{"channel data in HDF5", "zea", ".hdf5 .h5",
               "channel data in the layout of zea, with `data` and `scan`, events or tracks; lens and pulse length are "
               "corrected if given in the file"},
              Hdf5Reader{looks_like_zea, read_zea}},
    FormatRow{{"channel data in HDF5", "MFMC", ".mfmc",
               "MFMC 2, full or half matrix capture of inspections: one probe, in contact or before a surface parallel "
               "to it, A-scans received by one "
               "element each; longitudinal waves"},
              Hdf5Reader{looks_like_mfmc, read_mfmc}},
    FormatRow{{"channel data in HDF5", "URX", ".urx", "URX 1, one probe; each group of events is a track"},
              Hdf5Reader{looks_like_urx, read_urx}},
    FormatRow{{"channel data in HDF5", "IPASC", ".hdf5 .h5",
               "photoacoustic data of IPASC: receive only, one of the wavelengths"},
              Hdf5Reader{looks_like_ipasc, read_ipasc}},
    FormatRow{{"MATLAB v5/v7.3 files", "Verasonics", ".mat",
               "Verasonics workspaces (`RcvData`, `Trans`, `TX`, `Receive`, ...; sample modes NS200BW, BS100BW, BS67BW "
               "and BS50BW, switched probes, Hadamard codes), MATLAB v5 and v7.3; folders of `Parameters.mat` and "
               "`RF_data_1.bin`, each buffer a track"},
              MatReader{looks_like_verasonics, read_verasonics}},
    FormatRow{{"MATLAB v5/v7.3 files", "MUST", ".mat",
               "as written by MUST (`RF` or `IQ`, `param`, `txdel`), MATLAB v5 and v7.3"},
              MatReader{nullptr, read_must}},
    FormatRow{{"other arrays", "arrays by name", ".mat .h5 .hdf5 .npz .pkl",
               "other layouts whose arrays have names such as `rf`, `fs`, `fc`, `pitch`, `angles`; also in a text of "
               "JSON (`metadata.fs`); every name that is "
               "used is listed as an assumption, in the unit of the name (`fs_MHz`), of a text beside it (`fs@units`, "
               "`fs_unit`; `fs/unit` of `fs/value`) or by its size; objects of ARRUS in pickles"},
              {}},
    FormatRow{{"other arrays", "BRAIN", ".mat", "`exp_data` of BRAIN, full or half matrix capture"}, {}},
    FormatRow{{"other arrays", "arrays by description", ".mat .h5 .npz .npy .pkl .bin .raw .dat .rf",
               "any array, or raw samples, with a JSON description beside the file; folders of one file a frame, a "
               "transmit or a line (below)"},
              {}},
    FormatRow{{"beamformed RF lines", "Ultrasonix", ".rf", "RF lines of Sonix, shown without beamforming"}, {}},
    FormatRow{
        {"beamformed RF lines", "Clarius", ".raw .tar",
         "RF or IQ lines of Clarius: the `.tar` of the scanner without LZO compression, or a `.raw` with its "
         "`.yml` beside it; lines of convex probes and steered lines as a sector; firings of Doppler lines as frames"},
        {}},
    FormatRow{{"beamformed RF lines", "MetaImage", ".mha", "RF lines as ITK writes them"}, {}},
    FormatRow{{"beamformed RF lines", "NRRD", ".nrrd", "RF lines as ITK writes them, `encoding: raw`"}, {}},
};

// Texts of the formats for messages, the file dialog and the manual.

std::string accepted_files();  // "GPU short-course data (.pkl, ...), ...": the end of error messages
std::string format_names();    // "MATLAB, HDF5 and NumPy files of ...; RF lines of ..."
// Returns the file name extensions, lower case, without duplicates: ".pkl", ".npz" ...
std::vector<std::string_view> recording_endings();
std::string formats_markdown();  // rows of assets/manual/formats.md

// Selects the reader of a file by its content: containers by the first bytes, formats by the rows of format_table.h.
// Reader process. Internal to src/formats.

// Opens request.path_to_open. Throws Error of one line.
LibraryRecording open_library_recording(const OpenRequest& request);

// Returns the file's content, as JSON (import/import.h).
std::string library_outline(const OpenRequest& request);
MapValues library_map(const OpenRequest& request, const MapRequest& wanted);

}  // namespace echoloop
