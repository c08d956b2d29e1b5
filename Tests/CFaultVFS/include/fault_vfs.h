#ifndef FAULT_VFS_H
#define FAULT_VFS_H

/// A SQLite VFS for tests that passes everything on to the system's and lets one call fail, or every call from one on, as if the
/// process had been killed there. It can keep a record of what changes files, so that a loss of power can be played afterwards.
typedef struct fault_vfs fault_vfs;

/// The calls that can fail.
enum {
  FAULT_OPEN = 1 << 0,
  FAULT_READ = 1 << 1,
  FAULT_WRITE = 1 << 2,
  FAULT_TRUNCATE = 1 << 3,
  FAULT_SYNC = 1 << 4,
  FAULT_DELETE = 1 << 5,
  FAULT_ALL = (1 << 6) - 1,
  /// Asking for a file's size, and whether it exists.
  FAULT_SIZE = 1 << 6,
  FAULT_LOCK = 1 << 7,
  /// Mapping the index of a log into memory.
  FAULT_MAP = 1 << 8,
};

/// How a call fails.
enum {
  /// With SQLite's I/O error for it.
  FAULT_IO_ERROR = 0,
  /// With SQLITE_FULL, where it writes.
  FAULT_DISK_FULL = 1,
  /// A write that has written half of its bytes.
  FAULT_SHORT_WRITE = 2,
  /// With SQLite's I/O error, where the system says that the user's share of the disk is full.
  FAULT_QUOTA = 3,
};

/// Registers a VFS of this name; it is kept for the life of the process.
fault_vfs *fault_vfs_create(const char *name);

/// The n-th call (from 1) of the chosen kinds fails; 0 lets none fail. With `is_final`, all calls after it fail as well.
void fault_vfs_arm(fault_vfs *vfs, long at, int calls, int kind, int is_final);

/// How many calls of the armed kinds there have been since the VFS was armed.
long fault_vfs_count(const fault_vfs *vfs);

/// How often SQLite has waited for somebody else.
long fault_vfs_sleeps(const fault_vfs *vfs);

/// Calls `body` once, the next time that a connection lets go of the lock under which a log is written.
void fault_vfs_when_unlocked(fault_vfs *vfs, void (*body)(void *), void *context);

/// What a record says.
enum {
  /// `name` was opened, or made, as the file of the number `file`.
  FAULT_RECORD_OPEN,
  /// `bytes` were written to `file` at `offset`.
  FAULT_RECORD_WRITE,
  /// `file` got `offset` bytes long.
  FAULT_RECORD_TRUNCATE,
  /// `file` was made durable; its folder as well if `offset` is not 0.
  FAULT_RECORD_SYNC,
  /// `name` was removed, and its folder made durable if `offset` is not 0.
  FAULT_RECORD_REMOVE,
  /// `name` was written anew and holds `bytes` alone.
  FAULT_RECORD_REPLACE,
  /// `name` is called `other` from here on.
  FAULT_RECORD_RENAME,
  /// The file, or the entries of the folder, `name` were made durable.
  FAULT_RECORD_SYNC_PATH,
};

/// One change of files, or what made changes durable. What it points to lives until the recording begins anew.
typedef struct {
  int kind;
  long file;
  const char *name;
  const char *other;
  long long offset;
  long count;
  const void *bytes;
} fault_record;

/// Begins a record anew, or ends it.
void fault_vfs_record(fault_vfs *vfs, int is_recording);

/// Records what was done to a file beside SQLite.
void fault_vfs_note(fault_vfs *vfs, int kind, const char *name, const char *other,
                    const void *bytes, long count);

long fault_vfs_record_count(const fault_vfs *vfs);
fault_record fault_vfs_record_at(const fault_vfs *vfs, long index);

#endif
