#include "formats/import/spellings.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

struct SpelledFact {
  Fact fact;
  std::string_view names;  // the clearest first, a space between two
};

// dx and dy count beside sensor_data of k-Wave only (guess_facts.cpp), whose depth is along x.
constexpr SpelledFact kSpelledFacts[] = {
    {Fact::samples,
     "rfdata rf channeldata rcvdata rawdata rawrf iqdata iq sig signal signals timedata sensordata chdata "
     "rfframes rfframe rfs data raw samples echoes ascans traces fmc rfsta stadata fmcdata fullmatrix "
     "fulldataset fullsynthdata timetraces binarytimeseriesdata usdata rfchannel rfchanneldata rfsignals "
     "rfsignal rawchanneldata rfrawdata rfmatrix messdaten signaux p"},
    {Fact::sampling,
     "fs samplingfrequency samplefrequency samplingrate samplerate sampling samplefreq samplingfreq "
     "fsampling fsample fsrf fsadc adcfrequency rxfrequency fsamp sampfreq sampfrequency "
     "digitizerfrequency adcrate fadc fsampl samplingf adcfs adcsamplingrate sampfrq fsus samplerf "
     "fsiq iqfs iqsamplingfrequency samplingfrequencyiq iqsamplingrate samplingrateiq "
     "abtastrate abtastfrequenz frequenceechantillonnage freqech frecuenciamuestreo"},
    {Fact::sample_step, "dt timestep samplingperiod ts"},
    {Fact::times, "t time times tarray timeaxis timevector taxis tvec"},
    {Fact::center,
     "fc f0 ftx txfrequency transmitfrequency centerfrequency centrefrequency centerfreq centrefreq "
     "centralfrequency fcentral fcenter txfreq transmitfreq carrierfrequency pulsefrequency toneburstfreq "
     "ft frequency freq centfreq fcentre probecenterfrequency probefrequency transducerfrequency "
     "centralfreq centerf carrierfreq excitationfrequency excitationfreq sourcefreq sourcef0 "
     "frequencytransmit toneburstfrequency transducerfreq centralf txcenterfrequency mittenfrequenz "
     "frequencecentrale frecuenciacentral"},
    {Fact::bandwidth, "bandwidth bw fractionalbandwidth"},
    {Fact::demodulation, "fdemod demodulationfrequency modulationfrequency demodfrequency demodfreq fmod"},
    {Fact::speed,
     "c c0 soundspeed speedofsound sos cref phvelocity velocity vel mediumsoundspeed cms wavespeed "
     "longitudinalvelocity soundv soundvelocity cwater ctissue cmedium csound schallgeschwindigkeit celerite "
     "velocidadsonido cl"},
    {Fact::pitch,
     "pitch elementpitch probepitch elementspacing elemspacing elspacing dele spacing elempitch arraypitch "
     "transducerpitch arrayspacing interelementspacing dxelem elementdistance pitchx interelementpitch "
     "elpitch apitch elementabstand pitchel elpitchx linespacing linepitch linedistance lineseparation dline "
     "dy dx"},
    {Fact::radius,
     "radius roc curvatureradius radiusofcurvature proberadius arrayradius convexradius curvradius rcurv "
     "rprobe"},
    {Fact::width, "elementwidth width elemwidth elwidth"},
    {Fact::kerf, "kerf elementkerf"},
    {Fact::positions,
     "elementpositions elementposition elementpos elempos elpos elepos eleposx acteleposx probegeometry "
     "geometry geom probegeom elementx elementsx elemx elx elxc xele xelem xelements xel xe xrx rxx xrf xn "
     "xtrans xprobe rxpositions positions xpos xpiez xpiezo xtransducer sensorx receiverpositions "
     "receiverposition elementlocations elementcoordinates elemcoords elementcoords xsensor arrayx "
     "transducerpositions elemlocs rxpos receiverspos receiversposition receiverspositions rxaptpos rcvpos "
     "locations transducerpositionsxy detectorpositions coords coordinates transducercoords probecoords "
     "elementxyz probex micpositions linex linesx xline xlines lineposition linepositions positionx xposition"},
    {Fact::positions_z, "elementz elemz elz elzc zele zelem zel ze eleposz acteleposz"},
    {Fact::element_angles,
     "elementangles elementangle elementtheta elementthetas elementphi elemangles elemangle elemtheta "
     "elangles elangle eltheta thetaelements thetaelement thetaelem thetaele thetael anglesofelements "
     "angleelements phielements"},
    {Fact::elements, "nelements numelements nelem nele nchannels numchannels numels nel numelem nsensors"},
    {Fact::angles,
     "angles angle txangle txangles steeringangles steerangles steeringangle planewaveangles "
     "transmitangles anglelist pwangles pwangle planewaveangle transmitangle txsteer theta thetas alpha "
     "alphas tilt tilts steer degxtx steering steerings waveazimuth azimuth azimuths polarangles txazimuth "
     "planeangles anglesplane tiltangles steerangle transmitdirection transmitdirections senderangle "
     "senderangles planewavetilt ang angledeg winkel sendewinkel anglestir anglestirs angulos txsteering"},
    {Fact::sources,
     "virtualsources virtualsource vs vsources vsource sources source src txsource txsources txorigins "
     "virtsrc virtsource virtsources virtualsrc virtualsrcs virtualsrcpos virtualsourcepos "
     "virtualsourceposition virtualsourcepositions vspos vspositions"},
    {Fact::sources_x, "vsx virtualsourcex virtualsourcesx sourcex sourcesx srcx xsource xsources xvs"},
    {Fact::sources_z, "vsz virtualsourcez virtualsourcesz sourcez sourcesz srcz zsource zsources zvs"},
    {Fact::foci,
     "foci txfocus txfoci focalpoints focus focaldepth focusdepth focaldistance focallength txfocaldepth "
     "txfocusdepth transmitfocus"},
    {Fact::foci_x, "focusx focix focalx xfocus xfoci"},
    {Fact::foci_z, "focusz fociz focalz zfocus zfoci"},
    {Fact::delays,
     "txdelays txdelay transmitdelays delays t0delays txdel delay transmitdelay delaystx delaytx "
     "elementdelays firingdelays firingtimes delaylaws delaylaw focallaws delaymatrix txdelaymatrix "
     "txdelaytimes"},
    {Fact::apodization,
     "txapod txapodization txapodizations transmitapod transmitapodization transmitapodizations apodtx "
     "apodizationtx apodisationtx txapodisation transmitapodisation txweights transmitweights txmask "
     "txaperture txactive activetx activetxelements apod apodization apodisation"},
    {Fact::fired,
     "txelements txelement txelem txelems txidx txindex txindices txel transmitelement transmitelements "
     "firingelement firingelements activeelement"},
    {Fact::first_sample,
     "t0 tstart starttime initialtime initialtimes timezero timeoffset toffset startt firstsample mwb acqdelay "
     "acquisitiondelay rxdelay receivedelay recordingdelay"},
    {Fact::first_depth, "startdepth depthstart firstdepth acquisitionstartdepth rxstartdepth"},
    {Fact::first_index,
     "noffset startsample startsampleindex sampleoffset offsetsamples firstsampleindex nstart samplestart "
     "t0samples rxsamplerange samplerange"},
    {Fact::channel_order,
     "channelmap channelmapping chanmap channelorder elementmap elementmapping elementorder rxchannelmap "
     "receivemap channeltoelement elementtochannel"},
    {Fact::first_receiver,
     "rxfirstelement firstrxelement rxstartelement rxstart rxaperturestart rxapertureorigin receivestart "
     "firstreceiver firstelement startelement aperturestart"},
    {Fact::frame_rate, "framerate fps framespersecond"},
    {Fact::transmit_rate, "prf pulserepetitionfrequency"},
};

