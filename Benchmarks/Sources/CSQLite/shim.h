#ifndef LARDER_BENCH_CSQLITE_SHIM_H
#define LARDER_BENCH_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
