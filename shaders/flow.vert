#version 450 core
// One quad, placed by its corners in clip space, over the part of the plane that it shows.
uniform vec4 clip_rect;  // left, top, right, bottom
uniform vec4 plane;      // the same corners in metres
out vec2 place;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(mix(clip_rect.xy, clip_rect.zw, corner), 0.0, 1.0);
  place = mix(plane.xy, plane.zw, corner);
}
