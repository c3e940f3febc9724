// Linked to every test program that opens recordings: sets test_reader, not the test itself, as the reader process.
#include "formats/sandbox/reader_child.h"
#include "test_paths.h"

namespace echoloop::testing {
namespace {

const bool kChosen = [] {
  reader_settings().program = ECHO_READER;
  return true;
}();

}  // namespace
}  // namespace echoloop::testing
