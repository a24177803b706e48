#ifndef LARDER_BENCH_CRAWLMDB_SHIM_H
#define LARDER_BENCH_CRAWLMDB_SHIM_H

#include <lmdb.h>

#endif
