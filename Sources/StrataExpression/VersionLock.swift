package import StrataSchema

/// `schema.lock`: one line a frozen version, each sealed with the lines before it.
///
/// ```
/// strata-lock 1
/// 0 date=2026-11-21 shape=<sha256> step=- chain=<sha256>
/// ```
package struct VersionLock: Hashable, Sendable {
  /// The first line; its number says how the digests are made.
  package static let header = "strata-lock 1"
  /// More versions than any schema has.
  package static let maximumLines = 10_000

  package struct Line: Hashable, Sendable {
    package var version: Int
    /// The day of freezing, `2026-11-21`.
    package var date: String
    package var shape: Digest
    /// Nil where nothing but the schemas leads to the version.
    package var step: Digest?
    package var chain: Digest

    package init(version: Int, date: String, shape: Digest, step: Digest?, chain: Digest) {
      self.version = version
      self.date = date
      self.shape = shape
      self.step = step
      self.chain = chain
    }

    /// A new line behind those that end with `previous`.
    package init(
      version: Int, date: String, shape: Digest, step: Digest?, after previous: Digest?
    ) {
      self.init(
        version: version, date: date, shape: shape, step: step, chain: Digest(of: [UInt8]()))
      chain = sealed(after: previous)
    }

    /// What the chain has to be behind a line with the chain `previous`, or as the first line.
    package func sealed(after previous: Digest?) -> Digest {
      Digest(of: "\(previous?.description ?? VersionLock.header)\n\(rest)")
    }

    /// The line without its chain.
    private var rest: String {
      "\(version) date=\(date) shape=\(shape) step=\(step?.description ?? "-")"
    }

    package var text: String { "\(rest) chain=\(chain)" }
  }

  package var lines: [Line]

  package init(lines: [Line] = []) { self.lines = lines }

  /// The file's text.
  package var text: String {
    ([Self.header] + lines.map(\.text)).map { $0 + "\n" }.joined()
  }

  package func line(ofVersion version: Int) -> Line? { lines.first { $0.version == version } }
}
