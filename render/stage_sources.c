// The texts of the stage's shaders; what they are for stands in stage_shaders.h.
#include "render/stage_sources.h"

#define FRAME_TEXT                                                                                 \
    "layout(std140) uniform Frame {\n"                                                             \
    "    mat4 to_clip, to_lamp, upright;\n"                                                        \
    "    vec4 eye, lamp, fill, screen, shadow, ground, grid;\n"                                    \
    "};\n"

// Light: a lamp with a soft shadow, a weaker one from the other side, and the sky. Linear colours
// in and out.
#define LIGHT_TEXT                                                                                 \
    "uniform sampler2DShadow shadow_map;\n"                                                        \
    "const vec2 disc[16] = vec2[16](vec2(0.177, 0.0), vec2(-0.226, 0.207), vec2(0.035, -0.394),\n" \
    "    vec2(0.285, 0.371), vec2(-0.522, -0.092), vec2(0.494, -0.315), vec2(-0.166, 0.616),\n"    \
    "    vec2(-0.316, -0.608), vec2(0.685, 0.25), vec2(-0.712, 0.294), vec2(0.343, -0.734),\n"     \
    "    vec2(0.253, 0.808), vec2(-0.764, -0.443), vec2(0.897, -0.196), vec2(-0.547, 0.777),\n"    \
    "    vec2(-0.127, -0.976));\n"                                                                 \
    "float lit(vec3 at, float blur) {\n"                                                           \
    "    vec3 p = (to_lamp * vec4(at, 1.0)).xyz;\n"                                                \
    "    if (shadow.x < 0.5)\n"                                                                    \
    "        return 1.0;\n"                                                                        \
    "    p.z = clamp(p.z, 0.0, 1.0);\n"                                                            \
    "    float sum = 0.0;\n"                                                                       \
    "    int taps = int(shadow.y);\n"                                                              \
    "    float reach = blur * sqrt(16.0 / shadow.y);\n"                                            \
    "    for (int i = 0; i < taps; i++)\n"                                                         \
    "        sum += texture(shadow_map, vec3(p.xy + reach * disc[i], p.z));\n"                     \
    "    return sum / shadow.y;\n"                                                                 \
    "}\n"                                                                                          \
    "float height(vec3 n) {\n"                                                                     \
    "    return dot(n, upright[2].xyz);\n"                                                         \
    "}\n"                                                                                          \
    "vec3 shade(vec3 albedo, vec3 n, vec3 at, float gloss) {\n"                                    \
    "    vec3 v = normalize(eye.xyz - at);\n"                                                      \
    "    float facing = dot(n, lamp.xyz);\n"                                                       \
    "    float light = facing > 0.0 ? lit(at + grid.z * n, shadow.z) : 0.0;\n"                     \
    "    vec3 sky = mix(vec3(0.30, 0.29, 0.28), vec3(0.50, 0.52, 0.55), 0.5 + 0.5 * height(n));\n" \
    "    float h = max(dot(n, normalize(lamp.xyz + v)), 0.0);\n"                                   \
    "    h *= h; h *= h; h *= h;\n"                                                                \
    "    float h2 = h * h;\n"                                                                      \
    "    float shine = h * h2 * h2 * gloss * light;\n"                                             \
    "    float edge = 1.0 - max(dot(n, v), 0.0);\n"                                                \
    "    edge *= edge;\n"                                                                          \
    "    float rim = edge * edge * 0.10;\n"                                                        \
    "    return albedo * (sky + 0.72 * max(facing, 0.0) * light +\n"                               \
    "                     0.14 * max(dot(n, fill.xyz), 0.0)) + shine + rim * gloss;\n"             \
    "}\n"                                                                                          \
    "vec3 encode(vec3 c) {\n"                                                                      \
    "    c = clamp(c, 0.0, 1.0);\n"                                                                \
    "    vec3 a = sqrt(c), b = sqrt(a), d = sqrt(b);\n"                                            \
    "    return 0.662002687 * a + 0.684122060 * b - 0.323583601 * d - 0.0225411470 * c;\n"         \
    "}\n"

