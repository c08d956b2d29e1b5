/// An array in pieces: inserting and removing move the elements of one piece only, wherever it is.
struct PiecedArray<Element> {
  /// The elements of a piece at most; with one more it becomes two.
  private static var maximumPiece: Int { 512 }

  /// None is empty.
  private var pieces: [[Element]] = []
  /// The index of each piece's first element.
  private var starts: [Int] = []
  private(set) var count = 0

  init() {}

  init(_ elements: [Element]) {
    let size = Self.maximumPiece / 2
    // Most are short, and stay the array that they are.
    if !elements.isEmpty, elements.count <= size {
      starts = [0]
      pieces = [elements]
      count = elements.count
      return
    }
    for start in stride(from: 0, to: elements.count, by: size) {
      starts.append(start)
      pieces.append(Array(elements[start..<Swift.min(start + size, elements.count)]))
    }
    count = elements.count
  }

  /// The piece in which an element is.
  private func piece(of index: Int) -> Int {
    var (low, high) = (0, starts.count - 1)
    if high >= 0, starts[high] <= index { return high }
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= index { low = middle } else { high = middle - 1 }
    }
    return low
  }

  mutating func append(_ element: Element) { insert(element, at: count) }

  mutating func append(contentsOf elements: [Element]) {
    for element in elements { append(element) }
  }

  mutating func insert(_ element: Element, at index: Int) {
    checkUse(
      index >= 0 && index <= count, "The index \(index) is outside of the \(count) elements.")
    if pieces.isEmpty {
      pieces = [[element]]
      starts = [0]
      count = 1
      return
    }
    let piece = piece(of: index)
    pieces[piece].insert(element, at: index - starts[piece])
    count += 1
    moveStarts(behind: piece, by: 1)
    if pieces[piece].count > Self.maximumPiece { split(piece) }
  }

  private mutating func moveStarts(behind piece: Int, by distance: Int) {
    starts.withUnsafeMutableBufferPointer { starts in
      for next in starts.indices.dropFirst(piece + 1) { starts[next] += distance }
    }
  }

  private mutating func split(_ piece: Int) {
    // At the end, where elements are appended, the full piece stays full.
    let isLast = piece == pieces.count - 1
    let middle = isLast ? Self.maximumPiece : Self.maximumPiece / 2
    let rest = Array(pieces[piece][middle...])
    pieces[piece].removeSubrange(middle...)
    pieces.insert(rest, at: piece + 1)
    starts.insert(starts[piece] + middle, at: piece + 1)
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    checkUse(
      index >= 0 && index < count, "The index \(index) is outside of the \(count) elements.")
    let piece = piece(of: index)
    let element = pieces[piece].remove(at: index - starts[piece])
    count -= 1
    moveStarts(behind: piece, by: -1)
    if pieces[piece].isEmpty {
      pieces.remove(at: piece)
      starts.remove(at: piece)
    }
    return element
  }

  mutating func removeAll() { self = PiecedArray() }

  mutating func swapAt(_ first: Int, _ second: Int) {
    let element = self[first]
    self[first] = self[second]
    self[second] = element
  }

  /// The first index from which on `isBehind` is true, of elements that are sorted by it.
  func firstIndex(sortedBy isBehind: (Element) -> Bool) -> Int {
    // First the piece: the last one whose first element is not behind.
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(pieces[middle][0]) { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return 0 }
    let offset = pieces[low - 1].withUnsafeBufferPointer { elements in
      var (low, high) = (1, elements.count)
      while low < high {
        let middle = (low + high) / 2
        if isBehind(elements[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    return starts[low - 1] + offset
  }
}

extension PiecedArray: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Element {
    get {
      checkUse(
        index >= 0 && index < count, "The index \(index) is outside of the \(count) elements.")
      let piece = piece(of: index)
      return pieces[piece][index - starts[piece]]
    }
    set {
      let piece = piece(of: index)
      pieces[piece][index - starts[piece]] = newValue
    }
  }

  func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { pieces.joined().makeIterator() }
}
