// Sampling and centre frequency, speed of sound, band and rate of a file of arrays with plain names. Internal to
// src/formats/import.
#pragma once

#include "core/acquisition.h"
#include "formats/import/guess_facts.h"
#include "formats/import/guessed_description.h"

namespace echoloop {

struct Sampling {
  double fs_hz = 0.0, center_hz = 0.0;  // 0: not known
  double speed_m_s = 1540.0;
};

// To `out`, and as numbers. `times`: those of the samples; null: not in the file.
Sampling guess_sampling(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out);

}  // namespace echoloop
