#include "history/file_sinks.h"

#include <array>

namespace echoloop {

// Each in a file of its own.
std::unique_ptr<FrameFile> make_uff_file(const FrameFileRequest& request);
std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request);

namespace {

constexpr std::array kFileSinks{
    FileSinkRow{.option = kRecordOption.data(),
                .type_name = "F.uff",
                .ending = nullptr,
                .help = "Record all raw frames as UFF (HDF5)",
                .report = "recording",
                .make = make_uff_file},
    FileSinkRow{.option = "--raw-out",
                .type_name = "F.npy",
                .ending = ".npy",
                .help = "All raw frames as an array for NumPy: [frame][transmit][element][sample], IQ with a last axis "
                        "(I, Q); with --headless",
                .report = "raw_out",
                .make = make_raw_npy_file},
};

}  // namespace

std::span<const FileSinkRow> file_sinks() { return kFileSinks; }

}  // namespace echoloop
