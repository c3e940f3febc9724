#version 450 core
// From dB to colour; the same formula as src/gui/tone.h: window, gamma, map.
// PLAIN is the variant for gray maps at gamma 1, which is nearly always: software rendering then takes a third of the
// time.
uniform sampler2D image_db;  // one channel, dB, linear between pixel centres
uniform float gain_db;
uniform float dynamic_range_db;
#ifdef PLAIN
uniform vec2 gray_ramp;       // gray of t = 0, and what is added until t = 1
#else
uniform sampler2D color_map;  // one row; entry i is the colour of t = i / (entries - 1)
uniform float gamma;
#endif
in vec2 texel;
out vec4 color;

void main() {
  float level_db = texture(image_db, texel).r;
  float t = (level_db + gain_db + dynamic_range_db) / dynamic_range_db;
  t = t > 0.0 ? min(t, 1.0) : 0.0;  // not a number is black
#ifdef PLAIN
  color = vec4(vec3(gray_ramp.x + gray_ramp.y * t), 1.0);
#else
  t = pow(t, gamma);
  color = texelFetch(color_map, ivec2(t * float(textureSize(color_map, 0).x - 1) + 0.5, 0), 0);
#endif
}
