/* The triple buffer of sim/base/triple.h: each side swaps its own slot with the middle. Snapshots have
 * two halves, so that a torn one shows.
 *
 * Faults that the verifier must find, what a weaker order or a plain variable would allow:
 *   EARLY_PUBLISH   the slot is swapped in before the second half is written (no release)
 *   SPLIT_SWAP      the swap is a read and a write (a plain integer)
 *   NO_FRESH        the reader swaps whether or not there is something new */
#define SNAPSHOTS 5

byte first[3], second[3];
byte middle = 1; /* the atomic: slot, and 4: fresh */
byte back = 0, front = 2;
bool done;

#ifdef SPLIT_SWAP
#define SWAP(mine, given) got = middle; middle = given; mine = got & 3
#else
#define SWAP(mine, given) d_step { got = middle; middle = given; mine = got & 3 }
#endif

active proctype writer() {
    byte number = 1, got;
    do
    :: number > SNAPSHOTS -> break
    :: else ->
#ifdef EARLY_PUBLISH
        byte slot = back;
        first[slot] = number;
        SWAP(back, back | 4);
        second[slot] = number;
#else
        first[back] = number;
        second[back] = number;
        SWAP(back, back | 4);
#endif
        number++
    od;
    done = true
}

active proctype reader() {
    byte got, one, two, last;
    bool was_done, fresh;
    do
    :: true ->
        was_done = done;
#ifdef NO_FRESH
        fresh = true;
#else
        fresh = (middle & 4) != 0;
#endif
        if
        :: fresh -> SWAP(front, front)
        :: else
        fi;
        one = first[front];
        two = second[front];
        assert(one == two);                 /* whole */
        assert(fresh -> one > last : one == last); /* newer when it says so, else the same */
        last = one;
        if
        :: was_done -> break
        :: else
        fi
    od;
    assert(last == SNAPSHOTS) /* the newest is not missed */
}

#ifndef SPLIT_SWAP
/* The three slots differ at every moment: nobody reads what is being written. */
active proctype watch() {
    assert(back != front && back != (middle & 3) && front != (middle & 3))
}
#endif
