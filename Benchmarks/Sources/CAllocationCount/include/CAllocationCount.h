#ifndef LARDER_C_ALLOCATION_COUNT_H
#define LARDER_C_ALLOCATION_COUNT_H

#include <stdint.h>

// Linking this target puts its malloc family in front of glibc's, for every library in the process. While counting is
// on, each call that hands out memory adds one; it is off at the start, and costs a relaxed load and a branch then.

/// Starts counting from zero, on all threads.
void larder_allocations_start(void);

/// Stops counting and returns the number of allocations since the start.
uint64_t larder_allocations_stop(void);

#endif
