#ifndef LARDER_CLMDB_SHIM_H
#define LARDER_CLMDB_SHIM_H

#include <lmdb.h>

/* fstatfs: the Glibc module leaves this header out, and LMDB must not be used on some file systems. */
#include <sys/vfs.h>

#endif
