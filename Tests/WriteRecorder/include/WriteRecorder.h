#ifndef LARDER_WRITE_RECORDER_H
#define LARDER_WRITE_RECORDER_H

#include <stdint.h>

/* Records what a process does to the files of one directory: every write, sync, creation, renaming and removal, in order.
 *
 * The definitions of write() and its kin in this target stand before the C library's for the whole program, shared
 * libraries included, so LMDB's own writes are seen. Without a recording they only pass on.
 */

enum write_recorder_kind {
    WRITE_RECORDER_CREATE = 1,
    WRITE_RECORDER_TRUNCATE,
    WRITE_RECORDER_WRITE,
    WRITE_RECORDER_DURABLE_WRITE,
    WRITE_RECORDER_PUNCH,
    WRITE_RECORDER_SYNC_BEGIN,
    WRITE_RECORDER_SYNC_END,
    WRITE_RECORDER_RENAME,
    WRITE_RECORDER_UNLINK,
    WRITE_RECORDER_MARK,
};

/* What stands in front of each event's name and bytes in the log. */
struct write_recorder_header {
    uint32_t kind;
    uint32_t name_length;
    uint64_t offset; /* of a write or hole; the size after a truncation; the number of a mark */
    uint64_t length; /* of the bytes that follow the name; of a hole, which no bytes follow */
};

/* Begins to record what happens in `directory`, an absolute path without links, into the new file `log`.
 * Returns zero, or an errno value. */
int write_recorder_start(const char *directory, const char *log);

/* Puts a number of the program's own into the log. */
void write_recorder_mark(uint64_t number);

#endif
