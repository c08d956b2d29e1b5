import CSQLite

/// The process's heap, as far as it is kept or given back.
package enum Heap {
  /// Bytes of a block that glibc takes from the system by itself until one as large was freed.
  private static let size: UInt64 = 1 << 20

  /// Lets glibc keep 2 MB that are free at the end of the heap; done once in a process, for which it is to be looked at.
  ///
  /// Else it gives them back as soon as 128 KB are free, and takes them again with the next allocation. SQLite has a table of its
  /// own for a statement that deletes links, 88 KB: where it happens to be the last of the heap, each deletion took 25 µs instead of 10.
  /// A large block that is freed says that such sizes come and go, <https://man7.org/linux/man-pages/man3/mallopt.3.html>
  /// (`M_MMAP_THRESHOLD`, dynamic). Other allocators do not care.
  package static let isEndKept: Bool = {
    // SQLite's functions, because the compiler leaves out its own where the block is not used.
    guard let block = sqlite3_malloc64(size) else { return false }
    sqlite3_free(block)
    return true
  }()

  /// Gives what is free between other blocks back to the system; by glibc, which would keep it. For where much was freed that will not
  /// be taken again as it was: it looks at the whole heap.
  static func giveFreeBack() { strata_give_free_memory_back() }
}
