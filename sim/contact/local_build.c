// Which vertices, which pairs, which way; and the tables themselves.
#include "sim/contact/local_build.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/contact/local_pairs.h"
#include "sim/contact/local_parts.h"
#include "sim/fem/assemble.h"

static const double DEFAULT_RADIUS = 0.015; // m, three times the radius of the usual tool
static const double DEFAULT_ELEMENTS = 3.0;
static const double MOST_EXACT = 1.2e11; // multiply-adds of all solves: some 10 s on two cores

// ---- Tables -------------------------------------------------------------------------------------

void pal_local_free(pal_local *local) {
    free(local->row);
    free(local->vertex);
    free(local->first);
    free(local->column);
    free(local->block);
    memset(local, 0, sizeof *local);
}

pal_status pal_local_alloc(pal_local *local, int32_t vertex_count, int32_t row_count,
                           int32_t blocks, pal_err *err) {
    *local =
        (pal_local){.vertex_count = vertex_count, .row_count = row_count, .block_count = blocks};
    local->row = PAL_NEW(int32_t, vertex_count, err);
    local->vertex = PAL_NEW(int32_t, row_count, err);
    local->first = PAL_NEW(int32_t, row_count + (int64_t)1, err);
    local->column = PAL_NEW(int32_t, blocks, err);
    local->block = PAL_NEW(float, 9 * (int64_t)blocks, err);
    if (!local->row || !local->vertex || !local->first || !local->column || !local->block) {
        pal_local_free(local);
        return PAL_ERR_MEMORY;
    }
    pal_local_index(local);
    return PAL_OK;
}

void pal_local_index(pal_local *local) {
    for (int32_t v = 0; v < local->vertex_count; v++) {
        local->row[v] = -1;
    }
    for (int32_t a = 0; a < local->row_count; a++) {
        local->row[local->vertex[a]] = a;
    }
}

pal_status pal_local_check(const pal_local *local, const char *owner, pal_err *err) {
    bool fine = local->first[0] == 0 && local->first[local->row_count] == local->block_count;
    for (int32_t a = 0; fine && a < local->row_count; a++) {
        fine = (a == 0 || local->vertex[a - 1] < local->vertex[a]) &&
               local->first[a] <= local->first[a + 1] && local->first[a + 1] <= local->block_count;
        for (int32_t k = local->first[a] + 1; fine && k < local->first[a + 1]; k++) {
            fine = local->column[k - 1] < local->column[k];
        }
    }
    return fine ? PAL_OK
                : pal_fail(err, PAL_ERR_INPUT, "%s: the table of local compliance is not in order",
                           owner);
}

double pal_local_bytes(const pal_local *local) {
    return 40.0 * local->block_count + 8.0 * local->row_count + 4.0 * local->vertex_count;
}

static int compare_columns(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

void pal_local_add_vertices(const pal_local *local, int32_t count, const int32_t *vertex,
                            double *w) {
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; local->row_count > 0 && j < count; j++) {
            int32_t a = local->row[vertex[i]], b = local->row[vertex[j]];
            if (a < 0 || b < 0) {
                continue;
            }
            const int32_t *row = local->column + local->first[a];
            const int32_t *at = bsearch(&b, row, (size_t)(local->first[a + 1] - local->first[a]),
                                        sizeof b, compare_columns);
            for (int k = 0; at != NULL && k < 9; k++) {
                w[(3 * (int64_t)i + k / 3) * 3 * count + 3 * j + k % 3] +=
                    (double)local->block[9 * (at - local->column) + k];
            }
        }
    }
}

const char *pal_local_way_text(const pal_local *local) {
    return local->way == PAL_LOCAL_EXACT ? "exact" : local->way == PAL_LOCAL_FAST ? "fast" : "none";
}

// n += the area of a triangle, as a vector, by the share of each row in its corners.
static void add_triangle(const pal_local *local, const pal_body *body, int32_t triangle,
                         double (*n)[3]) {
    const pal_embedding *e = body->embedding;
    double corner[3][3], ab[3], ac[3], area[3];
    for (int k = 0; k < 3; k++) {
        pal_body_rest(body, pal_body_corner(body, triangle, k), corner[k]);
    }
    pal_sub3(corner[1], corner[0], ab);
    pal_sub3(corner[2], corner[0], ac);
    pal_cross3(ab, ac, area);
    for (int k = 0; k < 3 * e->nodes; k++) {
        const int64_t at =
            (int64_t)pal_body_corner(body, triangle, k / e->nodes) * e->nodes + k % e->nodes;
        const int32_t row = local->row[e->vertex[at]];
        for (int c = 0; c < 3 && row >= 0; c++) {
            n[row][c] += fabs(e->weight[at]) * area[c];
        }
    }
}