// Wet tissue: light goes on a little beyond its edge and through thin places, red the farthest
// (wrap diffuse), and is mirrored by the film of water on it. `rest`: where the place is in the
// body at rest, so that its blotches and folds move with it; lumps: blotches a metre.
#define TISSUE_TEXT                                                                                \
    "uniform float lumps;\n"                                                                       \
    "float chance(vec3 p) {\n"                                                                     \
    "    p = 17.0 * fract(0.3183099 * p + vec3(0.71, 0.113, 0.419));\n"                            \
    "    return fract(p.x * p.y * p.z * (p.x + p.y + p.z));\n"                                     \
    "}\n"                                                                                          \
    "float noise(vec3 x) {\n"                                                                      \
    "    vec3 i = floor(x), f = fract(x);\n"                                                       \
    "    f = f * f * (3.0 - 2.0 * f);\n"                                                           \
    "    vec4 a = vec4(chance(i), chance(i + vec3(0, 1, 0)), chance(i + vec3(0, 0, 1)),\n"         \
    "                  chance(i + vec3(0, 1, 1)));\n"                                              \
    "    vec4 b = vec4(chance(i + vec3(1, 0, 0)), chance(i + vec3(1, 1, 0)),\n"                    \
    "                  chance(i + vec3(1, 0, 1)), chance(i + vec3(1, 1, 1)));\n"                   \
    "    vec4 c = mix(a, b, f.x);\n"                                                               \
    "    vec2 d = mix(c.xz, c.yw, f.y);\n"                                                         \
    "    return mix(d.x, d.y, f.z);\n"                                                             \
    "}\n"                                                                                          \
    "vec3 tissue(vec3 rest, vec3 n, vec3 at) {\n"                                                  \
    "    vec3 p = lumps * rest;\n"                                                                 \
    "    float blotch = 0.6 * noise(p) + 0.4 * noise(2.7 * p + 3.1);\n"                            \
    "    vec3 albedo = mix(vec3(0.22, 0.028, 0.024), vec3(0.46, 0.095, 0.075), blotch);\n"         \
    "    vec3 v = normalize(eye.xyz - at), smooth_n = n;\n"                                        \
    "    if (grid.w > 0.5) {\n"                                                                    \
    "        vec3 q = 3.5 * p;\n"                                                                  \
    "        vec3 slope = vec3(noise(q + vec3(0.2, 0, 0)), noise(q + vec3(0, 0.2, 0)),\n"          \
    "                          noise(q + vec3(0, 0, 0.2))) - noise(q);\n"                          \
    "        n = normalize(n - 0.45 * (slope - dot(slope, n) * n));\n"                             \
    "    }\n"                                                                                      \
    "    float facing = dot(n, lamp.xyz), level = dot(smooth_n, lamp.xyz);\n"                      \
    "    float light = level > 0.0 ? lit(at + grid.z * smooth_n, shadow.z) : 0.0;\n"               \
    "    light *= smoothstep(0.0, 0.3, level);\n"                                                  \
    "    vec3 wrap = vec3(0.40, 0.18, 0.15);\n"                                                    \
    "    vec3 diffuse = max((facing + wrap) / (1.0 + wrap), 0.0);\n"                               \
    "    diffuse *= max(vec3(light), vec3(0.30, 0.06, 0.05));\n"                                   \
    "    float away = 1.0 - max(dot(n, v), 0.0);\n"                                                \
    "    float mirror = 0.03 + 0.97 * away * away * away * away * away;\n"                         \
    "    vec3 sky = mix(vec3(0.30, 0.28, 0.27), vec3(0.55, 0.56, 0.58), 0.5 + 0.5 * height(n));\n" \
    "    float up = 0.5 + 0.5 * height(reflect(-v, n));\n"                                         \
    "    float h = max(dot(n, normalize(lamp.xyz + v)), 0.0);\n"                                   \
    "    float shine = light * (0.75 * pow(h, 140.0) + 0.10 * pow(h, 20.0));\n"                    \
    "    return albedo * (0.75 * sky + 0.85 * diffuse + 0.16 * max(dot(n, fill.xyz), 0.0)) +\n"    \
    "           vec3(0.16, 0.025, 0.018) * away * away + shine + 0.5 * mirror * up;\n"             \
    "}\n"

#define BACKDROP_VERTEX                                                                            \
    "out float up;\n"                                                                              \
    "void main() {\n"                                                                              \
    "    vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"          \
    "    up = 0.5 + 0.5 * at.y;\n"                                                                 \
    "    gl_Position = vec4(at, 1.0, 1.0);\n"                                                      \
    "}\n"
#define BACKDROP_FRAGMENT                                                                          \
    "in float up;\n"                                                                               \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    colour = vec4(mix(vec3(0.900, 0.912, 0.931), vec3(0.985, 0.988, 0.992),\n"                \
    "                      smoothstep(0.0, 0.75, up)), 1.0);\n"                                    \
    "}\n"

