#include "formats/import/spellings.h"

#include <array>
#include <cctype>
#include <utility>

namespace echoloop {
namespace {

constexpr std::array kSpellings{
    Spelling{Fact::samples, "rfdata"},
    Spelling{Fact::samples, "rf"},
    Spelling{Fact::samples, "channeldata"},
    Spelling{Fact::samples, "rcvdata"},
    Spelling{Fact::samples, "rawdata"},
    Spelling{Fact::samples, "rawrf"},
    Spelling{Fact::samples, "iqdata"},
    Spelling{Fact::samples, "iq"},
    Spelling{Fact::samples, "sig"},
    Spelling{Fact::samples, "signal"},
    Spelling{Fact::samples, "signals"},
    Spelling{Fact::samples, "timedata"},
    Spelling{Fact::samples, "sensordata"},
    Spelling{Fact::samples, "chdata"},
    Spelling{Fact::samples, "rfframes"},
    Spelling{Fact::samples, "rfframe"},
    Spelling{Fact::samples, "rfs"},
    Spelling{Fact::samples, "data"},
    Spelling{Fact::samples, "raw"},
    Spelling{Fact::samples, "samples"},
    Spelling{Fact::samples, "echoes"},
    Spelling{Fact::samples, "ascans"},
    Spelling{Fact::samples, "traces"},
    Spelling{Fact::samples, "fmc"},
    Spelling{Fact::samples, "p"},
    Spelling{Fact::sampling, "fs"},
    Spelling{Fact::sampling, "samplingfrequency"},
    Spelling{Fact::sampling, "samplefrequency"},
    Spelling{Fact::sampling, "samplingrate"},
    Spelling{Fact::sampling, "samplerate"},
    Spelling{Fact::sampling, "sampling"},
    Spelling{Fact::sampling, "samplefreq"},
    Spelling{Fact::sampling, "samplingfreq"},
    Spelling{Fact::sampling, "fsampling"},
    Spelling{Fact::sampling, "fsample"},
    Spelling{Fact::sampling, "fsrf"},
    Spelling{Fact::sampling, "fsadc"},
    Spelling{Fact::sampling, "adcfrequency"},
    Spelling{Fact::sampling, "rxfrequency"},
    Spelling{Fact::sample_step, "dt"},
    Spelling{Fact::sample_step, "timestep"},
    Spelling{Fact::sample_step, "samplingperiod"},
    Spelling{Fact::sample_step, "ts"},
    Spelling{Fact::times, "t"},
    Spelling{Fact::times, "time"},
    Spelling{Fact::times, "times"},
    Spelling{Fact::times, "tarray"},
    Spelling{Fact::times, "timeaxis"},
    Spelling{Fact::times, "timevector"},
    Spelling{Fact::times, "taxis"},
    Spelling{Fact::times, "tvec"},
    Spelling{Fact::center, "fc"},
    Spelling{Fact::center, "f0"},
    Spelling{Fact::center, "ftx"},
    Spelling{Fact::center, "txfrequency"},
    Spelling{Fact::center, "transmitfrequency"},
    Spelling{Fact::center, "centerfrequency"},
    Spelling{Fact::center, "centrefrequency"},
    Spelling{Fact::center, "centerfreq"},
    Spelling{Fact::center, "centrefreq"},
    Spelling{Fact::center, "centralfrequency"},
    Spelling{Fact::center, "fcentral"},
    Spelling{Fact::center, "fcenter"},
    Spelling{Fact::center, "txfreq"},
    Spelling{Fact::center, "transmitfreq"},
    Spelling{Fact::center, "carrierfrequency"},
    Spelling{Fact::center, "pulsefrequency"},
    Spelling{Fact::center, "toneburstfreq"},
    Spelling{Fact::center, "ft"},
    Spelling{Fact::center, "frequency"},
    Spelling{Fact::center, "freq"},
    Spelling{Fact::bandwidth, "bandwidth"},
    Spelling{Fact::bandwidth, "bw"},
    Spelling{Fact::bandwidth, "fractionalbandwidth"},
    Spelling{Fact::demodulation, "fdemod"},
    Spelling{Fact::demodulation, "demodulationfrequency"},
    Spelling{Fact::demodulation, "modulationfrequency"},
    Spelling{Fact::demodulation, "demodfrequency"},
    Spelling{Fact::demodulation, "demodfreq"},
    Spelling{Fact::demodulation, "fmod"},
    Spelling{Fact::speed, "c"},
    Spelling{Fact::speed, "c0"},
    Spelling{Fact::speed, "soundspeed"},
    Spelling{Fact::speed, "speedofsound"},
    Spelling{Fact::speed, "sos"},
    Spelling{Fact::speed, "cref"},
    Spelling{Fact::speed, "phvelocity"},
    Spelling{Fact::speed, "velocity"},
    Spelling{Fact::speed, "vel"},
    Spelling{Fact::speed, "mediumsoundspeed"},
    Spelling{Fact::pitch, "pitch"},
    Spelling{Fact::pitch, "elementpitch"},
    Spelling{Fact::pitch, "probepitch"},
    Spelling{Fact::pitch, "elementspacing"},
    Spelling{Fact::pitch, "elemspacing"},
    Spelling{Fact::pitch, "elspacing"},
    Spelling{Fact::pitch, "dele"},
    Spelling{Fact::pitch, "spacing"},
    Spelling{Fact::pitch, "dx"},  // beside sensor_data of k-Wave only (guess.cpp)
    Spelling{Fact::pitch, "dy"},
    Spelling{Fact::radius, "radius"},
    Spelling{Fact::radius, "roc"},
    Spelling{Fact::radius, "curvatureradius"},
    Spelling{Fact::radius, "radiusofcurvature"},
    Spelling{Fact::width, "elementwidth"},
    Spelling{Fact::width, "width"},
    Spelling{Fact::width, "elemwidth"},
    Spelling{Fact::width, "elwidth"},
    Spelling{Fact::positions, "elementpositions"},
    Spelling{Fact::positions, "elementposition"},
    Spelling{Fact::positions, "elementpos"},
    Spelling{Fact::positions, "elempos"},
    Spelling{Fact::positions, "elpos"},
    Spelling{Fact::positions, "elepos"},
    Spelling{Fact::positions, "eleposx"},
    Spelling{Fact::positions, "acteleposx"},
    Spelling{Fact::positions, "probegeometry"},
    Spelling{Fact::positions, "geometry"},
    Spelling{Fact::positions, "probegeom"},
    Spelling{Fact::positions, "elementx"},
    Spelling{Fact::positions, "elementsx"},
    Spelling{Fact::positions, "elemx"},
    Spelling{Fact::positions, "elx"},
    Spelling{Fact::positions, "elxc"},
    Spelling{Fact::positions, "xele"},
    Spelling{Fact::positions, "xelem"},
    Spelling{Fact::positions, "xelements"},
    Spelling{Fact::positions, "xel"},
    Spelling{Fact::positions, "xe"},
    Spelling{Fact::positions, "xrx"},
    Spelling{Fact::positions, "rxx"},
    Spelling{Fact::positions, "xrf"},
    Spelling{Fact::positions, "xn"},
    Spelling{Fact::positions, "xtrans"},
    Spelling{Fact::positions, "xprobe"},
    Spelling{Fact::positions, "rxpositions"},
    Spelling{Fact::positions, "positions"},
    Spelling{Fact::positions, "xpos"},
    Spelling{Fact::positions_z, "elementz"},
    Spelling{Fact::positions_z, "elemz"},
    Spelling{Fact::positions_z, "elz"},
    Spelling{Fact::positions_z, "elzc"},
    Spelling{Fact::positions_z, "zele"},
    Spelling{Fact::positions_z, "zelem"},
    Spelling{Fact::positions_z, "zel"},
    Spelling{Fact::positions_z, "ze"},
    Spelling{Fact::positions_z, "eleposz"},
    Spelling{Fact::positions_z, "acteleposz"},
    Spelling{Fact::elements, "nelements"},
    Spelling{Fact::elements, "numelements"},
    Spelling{Fact::elements, "nelem"},
    Spelling{Fact::elements, "nele"},
    Spelling{Fact::elements, "nchannels"},
    Spelling{Fact::elements, "numchannels"},
    Spelling{Fact::elements, "numels"},
    Spelling{Fact::angles, "angles"},
    Spelling{Fact::angles, "angle"},
    Spelling{Fact::angles, "txangle"},
    Spelling{Fact::angles, "txangles"},
    Spelling{Fact::angles, "steeringangles"},
    Spelling{Fact::angles, "steerangles"},
    Spelling{Fact::angles, "steeringangle"},
    Spelling{Fact::angles, "planewaveangles"},
    Spelling{Fact::angles, "transmitangles"},
    Spelling{Fact::angles, "anglelist"},
    Spelling{Fact::angles, "pwangles"},
    Spelling{Fact::angles, "theta"},
    Spelling{Fact::angles, "thetas"},
    Spelling{Fact::angles, "alpha"},
    Spelling{Fact::angles, "alphas"},
    Spelling{Fact::angles, "tilt"},
    Spelling{Fact::angles, "tilts"},
    Spelling{Fact::angles, "steer"},
    Spelling{Fact::angles, "degxtx"},
    Spelling{Fact::sources, "virtualsources"},
    Spelling{Fact::sources, "virtualsource"},
    Spelling{Fact::sources, "vs"},
    Spelling{Fact::sources, "vsources"},
    Spelling{Fact::sources, "sources"},
    Spelling{Fact::sources, "source"},
    Spelling{Fact::sources, "src"},
    Spelling{Fact::sources, "txsource"},
    Spelling{Fact::sources, "txsources"},
    Spelling{Fact::sources, "txorigins"},
    Spelling{Fact::foci, "foci"},
    Spelling{Fact::foci, "txfocus"},
    Spelling{Fact::foci, "txfoci"},
    Spelling{Fact::foci, "focalpoints"},
    Spelling{Fact::foci, "focus"},
    Spelling{Fact::delays, "txdelays"},
    Spelling{Fact::delays, "txdelay"},
    Spelling{Fact::delays, "transmitdelays"},
    Spelling{Fact::delays, "delays"},
    Spelling{Fact::delays, "t0delays"},
    Spelling{Fact::delays, "txdel"},
    Spelling{Fact::first_sample, "t0"},
    Spelling{Fact::first_sample, "tstart"},
    Spelling{Fact::first_sample, "starttime"},
    Spelling{Fact::first_sample, "initialtime"},
    Spelling{Fact::first_sample, "initialtimes"},
    Spelling{Fact::first_sample, "timezero"},
    Spelling{Fact::first_sample, "timeoffset"},
    Spelling{Fact::first_sample, "toffset"},
    Spelling{Fact::first_sample, "startt"},
    Spelling{Fact::first_sample, "firstsample"},
    Spelling{Fact::frame_rate, "framerate"},
    Spelling{Fact::frame_rate, "fps"},
    Spelling{Fact::frame_rate, "framespersecond"},
    Spelling{Fact::transmit_rate, "prf"},
    Spelling{Fact::transmit_rate, "pulserepetitionfrequency"},
};

constexpr std::pair<std::string_view, NamedUnit> kUnits[] = {
    {"mhz", NamedUnit::megahertz}, {"khz", NamedUnit::kilohertz},  {"hz", NamedUnit::hertz},
    {"mm", NamedUnit::millimetre}, {"um", NamedUnit::micrometre},  {"us", NamedUnit::microsecond},
    {"ns", NamedUnit::nanosecond}, {"deg", NamedUnit::degree},     {"degrees", NamedUnit::degree},
    {"rad", NamedUnit::radian},    {"radians", NamedUnit::radian}, {"m", NamedUnit::metre},
    {"s", NamedUnit::second},
};

std::optional<NamedFact> exact(std::string_view name) {
  std::size_t rank = 0;
  Fact fact = kSpellings[0].fact;
  for (const Spelling& row : kSpellings) {
    if (row.fact != fact) fact = row.fact, rank = 0;
    if (row.name == name) return NamedFact{.fact = row.fact, .rank = rank, .unit = NamedUnit::none};
    ++rank;
  }
  return std::nullopt;
}

}  // namespace

std::span<const Spelling> spellings() { return kSpellings; }

std::string plain_name(std::string_view path) {
  const std::size_t last = path.find_last_of("./@");
  if (last != std::string_view::npos) path.remove_prefix(last + 1);
  std::string name;
  for (const char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::optional<NamedFact> named_fact(std::string_view path) {
  const std::string name = plain_name(path);
  if (const auto found = exact(name)) return found;
  for (const auto& [ending, unit] : kUnits) {
    if (!name.ends_with(ending)) continue;
    if (auto found = exact(std::string_view(name).substr(0, name.size() - ending.size()))) {
      found->unit = unit;
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace echoloop