pal_status pal_local_find_rows(const pal_local *local, const pal_body *body, pal_row_surface **rows,
                               pal_err *err) {
    double(*n)[3] = pal_alloc((size_t)local->row_count, sizeof *n, err);
    *rows = PAL_NEW(pal_row_surface, local->row_count, err);
    if (n == NULL || *rows == NULL) {
        free(n);
        return PAL_ERR_MEMORY;
    }
    for (int32_t t = 0; t < body->triangle_count; t++) {
        add_triangle(local, body, t, n);
    }
    for (int32_t r = 0; r < local->row_count; r++) {
        const double length = pal_norm3(n[r]);
        for (int c = 0; c < 3 && length > 0.0; c++) {
            (*rows)[r].normal[c] = (float)(n[r][c] / length);
        }
        (*rows)[r].spacing =
            (float)sqrt(length / 6.0); // each triangle counted twice at three corners
    }
    free(n);
    return PAL_OK;
}

pal_status pal_dent_alloc(const pal_local *local, pal_dent *dent, pal_err *err) {
    const size_t vertices = (size_t)local->vertex_count, rows = (size_t)local->row_count;
    *dent = (pal_dent){.u = PAL_NEW(double, 3 * vertices, err),
                       .yielding = PAL_NEW(double, 3 * vertices, err),
                       .depth = pal_alloc(rows, sizeof *dent->depth, err),
                       .touched = PAL_NEW(int32_t, vertices + 1, err),
                       .marked = PAL_NEW(uint8_t, vertices, err),
                       .last = PAL_NEW(double, 3 * vertices, err),
                       .last_touched = PAL_NEW(int32_t, vertices + 1, err),
                       .sum = pal_alloc(sizeof *dent->sum, rows, err),
                       .listed = PAL_NEW(int32_t, rows + 1, err),
                       .summed = PAL_NEW(uint8_t, rows + 1, err),
                       .source = PAL_NEW(int32_t, rows + 1, err),
                       .is_source = PAL_NEW(uint8_t, rows + 1, err)};
    if (!dent->u || !dent->yielding || !dent->depth || !dent->touched || !dent->marked ||
        !dent->last || !dent->last_touched || !dent->sum || !dent->listed || !dent->summed ||
        !dent->source || !dent->is_source) {
        pal_dent_free(dent);
        return PAL_ERR_MEMORY;
    }
    return PAL_OK;
}

void pal_dent_free(pal_dent *dent) {
    free(dent->u);
    free(dent->yielding);
    free(dent->depth);
    free(dent->touched);
    free(dent->marked);
    free(dent->last);
    free(dent->last_touched);
    free(dent->sum);
    free(dent->listed);
    free(dent->summed);
    free(dent->source);
    free(dent->is_source);
    memset(dent, 0, sizeof *dent);
}

// ---- Which vertices and pairs -------------------------------------------------------------------

// wanted[v] = 1 for the free vertices that carry a surface point of the touch region: a point with
// a carrying vertex in it.
static int32_t choose_vertices(const pal_fem *fem, const pal_embedding *e, const uint8_t *touch,
                               uint8_t *wanted) {
    for (int32_t p = 0; p < e->point_count; p++) {
        const int32_t *vertex = e->vertex + (int64_t)p * e->nodes;
        const double *weight = e->weight + (int64_t)p * e->nodes;
        bool within = touch == NULL;
        for (int32_t a = 0; a < e->nodes && !within; a++) {
            within = fabs(weight[a]) >= PAL_EMBED_LEAST && touch[vertex[a]];
        }
        for (int32_t a = 0; a < e->nodes && within; a++) {
            wanted[vertex[a]] |=
                fabs(weight[a]) >= PAL_EMBED_LEAST && fem->free_index[vertex[a]] >= 0;
        }
    }
    int32_t count = 0;
    for (int32_t v = 0; v < fem->mesh->vertex_count; v++) {
        count += wanted[v];
    }
    return count;
}

