#version 450 core
// Flow over the picture, with the opacity of flow_opacity() of core/results/analysis_images.h. Between the flow
// picture's pixels it is the autocorrelation that is interpolated: powers add up, and velocities turn through the
// aliasing limit instead of jumping over zero.
uniform sampler2D flow;      // power in dB; velocity as a share of the aliasing limit; power averaged over neighbours, dB
uniform sampler2D image_db;  // the picture beneath, linear between pixel centres
uniform sampler2D color_map; // one row; power: from the threshold up; velocity: from -1 to 1
uniform bool shows_velocity;
uniform float threshold_db;
uniform float priority_db;
uniform float power_range_db;
// Where each of the two lies: columns and rows; its box; first angle and radius, last angle and radius; whether it is
// a sector, and its apex.
uniform vec2 flow_size, image_size;
uniform vec4 flow_box, image_box;
uniform vec4 flow_sector, image_sector;
uniform vec2 flow_apex, image_apex;
in vec2 place;  // metres
out vec4 color;

const float kEdge_db = 6.0;        // kFlowEdge_db
const float kLeastMask_db = -120.0;
const float kOctavesPerDecibel = 0.33219280949;  // log2(10) / 10

// 0 to 1 from the first pixel centre to the last.
vec2 share_of(vec4 box, vec4 sector, vec2 apex) {
  if (apex.x < 0.5) return (place - box.xy) / (box.zw - box.xy);
  vec2 from_apex = vec2(place.x, place.y - apex.y);
  vec2 polar = vec2(atan(from_apex.x, from_apex.y), length(from_apex));
  return (polar - sector.xy) / (sector.zw - sector.xy);
}

void main() {
  vec2 share = share_of(flow_box, flow_sector, flow_apex);
  if (any(lessThan(share, vec2(-1e-4))) || any(greaterThan(share, vec2(1.0001)))) discard;
  vec2 at = clamp(share, 0.0, 1.0) * (flow_size - 1.0);
  ivec2 last = ivec2(flow_size) - 1;
  ivec2 lower = clamp(ivec2(at), ivec2(0), max(last - 1, ivec2(0)));
  vec2 to = at - vec2(lower);
  vec4 weight = vec4((1.0 - to.x) * (1.0 - to.y), to.x * (1.0 - to.y), (1.0 - to.x) * to.y, to.x * to.y);
  vec3 corner[4];
  float most = -1e30;
  for (int i = 0; i < 4; ++i) {
    corner[i] = texelFetch(flow, min(lower + ivec2(i & 1, i >> 1), last), 0).rgb;
    most = max(most, corner[i].x);
  }
  float sum = 0.0, mask_db = 0.0;
  vec2 turn = vec2(0.0);
  for (int i = 0; i < 4; ++i) {
    float power = weight[i] * exp2((corner[i].x - most) * kOctavesPerDecibel);
    float angle = corner[i].y * 3.14159265;
    sum += power;
    mask_db += weight[i] * corner[i].z;
    turn += power * vec2(cos(angle), sin(angle));
  }
  float power_db = most + log2(max(sum, 1e-30)) / kOctavesPerDecibel;
  vec2 texel = (0.5 + share_of(image_box, image_sector, image_apex) * (image_size - 1.0)) / image_size;
  float opacity = clamp(0.5 + (mask_db - threshold_db) / kEdge_db, 0.0, 1.0);
  if (opacity <= 0.0) discard;
  float tissue_db = 0.0;
  for (int i = 0; i < 9; ++i) {
    vec2 away = 2.0 * vec2(i % 3 - 1, i / 3 - 1) / image_size;
    tissue_db += max(texture(image_db, texel + away).r, kLeastMask_db) / 9.0;
  }
  opacity *= clamp(0.5 + (priority_db - tissue_db) / kEdge_db, 0.0, 1.0);
  if (opacity <= 0.0) discard;
  float t = shows_velocity ? 0.5 + 0.5 * atan(turn.y, turn.x) / 3.14159265 : (power_db - threshold_db) / power_range_db;
  color = vec4(texelFetch(color_map, ivec2(clamp(t, 0.0, 1.0) * float(textureSize(color_map, 0).x - 1) + 0.5, 0), 0).rgb, opacity);
}
