/// The rows that observers of one record of changes find to have changed, by links too: the first one asks the database, the others take its answer.
final class SharedRows {
  /// The number of the newest change, for which the rows hold.
  private var moment: UInt64 = 0
  private var rows: [Int: RowSet] = [:]

  /// - Parameters:
  ///   - model: whose rows they are.
  ///   - moment: the number of the newest change of the store: an observer that was told before may have written.
  func rows(of model: Int, at moment: UInt64, find: () throws -> RowSet) rethrows -> RowSet {
    if self.moment != moment {
      self.moment = moment
      rows = [:]
    } else if let known = rows[model] {
      return known
    }
    let found = try find()
    rows[model] = found
    return found
  }
}
