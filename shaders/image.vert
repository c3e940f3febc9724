#version 450 core
// One quad, placed by its corners in clip space: the part of the picture that is seen. `corner` runs over that part;
// (0,0) is the picture's top left, (1,1) its bottom right.
uniform vec4 clip_rect;  // left, top, right, bottom
uniform vec4 part;       // left, top, right, bottom of the part, as shares of the picture
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
  corner = mix(part.xy, part.zw, corner);
#ifdef POLAR
  place = mix(box.xy, box.zw, corner);
#else
  // The picture's edges are the first and the last pixel centres: the grid includes its end points.
  texel = (0.5 + corner * (grid_size - 1.0)) / grid_size;
#endif
}
