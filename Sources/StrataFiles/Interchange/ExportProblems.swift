import Strata

/// What keeps the lines of an export from being all that the file has, or from being imported: told when all of them are written.
struct ExportProblems {
  /// An object of which a line is written, with the embedded ones in it.
  struct Place {
    let model: String
    let identity: Int64
  }

  /// The first link that leads to no object, and how many do.
  private var dangling: (holder: Place, property: String, target: Place)?
  private var danglingCount = 0
  /// The first object with a required link that leads to none, and how many have one.
  private var incomplete: Place?
  private var incompleteCount = 0
  /// The first object whose line is longer than an import takes.
  private var tooLong: (place: Place, bytes: Int)?

  mutating func add(linkOf holder: Place, _ property: String, to target: Place) {
    danglingCount += 1
    if dangling == nil { dangling = (holder, property, target) }
  }

  /// - Parameter place: an object in whose line a required link is null.
  mutating func add(incomplete place: Place) {
    incompleteCount += 1
    if incomplete == nil { incomplete = place }
  }

  mutating func add(tooLong place: Place, bytes: Int) {
    if tooLong == nil { tooLong = (place, bytes) }
  }

  /// What is said of a file; nil where its lines are all that it has.
  ///
  /// - Parameter longestLine: bytes of a line that an import takes.
  func error(_ path: String, longestLine: Int) -> MigrationError? {
    let length = tooLong.map { place, bytes in
      """
      The line of \(place.model) _row \(place.identity) has \(bytes) bytes, and 'import' takes lines of at most \(longestLine). \
      All lines were written, but these cannot be imported again; a copy of the file keeps everything.
      """
    }
    guard let (holder, property, target) = dangling else {
      return tooLong.flatMap { problem in
        length.map {
          MigrationError(
            .inputOutput, $0, model: problem.place.model, identity: problem.place.identity)
        }
      }
    }
    let others = danglingCount - 1
    let rest =
      others == 0 ? [] : ["\(others) more link\(others == 1 ? " leads" : "s lead") to none."]
    let sentences =
      [
        "\(path) is damaged: \(holder.model) _row \(holder.identity): \(property) leads to \(target.model) _row \(target.identity), which is not there."
      ] + rest
      + [
        "All lines were written, without what leads nowhere: a link is null, and an element is left out."
      ] + [refusal].compactMap(\.self)
      + ["`strata inspect --check` names what is damaged, and setting a link mends it."]
      + [length].compactMap(\.self)
    return MigrationError(
      .fileDamaged, sentences.joined(separator: " "), model: holder.model,
      identity: holder.identity)
  }

  /// What an import says of links that have to be there.
  private var refusal: String? {
    incomplete.map { first in
      let object = "\(first.model) with $id \(first.identity)"
      return incompleteCount == 1
        ? "'import' refuses these lines until the required link of \(object) is given."
        : "'import' refuses these lines until the required links of \(incompleteCount) objects are given, the first of them \(object)."
    }
  }
}
