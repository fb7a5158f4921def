// The sets of a draft: members are put down in any order and sorted in the end.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/mesh/draft.h"

pal_status pal_draft_add_list(pal_draft *draft, pal_word prefix, bool of_elements, int32_t *list) {
    void *lists = draft->list;
    const pal_status status =
        pal_grow(&lists, sizeof(pal_draft_list), draft->list_count, &draft->list_room, draft->err);
    draft->list = lists;
    if (status == PAL_OK) {
        *list = (int32_t)draft->list_count++;
        pal_word_copy(prefix, draft->list[*list].prefix, sizeof draft->list[*list].prefix);
        draft->list[*list].of_elements = of_elements;
    }
    return status;
}

pal_status pal_draft_put(pal_draft *draft, pal_draft_tag of, int64_t index) {
    void *members = draft->member;
    const pal_status status = pal_grow(&members, sizeof(pal_draft_member), draft->member_count,
                                       &draft->member_room, draft->err);
    draft->member = members;
    if (status == PAL_OK) {
        draft->member[draft->member_count++] =
            (pal_draft_member){.of = of, .index = (int32_t)index};
    }
    return status;
}

pal_status pal_draft_name_set(pal_draft *draft, pal_draft_tag of, pal_word name) {
    void *titles = draft->title;
    const pal_status status = pal_grow(&titles, sizeof(pal_draft_title), draft->title_count,
                                       &draft->title_room, draft->err);
    draft->title = titles;
    if (status == PAL_OK) {
        pal_draft_title *made = &draft->title[draft->title_count++];
        made->of = of;
        pal_word_copy(name, made->name, sizeof made->name);
    }
    return status;
}

static int compare_tags(pal_draft_tag a, pal_draft_tag b) {
    return a.list != b.list ? (a.list > b.list) - (a.list < b.list)
                            : (a.number > b.number) - (a.number < b.number);
}

static int compare_members(const void *a, const void *b) {
    const pal_draft_member *left = a, *right = b;
    const int order = compare_tags(left->of, right->of);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_titles(const void *a, const void *b) {
    return compare_tags(((const pal_draft_title *)a)->of, ((const pal_draft_title *)b)->of);
}

// The name of a set; NULL when it has none.
static const char *find_title(const pal_draft *draft, pal_draft_tag of) {
    const pal_draft_title wanted = {.of = of};
    const pal_draft_title *found = draft->title_count == 0
                                       ? NULL
                                       : bsearch(&wanted, draft->title, (size_t)draft->title_count,
                                                 sizeof wanted, compare_titles);
    return found != NULL ? found->name : NULL;
}

// Where the members of the set end that begin at `from`.
static int64_t end_of_set(const pal_draft *draft, int64_t from) {
    int64_t end = from + 1;
    while (end < draft->member_count &&
           compare_tags(draft->member[from].of, draft->member[end].of) == 0) {
        end++;
    }
    return end;
}

// Counts, for every list, the sets without a name.
static void count_nameless(const pal_draft *draft, int64_t *nameless) {
    for (int64_t i = 0; i < draft->member_count; i = end_of_set(draft, i)) {
        const pal_draft_tag of = draft->member[i].of;
        nameless[of.list] += find_title(draft, of) == NULL;
    }
}

// One set from members [from, end); place [draft->vertex_count]: of a vertex in the mesh, or -1.
static pal_status make_set(const pal_draft *draft, int64_t from, int64_t end, const int32_t *place,
                           pal_volmesh *mesh) {
    const pal_draft_tag of = draft->member[from].of;
    const pal_draft_list *list = &draft->list[of.list];
    const char *title = find_title(draft, of);
    pal_mesh_set *set = &mesh->sets[mesh->set_count];
    *set = (pal_mesh_set){.of_elements = list->of_elements,
                          .index = PAL_NEW(int32_t, end - from, draft->err)};
    if (set->index == NULL) {
        return PAL_ERR_MEMORY;
    }
    mesh->set_count++;
    if (title != NULL) {
        snprintf(set->name, sizeof set->name, "%s", title);
    } else {
        snprintf(set->name, sizeof set->name, "%.40s%" PRId64, list->prefix, of.number);
    }
    for (int64_t i = from; i < end; i++) {
        const int32_t at = draft->member[i].index;
        const int32_t index = list->of_elements ? at : place[at];
        if (index >= 0 && (i == from || draft->member[i - 1].index != at)) {
            set->index[set->count++] = index;
        }
    }
    return PAL_OK;
}

pal_status pal_draft_make_sets(pal_draft *draft, pal_volmesh *mesh) {
    if (draft->member_count == 0) {
        return PAL_OK;
    }
    qsort(draft->member, (size_t)draft->member_count, sizeof *draft->member, compare_members);
    if (draft->title_count > 0) {
        qsort(draft->title, (size_t)draft->title_count, sizeof *draft->title, compare_titles);
    }
    int64_t count = 0;
    for (int64_t i = 0; i < draft->member_count; i = end_of_set(draft, i)) {
        count++;
    }
    int64_t *nameless = PAL_NEW(int64_t, draft->list_count, draft->err);
    int32_t *place = PAL_NEW(int32_t, draft->vertex_count, draft->err);
    mesh->sets = PAL_NEW(pal_mesh_set, count, draft->err);
    pal_status status = !nameless || !place || !mesh->sets ? PAL_ERR_MEMORY : PAL_OK;
    if (status == PAL_OK) {
        count_nameless(draft, nameless);
        memset(place, -1, (size_t)draft->vertex_count * sizeof *place);
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            place[mesh->file_vertex[v]] = v;
        }
    }
    for (int64_t i = 0; i < draft->member_count && status == PAL_OK;) {
        const pal_draft_tag of = draft->member[i].of;
        const int64_t end = end_of_set(draft, i);
        if (nameless[of.list] <= PAL_DRAFT_NAMELESS || find_title(draft, of) != NULL) {
            status = make_set(draft, i, end, place, mesh);
        }
        i = end;
    }
    free(nameless);
    free(place);
    return status;
}
