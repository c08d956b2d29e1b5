#include <sqlite3.h>

// What Swift cannot call: functions with a variable number of arguments.

static inline int strata_sqlite3_db_config_switch(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

static inline int strata_sqlite3_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#ifdef __linux__
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

// A rename that replaces nothing (RENAME_NOREPLACE, renameat2(2)), which neither C library shows to Swift.
static inline int strata_rename_to_new(const char *path, const char *target) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, 1u);
}

// The process's first thread has its number.
static inline int strata_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }
#endif

#ifdef __GLIBC__
#include <malloc.h>

// Not among what Swift sees of glibc.
static inline void strata_give_free_memory_back(void) { malloc_trim(0); }
#else
static inline void strata_give_free_memory_back(void) {}
#endif
