import StrataFrontend
import StrataSource

/// Makes a mapping of a list of cases: each name with its raw value, which is the name that it has had.
struct CaseMapping {
  let file: SourceFile
  /// The list, with its brackets.
  let list: Range<Int>
  let cases: [EnumDeclaration.Case]

  /// The edits that write the list as a mapping, in the form and with the comments that it has.
  ///
  /// - Returns: nil for a list in whose place no mapping can stand line by line.
  func edits(renaming old: String, to new: String) -> [FixIt.Edit]? {
    let entries = cases.map { declared in
      let name = declared.name.value
      return (declared.name.range, "\(name == old ? new : name): \(name)")
    }
    func edit(_ range: Range<Int>, _ text: String) -> FixIt.Edit {
      FixIt.Edit(path: file.path, range: range, replacement: text)
    }
    let text = file.bytes[list]
    let isFlow = text.first == UInt8(ascii: "[") && text.last == UInt8(ascii: "]")
    if isFlow, text.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
      return [edit(list.lowerBound..<list.lowerBound + 1, "{")]
        + entries.map { edit($0.0, $0.1) }
        + [edit(list.upperBound - 1..<list.upperBound, "}")]
    }
    if text.first == UInt8(ascii: "-"), let block = dashes {
      // A list may stand as far left as its key; a mapping may not.
      let indent = block.isIndented ? "" : "  "
      return zip(block.dashes, entries).map {
        edit($0..<$1.0.upperBound, indent + $1.1)
      }
    }
    guard isFlow else { return nil }
    return [edit(list, "{ \(entries.map(\.1).joined(separator: ", ")) }")]
  }

  /// Where the dashes of a list stand, each before its name on the same line, and whether they are further right than the list's key.
  private var dashes: (dashes: [Int], isIndented: Bool)? {
    var dashes: [Int] = []
    for declared in cases {
      var dash = declared.name.range.lowerBound - 1
      while dash > list.lowerBound, file.bytes[dash] == 0x20 { dash -= 1 }
      guard dash >= list.lowerBound, file.bytes[dash] == UInt8(ascii: "-") else { return nil }
      dashes.append(dash)
    }
    let line = file.location(at: list.lowerBound).line
    for number in (1..<line).reversed() {
      let above = file.bytes[file.rangeOfLine(number)]
      guard let first = above.firstIndex(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x0A }),
        above[first] != UInt8(ascii: "#")
      else { continue }
      let indent = first - above.startIndex
      return (dashes, file.location(at: list.lowerBound).column - 1 > indent)
    }
    return nil
  }
}
