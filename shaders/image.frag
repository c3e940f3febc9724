#version 450 core
// From dB to colour; the same formula as src/gui/tone.h: window, gamma, map.
uniform sampler2D image_db;   // one channel, dB, linear between pixel centres
uniform sampler2D color_map;  // 256 x 1, entry i is the colour of t = i / 255
uniform float gain_db;
uniform float dynamic_range_db;
uniform float gamma;
in vec2 texel;
out vec4 color;

void main() {
  float level_db = texture(image_db, texel).r;
  float t = (level_db + gain_db + dynamic_range_db) / dynamic_range_db;
  t = t > 0.0 ? min(t, 1.0) : 0.0;  // not a number is black
  if (gamma != 1.0) t = pow(t, gamma);
  color = vec4(texture(color_map, vec2((0.5 + t * 255.0) / 256.0, 0.5)).rgb, 1.0);
}
