#ifndef LARDER_CLMDB_SHIM_H
#define LARDER_CLMDB_SHIM_H

#include <lmdb.h>

/* fstatfs: the Glibc module leaves this header out, and LMDB must not be used on some file systems. */
#include <sys/vfs.h>

/* fallocate: a GNU extension, which the Glibc module leaves out as well. */
#include <linux/falloc.h>
#include <sys/types.h>
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);

#endif
