#include "history/file_sinks.h"

#include <array>

namespace echoloop {

// Each in a file of its own.
std::unique_ptr<FrameFile> make_uff_file(const FrameFileRequest& request);

namespace {

constexpr std::array kFileSinks{
    FileSinkRow{.option = kRecordOption.data(),
                .type_name = "F.uff",
                .ending = nullptr,
                .help = "Record all raw frames as UFF (HDF5)",
                .report = "recording",
                .failed_status = 2,
                .make = make_uff_file},
};

}  // namespace

std::span<const FileSinkRow> file_sinks() { return kFileSinks; }

}  // namespace echoloop