#define GROUND_VERTEX                                                                              \
    FRAME_TEXT                                                                                     \
    "out vec3 at;\n"                                                                               \
    "void main() {\n"                                                                              \
    "    vec2 corner = vec2(gl_VertexID % 2, gl_VertexID / 2) * 2.0 - 1.0;\n"                      \
    "    at = mat3(upright) * vec3(ground.xy + ground.w * corner, ground.z);\n"                    \
    "    gl_Position = to_clip * vec4(at, 1.0);\n"                                                 \
    "}\n"
#define GROUND_FRAGMENT                                                                            \
    FRAME_TEXT                                                                                     \
    "uniform sampler2D soft_map;\n"                                                                \
    "in vec3 at;\n"                                                                                \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    vec2 level = (at * mat3(upright)).xy;\n"                                                  \
    "    float away = length(level - ground.xy) / ground.w;\n"                                     \
    "    float fade = 1.0 - smoothstep(0.35, 1.0, away);\n"                                        \
    "    float dark = texture(soft_map, (to_lamp * vec4(at, 1.0)).xy).r * shadow.x;\n"             \
    "    vec2 cell = level / grid.x;\n"                                                            \
    "    vec2 width = fwidth(cell) * screen.z;\n"                                                  \
    "    vec2 line = 1.0 - smoothstep(0.5 * width, 1.0 * width, abs(fract(cell - 0.5) - "          \
    "0.5));\n"                                                                                     \
    "    float ruled = max(line.x, line.y) * grid.y * fade *\n"                                    \
    "                  (1.0 - smoothstep(0.15, 0.4, max(width.x, width.y)));\n"                    \
    "    colour = vec4(vec3(0.16, 0.19, 0.26), 1.0 - (1.0 - 0.38 * dark) * (1.0 - ruled));\n"      \
    "}\n"

#define BODY_VERTEX                                                                                \
    FRAME_TEXT                                                                                     \
    "layout(location = 0) in vec4 place;\n"                                                        \
    "layout(location = 1) in vec3 normal;\n"                                                       \
    "layout(location = 2) in vec4 kept;\n"                                                         \
    "out vec3 at;\n"                                                                               \
    "out vec3 rest;\n"                                                                             \
    "out vec3 way;\n"                                                                              \
    "out float tone;\n"                                                                            \
    "flat out int part;\n"                                                                         \
    "void main() {\n"                                                                              \
    "    at = place.xyz;\n"                                                                        \
    "    way = normal;\n"                                                                          \
    "    tone = place.w;\n"                                                                        \
    "    rest = kept.xyz;\n"                                                                       \
    "    part = int(kept.w + 0.5);\n"                                                              \
    "    gl_Position = to_clip * vec4(at, 1.0);\n"                                                 \
    "}\n"
// kind: 0 by tone, 1 by the root of the tone, 2 by region, 3 as tissue
#define BODY_FRAGMENT                                                                              \
    "in vec3 at;\n"                                                                                \
    "in vec3 rest;\n"                                                                              \
    "in vec3 way;\n"                                                                               \
    "in float tone;\n"                                                                             \
    "flat in int part;\n"                                                                          \
    "uniform int kind;\n"                                                                          \
    "uniform float most;\n"                                                                        \
    "uniform float alpha;\n"                                                                       \
    "uniform sampler2D colours;\n"                                                                 \
    "uniform sampler2D regions;\n"                                                                 \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    if (kind == 3) {\n"                                                                       \
    "        colour = vec4(encode(tissue(rest, normalize(way), at)), alpha);\n"                    \
    "        return;\n"                                                                            \
    "    }\n"                                                                                      \
    "    float t = clamp(tone / most, 0.0, 1.0);\n"                                                \
    "    t = kind == 1 ? sqrt(t) : t;\n"                                                           \
    "    vec3 albedo = kind == 2 ? texelFetch(regions, ivec2(part % 256, part / 256), "            \
    "0).rgb\n"                                                                                     \
    "                            : texture(colours, vec2((255.0 * t + 0.5) / 256.0, "              \
    "0.5)).rgb;\n"                                                                                 \
    "    colour = vec4(encode(shade(albedo, normalize(way), at, 0.16)), alpha);\n"                 \
    "}\n"

#define SOLID_VERTEX                                                                               \
    FRAME_TEXT                                                                                     \
    "layout(location = 0) in vec4 place;\n"                                                        \
    "layout(location = 1) in vec3 normal;\n"                                                       \
    "uniform mat4 pose;\n"                                                                         \
    "out vec3 at;\n"                                                                               \
    "out vec3 way;\n"                                                                              \
    "void main() {\n"                                                                              \
    "    at = (pose * vec4(place.xyz, 1.0)).xyz;\n"                                                \
    "    way = mat3(pose) * (normal / vec3(dot(pose[0].xyz, pose[0].xyz),\n"                       \
    "               dot(pose[1].xyz, pose[1].xyz), dot(pose[2].xyz, pose[2].xyz)));\n"             \
    "    gl_Position = to_clip * vec4(at, 1.0);\n"                                                 \
    "}\n"
