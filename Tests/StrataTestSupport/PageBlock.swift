/// A fenced block of a page of the docs: what tests hold against files that are compiled and run.
package struct PageBlock: CustomStringConvertible, Sendable {
  /// What stands behind the opening fence.
  package let language: String
  package let lines: [String]

  package var description: String { "\(language): \(lines.first ?? "")" }

  /// All blocks of a page, in its order.
  package static func blocks(of page: String) -> [PageBlock] {
    var blocks: [PageBlock] = []
    var open: (language: String, lines: [String])?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let block = open {
        if line == "```" {
          blocks.append(PageBlock(language: block.language, lines: block.lines))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), [])
      }
    }
    return blocks
  }
}
