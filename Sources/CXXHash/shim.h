#ifndef LARDER_CXXHASH_SHIM_H
#define LARDER_CXXHASH_SHIM_H

#include <xxhash.h>

#endif