#define SOLID_FRAGMENT                                                                             \
    "in vec3 at;\n"                                                                                \
    "in vec3 way;\n"                                                                               \
    "uniform vec4 paint;\n"                                                                        \
    "uniform bool living;\n"                                                                       \
    "uniform float gloss;\n"                                                                       \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    vec3 n = normalize(way);\n"                                                               \
    "    vec3 seen = living ? tissue(at, n, at) : shade(paint.rgb, n, at, gloss);\n"               \
    "    colour = vec4(encode(seen), paint.a);\n"                                                  \
    "}\n"

#define SHADOW_VERTEX                                                                              \
    FRAME_TEXT                                                                                     \
    "layout(location = 0) in vec4 place;\n"                                                        \
    "uniform mat4 pose;\n"                                                                         \
    "void main() {\n"                                                                              \
    "    gl_Position = vec4(2.0 * (to_lamp * (pose * vec4(place.xyz, 1.0))).xyz - 1.0, 1.0);\n"    \
    "}\n"
#define SHADOW_FRAGMENT                                                                            \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    colour = vec4(1.0);\n"                                                                    \
    "}\n"

// A picture blurred along one axis; step: from one sample to the next, in 0..1 of it.
#define BLUR_FRAGMENT                                                                              \
    "uniform sampler2D sharp;\n"                                                                   \
    "uniform vec4 step_to;\n"                                                                      \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    vec2 at = gl_FragCoord.xy / vec2(textureSize(sharp, 0));\n"                               \
    "    float sum = 0.0, all = 0.0;\n"                                                            \
    "    for (int i = -12; i <= 12; i++) {\n"                                                      \
    "        float w = exp(-float(i * i) / 50.0);\n"                                               \
    "        sum += w * texture(sharp, at + float(i) * step_to.xy).r;\n"                           \
    "        all += w;\n"                                                                          \
    "    }\n"                                                                                      \
    "    colour = vec4(sum / all);\n"                                                              \
    "}\n"

// A line becomes a strip `width` points wide, a little nearer to the eye than what it lies on.
#define LINE_VERTEX                                                                                \
    FRAME_TEXT                                                                                     \
    "layout(location = 0) in vec4 place;\n"                                                        \
    "void main() {\n"                                                                              \
    "    gl_Position = to_clip * vec4(place.xyz, 1.0);\n"                                          \
    "}\n"
#define LINE_GEOMETRY                                                                              \
    "layout(lines) in;\n"                                                                          \
    "layout(triangle_strip, max_vertices = 4) out;\n" FRAME_TEXT "uniform float width;\n"          \
    "uniform float lift;\n"                                                                        \
    "void main() {\n"                                                                              \
    "    vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;\n"                               \
    "    if (a.w <= 0.0 || b.w <= 0.0)\n"                                                          \
    "        return;\n"                                                                            \
    "    vec2 along = (b.xy / b.w - a.xy / a.w) * screen.xy;\n"                                    \
    "    float size = length(along);\n"                                                            \
    "    vec2 side = size > 1e-6 ? vec2(-along.y, along.x) / size : vec2(1.0, 0.0);\n"             \
    "    side *= width * screen.z / screen.xy;\n"                                                  \
    "    for (int i = 0; i < 4; i++) {\n"                                                          \
    "        vec4 p = i < 2 ? a : b;\n"                                                            \
    "        gl_Position = p + p.w * vec4(i % 2 == 0 ? side : -side, -lift, 0.0);\n"               \
    "        EmitVertex();\n"                                                                      \
    "    }\n"                                                                                      \
    "    EndPrimitive();\n"                                                                        \
    "}\n"
#define PAINT_FRAGMENT                                                                             \
    "uniform vec4 paint;\n"                                                                        \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    colour = paint;\n"                                                                        \
    "}\n"

#define DOT_VERTEX                                                                                 \
    FRAME_TEXT                                                                                     \
    "layout(location = 0) in vec4 place;\n"                                                        \
    "uniform float size;\n"                                                                        \
    "uniform float lift;\n"                                                                        \
    "void main() {\n"                                                                              \
    "    gl_Position = to_clip * vec4(place.xyz, 1.0);\n"                                          \
    "    gl_Position.z -= lift * gl_Position.w;\n"                                                 \
    "    gl_PointSize = size * screen.z;\n"                                                        \
    "}\n"
