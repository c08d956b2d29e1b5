/// Lets through what the page itself sends, and nothing that another page, another user or another name of this machine sends.
///
/// - The path begins with a random token, which only the user who started the command is told.
/// - `Host` is the loopback address with the port: a name that an attacker lets point here is refused (DNS rebinding).
/// - What is not a plain GET needs the token in a header of its own, which a foreign page cannot send without asking first, and an
///   `Origin` that is the page's.
package struct AccessGuard: Sendable {
  package let token: String
  let port: UInt16

  package init(token: String, port: UInt16) {
    self.token = token
    self.port = port
  }

  /// 128 random bits in hexadecimal digits.
  package static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let word = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - word.count) + word
    }.joined()
  }

  /// The parts of the path behind the token; nil for a request that is refused.
  package func path(of request: HTTPRequest) -> [String]? {
    // Clients leave out the port that http has where none is named.
    let names = ["127.0.0.1", "localhost"]
    let hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    guard let host = request.headers["host"], hosts.contains(host), let path = request.path,
      let first = path.first, Self.areEqual(first, token)
    else { return nil }
    if let origin = request.headers["origin"], origin != "http://\(host)" { return nil }
    // Browsers say where a request comes from; those of other sites are refused, whatever they ask for.
    if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site) {
      return nil
    }
    if request.method != "GET", request.method != "HEAD" {
      guard let given = request.headers["x-strata-token"], Self.areEqual(given, token),
        request.headers["origin"] != nil
      else { return nil }
    }
    return Array(path.dropFirst())
  }

  /// Compares in time that does not tell how much fits.
  private static func areEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// What every answer says of itself.
  static let headers: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// Of the page: its own script and style, and images of the data.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Of anything that comes out of the data.
  static let policyOfData = "default-src 'none'; sandbox"
}