// The mean edge of the elements at the wanted vertices, as the cube root of their mean volume of
// bounding box.
static double mean_element(const pal_volmesh *mesh, const uint8_t *wanted) {
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(mesh, e);
        double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0};
        bool used = false;
        for (int a = 0; a < (int)mesh->kind; a++) {
            const double *x = mesh->x + 3 * (int64_t)vertex[a];
            used = used || wanted[vertex[a]];
            for (int c = 0; c < 3; c++) {
                low[c] = a == 0 ? x[c] : fmin(low[c], x[c]);
                high[c] = a == 0 ? x[c] : fmax(high[c], x[c]);
            }
        }
        if (used) {
            sum += cbrt((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]));
            count++;
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

// The rows and their pairs within the radius, which is cut until the table fits.
static pal_status make_pattern(const pal_fem *fem, const uint8_t *wanted, int32_t count,
                               const pal_local_spec *spec, pal_local *local,
                               pal_local_report *report, pal_err *err) {
    const pal_volmesh *mesh = fem->mesh;
    report->element = mean_element(mesh, wanted);
    double asked = spec->radius > 0.0 ? spec->radius
                                      : fmax(DEFAULT_RADIUS, DEFAULT_ELEMENTS * report->element);
    double radius = asked;
    pal_local_pairs found = {0};
    pal_status status =
        pal_local_find_pairs(mesh, wanted, count, &radius, PAL_LOCAL_BYTES / 40, &found, err);
    if (status == PAL_OK) {
        status = pal_local_alloc(local, mesh->vertex_count, count, found.first[count], err);
    }
    if (status == PAL_OK) {
        local->radius = radius;
        memcpy(local->vertex, found.vertex, (size_t)count * sizeof *local->vertex);
        memcpy(local->first, found.first, ((size_t)count + 1) * sizeof *local->first);
        memcpy(local->column, found.column, (size_t)found.first[count] * sizeof *local->column);
        pal_local_index(local);
        report->is_cut = radius < asked;
        if (report->is_cut) {
            snprintf(report->note, sizeof report->note,
                     "local compliance: the radius was cut from %.3g mm to %.3g mm to keep its "
                     "table below %d MB; a smaller touch region (body.touch) leaves more",
                     1e3 * asked, 1e3 * radius, PAL_LOCAL_BYTES / 1000000);
        }
    }
    pal_local_pairs_free(&found);
    return status;
}

// ---- The basis ----------------------------------------------------------------------------------

static pal_status prepare_basis(pal_local_job *job, const double *basis, pal_err *err) {
    int32_t r = job->r, rows = job->local->row_count;
    job->u = PAL_NEW(double, r * job->n, err);
    job->ku = PAL_NEW(double, r * job->n, err);
    job->kr = PAL_NEW(double, r *(int64_t)r, err);
    job->v = PAL_NEW(double, 3 * (int64_t)rows * r, err);
    if (!job->u || !job->ku || !job->kr || !job->v) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_fem_evaluate(job->fem, NULL, NULL, NULL, true, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_fem_basis_to_free(job->fem, basis, r, job->u);
    for (int32_t k = 0; k < r; k++) {
        pal_csr_multiply(&job->fem->stiffness, job->u + k * job->n, job->ku + k * job->n);
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, r, r, (int)job->n, 1.0, job->u,
                (int)job->n, job->ku, (int)job->n, 0.0, job->kr, r);
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', r, job->kr, r) != 0) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "the basis has a shape without stiffness, so there is no compliance beyond "
                        "it; use fewer vectors or leave it out (local: {way: none})");
    }
    for (int32_t a = 0; a < rows; a++) {
        memcpy(job->v + 3 * (int64_t)a * r, basis + 3 * (int64_t)job->local->vertex[a] * r,
               3 * (size_t)r * sizeof *basis);
    }
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, 3 * rows, r, 1.0,
                job->kr, r, job->v, r);
    return PAL_OK;
}

