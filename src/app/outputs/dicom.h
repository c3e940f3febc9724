// --dicom: images as on screen in a DICOM file, an Ultrasound Multi-frame Image, or of one image an Ultrasound Image;
// 8 bit, not compressed. Frames grow in a temporary file; at the end a module of this program that links DCMTK, loaded
// only then, writes the file (src/dicom_module.cpp). No name of a file is in it, as that may be a patient's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/outputs/film_job.h"

namespace echoloop {

// Contents of a file, for the module.
struct DicomContents {
  std::string file;         // to be written
  std::string frames_file;  // [frame][height][width][channels], and a byte if their number is odd
  std::uint32_t frames = 0, width = 0, height = 0, channels = 1;
  double frame_time_ms = 0.0;  // of more than one frame
  double x0_m = 0.0, z0_m = 0.0, step_m = 0.0;
  FilmFlow flow = FilmFlow::none;
  std::string version;
  std::string date, time;  // YYYYMMDD, HHMMSS
};
// Sets the reason for a failure; empty: none.
using DicomWriteFunction = void (*)(const DicomContents& contents, std::string& failure);

// Throws Error: another ending than .dcm, or a program without the module.
void check_dicom_name(const std::filesystem::path& file);

// The make of a FilmOrder. Throws Error.
std::unique_ptr<ImageWriter> make_dicom_file(const FilmOrder& order, const Image& first);

// Writes one image with the window and map of `display`, under `flow` (null: none). Throws Error.
void write_dicom(const std::filesystem::path& file, const Image& image, const ImagingParams& display,
                 const FlowImage* flow);

}  // namespace echoloop
