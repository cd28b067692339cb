#include "ring.h"

static int pushes = 0;

/*
 * Adds an item.
 * Returns the head.
 */
int ring_push(struct ring *r, int item)
{
    RING_AT(r, r->head) = item; /* ring_push */
    pushes++;
    return (int)r->head++;
}

int main(void)
{
    ring_t r = {0};
    return ring_push(&r, 1);
}
