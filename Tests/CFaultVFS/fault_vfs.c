#include "fault_vfs.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *system;
  // Connections of one upgrade may work on threads of their own.
  atomic_long count, at, sleeps;
  int calls, kind, is_final;
  pthread_mutex_t lock;
  int is_recording;
  fault_record *records;
  long record_count, record_capacity, opened;
  void (*when_unlocked)(void *);
  void *unlocked_context;
};

typedef struct {
  sqlite3_file base;
  fault_vfs *vfs;
  sqlite3_file *file;
  long number;
  int makes_entry;
} fault_file;

static int is_struck_by(fault_vfs *vfs, long count) {
  long at = vfs->at;
  if (at == 0) return 0;
  return vfs->is_final ? count >= at : count == at;
}

/// The number of this call if it fails, else 0.
static long fails(fault_vfs *vfs, int call) {
  if (!(vfs->calls & call)) return 0;
  long count = atomic_fetch_add(&vfs->count, 1) + 1;
  return is_struck_by(vfs, count) ? count : 0;
}

static void *copy_of(const void *bytes, long count) {
  void *copy = malloc(count > 0 ? count : 1);
  if (copy && count > 0) memcpy(copy, bytes, count);
  return copy;
}

static void record(fault_vfs *vfs, int kind, long file, const char *name, const char *other,
                   sqlite3_int64 offset, const void *bytes, long count) {
  pthread_mutex_lock(&vfs->lock);
  if (vfs->is_recording) {
    if (vfs->record_count == vfs->record_capacity) {
      long capacity = vfs->record_capacity ? 2 * vfs->record_capacity : 256;
      fault_record *grown = realloc(vfs->records, capacity * sizeof *grown);
      if (!grown) abort();
      vfs->records = grown;
      vfs->record_capacity = capacity;
    }
    fault_record *added = &vfs->records[vfs->record_count++];
    memset(added, 0, sizeof *added);
    added->kind = kind;
    added->file = file;
    added->name = name ? strdup(name) : 0;
    added->other = other ? strdup(other) : 0;
    added->offset = offset;
    added->count = count;
    added->bytes = bytes ? copy_of(bytes, count) : 0;
  }
  pthread_mutex_unlock(&vfs->lock);
}

static int full_or(fault_vfs *vfs, int code) {
  return vfs->kind == FAULT_DISK_FULL ? SQLITE_FULL : code;
}

#define FILE_OF(f) ((fault_file *)(f))
#define INNER(f) (FILE_OF(f)->file)

static int file_close(sqlite3_file *f) {
  int code = INNER(f)->pMethods ? INNER(f)->pMethods->xClose(INNER(f)) : SQLITE_OK;
  sqlite3_free(INNER(f));
  return code;
}

static int file_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
  if (fails(FILE_OF(f)->vfs, FAULT_READ)) return SQLITE_IOERR_READ;
  return INNER(f)->pMethods->xRead(INNER(f), bytes, count, offset);
}

static int file_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
  fault_vfs *vfs = FILE_OF(f)->vfs;
  long call = fails(vfs, FAULT_WRITE);
  if (call) {
    // What was written before the failure stands in the file; a process that is gone writes no more.
    if (vfs->kind == FAULT_SHORT_WRITE && call == vfs->at)
      INNER(f)->pMethods->xWrite(INNER(f), bytes, count / 2, offset);
    errno = vfs->kind == FAULT_QUOTA ? EDQUOT : EIO;
    return full_or(vfs, SQLITE_IOERR_WRITE);
  }
  int code = INNER(f)->pMethods->xWrite(INNER(f), bytes, count, offset);
  if (code == SQLITE_OK)
    record(vfs, FAULT_RECORD_WRITE, FILE_OF(f)->number, 0, 0, offset, bytes, count);
  return code;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
  fault_vfs *vfs = FILE_OF(f)->vfs;
  if (fails(vfs, FAULT_TRUNCATE)) return SQLITE_IOERR_TRUNCATE;
  int code = INNER(f)->pMethods->xTruncate(INNER(f), size);
  if (code == SQLITE_OK)
    record(vfs, FAULT_RECORD_TRUNCATE, FILE_OF(f)->number, 0, 0, size, 0, 0);
  return code;
}