#define DOT_FRAGMENT                                                                               \
    "uniform vec4 paint;\n"                                                                        \
    "out vec4 colour;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    float far = length(gl_PointCoord - 0.5) * 2.0;\n"                                         \
    "    if (far > 1.0)\n"                                                                         \
    "        discard;\n"                                                                           \
    "    colour = far > 0.68 ? vec4(1.0) : paint;\n"                                               \
    "}\n"

// u = U q, four coordinates to a texel: three rows of `groups` texels for each point [BJ05 6.4].
#define DEFORM_VERTEX                                                                              \
    "layout(location = 0) in vec3 rest;\n"                                                         \
    "layout(location = 1) in vec4 extra;\n"                                                        \
    "uniform samplerBuffer basis;\n"                                                               \
    "uniform vec4 q[32];\n"                                                                        \
    "uniform int groups;\n"                                                                        \
    "uniform int number;\n"                                                                        \
    "out vec4 place;\n"                                                                            \
    "void main() {\n"                                                                              \
    "    vec3 u = extra.xyz;\n"                                                                    \
    "    int x = 3 * groups * gl_VertexID, y = x + groups, z = y + groups;\n"                      \
    "    for (int g = 0; g < groups; g++)\n"                                                       \
    "        u += vec3(dot(texelFetch(basis, x + g), q[g]), dot(texelFetch(basis, y + g), "        \
    "q[g]),\n"                                                                                     \
    "                  dot(texelFetch(basis, z + g), q[g]));\n"                                    \
    "    place = vec4(rest + u, number != 0 ? extra.w : length(u));\n"                             \
    "}\n"

// The normal of facets.h, from the places as they are now.
#define FACET_VERTEX                                                                               \
    "layout(location = 0) in ivec3 corner;\n"                                                      \
    "uniform samplerBuffer places;\n"                                                              \
    "uniform isamplerBuffer pairs;\n"                                                              \
    "out vec4 place;\n"                                                                            \
    "out vec3 normal;\n"                                                                           \
    "void main() {\n"                                                                              \
    "    place = texelFetch(places, corner.x);\n"                                                  \
    "    vec3 n = vec3(0.0);\n"                                                                    \
    "    for (int k = corner.y; k < corner.z; k++) {\n"                                            \
    "        ivec2 pair = texelFetch(pairs, k).xy;\n"                                              \
    "        n += cross(texelFetch(places, pair.x).xyz - place.xyz,\n"                             \
    "                   texelFetch(places, pair.y).xyz - place.xyz);\n"                            \
    "    }\n"                                                                                      \
    "    float size = length(n);\n"                                                                \
    "    normal = size > 0.0 ? n / size : vec3(0.0, 0.0, 1.0);\n"                                  \
    "}\n"

static const char shading[] = FRAME_TEXT LIGHT_TEXT TISSUE_TEXT;

const pal_gl_source pal_stage_sources[PAL_STAGE_PROGRAMS] = {
    [PAL_STAGE_BACKDROP] = {.name = "backdrop",
                            .vertex = BACKDROP_VERTEX,
                            .fragment = BACKDROP_FRAGMENT},
    [PAL_STAGE_GROUND] = {.name = "ground", .vertex = GROUND_VERTEX, .fragment = GROUND_FRAGMENT},
    [PAL_STAGE_BODY] = {.name = "body",
                        .vertex = BODY_VERTEX,
                        .fragment = BODY_FRAGMENT,
                        .shared = shading},
    [PAL_STAGE_SOLID] = {.name = "solid",
                         .vertex = SOLID_VERTEX,
                         .fragment = SOLID_FRAGMENT,
                         .shared = shading},
    [PAL_STAGE_SHADOW] = {.name = "shadow", .vertex = SHADOW_VERTEX, .fragment = SHADOW_FRAGMENT},
    [PAL_STAGE_BLUR] = {.name = "blur", .vertex = BACKDROP_VERTEX, .fragment = BLUR_FRAGMENT},
    [PAL_STAGE_LINE] = {.name = "line",
                        .vertex = LINE_VERTEX,
                        .geometry = LINE_GEOMETRY,
                        .fragment = PAINT_FRAGMENT},
    [PAL_STAGE_DOT] = {.name = "dot", .vertex = DOT_VERTEX, .fragment = DOT_FRAGMENT},
    [PAL_STAGE_DEFORM] = {.name = "deform", .vertex = DEFORM_VERTEX, .capture = {"place"}},
    [PAL_STAGE_FACET] = {.name = "facet", .vertex = FACET_VERTEX, .capture = {"place", "normal"}},
};
