// Commands of the program, including the runs without a window. Each returns the exit status and throws Error for bad
// options.
#pragma once

#include "app/options/options.h"
#include "app/stream/session.h"

namespace echoloop {

// `echoloop describe FILE`: prints the arrays of a file and a description to complete.
int run_describe(const std::filesystem::path& file);

// `echoloop repair FILE`: repairs a recording left by a killed program.
int run_repair(const std::filesystem::path& file);

// `echoloop send`: runs the program as a sender to a viewer: a demonstration, a test, a load generator. Uses the users'
// header (senders/echoloop_sender.h). Runs until the end of the source, the requested number of frames, or an
// interrupt.
int run_send(const std::string& source, const SendOptions& options, const StreamSettings& stream, std::uint64_t frames);

// `echoloop render FILE... --out DIR`: writes the images of many recordings, a few runs at a time in one process. Skips
// those completed by an earlier run. Returns 2 if a recording could not be read, 1 after another fault, else 0.
int run_render(const Options& options);

// --find-sound-speed: runs the search (backend/sound_speed.h) on one frame, without a window. Writes curves, peaks and
// warnings as JSON. Frame: the last one of --frames, otherwise the first. Region: that of the marks, otherwise the
// whole image.
int run_find_sound_speed(const Options& options);

// Runs the stream without a window, for a number of frames or seconds, then writes images and report.

int run_headless(const Options& options);
int run_headless(const Options& options, const ChosenBackend& chosen);  // shares a backend between runs

// Without a display and without --headless: names the files to write, then runs the same loop for a few seconds.
int run_without_display(Options options);

}  // namespace echoloop