constexpr std::pair<std::string_view, NamedUnit> kUnits[] = {
    {"mhz", NamedUnit::megahertz},
    {"ghz", NamedUnit::gigahertz},
    {"hertz", NamedUnit::hertz},
    {"kilohertz", NamedUnit::kilohertz},
    {"megahertz", NamedUnit::megahertz},
    {"msps", NamedUnit::megahertz},
    {"khz", NamedUnit::kilohertz},
    {"hz", NamedUnit::hertz},
    {"cm", NamedUnit::centimetre},
    {"ms", NamedUnit::millisecond},
    {"mm", NamedUnit::millimetre},
    {"um", NamedUnit::micrometre},
    {"us", NamedUnit::microsecond},
    {"ns", NamedUnit::nanosecond},
    {"deg", NamedUnit::degree},
    {"degrees", NamedUnit::degree},
    {"mrad", NamedUnit::milliradian},
    {"rad", NamedUnit::radian},
    {"radians", NamedUnit::radian},
    {"metres", NamedUnit::metre},
    {"meters", NamedUnit::metre},
    {"millimetres", NamedUnit::millimetre},
    {"millimeters", NamedUnit::millimetre},
    {"centimetres", NamedUnit::centimetre},
    {"centimeters", NamedUnit::centimetre},
    {"micrometres", NamedUnit::micrometre},
    {"micrometers", NamedUnit::micrometre},
    {"microns", NamedUnit::micrometre},
    {"seconds", NamedUnit::second},
    {"milliseconds", NamedUnit::millisecond},
    {"microseconds", NamedUnit::microsecond},
    {"nanoseconds", NamedUnit::nanosecond},
    {"m", NamedUnit::metre},
    {"s", NamedUnit::second},
    {"samples", NamedUnit::samples},
    {"wavelengths", NamedUnit::wavelengths},
    {"lambda", NamedUnit::wavelengths},
    {"mps", NamedUnit::none},
    {"mpers", NamedUnit::none},
    {"mmus", NamedUnit::none},
};

