#ifndef RING_H
#define RING_H

#define RING_MAX 16
#define RING_AT(r, i) ((r)->items[(i) % RING_MAX])

/* A ring of numbers. */
struct ring {
    int items[RING_MAX];
    unsigned head;
};

typedef struct ring ring_t;

enum order { OLDEST, NEWEST };

int ring_push(struct ring *r, int item);

typedef struct {
    int at;
} cursor;

typedef struct span {
    cursor from, to;
} span;

#endif
