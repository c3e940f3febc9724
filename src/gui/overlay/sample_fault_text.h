// Faults of samples (core/sample_faults.h) in words: for the status bar, captions, warnings. Pure.
#pragma once

#include <string>

#include "core/sample_faults.h"
#include "core/sample_log.h"

namespace echoloop {

enum class ElementWords { count, listed };

std::string fault_title(SampleFault fault);                                   // "Clipped"
std::string fault_share_text(const SampleFaults& faults, SampleFault fault);  // "0.42 %", or "3 samples" of very many
// "element 7", "elements 12–15, 40", of many "elements 1–3, 7, 9, 11 and 14 more"; counted: "4 elements". From 1.
std::string elements_text(const std::vector<bool>& elements, ElementWords words);
// "invalid 3 samples, clipped 0.42 %"; empty: none
std::string faults_text(const SampleFaults& faults);
// A sentence for each kind: "Clipped: 0.42 % of samples, elements 12–15."; empty: none
std::string faults_sentence(const SampleFaults& faults);

// Of a frame of a source; `log` null: of no frames.
SampleFaults faults_of(const SampleLogPtr& log, std::uint64_t frame);

}  // namespace echoloop
