#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct fault_vfs {
  sqlite3_vfs base;
  sqlite3_vfs *system;
  long count, at;
  int calls, kind, is_final;
};

typedef struct {
  sqlite3_file base;
  fault_vfs *vfs;
  sqlite3_file *file;
} fault_file;

static int fails(fault_vfs *vfs, int call) {
  if (!(vfs->calls & call)) return 0;
  vfs->count++;
  if (vfs->at == 0) return 0;
  return vfs->is_final ? vfs->count >= vfs->at : vfs->count == vfs->at;
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
  if (fails(vfs, FAULT_WRITE)) {
    // What was written before the failure stands in the file; a process that is gone writes no more.
    if (vfs->kind == FAULT_SHORT_WRITE && vfs->count == vfs->at)
      INNER(f)->pMethods->xWrite(INNER(f), bytes, count / 2, offset);
    return full_or(vfs, SQLITE_IOERR_WRITE);
  }
  return INNER(f)->pMethods->xWrite(INNER(f), bytes, count, offset);
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
  if (fails(FILE_OF(f)->vfs, FAULT_TRUNCATE)) return SQLITE_IOERR_TRUNCATE;
  return INNER(f)->pMethods->xTruncate(INNER(f), size);
}

static int file_sync(sqlite3_file *f, int flags) {
  if (fails(FILE_OF(f)->vfs, FAULT_SYNC)) return full_or(FILE_OF(f)->vfs, SQLITE_IOERR_FSYNC);
  return INNER(f)->pMethods->xSync(INNER(f), flags);
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
  return INNER(f)->pMethods->xFileSize(INNER(f), size);
}
static int file_lock(sqlite3_file *f, int level) {
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
  return INNER(f)->pMethods->xShmMap(INNER(f), page, size, extend, address);
}
static int shm_lock(sqlite3_file *f, int offset, int n, int flags) {
  return INNER(f)->pMethods->xShmLock(INNER(f), offset, n, flags);
}
static void shm_barrier(sqlite3_file *f) { INNER(f)->pMethods->xShmBarrier(INNER(f)); }
static int shm_unmap(sqlite3_file *f, int delete_flag) {
  fault_vfs *vfs = FILE_OF(f)->vfs;
  // A process that is gone leaves its files behind.
  int is_dead = vfs->is_final && vfs->at && vfs->count >= vfs->at;
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
  f->pMethods = &methods;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync) {
  fault_vfs *vfs = (fault_vfs *)v;
  if (fails(vfs, FAULT_DELETE)) return SQLITE_IOERR_DELETE;
  return vfs->system->xDelete(vfs->system, name, sync);
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *result) {
  sqlite3_vfs *s = ((fault_vfs *)v)->system;
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
  vfs->count = 0;
  vfs->at = at;
  vfs->calls = calls;
  vfs->kind = kind;
  vfs->is_final = is_final;
}

long fault_vfs_count(const fault_vfs *vfs) { return vfs->count; }
