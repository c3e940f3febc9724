// The facts of an acquisition: one row each. What a JSON description, `--set`, the names in files, the import assistant
// and the recordings of the program call a fact, its unit, range and help all come from its row. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/acquisition.h"

namespace echoloop {

enum class Quantity { plain, frequency, length, duration, angle, samples, wavelengths };

struct Unit {
  std::string_view spellings;  // lower case, behind a name or a number; the micro sign is a u
  std::string_view symbol = {}, word = {};
  Quantity quantity = Quantity::plain;  // plain: says nothing about the numbers
  double si = 1.0;
};

// Units that end in the name of another one come before it: "nele_ms" is in ms, no "nelem" in s.
inline constexpr Unit kUnits[] = {{"mhz megahertz msps", "MHz", "MHz", Quantity::frequency, 1e6},
                                  {"ghz", "GHz", "GHz", Quantity::frequency, 1e9},
                                  {"khz kilohertz", "kHz", "kHz", Quantity::frequency, 1e3},
                                  {"hertz hz", "Hz", "Hz", Quantity::frequency, 1.0},
                                  {"cm centimetres centimeters", "cm", "centimetres", Quantity::length, 1e-2},
                                  {"mm millimetres millimeters", "mm", "millimetres", Quantity::length, 1e-3},
                                  {"um micrometres micrometers microns", "µm", "micrometres", Quantity::length, 1e-6},
                                  {"ms milliseconds", "ms", "milliseconds", Quantity::duration, 1e-3},
                                  {"us microseconds", "µs", "microseconds", Quantity::duration, 1e-6},
                                  {"ns nanoseconds", "ns", "nanoseconds", Quantity::duration, 1e-9},
                                  {"metres meters m", "m", "metres", Quantity::length, 1.0},
                                  {"seconds s", "s", "seconds", Quantity::duration, 1.0},
                                  {"mrad", "mrad", "milliradians", Quantity::angle, 1e-3},
                                  {"rad radians", "rad", "radians", Quantity::angle, 1.0},
                                  {"deg degrees", "°", "degrees", Quantity::angle, std::numbers::pi / 180.0},
                                  {"samples", "samples", "samples", Quantity::samples},
                                  {"wavelengths lambda", "wavelengths", "wavelengths", Quantity::wavelengths},
                                  {"mps mpers mmus"}};

const Unit* find_unit(std::string_view text);  // "MHz", "degrees", "micron"; null: none
// Finds the unit of that quantity by its SI value; null: none.
const Unit* unit_of_factor(double si, Quantity quantity);

// Calls `found(word, rank)` for the words of a list until it says true.
template <class Found>
constexpr bool any_word(std::string_view list, Found&& found) {
  for (std::size_t rank = 0; !list.empty(); ++rank) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (found(list.substr(0, end), rank)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Returns the factor to SI of numbers without a stated unit, by their size. `largest`: the largest magnitude of the
// numbers. `reach`: limit of lengths (m) and durations (s) that are in SI units already.
constexpr double unit_by_size(Quantity quantity, double largest, double reach) {
  switch (quantity) {
    case Quantity::frequency:
      return largest < 1e3 ? 1e6 : largest < 1e5 ? 1e3 : 1.0;
    case Quantity::length:
      return largest < reach ? 1.0 : largest < 1e3 * reach ? 1e-3 : 1e-6;
    case Quantity::duration:
      return largest <= reach ? 1.0 : 1e-6;
    case Quantity::angle:
      return largest > 0.5 * std::numbers::pi ? std::numbers::pi / 180.0 : 1.0;
    default:
      return 1.0;
  }
}

struct ScreenUnit {
  const char* symbol = "";
  double si = 1.0;
  Quantity quantity = Quantity::plain;  // of a variable without a unit, which its size decides
};
inline constexpr ScreenUnit kNoUnit{}, kMegahertz{"MHz", 1e6, Quantity::frequency},
    kMillimetres{"mm", 1e-3, Quantity::length}, kMicroseconds{"µs", 1e-6, Quantity::duration},
    kDegrees{"°", std::numbers::pi / 180.0, Quantity::angle}, kPerSecond{"Hz"}, kMetresPerSecond{"m/s"};

enum class FactShape { number, list, points, word };
enum class FactNeed { required, asked, optional };  // asked: has a default, which may be wrong

inline constexpr unsigned kNumbers = 1;    // a number or numbers: may also name a variable of the file, "acq.fs * 1e6"
inline constexpr unsigned kSingle = 2;     // a file says it in one number, which may be stored several times
inline constexpr unsigned kUnitAsked = 4;  // a unit in words that are not known is asked about
inline constexpr unsigned kInWaves = 8;    // may be in wavelengths

struct FactRow {
  const char *key, *group, *example, *help;  // of a description, SI; example in JSON, help in Markdown
  unsigned traits;
  std::string_view spellings = {};  // in files, without case, underscores, groups and units; the clearest first
  // Input of a value. `place`: 10 times that of the question, plus that of this form of the answer; 0: not asked.
  // Limits: SI, of the magnitude, both accepted; list and points: of the largest.
  int place = 0;
  const char* label = "";
  ScreenUnit unit = {};
  double least = 0.0, most = 0.0;
  FactShape shape = FactShape::number;
  struct Question {  // of the import assistant, in the row of the first way to answer it
    const char *id, *label;
    FactNeed need;
    const char* help;
  } asked = {};
  const char* name = "";                  // in --set and the program's own files
  double Acquisition::*member = nullptr;  // null of t0_s, which all transmits have
  struct Range {                          // of the member, SI, both accepted
    const char* of;                       // in messages
    double least, most;
    const char* text;
  } range = {};
  struct Given {  // by the user, who may know what a file fails to say
    int place;    // in the Source panel; 0: cannot be given
    const char* label;
    double least, most;              // SI, both accepted
    double track_least, track_most;  // SI, reached by dragging
    bool logarithmic;
    const char* help;
  } given = {};
  const char* lacking = "";  // what a description without it lacks: an example and what it is

  [[nodiscard]] constexpr FactRow spelled(std::string_view names) const { return with(&FactRow::spellings, names); }
  [[nodiscard]] constexpr FactRow typed(int at, const char* name_, const ScreenUnit& u, double low, double high,
                                        FactShape s) const {
    FactRow row = *this;
    row.place = at, row.label = name_, row.unit = u, row.least = low, row.most = high, row.shape = s;
    return row;
  }
  [[nodiscard]] constexpr FactRow asks(const char* id, const char* name_, FactNeed need, const char* why) const {
    return with(&FactRow::asked, Question{id, name_, need, why});
  }
  [[nodiscard]] constexpr FactRow held(const char* as, double Acquisition::*in, const Range& within = {}) const {
    return with(&FactRow::name, as).with(&FactRow::member, in).with(&FactRow::range, within);
  }
  template <class... Values>
  [[nodiscard]] constexpr FactRow given_as(Values... values) const {
    return with(&FactRow::given, Given{values...});
  }
  [[nodiscard]] constexpr FactRow lacks(const char* text) const { return with(&FactRow::lacking, text); }

 private:
  template <class T>
  [[nodiscard]] constexpr FactRow with(T FactRow::*part, T value) const {
    FactRow row = *this;
    row.*part = value;
    return row;
  }
};
// A key of a description; without a group only a name in files.
constexpr FactRow fact(const char* key, const char* group = nullptr, const char* example = "", const char* help = "",
                       unsigned traits = 0) {
  return {key, group, example, help, traits};
}

// dx and dy count next to sensor_data of k-Wave only (guess_facts.cpp), whose depth is along x.
inline constexpr FactRow kFacts[] = {
    fact("file", "array", R"("scan.mat")", "the described file, if its name is not that of the description"),
    fact("data", "array", R"("acq.rf")", "name of the array with the samples; default: the largest one")
        .spelled("rfdata rf channeldata rcvdata rawdata rawrf iqdata iq sig signal signals timedata sensordata chdata "
                 "rfframes rfframe rfs data raw samples echoes ascans traces fmc rfsta stadata fmcdata fullmatrix "
                 "fulldataset fullsynthdata timetraces binarytimeseriesdata usdata rfchannel rfchanneldata rfsignals "
                 "rfsignal rawchanneldata rfrawdata rfmatrix messdaten signaux p"),
    fact("imag", "array", R"("acq.rf_imag")", "name of a second array with the imaginary parts of `data`"),
    fact("axes", "array", R"(["time", "element", "transmit", "frame"])",
         "each axis of the array in the order of MATLAB's `size` or numpy's `shape`: `time`, `element`, `transmit`, "
         "`frame`, `iq` (I, Q), or `line` in place of `element` for lines that are beamformed already, or `trace` in "
         "place of `transmit` and `element` for a list of A-scans; `one` for a further axis of length 1")
        .lacks(R"(["transmit", "element", "time"], one name for each axis of the array)"),
    fact("offset", "array", "128", "value of zero in unsigned samples, subtracted", kNumbers)
        .typed(120, "zero of the samples", kNoUnit, 0.0, 1e10, FactShape::number)
        .asks("offset", "Offset", FactNeed::optional, "Value of zero in unsigned samples, subtracted."),
    fact("dtype", "raw bytes", R"("int16")",
         "raw files (.bin .raw .dat .rf): int8 to int64, uint8 to uint64, float32, float64, complex64, complex128"),
    fact("byte_order", "raw bytes", R"("little")", "`little` (default) or `big`"),
    fact("header_bytes", "raw bytes", "512", "bytes before the first sample; default 0"),
    fact("frame_header_bytes", "raw bytes", "8", "bytes before each frame; default 0"),
    fact("shape", "raw bytes", "[0, 7, 128, 2688]",
         "length of each axis, the slowest first; 0 for the first: as many as the file holds. Of an array whose axes "
         "are to be split: all lengths as in MATLAB's or numpy's `reshape`, `[1024, 64, 5]` of `[1024, 320]`"),
    fact("fs_hz", "time", "40e6", "sampling frequency", kNumbers | kSingle | kUnitAsked)
        .spelled("fs samplingfrequency samplefrequency samplingrate samplerate sampling samplefreq samplingfreq "
                 "fsampling fsample fsrf fsadc adcfrequency rxfrequency fsamp sampfreq sampfrequency "
                 "digitizerfrequency adcrate fadc fsampl samplingf adcfs adcsamplingrate sampfrq fsus samplerf fsiq "
                 "iqfs iqsamplingfrequency samplingfrequencyiq iqsamplingrate samplingrateiq abtastrate abtastfrequenz "
                 "frequenceechantillonnage freqech frecuenciamuestreo")
        .typed(20, "sampling frequency", kMegahertz, 1e4, 1e10, FactShape::number)
        .asks("sampling", "Sampling", FactNeed::required, "Samples a second of one channel.")
        .held("sampling_hz", &Acquisition::sampling_hz, {"sampling frequency", 1e3, 1e10, "1 kHz to 10 GHz"})
        .lacks("40e6, the sampling frequency"),
    fact("time_s", "time", R"("acq.t")",
         "times of all samples, in place of `fs_hz` and `t0_s`: evenly spaced, one for each sample",
         kNumbers | kUnitAsked)
        .spelled("t time times tarray timeaxis timevector taxis tvec")
        .typed(21, "times of the samples", kMicroseconds, 0.0, 1.0, FactShape::list),
    fact("fc_hz", "time", "5e6", "centre frequency of the transmitted pulse; of RF measured without it",
         kNumbers | kSingle | kUnitAsked)
        .spelled("fc f0 ftx txfrequency transmitfrequency centerfrequency centrefrequency centerfreq centrefreq "
                 "centralfrequency fcentral fcenter txfreq transmitfreq carrierfrequency pulsefrequency toneburstfreq "
                 "ft frequency freq centfreq fcentre probecenterfrequency probefrequency transducerfrequency "
                 "centralfreq centerf carrierfreq excitationfrequency excitationfreq sourcefreq sourcef0 "
                 "frequencytransmit toneburstfrequency transducerfreq centralf txcenterfrequency mittenfrequenz "
                 "frequencecentrale frecuenciacentral")
        .typed(40, "centre frequency", kMegahertz, 1e4, 1e9, FactShape::number)
        .asks("centre", "Centre frequency", FactNeed::required,
              "Of the transmitted pulse. Sets the demodulation and the default band.")
        .held("center_hz", &Acquisition::center_hz, {"centre frequency", 1e3, 1e9, "1 kHz to 1 GHz"})
        .given_as(1, "Centre frequency", 1e4, 1e9, 5e5, 3e7, true,
                  "Centre frequency of the transmitted pulse, and the initial centre of the band-pass filter.")
        .lacks("5e6, the centre frequency of the transmitted pulse"),
    fact("bandwidth_hz", "time", "3e6", "full width of the echo spectrum", kNumbers | kSingle)
        .spelled("bandwidth bw fractionalbandwidth")
        .typed(90, "bandwidth", kMegahertz, 1e3, 1e9, FactShape::number)
        .asks("band", "Bandwidth", FactNeed::optional, "Full width of the echo spectrum.")
        .held("bandwidth_hz", &Acquisition::bandwidth_hz, {"bandwidth", 0.0, 1e9, "0 to 1 GHz, 0 when unknown"})
        .given_as(2, "Bandwidth", 0.0, 1e9, 0.0, 2e7, false,
                  "Full width of the echo spectrum, and the initial width of the band-pass filter; 0 when unknown."),
    fact("demod_hz", "time", "5e6", "demodulation frequency of IQ samples", kNumbers | kSingle | kUnitAsked)
        .spelled("fdemod demodulationfrequency modulationfrequency demodfrequency demodfreq fmod")
        .typed(100, "demodulation frequency", kMegahertz, 0.0, 1e9, FactShape::number)
        .asks("demodulation", "Demodulation", FactNeed::optional,
              "Of IQ samples: the frequency that was moved to 0. Default: the centre frequency.")
        .held("demod_hz", &Acquisition::demod_hz, {"demodulation frequency", 0.0, 1e9, "0 to 1 GHz"})
        .lacks("5e6, the demodulation frequency of IQ samples"),
    fact("c_m_s", "time", "1540", "speed of sound; default 1540", kNumbers | kSingle)
        .spelled("c c0 soundspeed speedofsound sos cref phvelocity velocity vel mediumsoundspeed cms wavespeed "
                 "longitudinalvelocity soundv soundvelocity cwater ctissue cmedium csound schallgeschwindigkeit "
                 "celerite velocidadsonido cl")
        .typed(80, "speed of sound", kMetresPerSecond, 300.0, 12e3, FactShape::number)
        .asks("speed", "Speed of sound", FactNeed::asked, "1540 m/s in tissue, 1480 m/s in water.")
        .held("sound_speed_m_s", &Acquisition::sound_speed_m_s, {"sound speed", 100.0, 12000.0, "100 to 12000 m/s"}),
    fact("t0_s", "time", "0",
         "time of the first sample after `t_zero`; one number, or one a transmit; of `line`s one a line",
         kNumbers | kUnitAsked)
        .spelled("t0 tstart starttime initialtime initialtimes timezero timeoffset toffset startt firstsample mwb "
                 "acqdelay acquisitiondelay rxdelay receivedelay recordingdelay")
        .typed(50, "time zero", kMicroseconds, 0.0, 1e-2, FactShape::list)
        .asks("zero", "Time zero", FactNeed::asked,
              "Time of the first sample after the first firing. A wrong value shifts depths and blurs points.")
        .held("first_sample_s", nullptr)
        .given_as(4, "First sample", -1e-2, 1e-2, -2e-5, 2e-5, false,
                  "Time of sample 0 of the first transmit after the wave passes the array centre; other transmits "
                  "shift equally. Shifts the image in depth.")
        .lacks("0, seconds from t_zero to the first sample"),
    fact("t_zero", "time", R"("first_firing")",
         "event at time 0: `first_firing` (the first element fires), `origin` (the wave passes x = 0, z = 0 of the "
         "element positions), `centre` (the wave passes the middle of the array at z = 0; the same where positions are "
         "centred or come from a pitch) or `delays` (the zero of explicit delays)")
        .typed(60, "event at time 0", kNoUnit, 0.0, 0.0, FactShape::word)
        .asks("event", "Event at time 0", FactNeed::asked,
              "first_firing: the first element fires. origin: the wave passes x = 0, z = 0 of the element positions. "
              "centre: the wave passes the middle of the array. delays: the zero of explicit delays.")
        .lacks(R"("first_firing", or "origin" when times count from the wave passing x = 0, z = 0)"),
    fact("frame_rate_hz", "time", "25", "frames a second", kNumbers | kSingle)
        .spelled("framerate fps framespersecond")
        .typed(70, "frames a second", kPerSecond, 1e-3, 1e6, FactShape::number)
        .asks("rate", "Frame rate", FactNeed::asked, "Matters for flow, Doppler and playback only.")
        .held("frame_rate_hz", &Acquisition::frame_rate_hz, {"frame rate", 0.0, 1e6, "0 to 1 MHz, 0 when unknown"})
        .given_as(3, "Acquisition rate", 0.0, 1e6, 1.0, 1e4, true,
                  "Acquisition frame rate of the recording, and the initial playback rate; 0 when unknown."),
    fact("prf_hz", "time", "3000", "transmits a second, in place of `frame_rate_hz`", kNumbers | kSingle)
        .spelled("prf pulserepetitionfrequency")
        .typed(71, "transmits a second", kPerSecond, 1e-3, 1e6, FactShape::number),
    fact("pitch_m", "elements", "0.3e-3",
         "distance of neighbouring elements of a linear array, or of neighbouring lines",
         kNumbers | kSingle | kUnitAsked | kInWaves)
        .spelled(
            "pitch elementpitch probepitch elementspacing elemspacing elspacing dele spacing elempitch arraypitch "
            "transducerpitch arrayspacing interelementspacing dxelem elementdistance pitchx interelementpitch elpitch "
            "apitch elementabstand pitchel elpitchx linespacing linepitch linedistance lineseparation dline dy dx")
        .typed(30, "pitch", kMillimetres, 1e-5, 1e-2, FactShape::number)
        .asks("elements", "Elements", FactNeed::required, "Distance of neighbours, or the positions of all."),
    fact("n_elements", "elements", "128", "number of elements, checked against the array", kNumbers | kSingle)
        .spelled("nelements numelements nelem nele nchannels numchannels numels nel numelem nsensors"),
    fact("radius_m", "elements", "0.05", "radius of a convex array, whose ends lie at z = 0",
         kNumbers | kSingle | kUnitAsked)
        .spelled(
            "radius roc curvatureradius radiusofcurvature proberadius arrayradius convexradius curvradius rcurv rprobe")
        .typed(110, "radius", kMillimetres, 1e-3, 10.0, FactShape::number)
        .asks("radius", "Radius", FactNeed::optional, "Of a convex array; empty: a flat one."),
    fact("element_x_m", "elements", "[-0.5e-3, 0, 0.5e-3]",
         "lateral position of each element, in place of `pitch_m`; of each line with `line`", kNumbers)
        .typed(31, "x positions", kMillimetres, 0.0, 1.0, FactShape::list),
    fact("element_z_m", "elements", "[0, 0, 0]", "depth of each element; default 0", kNumbers | kUnitAsked)
        .spelled("elementz elemz elz elzc zele zelem zel ze eleposz acteleposz"),
    fact("element_normal_rad", "elements", "[-0.1, 0, 0.1]",
         "direction of each element, or of each line, from z towards x; default: across the array", kNumbers)
        .spelled("elementangles elementangle elementtheta elementthetas elementphi elemangles elemangle elemtheta "
                 "elangles elangle eltheta thetaelements thetaelement thetaelem thetaele thetael anglesofelements "
                 "angleelements phielements"),
    fact("element_pos_m", "elements", R"("probe.geometry")",
         "all positions as a matrix, elements x (x, z) or (x, y, z), or transposed; in place of `element_x_m`",
         kNumbers | kUnitAsked | kInWaves)
        .spelled(
            "elementpositions elementposition elementpos elempos elpos elepos eleposx acteleposx probegeometry "
            "geometry geom probegeom elementx elementsx elemx elx elxc xele xelem xelements xel xe xrx rxx xrf xn "
            "xtrans xprobe rxpositions positions xpos xpiez xpiezo xtransducer sensorx receiverpositions "
            "receiverposition elementlocations elementcoordinates elemcoords elementcoords xsensor arrayx "
            "transducerpositions elemlocs rxpos receiverspos receiversposition receiverspositions rxaptpos rcvpos "
            "locations transducerpositionsxy detectorpositions coords coordinates transducercoords probecoords "
            "elementxyz probex micpositions linex linesx xline xlines lineposition linepositions positionx xposition")
        .typed(32, "positions", kMillimetres, 0.0, 1.0, FactShape::points),
    fact("element_width_m", "elements", "0.27e-3", "width of an element", kNumbers | kSingle)
        .spelled("elementwidth width elemwidth elwidth"),
    fact("name", "elements", R"("L11-4v")", "name of the probe"),
    fact("tx", "transmits", R"([{"kind": "plane", "angle_rad": 0.1}])",
         "one entry a transmit: `{\"kind\": \"plane\", \"angle_rad\": a}`, `{\"kind\": \"diverging\", \"source_m\": "
         "[x, z]}`, `{\"kind\": \"focused\", \"focus_m\": [x, z]}`, `{\"kind\": \"delays\", \"delays_s\": [...]}` "
         "(null: silent), `{\"kind\": \"element\", \"element\": 1}` (fires alone, from 1); `\"apod\": [...]` with 0 "
         "for silent elements, or `\"aperture_m\"`, the width of those that fire")
        .typed(15, "list of transmits", kNoUnit, 0.0, 0.0, FactShape::word),
    fact("tx_angles_rad", "transmits", "[-0.1, 0, 0.1]", "plane waves: angle of each, positive towards larger x",
         kNumbers | kUnitAsked)
        .spelled("angles angle txangle txangles steeringangles steerangles steeringangle planewaveangles "
                 "transmitangles anglelist pwangles pwangle planewaveangle transmitangle txsteer theta thetas alpha "
                 "alphas tilt tilts steer degxtx steering steerings waveazimuth azimuth azimuths polarangles txazimuth "
                 "planeangles anglesplane tiltangles steerangle transmitdirection transmitdirections senderangle "
                 "senderangles planewavetilt ang angledeg winkel sendewinkel anglestir anglestirs angulos txsteering")
        .typed(10, "plane waves", kDegrees, 0.0, std::numbers::pi / 2.0, FactShape::list)
        .asks("transmits", "Transmits", FactNeed::required,
              "Plane waves by their angles, virtual sources or foci by (x, z), delays of each element, or single "
              "elements. 0 is one plane wave straight ahead."),
    fact("virtual_source_m", "transmits", "[[-5e-3, -12e-3], [5e-3, -12e-3]]",
         "diverging waves: (x, z) of each virtual source, z below 0", kNumbers | kUnitAsked | kInWaves)
        .spelled("virtualsources virtualsource vs vsources vsource sources source src txsource txsources txorigins "
                 "virtsrc virtsource virtsources virtualsrc virtualsrcs virtualsrcpos virtualsourcepos "
                 "virtualsourceposition virtualsourcepositions vspos vspositions")
        .typed(11, "virtual sources", kMillimetres, 0.0, 1.0, FactShape::points),
    fact("tx_foci_m", "transmits", "[[-5e-3, 40e-3], [5e-3, 40e-3]]", "focused beams: (x, z) of each focus, z above 0",
         kNumbers | kSingle | kUnitAsked | kInWaves)
        .spelled("foci txfocus txfoci focalpoints focus focaldepth focusdepth focaldistance focallength txfocaldepth "
                 "txfocusdepth transmitfocus")
        .typed(12, "foci", kMillimetres, 0.0, 1.0, FactShape::points),
    fact("tx_delays_s", "transmits", "[[0, 1e-7, null], [null, 1e-7, 0]]",
         "firing time of each element for each transmit, null or NaN: silent; times of a plane, diverging or focused "
         "wave count as this wave",
         kNumbers | kUnitAsked | kInWaves)
        .spelled(
            "txdelays txdelay transmitdelays delays t0delays txdel delay transmitdelay delaystx delaytx elementdelays "
            "firingdelays firingtimes delaylaws delaylaw focallaws delaymatrix txdelaymatrix txdelaytimes")
        .typed(13, "delays", kMicroseconds, 0.0, 1e-2, FactShape::points),
    fact("element_delays_s", "transmits", "[0, 1e-7, 2e-7]", "as `tx_delays_s`", kNumbers),
    fact("tx_apod", "transmits", "[[1, 1, 0], [0, 1, 1]]",
         "beside one of the keys above: weight of each element for each transmit, or for all; 0: silent", kNumbers)
        .spelled("txapod txapodization txapodizations transmitapod transmitapodization transmitapodizations apodtx "
                 "apodizationtx apodisationtx txapodisation transmitapodisation txweights transmitweights txmask "
                 "txaperture txactive activetx activetxelements apod apodization apodisation"),
    fact("tx_elements", "transmits", R"("all")",
         "single elements: number of the element that fires in each transmit, from 1; `all`: one after another",
         kNumbers)
        .spelled("txelements txelement txelem txelems txidx txindex txindices txel transmitelement transmitelements "
                 "firingelement firingelements activeelement")
        .typed(14, "single elements", kNoUnit, 1.0, 1e5, FactShape::list),
    fact("tx_of_trace", "traces", "[1, 1, 2]",
         "with the axis `trace`: number of the element that fires, for each trace, from 1 (from 0 where one of both "
         "lists has a 0); traces may be in any order and any part of a full matrix",
         kNumbers),
    fact("rx_of_trace", "traces", "[1, 2, 2]",
         "number of the element that receives, for each trace; the opposite direction takes the place of a pair that "
         "is not there",
         kNumbers),
    fact("tx_mirrored", "transmits", "true",
         "left and right of the transmits are exchanged: angles and x of the opposite sign, delays and weights in the "
         "opposite order"),
    fact("element_order", "samples", "[2, 1, 4, 3]",
         "stored channel of each element, from 1, if channels are not in the order of the elements"),
    fact("element_sign", "samples", "[1, -1, 1, -1]", "sign of each element's samples, 1 or -1"),
    fact("conjugate", "samples", "true", "IQ: Q has the opposite sign"),
    fact("time_reversed", "samples", "true", "the last stored sample is the first in time"),
    fact("cured", "open questions", R"(["tx_mirrored"])",
         "keys above whose values come from the samples, which contradicted those that were stated"),
    fact("assumed", "open questions", R"(["t0_s"])",
         "keys above whose values are assumed, not known: listed as assumptions each time the file opens"),
    fact("step_s", nullptr, "", "", kSingle | kUnitAsked).spelled("dt timestep samplingperiod ts"),
    fact("kerf_m", nullptr, "", "", kSingle).spelled("kerf elementkerf"),
    fact("source_x_m").spelled("vsx virtualsourcex virtualsourcesx sourcex sourcesx srcx xsource xsources xvs"),
    fact("source_z_m").spelled("vsz virtualsourcez virtualsourcesz sourcez sourcesz srcz zsource zsources zvs"),
    fact("focus_x_m").spelled("focusx focix focalx xfocus xfoci"),
    fact("focus_z_m").spelled("focusz fociz focalz zfocus zfoci"),
    fact("first_depth_m", nullptr, "", "", kUnitAsked | kInWaves)
        .spelled("startdepth depthstart firstdepth acquisitionstartdepth rxstartdepth"),
    fact("first_index")
        .spelled("noffset startsample startsampleindex sampleoffset offsetsamples firstsampleindex nstart samplestart "
                 "t0samples rxsamplerange samplerange"),
    fact("channel_of_element")
        .spelled("channelmap channelmapping chanmap channelorder elementmap elementmapping elementorder rxchannelmap "
                 "receivemap channeltoelement elementtochannel"),
    fact("first_receiver")
        .spelled("rxfirstelement firstrxelement rxstartelement rxstart rxaperturestart rxapertureorigin receivestart "
                 "firstreceiver firstelement startelement aperturestart"),
};

// A row of the table, by its key at compile time: FactId("fs_hz").
class FactId {
 public:
  constexpr FactId() = default;
  consteval FactId(const char* key) {                          // NOLINT: a key is a fact
    while (std::string_view(kFacts[row_].key) != key) ++row_;  // beyond the table: no such fact, which does not compile
  }
  explicit constexpr FactId(const FactRow& row) : row_(static_cast<std::size_t>(&row - kFacts)) {}
  constexpr const FactRow* operator->() const { return &kFacts[row_]; }
  friend constexpr auto operator<=>(const FactId&, const FactId&) = default;

 private:
  std::size_t row_ = 0;
};

// The keys of a description, which are the first rows.
inline std::span<const FactRow> description_keys() {
  return {std::begin(kFacts), std::ranges::find(kFacts, nullptr, &FactRow::group)};
}
const FactRow* find_description_key(std::string_view key);  // null: no such key
std::vector<const FactRow*> given_facts();                  // in the order of the Source panel
const FactRow* find_given(std::string_view name);           // null: no such fact
double fact_of(const Acquisition& a, const FactRow& row);   // of a row with a member, or that can be given
void set_fact(Acquisition& a, const FactRow& row, double si);

struct FactValue {
  double number = 0.0;    // SI
  std::string text = {};  // of a property of reading (core/source_properties.h), as in --set; else empty

  FactValue() = default;
  FactValue(double si) : number(si) {}                      // NOLINT: a fact is a number
  FactValue(std::string words) : text(std::move(words)) {}  // NOLINT
  friend bool operator==(const FactValue&, const FactValue&) = default;
};
std::string to_text(const FactValue& value);  // as in --set

using Facts = std::map<std::string, FactValue>;  // given ones, by name

// Takes the facts out of KEY=VALUE settings; the others stay, in their order. Throws Error for a value that is no
// number or out of range. Properties of reading are among the facts.
Facts take_facts(std::vector<std::string>& settings);

// The acquisition with the user's facts in place of what the reader assumed. Throws Error (naming `what`) when it is
// not valid with them.
// Properties of reading, which the acquisition was read with, are noted in its assumptions.
AcquisitionPtr with_facts(const std::string& what, const AcquisitionPtr& acquisition, const Facts& facts);

// Keys of the user's own, without effect. All others that are not known are refused.
[[nodiscard]] constexpr bool is_free_key(std::string_view key) { return key.starts_with("x_"); }
inline constexpr const char* kKnownKey = "a known key, or one of your own that begins with x_";

// Keys of one entry of "tx".
inline constexpr auto kTransmitKeys = std::to_array<std::string_view>(
    {"kind", "angle_rad", "source_m", "focus_m", "delays_s", "apod", "aperture_m", "element"});
// Keys of a live stream that describe the frames, in addition to those of the acquisition.
inline constexpr auto kFrameKeys = std::to_array<std::string_view>(
    {"axes", "shape", "dtype", "strides_bytes", "device_hz", "name", "acquisition", "channel_of_element", "offset"});

// The known key that is most like `key`; null when none is alike (two changed letters, upper and lower case, or another
// unit).
const FactRow* nearest_description_key(std::string_view key);
std::string_view nearest_transmit_key(std::string_view key);  // empty: none

// Letters to add, leave out or change to make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b);
std::string_view without_unit(std::string_view key);  // "pitch" of "pitch_mm", "c" of "c_m_s"

std::string without_spaces(std::string_view text);  // at both ends

// Forms of a reference in place of a number: "NAME", "NAME * number", "NAME / number", "number / NAME".
struct VariableExpression {
  std::string name;
  double factor = 1.0;
  bool inverse = false;     // factor / variable
  bool has_factor = false;  // as typed
};
VariableExpression parse_variable(std::string_view text);

// The one of `entries` with that path, '/' and '.' alike; else the only one whose path ends in `name`. Nothing when
// there is none, or several.
template <class Entries>
std::optional<std::size_t> find_path(const Entries& entries, std::string_view name) {
  const auto plain = [](std::string path) {
    std::ranges::replace(path, '/', '.');
    return path;
  };
  const std::string wanted = plain(std::string(name)), ending = "." + wanted;
  std::optional<std::size_t> found;
  std::size_t n_found = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::string path = plain(entries[k].path);
    if (path == wanted) return k;
    if (path.ends_with(ending)) found = k, ++n_found;
  }
  return n_found == 1 ? found : std::nullopt;
}

std::string description_help();      // for a terminal
std::string description_markdown();  // the rows of assets/manual/formats.md

}  // namespace echoloop