static int file_sync(sqlite3_file *f, int flags) {
  fault_vfs *vfs = FILE_OF(f)->vfs;
  if (fails(vfs, FAULT_SYNC)) return full_or(vfs, SQLITE_IOERR_FSYNC);
  int code = INNER(f)->pMethods->xSync(INNER(f), flags);
  if (code == SQLITE_OK) {
    // As SQLite's own VFS does: the folder of a new log or journal is made durable with its first sync.
    record(vfs, FAULT_RECORD_SYNC, FILE_OF(f)->number, 0, 0, FILE_OF(f)->makes_entry, 0, 0);
    FILE_OF(f)->makes_entry = 0;
  }
  return code;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
  if (fails(FILE_OF(f)->vfs, FAULT_SIZE)) return SQLITE_IOERR_FSTAT;
  return INNER(f)->pMethods->xFileSize(INNER(f), size);
}
static int file_lock(sqlite3_file *f, int level) {
  if (fails(FILE_OF(f)->vfs, FAULT_LOCK)) return SQLITE_IOERR_LOCK;
  return INNER(f)->pMethods->xLock(INNER(f), level);
}
static int file_unlock(sqlite3_file *f, int level) {
  return INNER(f)->pMethods->xUnlock(INNER(f), level);
}
static int file_check_lock(sqlite3_file *f, int *result) {
  return INNER(f)->pMethods->xCheckReservedLock(INNER(f), result);
}
static int file_control(sqlite3_file *f, int op, void *argument) {
  return INNER(f)->pMethods->xFileControl(INNER(f), op, argument);
}
static int file_sector(sqlite3_file *f) { return INNER(f)->pMethods->xSectorSize(INNER(f)); }
static int file_device(sqlite3_file *f) {
  return INNER(f)->pMethods->xDeviceCharacteristics(INNER(f));
}
static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **address) {
  if (fails(FILE_OF(f)->vfs, FAULT_MAP)) return SQLITE_IOERR_SHMMAP;
  return INNER(f)->pMethods->xShmMap(INNER(f), page, size, extend, address);
}
static int shm_lock(sqlite3_file *f, int offset, int n, int flags) {
  fault_vfs *vfs = FILE_OF(f)->vfs;
  // Letting go never fails.
  if ((flags & SQLITE_SHM_LOCK) && fails(vfs, FAULT_LOCK)) return SQLITE_IOERR_SHMLOCK;
  int code = INNER(f)->pMethods->xShmLock(INNER(f), offset, n, flags);
  // The first one is the writer's, <https://www.sqlite.org/walformat.html#wal_locks>.
  if (offset == 0 && (flags & SQLITE_SHM_UNLOCK) && (flags & SQLITE_SHM_EXCLUSIVE)) {
    void (*body)(void *) = vfs->when_unlocked;
    vfs->when_unlocked = 0;
    if (body) body(vfs->unlocked_context);
  }
  return code;
}
static void shm_barrier(sqlite3_file *f) { INNER(f)->pMethods->xShmBarrier(INNER(f)); }
static int shm_unmap(sqlite3_file *f, int delete_flag) {
  fault_vfs *vfs = FILE_OF(f)->vfs;
  // A process that is gone leaves its files behind.
  int is_dead = vfs->is_final && is_struck_by(vfs, vfs->count);
  return INNER(f)->pMethods->xShmUnmap(INNER(f), is_dead ? 0 : delete_flag);
}

