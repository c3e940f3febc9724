#version 450 core
// From dB to colour: the table of transfer() of src/gui/overlay/transfer_function.h, then the map.
// PLAIN is the variant for gray maps, a straight transfer, TGC flat, levels not mapped, which is nearly always: software rendering then takes a third of the
// time. POLAR is the variant for sectors: scan conversion, bilinear in the linear amplitude as in dsp/scan.h, with an
// edge one screen pixel soft, so that what lies beneath shows outside.
uniform sampler2D image_db;  // one channel, dB, linear between pixel centres
uniform vec2 window_db;       // the level at which the transfer begins to rise, and the levels from there to its end
#ifdef PLAIN
uniform vec2 gray_ramp;       // gray of t = 0, and what is added until t = 1
#else
uniform sampler2D color_map;  // one row; entry i is the colour of t = i / (entries - 1)
uniform sampler2D transfer_curve;  // one row, as TransferCurve
uniform float tgc_db[8];  // gains from the first row to the last
uniform sampler2D level_map;  // one row: what levels become, as in measure/levels.h
uniform vec2 level_nodes;     // the level of its first texel, texels per dB; 0: no map
#endif
uniform vec2 grid_size;  // columns, rows
#ifdef POLAR
uniform vec4 sector;     // first and last angle, first and last distance from the apex
in vec2 place;           // metres from the apex
#else
in vec2 texel;
#endif
out vec4 color;

#ifdef POLAR
float level_at(float angle, float r) {
  vec2 share = (vec2(angle, r) - sector.xz) / (sector.yw - sector.xz);
  vec2 at = clamp(share, 0.0, 1.0) * (grid_size - 1.0);
  vec2 lower = min(floor(at), grid_size - 2.0);
  at -= lower;
  const float octaves_per_db = 0.16609640474;  // log2(10) / 20
  vec4 four = exp2(octaves_per_db * textureGather(image_db, (lower + 1.0) / grid_size));  // left and right: below, above
  return log2(mix(mix(four.w, four.z, at.x), mix(four.x, four.y, at.x), at.y)) / octaves_per_db;
}
#endif

#ifndef PLAIN
// The TGC's gain at a row, from 0 (first) to 1 (last).
float gain_at(float row) {
  float at = clamp(row, 0.0, 1.0) * 7.0;
  int lower = min(int(at), 6);
  return mix(tgc_db[lower], tgc_db[lower + 1], at - float(lower));
}
#endif

#ifndef PLAIN
float mapped(float level_db) {
  int last = textureSize(level_map, 0).x - 1;
  float at = min((level_db - level_nodes.x) * level_nodes.y, float(last));
  int lower = min(int(at), last - 1);
  return mix(texelFetch(level_map, ivec2(lower, 0), 0).r, texelFetch(level_map, ivec2(lower + 1, 0), 0).r,
             at - float(lower));
}

float transfer(float level_db) {
  float share = (level_db - window_db.x) / window_db.y;
  if (!(share >= 0.0)) return texelFetch(transfer_curve, ivec2(0, 0), 0).r;  // also what is not a number
  int last = textureSize(transfer_curve, 0).x - 1;
  float at = 1.0 + sqrt(sqrt(min(share, 1.0))) * float(last - 1);
  int lower = min(int(at), last - 1);
  return mix(texelFetch(transfer_curve, ivec2(lower, 0), 0).r, texelFetch(transfer_curve, ivec2(lower + 1, 0), 0).r,
             at - float(lower));
}
#endif

void main() {
#ifdef POLAR
  float angle = atan(place.x, place.y);
  float r = length(place);
  float inside = min(min(r - sector.z, sector.w - r), r * min(angle - sector.x, sector.y - angle));  // metres
  float coverage = clamp(inside / fwidth(place.x) + 0.5, 0.0, 1.0);
  float level_db = level_at(angle, r);
#else
  const float coverage = 1.0;
  float level_db = texture(image_db, texel).r;
#endif
#ifndef PLAIN
#ifdef POLAR
  float row = (r - sector.z) / (sector.w - sector.z);
#else
  float row = (texel.y * grid_size.y - 0.5) / max(grid_size.y - 1.0, 1.0);
#endif
  if (level_nodes.y > 0.0 && level_db > level_nodes.x) level_db = mapped(level_db);
  level_db += gain_at(row);
#endif
#ifdef PLAIN
  float t = (level_db - window_db.x) / window_db.y;
  t = t > 0.0 ? min(t, 1.0) : 0.0;  // not a number is black
  color = vec4(vec3(gray_ramp.x + gray_ramp.y * t), coverage);
#else
  float t = transfer(level_db);
  color = vec4(texelFetch(color_map, ivec2(t * float(textureSize(color_map, 0).x - 1) + 0.5, 0), 0).rgb, coverage);
#endif
}
