import StrataSchema

/// The page: its frame, and the content of the first view as data.
enum BrowsePage {
  static func text(token: String, first: JSON) -> String {
    // No end of an element can stand in the data. By bytes: to Swift, some marks are one character with the sign behind them.
    let parts = first.canonicalText.utf8.split(
      separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    let data = String(decoding: Array(parts.joined(separator: "\\u003C".utf8)), as: UTF8.self)
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Strata</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="/\(token)/app.css">
      </head>
      <body data-token="\(token)">
      <div id="app"></div>
      <noscript>This page needs JavaScript.</noscript>
      <script type="application/json" id="first">\(data)</script>
      <script src="/\(token)/app.js"></script>
      </body>
      </html>

      """
  }
}
