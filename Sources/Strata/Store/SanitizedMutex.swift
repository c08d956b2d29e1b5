#if STRATA_THREAD_SANITIZER
  import StrataSQLite

  typealias Mutex = SanitizedMutex
#endif
