#if Encryption
  import StrataCipher
#endif

/// The ciphers that the package's trait `Encryption` brings. An executable that has them without the trait, as `strata`, installs them by itself.
package enum BuiltInCiphers {
  /// Lets files be opened with keys in this process, where the trait was asked for.
  package static func install() {
    #if Encryption
      PageCiphers.install()
    #endif
  }
}
