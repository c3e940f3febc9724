// The header for C programs, compiled once for `echoloop send`. Its warnings are C's: gcc and clang check it as C99.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define ECHOLOOP_SENDER_IMPLEMENTATION
#include "senders/echoloop_sender.h"
