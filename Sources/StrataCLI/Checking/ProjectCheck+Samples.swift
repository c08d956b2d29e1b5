import StrataEvolution
import StrataProject
import StrataSource

extension ProjectCheck {
  /// As `examine`, with what a folder of real files holds.
  ///
  /// - Parameter folder: nil counts in nothing.
  /// - Throws: what reading the folder throws.
  static func examine(
    _ files: ProjectFiles, against: Against?, samplesIn folder: SampleFolder?
  ) throws -> (findings: Diagnostics, input: CheckInput?) {
    var failure: (any Error)?
    let result = examine(
      files, against: against,
      samples: folder.map { folder in
        { input in
          do {
            return try folder.samples(for: input)
          } catch {
            failure = error
            return []
          }
        }
      })
    if let failure { throw failure }
    return result
  }
}