static const sqlite3_io_methods methods = {
    2,          file_close,      file_read,    file_write,  file_truncate,
    file_sync,  file_size,       file_lock,    file_unlock, file_check_lock,
    file_control, file_sector,   file_device,  shm_map,     shm_lock,
    shm_barrier, shm_unmap,      0,            0};

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
  fault_vfs *vfs = (fault_vfs *)v;
  f->pMethods = 0;
  if (fails(vfs, FAULT_OPEN)) return SQLITE_CANTOPEN;
  sqlite3_file *inner = sqlite3_malloc(vfs->system->szOsFile);
  if (!inner) return SQLITE_NOMEM;
  memset(inner, 0, vfs->system->szOsFile);
  int code = vfs->system->xOpen(vfs->system, name, inner, flags, out);
  if (code != SQLITE_OK) {
    sqlite3_free(inner);
    return code;
  }
  FILE_OF(f)->vfs = vfs;
  FILE_OF(f)->file = inner;
  FILE_OF(f)->makes_entry =
      (flags & SQLITE_OPEN_CREATE) && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL));
  pthread_mutex_lock(&vfs->lock);
  FILE_OF(f)->number = name ? ++vfs->opened : 0;
  pthread_mutex_unlock(&vfs->lock);
  if (name) record(vfs, FAULT_RECORD_OPEN, FILE_OF(f)->number, name, 0, 0, 0, 0);
  f->pMethods = &methods;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync) {
  fault_vfs *vfs = (fault_vfs *)v;
  if (fails(vfs, FAULT_DELETE)) return SQLITE_IOERR_DELETE;
  int code = vfs->system->xDelete(vfs->system, name, sync);
  if (code == SQLITE_OK) record(vfs, FAULT_RECORD_REMOVE, 0, name, 0, sync, 0, 0);
  return code;
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *result) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
  if (fails((fault_vfs *)v, FAULT_SIZE)) return SQLITE_IOERR_ACCESS;
  return s->xAccess(s, name, flags, result);
}
static int vfs_full(sqlite3_vfs *v, const char *name, int count, char *result) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
  return s->xFullPathname(s, name, count, result);
}
static int vfs_random(sqlite3_vfs *v, int count, char *bytes) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
  return s->xRandomness(s, count, bytes);
}
static int vfs_sleep(sqlite3_vfs *v, int microseconds) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
  ((fault_vfs *)v)->sleeps++;
  return s->xSleep(s, microseconds);
}
static int vfs_time(sqlite3_vfs *v, double *now) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
  return s->xCurrentTime(s, now);
}
static int vfs_error(sqlite3_vfs *v, int count, char *text) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
  return s->xGetLastError ? s->xGetLastError(s, count, text) : 0;
}

fault_vfs *fault_vfs_create(const char *name) {
  sqlite3_initialize();
  fault_vfs *vfs = calloc(1, sizeof *vfs);
  if (!vfs) return 0;
  pthread_mutex_init(&vfs->lock, 0);
  vfs->system = sqlite3_vfs_find(0);
  vfs->base.iVersion = 1;
  vfs->base.szOsFile = sizeof(fault_file);
  vfs->base.mxPathname = vfs->system->mxPathname;
  vfs->base.zName = strdup(name);
  vfs->base.xOpen = vfs_open;
  vfs->base.xDelete = vfs_delete;
  vfs->base.xAccess = vfs_access;
  vfs->base.xFullPathname = vfs_full;
  vfs->base.xRandomness = vfs_random;
  vfs->base.xSleep = vfs_sleep;
  vfs->base.xCurrentTime = vfs_time;
  vfs->base.xGetLastError = vfs_error;
  sqlite3_vfs_register(&vfs->base, 0);
  return vfs;
}

void fault_vfs_arm(fault_vfs *vfs, long at, int calls, int kind, int is_final) {
  vfs->calls = calls;
  vfs->kind = kind;
  vfs->is_final = is_final;
  vfs->count = 0;
  vfs->at = at;
}

long fault_vfs_count(const fault_vfs *vfs) { return vfs->count; }

long fault_vfs_sleeps(const fault_vfs *vfs) { return vfs->sleeps; }

void fault_vfs_when_unlocked(fault_vfs *vfs, void (*body)(void *), void *context) {
  vfs->unlocked_context = context;
  vfs->when_unlocked = body;
}

void fault_vfs_record(fault_vfs *vfs, int is_recording) {
  pthread_mutex_lock(&vfs->lock);
  if (is_recording) {
    for (long i = 0; i < vfs->record_count; i++) {
      free((void *)vfs->records[i].name);
      free((void *)vfs->records[i].other);
      free((void *)vfs->records[i].bytes);
    }
    vfs->record_count = 0;
  }
  vfs->is_recording = is_recording;
  pthread_mutex_unlock(&vfs->lock);
}

void fault_vfs_note(fault_vfs *vfs, int kind, const char *name, const char *other,
                    const void *bytes, long count) {
  record(vfs, kind, 0, name, other, 0, bytes, count);
}

long fault_vfs_record_count(const fault_vfs *vfs) { return vfs->record_count; }

fault_record fault_vfs_record_at(const fault_vfs *vfs, long index) { return vfs->records[index]; }
