// The words of the formats (format_table.h): what messages, the file dialog and the manual say about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

std::string accepted_files();  // "GPU short-course data (.pkl, ...), ...": the end of error messages
std::string format_names();    // "MATLAB, HDF5 and NumPy files of ...; RF lines of ..."
// Of file names, lower case, each once: ".pkl", ".npz" ...
std::vector<std::string_view> recording_endings();
std::string formats_markdown();  // the rows of assets/manual/formats.md

}  // namespace echoloop
