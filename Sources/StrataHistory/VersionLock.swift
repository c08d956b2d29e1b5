package import StrataSchema

/// `schema.lock`: one line a frozen version, each sealed with the lines before it.
///
/// ```
/// strata-lock 1
/// 0 date=2026-11-21 shape=<sha256> step=- chain=<sha256>
/// ```
///
/// A version whose models have rules says their digest behind its shape: `rules=<sha256>`.
/// A version that has enums says the digest of their cases behind that: `cases=<sha256>`. Lines of earlier tools do not.
/// A version that was frozen again after its release says so before its chain: `because="GDPR-114"`.
package struct VersionLock: Hashable, Sendable {
  package static let fileName = "schema.lock"
  /// The first line; its number says how the digests are made.
  package static let header = "strata-lock 1"
  /// More versions than any schema has.
  package static let maximumLines = 10_000

  package struct Line: Hashable, Sendable {
    package var version: Int
    /// The day of freezing, `2026-11-21`.
    package var date: String
    package var shape: Digest
    /// The digest of the rules that data keeps; nil where the version has none.
    package var rules: Digest?
    /// The digest of what the cases of enums are stored as; nil where the version has no enums, or was sealed without it.
    package var cases: Digest?
    /// Nil where nothing but the schemas leads to the version.
    package var step: Digest?
    /// Why it was frozen again when others had it; nil for a version that was frozen once.
    package var because: String?
    package var chain: Digest

    package init(
      version: Int, date: String, shape: Digest, rules: Digest? = nil,
      cases: Digest? = nil, step: Digest?, because: String? = nil, chain: Digest
    ) {
      self.version = version
      self.date = date
      self.shape = shape
      self.rules = rules
      self.cases = cases
      self.step = step
      self.because = because
      self.chain = chain
    }

    /// A new line behind those that end with `previous`.
    package init(
      version: Int, date: String, shape: Digest, rules: Digest? = nil,
      cases: Digest? = nil, step: Digest?, because: String? = nil, after previous: Digest?
    ) {
      self.init(
        version: version, date: date, shape: shape, rules: rules, cases: cases, step: step,
        because: because, chain: Digest(of: [UInt8]()))
      chain = sealed(after: previous)
    }

    /// What the chain has to be behind a line with the chain `previous`, or as the first line.
    package func sealed(after previous: Digest?) -> Digest {
      Digest(of: "\(previous?.description ?? VersionLock.header)\n\(rest)")
    }

    /// The line without its chain.
    private var rest: String {
      "\(version) date=\(date) shape=\(shape)" + (rules.map { " rules=\($0)" } ?? "")
        + (cases.map { " cases=\($0)" } ?? "")
        + " step=\(step?.description ?? "-")"
        + (because.map { " because=\"\($0)\"" } ?? "")
    }

    package var text: String { "\(rest) chain=\(chain)" }

    /// The longest reason that a line holds, in UTF-8 bytes.
    package static let maximumReason = 200

    /// Whether a line can hold the text as a reason: one line, no quotes.
    package static func isReason(_ text: String) -> Bool {
      (1...maximumReason).contains(text.utf8.count)
        && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") }
    }
  }

  package var lines: [Line]

  package init(lines: [Line] = []) { self.lines = lines }

  /// The file's text.
  package var text: String {
    ([Self.header] + lines.map(\.text)).map { $0 + "\n" }.joined()
  }

  package func line(ofVersion version: Int) -> Line? { lines.first { $0.version == version } }
}
