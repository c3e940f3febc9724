// Module of the program that writes DICOM files with DCMTK (app/outputs/dicom.h), which takes 4 ms to load. All types
// of values are stated, so that no dictionary is needed.
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcistrmf.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/ofstd/ofuuid.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "app/outputs/dicom.h"

namespace echoloop {
namespace {

void require(const OFCondition& done) {
  if (done.bad()) throw std::runtime_error(std::string("DCMTK: ") + done.text());
}

struct Value {
  DcmTagKey key;
  DcmEVR type;
  std::string text = {};
};
void put(DcmItem& item, std::initializer_list<Value> values) {
  for (const Value& v : values) require(item.putAndInsertString(DcmTag(v.key, DcmVR(v.type)), v.text.c_str()));
}

// Returns a new identifier below 2.25: a random UUID, version 4 (DICOM PS3.5 annex B.2, RFC 4122).
std::string new_uid() {
  std::random_device random;
  OFUUID::BinaryRepresentation bytes;
  for (Uint8& byte : bytes.value) byte = static_cast<Uint8>(random());
  bytes.value[6] = static_cast<Uint8>((bytes.value[6] & 0x0F) | 0x40);
  bytes.value[8] = static_cast<Uint8>((bytes.value[8] & 0x3F) | 0x80);
  OFString text;
  OFUUID(bytes).toString(text, OFUUID::ER_RepresentationOID);
  return text.c_str();
}

// Sets all but the pixels. Empty: required, and known to the user only.
void put_values(DcmItem& data, const DicomContents& c) {
  const bool loop = c.frames > 1, flow = c.flow == FilmFlow::shown;
  const auto n = [](double value) { return fmt::format("{:.10g}", value); };
  put(data, {{DCM_SpecificCharacterSet, EVR_CS, "ISO_IR 192"},
             {DCM_SOPClassUID, EVR_UI, loop ? UID_UltrasoundMultiframeImageStorage : UID_UltrasoundImageStorage},
             {DCM_SOPInstanceUID, EVR_UI, new_uid()},
             {DCM_StudyInstanceUID, EVR_UI, new_uid()},
             {DCM_SeriesInstanceUID, EVR_UI, new_uid()},
             {DCM_StudyDate, EVR_DA, c.date},
             {DCM_SeriesDate, EVR_DA, c.date},
             {DCM_ContentDate, EVR_DA, c.date},
             {DCM_StudyTime, EVR_TM, c.time},
             {DCM_SeriesTime, EVR_TM, c.time},
             {DCM_ContentTime, EVR_TM, c.time},
             {DCM_PatientName, EVR_PN},
             {DCM_PatientID, EVR_LO},
             {DCM_PatientBirthDate, EVR_DA},
             {DCM_PatientSex, EVR_CS},
             {DCM_StudyID, EVR_SH},
             {DCM_AccessionNumber, EVR_SH},
             {DCM_ReferringPhysicianName, EVR_PN},
             {DCM_Laterality, EVR_CS},
             {DCM_PatientOrientation, EVR_CS},
             {DCM_Modality, EVR_CS, "US"},
             {DCM_SeriesNumber, EVR_IS, "1"},
             {DCM_InstanceNumber, EVR_IS, "1"},
             {DCM_Manufacturer, EVR_LO, "Echoloop"},
             {DCM_ManufacturerModelName, EVR_LO, "Echoloop"},
             {DCM_SoftwareVersions, EVR_LO, c.version},
             {DCM_ImageType, EVR_CS, "ORIGINAL\\PRIMARY"},
             {DCM_ImageComments, EVR_LT, "Research use, not a medical device"},
             {DCM_LossyImageCompression, EVR_CS, "00"},
             {DCM_BurnedInAnnotation, EVR_CS, "NO"},
             {DCM_UltrasoundColorDataPresent, EVR_US, flow ? "1" : "0"},
             {DCM_SamplesPerPixel, EVR_US, n(c.channels)},
             {DCM_Rows, EVR_US, n(c.height)},
             {DCM_PhotometricInterpretation, EVR_CS, c.channels == 1 ? "MONOCHROME2" : "RGB"},
             {DCM_Columns, EVR_US, n(c.width)},
             {DCM_BitsAllocated, EVR_US, "8"},
             {DCM_BitsStored, EVR_US, "8"},
             {DCM_HighBit, EVR_US, "7"},
             {DCM_PixelRepresentation, EVR_US, "0"}});
  if (c.channels > 1) put(data, {{DCM_PlanarConfiguration, EVR_US, "0"}});
  if (loop)
    put(data, {{DCM_NumberOfFrames, EVR_IS, n(c.frames)},
               {DCM_FrameTime, EVR_DS, n(c.frame_time_ms)},
               {DCM_FrameIncrementPointer, EVR_AT, "(0018,1063)"},
               {DCM_CineRate, EVR_IS, n(std::max(1.0, std::round(1e3 / c.frame_time_ms)))}});
}

// Sets scale and place of the image, which is one region: 2D, of tissue or colour flow, in cm.
void put_region(DcmDataset& data, const DicomContents& c) {
  DcmItem* region = nullptr;
  require(data.findOrCreateSequenceItem(DcmTag(DCM_SequenceOfUltrasoundRegions, DcmVR(EVR_SQ)), region, -2));
  const auto cm = [](double m) { return fmt::format("{}", 100.0 * m); };
  put(*region, {{DCM_RegionSpatialFormat, EVR_US, "1"},
                {DCM_RegionDataType, EVR_US, c.flow == FilmFlow::shown ? "2" : "1"},
                {DCM_RegionFlags, EVR_UL, "0"},
                {DCM_RegionLocationMinX0, EVR_UL, "0"},
                {DCM_RegionLocationMinY0, EVR_UL, "0"},
                {DCM_RegionLocationMaxX1, EVR_UL, std::to_string(c.width - 1)},
                {DCM_RegionLocationMaxY1, EVR_UL, std::to_string(c.height - 1)},
                {DCM_ReferencePixelX0, EVR_SL, "0"},
                {DCM_ReferencePixelY0, EVR_SL, "0"},
                {DCM_PhysicalUnitsXDirection, EVR_US, "3"},
                {DCM_PhysicalUnitsYDirection, EVR_US, "3"},
                {DCM_ReferencePixelPhysicalValueX, EVR_FD, cm(c.x0_m)},
                {DCM_ReferencePixelPhysicalValueY, EVR_FD, cm(c.z0_m)},
                {DCM_PhysicalDeltaX, EVR_FD, cm(c.step_m)},
                {DCM_PhysicalDeltaY, EVR_FD, cm(c.step_m)}});
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void echoloop_write_dicom(const DicomContents& c,
                                                                            std::string& failure) {
  try {
    DcmFileFormat file;
    DcmDataset& data = *file.getDataset();
    put_values(data, c);
    put_region(data, c);
    const std::uint64_t bytes = std::uint64_t{c.frames} * c.width * c.height * c.channels;
    auto pixels = std::make_unique<DcmPixelData>(DcmTag(DCM_PixelData, DcmVR(EVR_OB)));
    // Read from the file of frames while it is written, never as a whole.
    auto frames = std::make_unique<DcmInputFileStreamFactory>(c.frames_file.c_str(), 0);
    const auto length = static_cast<Uint32>(bytes + bytes % 2);
    require(pixels->createValueFromTempFile(frames.get(), length, EBO_LittleEndian));
    static_cast<void>(frames.release());
    require(data.insert(pixels.get()));
    static_cast<void>(pixels.release());
    require(file.saveFile(c.file.c_str(), EXS_LittleEndianExplicit, EET_ExplicitLength));
    // DCMTK does not report a disk that is full when the file is closed.
    if (std::filesystem::file_size(c.file) != file.calcElementLength(EXS_LittleEndianExplicit, EET_ExplicitLength))
      throw std::runtime_error("the file is not complete; the disk may be full");
  } catch (const std::exception& error) {
    failure = error.what();
  }
}

}  // namespace echoloop
