/* The ring of haptics/ring.c: one writer, one reader, counts that only grow, each side with the other's
 * count as it saw it last. Items have two halves, so that a torn one shows.
 *
 * Spin interleaves whole steps; what a weaker order would allow is modelled by moving the step:
 *   EARLY_PUBLISH   the count is raised before the item is there (a put without release)
 *   EARLY_TAKE      the item is copied out before the count is looked at (a get without acquire)
 *   EARLY_FREE      the count is raised before the item is copied out (a get without release)
 *   BLIND_PUT       put does not look whether there is room
 * With none of them every property must hold; with each of them the verifier must find the fault. */
#define CAPACITY 2
#define ITEMS    6

byte first[CAPACITY], second[CAPACITY];
byte written, read_count; /* the atomics */
byte accepted;
bool done;

active proctype writer() {
    byte value = 1, read_seen;
    do
    :: value > ITEMS -> break
    :: else ->
        if
        :: written - read_seen == CAPACITY -> read_seen = read_count
        :: else
        fi;
#ifdef BLIND_PUT
        read_seen = written;
#endif
        if
        :: written - read_seen == CAPACITY -> skip /* full: refused */
        :: else ->
#ifdef EARLY_PUBLISH
            written++;
            first[(written - 1) % CAPACITY] = value;
            second[(written - 1) % CAPACITY] = value;
#else
            first[written % CAPACITY] = value;
            second[written % CAPACITY] = value;
            written++;
#endif
            accepted++
        fi;
        value++
    od;
    done = true
}

active proctype reader() {
    byte written_seen, taken, one, two, last;
    bool was_done;
    do
    :: true ->
        was_done = done;
#ifdef EARLY_TAKE
        one = first[read_count % CAPACITY];
        two = second[read_count % CAPACITY];
#endif
        if
        :: read_count == written_seen -> written_seen = written
        :: else
        fi;
        if
        :: read_count == written_seen ->
            if
            :: was_done -> break
            :: else
            fi
        :: else ->
#if defined(EARLY_TAKE)
            read_count++;
#elif defined(EARLY_FREE)
            read_count++;
            one = first[(read_count - 1) % CAPACITY];
            two = second[(read_count - 1) % CAPACITY];
#else
            one = first[read_count % CAPACITY];
            two = second[read_count % CAPACITY];
            read_count++;
#endif
            assert(one == two);  /* whole */
            assert(one > last);  /* in order, none twice */
            last = one;
            taken++
        fi
    od;
    assert(taken == accepted) /* none lost */
}

/* Never more items waiting than places. */
active proctype watch() {
    assert(written - read_count <= CAPACITY)
}