// Block (b, a) becomes the transpose of (a, b), by the mean of both. Rows ascend, so the entries
// left of the diagonal come up in their order.
static pal_status make_symmetric(pal_local *local, pal_err *err) {
    int32_t *next = PAL_NEW(int32_t, local->row_count, err);
    if (next == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(next, local->first, (size_t)local->row_count * sizeof *next);
    for (int32_t a = 0; a < local->row_count; a++) {
        for (int32_t k = local->first[a]; k < local->first[a + 1]; k++) {
            int32_t b = local->column[k];
            if (b < a) {
                continue;
            }
            float *here = local->block + 9 * (int64_t)k;
            float *there = local->block + 9 * (int64_t)next[b]++;
            float mean[9];
            for (int c = 0; c < 9; c++) {
                mean[c] = 0.5f * (here[c] + there[3 * (c % 3) + c / 3]);
            }
            for (int c = 0; c < 9; c++) {
                here[c] = mean[c];
                there[3 * (c % 3) + c / 3] = mean[c];
            }
        }
    }
    free(next);
    return PAL_OK;
}

pal_status pal_local_factor(const pal_local_job *job, pal_chol *chol, pal_err *err) {
    bool positive = false;
    pal_status status = pal_chol_factor(chol, &job->fem->stiffness, &positive, err);
    return status == PAL_OK && !positive
               ? pal_fail(err, PAL_ERR_NUMERIC,
                          "the stiffness at rest is not positive definite; look at the mesh with "
                          "'palpate info'")
               : status;
}

// ---- Which way ----------------------------------------------------------------------------------

static void leave_out(pal_local *local, pal_local_report *report, const char *why) {
    pal_local_free(local);
    snprintf(report->note, sizeof report->note, "no local compliance: %s", why);
}

// Exact or fast, by the cost of the solves (not by the clock: the same scene gives the same model).
static pal_status fill(pal_local_job *job, const pal_local_spec *spec, pal_local_report *report,
                       pal_err *err) {
    bool is_free = job->fem->rigid_modes > 0;
    pal_local_choice choice = spec->choice;
    pal_chol *chol = pal_chol_create(&job->fem->stiffness, err);
    if (chol == NULL) {
        return PAL_ERR_MEMORY;
    }
    report->cost = 3.0 * job->local->row_count * 2.0 * pal_chol_entries(chol);
    if (choice == PAL_LOCAL_WANT_AUTO) {
        choice = report->cost <= MOST_EXACT ? PAL_LOCAL_WANT_EXACT : PAL_LOCAL_WANT_FAST;
    }
    pal_status status = PAL_OK;
    if (choice == PAL_LOCAL_WANT_FAST && is_free) {
        leave_out(job->local, report,
                  "nothing is held, and the exact way (local: {way: exact}), the only one then, "
                  "would take long; a touch region (body.touch) makes it shorter");
    } else if (choice == PAL_LOCAL_WANT_FAST) {
        job->local->way = PAL_LOCAL_FAST;
        status = pal_local_fast(job, chol, report->element, err);
    } else {
        job->local->way = PAL_LOCAL_EXACT;
        status = pal_local_exact(job, chol, err);
    }
    pal_chol_free(chol);
    return status == PAL_OK && job->local->row_count > 0 ? make_symmetric(job->local, err) : status;
}

static pal_status build(pal_fem *fem, const double *basis, int32_t r,
                        const pal_embedding *embedding, const pal_local_spec *spec,
                        const pal_progress *progress, pal_local *local, pal_local_report *report,
                        pal_err *err) {
    uint8_t *wanted = PAL_NEW(uint8_t, fem->mesh->vertex_count, err);
    if (wanted == NULL) {
        return PAL_ERR_MEMORY;
    }
    int32_t count = choose_vertices(fem, embedding, spec->touch, wanted);
    if (count == 0) {
        free(wanted);
        leave_out(local, report, "no vertex that is free and in the touch region carries surface");
        return PAL_OK;
    }
    pal_status status = make_pattern(fem, wanted, count, spec, local, report, err);
    free(wanted);
    pal_local_job job = {
        .fem = fem, .n = pal_fem_dofs(fem), .r = r, .progress = progress, .local = local};
    if (status == PAL_OK) {
        status = prepare_basis(&job, basis, err);
    }
    if (status == PAL_OK) {
        status = fill(&job, spec, report, err);
    }
    free(job.u);
    free(job.ku);
    free(job.kr);
    free(job.v);
    return status;
}

pal_status pal_local_build(pal_fem *fem, const double *basis, int32_t r,
                           const pal_embedding *embedding, const pal_local_spec *spec,
                           const pal_progress *progress, pal_local *local, pal_local_report *report,
                           pal_err *err) {
    double start = pal_seconds();
    memset(local, 0, sizeof *local);
    memset(report, 0, sizeof *report);
    if (spec->choice == PAL_LOCAL_WANT_NONE) {
        return PAL_OK;
    }
    pal_progress_report(progress, "local compliance", 0.0);
    pal_status status = build(fem, basis, r, embedding, spec, progress, local, report, err);
    if (status != PAL_OK) {
        pal_local_free(local);
    }
    pal_progress_report(progress, "local compliance", 1.0);
    report->seconds = pal_seconds() - start;
    return status;
}
