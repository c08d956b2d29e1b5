#ifndef FAULT_VFS_H
#define FAULT_VFS_H

/// A SQLite VFS for tests that passes everything on to the system's and lets one call fail, or every call from one on, as if the
/// process had been killed there.
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
};

/// How a call fails.
enum {
  /// With SQLite's I/O error for it.
  FAULT_IO_ERROR = 0,
  /// With SQLITE_FULL, where it writes.
  FAULT_DISK_FULL = 1,
  /// A write that has written half of its bytes.
  FAULT_SHORT_WRITE = 2,
};

/// Registers a VFS of this name; it is kept for the life of the process.
fault_vfs *fault_vfs_create(const char *name);

/// The n-th call (from 1) of the chosen kinds fails; 0 lets none fail. With `is_final`, all calls after it fail as well.
void fault_vfs_arm(fault_vfs *vfs, long at, int calls, int kind, int is_final);

/// How many calls of the armed kinds there have been since the VFS was armed.
long fault_vfs_count(const fault_vfs *vfs);

#endif
