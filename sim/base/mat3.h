// 3x3 matrices, row-major double m[3][3]. All RT safe.
#ifndef PAL_BASE_MAT3_H
#define PAL_BASE_MAT3_H

static inline double pal_mat3_det(double (*m)[3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// inverse = m^-1 where det m != 0; returns det m.
static inline double pal_mat3_inverse(double (*m)[3], double (*inverse)[3]) {
    double det = pal_mat3_det(m);
    double s = det != 0.0 ? 1.0 / det : 0.0;
    inverse[0][0] = s * (m[1][1] * m[2][2] - m[1][2] * m[2][1]);
    inverse[0][1] = s * (m[0][2] * m[2][1] - m[0][1] * m[2][2]);
    inverse[0][2] = s * (m[0][1] * m[1][2] - m[0][2] * m[1][1]);
    inverse[1][0] = s * (m[1][2] * m[2][0] - m[1][0] * m[2][2]);
    inverse[1][1] = s * (m[0][0] * m[2][2] - m[0][2] * m[2][0]);
    inverse[1][2] = s * (m[0][2] * m[1][0] - m[0][0] * m[1][2]);
    inverse[2][0] = s * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    inverse[2][1] = s * (m[0][1] * m[2][0] - m[0][0] * m[2][1]);
    inverse[2][2] = s * (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
    return det;
}

#endif