// Times in samples are those of delays; wavelengths are lengths, or of delays as times.
bool may_have_unit(Fact fact, NamedUnit unit) {
  constexpr Fact kLengths[] = {Fact::pitch, Fact::positions, Fact::sources,
                               Fact::foci,  Fact::delays,    Fact::first_depth};
  if (unit == NamedUnit::samples) return fact == Fact::delays;
  return unit != NamedUnit::wavelengths || std::ranges::find(kLengths, fact) != std::end(kLengths);
}

std::string_view last_part(std::string_view path) {
  const std::size_t last = path.find_last_of("./@");
  return last == std::string_view::npos ? path : path.substr(last + 1);
}

std::optional<NamedFact> exact(std::string_view name) {
  for (const SpelledFact& row : kSpelledFacts) {
    std::size_t rank = 0;
    for (std::string_view rest = row.names; !rest.empty(); ++rank) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == name) return NamedFact{.fact = row.fact, .rank = rank, .unit = NamedUnit::none};
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string plain_name(std::string_view path) {
  std::string name;
  for (const char c : last_part(path)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return lower_case(std::move(name));
}

std::optional<NamedUnit> unit_of_text(std::string_view text, Fact fact) {
  constexpr std::size_t kAbbreviation = 3;  // letters, at most: "m" is no "ms"
  std::string name(text);
  for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc"}) {  // both signs, UTF-8
    if (const std::size_t at = name.find(micro); at != std::string::npos) name.replace(at, micro.size(), "u");
  }
  std::erase_if(name, [](char c) { return std::string_view("[]() ").find(c) != std::string_view::npos; });
  name = lower_case(std::move(name));
  for (const auto& [spelling, unit] : kUnits)
    if ((name == spelling || (name.size() > kAbbreviation && name + "s" == spelling)) && unit != NamedUnit::none &&
        may_have_unit(fact, unit))
      return unit;
  return std::nullopt;
}

std::optional<NamedFact> named_fact(std::string_view path, std::string_view prefix) {
  const std::string name = plain_name(path);
  if (const auto found = exact(name)) return found;
  for (const auto& [ending, unit] : kUnits) {
    if (!name.ends_with(ending)) continue;
    auto found = exact(std::string_view(name).substr(0, name.size() - ending.size()));
    if (found && may_have_unit(found->fact, unit)) {
      found->unit = unit;
      return found;
    }
  }
  const std::string_view last = last_part(path);
  if (!prefix.empty() && last.starts_with(prefix)) return named_fact(last.substr(prefix.size()));
  return std::nullopt;
}

std::string common_prefix(const std::vector<std::string>& paths) {
  constexpr std::ptrdiff_t kLeastShared = 3;
  constexpr std::string_view kMeaning[] = {"tx", "rx", "transmit", "receive", "element", "elem", "bf", "beam", "image"};
  for (const std::string& path : paths) {
    const std::string_view name = last_part(path);
    for (std::size_t at = 1; at + 1 < name.size(); ++at) {
      const bool underscore = name[at - 1] == '_';
      const bool capital = std::islower(static_cast<unsigned char>(name[at - 1])) != 0 &&
                           std::isupper(static_cast<unsigned char>(name[at])) != 0;
      if (!underscore && !capital) continue;
      const std::string_view prefix = name.substr(0, at);
      const auto samples = named_fact(name.substr(at));
      if (!samples || samples->fact != Fact::samples ||
          std::ranges::find(kMeaning, plain_name(prefix)) != std::end(kMeaning))
        continue;
      const auto shares = [&](const std::string& other) { return last_part(other).starts_with(prefix); };
      if (std::ranges::count_if(paths, shares) >= kLeastShared) return std::string(prefix);
    }
  }
  return {};
}

}  // namespace echoloop
