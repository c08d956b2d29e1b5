/// Why a Realm file cannot be read, and where in it.
package struct RealmError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, without the file's name.
  package let problem: String
  /// The byte of the decrypted file that it is about; nil where the file as a whole is meant.
  package let offset: Int?

  package init(_ problem: String, at offset: Int? = nil) {
    self.problem = problem
    self.offset = offset
  }

  package var description: String { offset.map { "\(problem) (byte \($0))" } ?? problem }
}
