#ifndef LARDER_CPROCESSOR_SHIM_H
#define LARDER_CPROCESSOR_SHIM_H

#include <stdint.h>

/* Two hints to the processor that Swift has no words for. Neither changes what a program does; there is nothing to link. */

/// Asks for the cache line at an address, which need not be mapped: a prefetch never faults.
static inline __attribute__((always_inline)) void larder_prefetch(uintptr_t address) {
    __builtin_prefetch((const void *)address);
}

/// Tells the processor that this is a spin loop, so that it leaves its resources to the other thread of the core.
static inline __attribute__((always_inline)) void larder_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

#endif
