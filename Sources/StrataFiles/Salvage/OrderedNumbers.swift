import StrataSQLite

/// The numbers of a query's rows, read ahead of the rows to tell which of them stand in their order.
final class OrderedNumbers {
  /// What a step comes to.
  enum Step: Equatable {
    case row(Int64)
    case end
    case damage
  }

  /// More rows than two pages have: a page in the place of another one is the smaller part.
  private static let maximumAhead = 2048
  /// Numbers that step back together: rather the ones before are out of their order.
  private static let leastBack = 64

  private let isSound: (Statement) -> Bool
  private let begin: (_ first: Int64) throws -> Statement
  private let statement: Statement
  /// One less than the first number that is looked for.
  private let floor: Int64
  /// The last number that is in order.
  private var last: Int64
  private var numbers: [Int64] = []
  private var isInOrder: [Bool] = []
  /// The place in `numbers` of the one that is next, and of the first of which it is not yet told whether it is in order.
  private var (next, end) = (0, 0)
  private var hasEnded = false

  private var isDamaged = false

  /// Whether all numbers are read, and damage is what ends them.
  var isAtDamage: Bool { isDamaged && next == numbers.count }

  /// - Parameters:
  ///   - first: the lowest number that is looked for.
  ///   - begin: a query for the rows from a number on, with the number as its first column.
  init(
    from first: Int64, isSound: @escaping (Statement) -> Bool,
    _ begin: @escaping (_ first: Int64) throws -> Statement
  ) throws {
    self.isSound = isSound
    self.begin = begin
    floor = first - 1
    last = first - 1
    statement = try begin(first)
  }

  /// The number of the next row, and whether that is in order; nil where no further one can be read.
  func read() throws -> (number: Int64, isInOrder: Bool)? {
    if next == end { try readAhead() }
    guard next < end else { return nil }
    defer { next += 1 }
    return (numbers[next], isInOrder[next])
  }

  private func readAhead() throws {
    numbers.removeFirst(next)
    next = 0
    while !hasEnded, numbers.count < Self.maximumAhead {
      switch try step(statement) {
      case .row(let number): numbers.append(number)
      case .end: hasEnded = true
      case .damage: (hasEnded, isDamaged) = (true, true)
      }
    }
    let back = numbers.count { $0 > floor && $0 <= last }
    if back >= Self.leastBack, 2 * back > numbers.count { last = floor }
    isInOrder = RowOrder.inOrder(numbers, above: last)
    // No row behind says of the last ones that they are too high.
    while isDamaged, let place = isInOrder.lastIndex(of: true) {
      let following = place + 1 < numbers.count ? Step.row(numbers[place + 1]) : .damage
      if try stands(numbers[place], before: following) { break }
      isInOrder[place] = false
    }
    end = hasEnded ? numbers.count : numbers.count / 2
    if let place = isInOrder[..<end].lastIndex(of: true) { last = numbers[place] }
  }

  /// Whether the row that is found by a number stands before what was read behind it.
  private func stands(_ number: Int64, before following: Step) throws -> Bool {
    do {
      let statement = try begin(number)
      return try step(statement) == .row(number) && step(statement) == following
    } catch let error as SQLiteError where error.isOfDamage {
      return false
    }
  }

  private func step(_ statement: Statement) throws -> Step {
    do {
      guard try statement.step() else { return .end }
      return isSound(statement) ? .row(statement.integer(at: 0)) : .damage
    } catch {
      guard error.isOfDamage else { throw error }
      return .damage
    }
  }
}
