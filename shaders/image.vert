#version 450 core
// One quad, placed by its corners in clip space. `corner` runs from (0,0), top left, to (1,1), bottom right of the
// picture.
uniform vec4 clip_rect;  // left, top, right, bottom
#ifdef POLAR
uniform vec4 box;  // left, top, right, bottom of the picture in metres, counted from the sector's apex
out vec2 place;
#else
uniform vec2 grid_size;  // columns, rows
out vec2 texel;
#endif

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(mix(clip_rect.xy, clip_rect.zw, corner), 0.0, 1.0);
#ifdef POLAR
  place = mix(box.xy, box.zw, corner);
#else
  // The picture's edges are the first and the last pixel centres: the grid includes its end points.
  texel = (0.5 + corner * (grid_size - 1.0)) / grid_size;
#endif
}
