#include "CAllocationCount.h"

#include <errno.h>
#include <features.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef __GLIBC__
#error "allocations are counted in front of glibc's malloc: build the benchmarks on a glibc Linux"
#endif

// glibc's own allocator under the names it keeps for those who stand in front of it. `free` needs no stand-in, because
// every block still comes from there.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool is_counting;
static atomic_uint_fast64_t allocations;

// Relaxed throughout: whoever starts and stops the count also waits for the threads it counts.
static inline void note(void) {
    if (__builtin_expect(atomic_load_explicit(&is_counting, memory_order_relaxed), false)) {
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    }
}

void larder_allocations_start(void) {
    atomic_store_explicit(&allocations, 0, memory_order_relaxed);
    atomic_store_explicit(&is_counting, true, memory_order_relaxed);
}

uint64_t larder_allocations_stop(void) {
    atomic_store_explicit(&is_counting, false, memory_order_relaxed);
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}

// ThreadSanitizer and AddressSanitizer bring their own malloc, which must stay in front.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !__has_feature(address_sanitizer) \
    && !__has_feature(thread_sanitizer)

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!is_power_of_two || alignment % sizeof(void *) != 0) return EINVAL;
    note();
    void *allocated = __libc_memalign(alignment, size);
    if (allocated == NULL) return ENOMEM;
    *block = allocated;
    return 0;
}

#endif
