// Files of other kinds, named: what they are and what to do. Reader process.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/import/import.h"

namespace echoloop {
namespace {

struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* found;
  const char* hint;
};

using namespace std::string_view_literals;
constexpr const char* kFinished = "finished images cannot be beamformed; open the channel data (RF or IQ)";
constexpr const char* kUnpack = "unpack it and open a file inside";
constexpr std::array kSignatures{
    Signature{128, "DICM"sv, "a DICOM file", "DICOM holds finished images; export the channel data (RF or IQ) instead"},
    Signature{0, "\x89PNG\r\n\x1a\n"sv, "a PNG image", kFinished},
    Signature{0, "\xff\xd8\xff"sv, "a JPEG image", kFinished},
    Signature{0, "GIF8"sv, "a GIF image", kFinished},
    Signature{0, "BM"sv, "a BMP image", kFinished},
    Signature{0, "II*\0"sv, "a TIFF image", kFinished},
    Signature{0, "MM\0*"sv, "a TIFF image", kFinished},
    Signature{4, "ftyp"sv, "a video (MP4 or QuickTime)", kFinished},
    Signature{0, "\x1a\x45\xdf\xa3"sv, "a video (Matroska or WebM)", kFinished},
    Signature{8, "AVI "sv, "a video (AVI)", kFinished},
    Signature{8, "WEBP"sv, "a WebP image", kFinished},
    Signature{0, "version https://git-lfs"sv, "a Git LFS pointer, not the file itself",
              "fetch the file with git lfs pull"},
    Signature{0, "/annex/objects/"sv, "a git-annex pointer, not the file itself", "fetch the file with git annex get"},
    Signature{0, "%PDF"sv, "a PDF document", "open the data file that belongs to it"},
    Signature{0, "\x1f\x8b"sv, "a gzip archive", kUnpack},
    Signature{0, "7z\xbc\xaf"sv, "a 7z archive", kUnpack},
    Signature{0, "Rar!"sv, "a RAR archive", kUnpack},
    Signature{0, "\x89LZO\0\r\n\x1a\n"sv, "a file compressed with LZO", "unpack it with lzop -d"},
    Signature{0, "BZh"sv, "a bzip2 archive", kUnpack},
    Signature{0,
              "\xfd"
              "7zXZ"sv,
              "an xz archive", kUnpack},
    Signature{257, "ustar"sv, "a tar archive", kUnpack},
    Signature{0, "<!DOCTYPE html"sv, "a web page", "the download went wrong: fetch the file itself"},
    Signature{0, "<html"sv, "a web page", "the download went wrong: fetch the file itself"},
    Signature{0, "\x93NUMPY"sv, "a damaged .npy file", ""},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive", kUnpack},
    Signature{0, "TDSm"sv, "a LabVIEW TDMS file", "save the samples as .npy, .mat or .h5"},
    Signature{344, "n+1\0"sv, "a NIfTI image", kFinished},
    Signature{344, "ni1\0"sv, "a NIfTI image", kFinished},
    Signature{0, "PAR1"sv, "a Parquet table", "save the samples as .npy, .mat or .h5"},
    Signature{0, "ARROW1"sv, "an Arrow file", "save the samples as .npy, .mat or .h5"},
    Signature{0, "SIMPLE  ="sv, "a FITS file", "save the samples as .npy, .mat or .h5"},
};

// MATLAB v4: no signature, but a header of five integers: type (0 to 52), rows, columns, complex or not, length of the
// name, which ends in a zero.
bool is_mat4(std::string_view start) {
  std::array<std::int32_t, 5> header{};
  if (start.size() < sizeof(header)) return false;
  std::memcpy(header.data(), start.data(), sizeof(header));
  const auto [type, rows, columns, complex, length] = header;
  const std::size_t end = sizeof(header) + static_cast<std::size_t>(std::clamp(length, 1, 64));
  return type >= 0 && type <= 52 && rows > 0 && columns > 0 && (complex == 0 || complex == 1) && length > 1 &&
         length <= 64 && start.size() >= end && start.find('\0', sizeof(header)) == end - 1 &&
         std::isalpha(static_cast<unsigned char>(start[sizeof(header)])) != 0;
}

}  // namespace

OtherKind identify_other_kind(std::span<const std::byte> bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1024));
  for (const Signature& kind : kSignatures) {
    if (start.size() >= kind.at && start.substr(kind.at).starts_with(kind.bytes)) return {kind.found, kind.hint};
  }
  if (is_mat4(start)) return {"a MATLAB v4 file", "save the variables again with save -v7"};
  const bool elf = start.starts_with(
      "\x7f"
      "ELF");
  if (elf) return {"a program", "open a recording"};
  const bool text = !start.empty() && std::ranges::all_of(start, [](char c) {
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
  if (text && start.find_first_of(",;\t ") != std::string_view::npos &&
      start.find_first_not_of("0123456789+-.eE,; \t\r\n") == std::string_view::npos)
    return {"a table of numbers as text", "save the samples as .npy, .mat or .h5"};
  if (text) return {"a text file", "open the data file that belongs to it"};
  return {};
}

}  // namespace echoloop
