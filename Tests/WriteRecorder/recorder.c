#define _GNU_SOURCE
#include "WriteRecorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Every call goes to the kernel directly: a look-up of the C library's function could itself call one of these. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static char directory[PATH_MAX];

static int is_recording(void) { return __atomic_load_n(&log_file, __ATOMIC_ACQUIRE) >= 0; }

static void record(uint32_t kind, const char *name, uint64_t offset, const void *bytes, uint64_t length) {
    struct write_recorder_header header = {kind, (uint32_t)strlen(name), offset, length};
    struct iovec parts[3] = {
        {&header, sizeof header}, {(void *)name, header.name_length}, {(void *)bytes, bytes ? length : 0}};
    long expected = (long)(parts[0].iov_len + parts[1].iov_len + parts[2].iov_len);
    /* A log with a gap would prove anything: better no process than a wrong proof. */
    if (syscall(SYS_writev, log_file, parts, 3) != expected) abort();
}

/* What follows the directory in a path inside it, "." for the directory itself, or NULL for anything else. */
static const char *name_inside(const char *path) {
    size_t length = strlen(directory);
    if (strncmp(path, directory, length) != 0) return NULL;
    if (path[length] == 0) return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

static const char *name_of_descriptor(int file, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    return name_inside(path);
}

/* As above, for a path that need not exist; its folder must. */
static const char *name_of_path(int folder, const char *path, char resolved[PATH_MAX]) {
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash) {
        snprintf(parent, sizeof parent, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    } else {
        strcpy(parent, ".");
    }
    int opened = (int)syscall(SYS_openat, folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (opened < 0) return NULL;
    char place[PATH_MAX];
    const char *inside = name_of_descriptor(opened, place);
    syscall(SYS_close, opened);
    if (!inside) return NULL;
    const char *name = slash ? slash + 1 : path;
    if (strcmp(inside, ".") == 0) {
        snprintf(resolved, PATH_MAX, "%s", name);
    } else {
        snprintf(resolved, PATH_MAX, "%.2000s/%.1000s", inside, name);
    }
    return resolved;
}

int write_recorder_start(const char *path, const char *log) {
    snprintf(directory, sizeof directory, "%s", path);
    int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    __atomic_store_n(&log_file, file, __ATOMIC_RELEASE);
    return 0;
}

void write_recorder_mark(uint64_t number) {
    if (!is_recording()) return;
    pthread_mutex_lock(&lock);
    record(WRITE_RECORDER_MARK, "", number, NULL, 0);
    pthread_mutex_unlock(&lock);
}

/* Writing: the lock is held around the call, so that the log has the order of the effects. */

static int writes_through(int file) {
    int flags = fcntl(file, F_GETFL);
    return flags >= 0 && (flags & O_DSYNC) != 0;
}

static void record_bytes(int file, const char *name, uint64_t offset, const struct iovec *parts, int count, ssize_t written) {
    uint32_t kind = writes_through(file) ? WRITE_RECORDER_DURABLE_WRITE : WRITE_RECORDER_WRITE;
    for (int index = 0; index < count && written > 0; index++) {
        size_t length = parts[index].iov_len < (size_t)written ? parts[index].iov_len : (size_t)written;
        record(kind, name, offset, parts[index].iov_base, length);
        offset += length;
        written -= (ssize_t)length;
    }
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    char path[PATH_MAX];
    const char *name = is_recording() ? name_of_descriptor(file, path) : NULL;
    if (!name) return syscall(SYS_pwritev, file, parts, count, offset, 0L);
    pthread_mutex_lock(&lock);
    ssize_t written = syscall(SYS_pwritev, file, parts, count, offset, 0L);
    int code = errno;
    record_bytes(file, name, (uint64_t)offset, parts, count, written);
    pthread_mutex_unlock(&lock);
    errno = code;
    return written;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    const char *name = is_recording() ? name_of_descriptor(file, path) : NULL;
    if (!name) return syscall(SYS_writev, file, parts, count);
    pthread_mutex_lock(&lock);
    off_t offset = lseek(file, 0, SEEK_CUR);
    ssize_t written = syscall(SYS_writev, file, parts, count);
    int code = errno;
    record_bytes(file, name, (uint64_t)offset, parts, count, written);
    pthread_mutex_unlock(&lock);
    errno = code;
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    if (!is_recording()) return syscall(SYS_pwrite64, file, bytes, length, offset);
    struct iovec part = {(void *)bytes, length};
    return pwritev(file, &part, 1, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
    if (!is_recording()) return syscall(SYS_write, file, bytes, length);
    struct iovec part = {(void *)bytes, length};
    return writev(file, &part, 1);
}

int ftruncate(int file, off_t length) {
    char path[PATH_MAX];
    const char *name = is_recording() ? name_of_descriptor(file, path) : NULL;
    if (!name) return (int)syscall(SYS_ftruncate, file, length);
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_ftruncate, file, length);
    int code = errno;
    if (result == 0) record(WRITE_RECORDER_TRUNCATE, name, (uint64_t)length, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

int fallocate(int file, int mode, off_t offset, off_t length) {
    char path[PATH_MAX];
    const char *name = is_recording() ? name_of_descriptor(file, path) : NULL;
    if (!name) return (int)syscall(SYS_fallocate, file, mode, offset, length);
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_fallocate, file, mode, offset, length);
    int code = errno;
    if (result == 0 && (mode & FALLOC_FL_PUNCH_HOLE)) {
        record(WRITE_RECORDER_PUNCH, name, (uint64_t)offset, NULL, (uint64_t)length);
    }
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

/* Syncing: no lock during the call, for other threads write meanwhile; only what came before its beginning is safe. */

static int sync_recorded(long call, int file) {
    char path[PATH_MAX];
    const char *name = is_recording() ? name_of_descriptor(file, path) : NULL;
    if (!name) return (int)syscall(call, file);
    pthread_mutex_lock(&lock);
    record(WRITE_RECORDER_SYNC_BEGIN, name, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    int result = (int)syscall(call, file);
    int code = errno;
    if (result == 0) {
        pthread_mutex_lock(&lock);
        record(WRITE_RECORDER_SYNC_END, name, 0, NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    errno = code;
    return result;
}

int fsync(int file) { return sync_recorded(SYS_fsync, file); }

int fdatasync(int file) { return sync_recorded(SYS_fdatasync, file); }

/* Names. */

int openat(int folder, const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (!is_recording() || !(flags & (O_CREAT | O_TRUNC))) {
        return (int)syscall(SYS_openat, folder, path, flags, mode);
    }
    pthread_mutex_lock(&lock);
    char resolved[PATH_MAX];
    const char *name = name_of_path(folder, path, resolved);
    int existed = syscall(SYS_faccessat, folder, path, F_OK) == 0;
    int file = (int)syscall(SYS_openat, folder, path, flags, mode);
    int code = errno;
    if (file >= 0 && name) {
        if (!existed) {
            record(WRITE_RECORDER_CREATE, name, 0, NULL, 0);
        } else if (flags & O_TRUNC) {
            record(WRITE_RECORDER_TRUNCATE, name, 0, NULL, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    errno = code;
    return file;
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return openat(AT_FDCWD, path, flags, mode);
}

int renameat(int old_folder, const char *old_path, int new_folder, const char *new_path) {
    if (!is_recording()) return (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, 0);
    pthread_mutex_lock(&lock);
    char old_resolved[PATH_MAX], new_resolved[PATH_MAX];
    const char *old_name = name_of_path(old_folder, old_path, old_resolved);
    const char *new_name = name_of_path(new_folder, new_path, new_resolved);
    int result = (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, 0);
    int code = errno;
    if (result == 0 && old_name) {
        if (new_name) {
            record(WRITE_RECORDER_RENAME, old_name, 0, new_name, strlen(new_name));
        } else {
            record(WRITE_RECORDER_UNLINK, old_name, 0, NULL, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

int rename(const char *old_path, const char *new_path) { return renameat(AT_FDCWD, old_path, AT_FDCWD, new_path); }

int unlinkat(int folder, const char *path, int flags) {
    if (!is_recording()) return (int)syscall(SYS_unlinkat, folder, path, flags);
    pthread_mutex_lock(&lock);
    char resolved[PATH_MAX];
    const char *name = name_of_path(folder, path, resolved);
    int result = (int)syscall(SYS_unlinkat, folder, path, flags);
    int code = errno;
    if (result == 0 && name) record(WRITE_RECORDER_UNLINK, name, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = code;
    return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
