/// What was said on the command line.
struct Options {
  var objects = 1_000_000
  /// Runs of each writing, of which the middle counts.
  var runs = 3
  /// Runs of each reading.
  var readings = 5
  /// Parts of names: only what has one of them in its name is measured. All when empty.
  var names: [String] = []
  /// Whether GRDB's records are measured, too.
  var measuresGRDB = true
  /// Whether SQLite checks the cells of the pages that the C loops read, as it does for a store.
  var checksCells = false

  static let usage = """
    usage: store [N] [--objects N] [--runs N] [--readings N] [--check-cells]
                   [--without-grdb] [NAME…]
      N               how many people, 1000000
      --runs          runs of each writing, 3
      --readings      runs of each reading, 5
      --check-cells   SQLite checks the pages that the C loops read, as it does for a store
      --without-grdb  the C loops and the store only
      NAME            a part of the name of what is measured
    """

  /// Nil when it is not understood.
  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if let number = Int(argument) {
        objects = number
      } else if argument == "--check-cells" {
        checksCells = true
      } else if argument == "--without-grdb" {
        measuresGRDB = false
      } else if argument.hasPrefix("--") {
        guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
        switch argument {
        case "--objects": objects = number
        case "--runs": runs = number
        case "--readings": readings = number
        default: return nil
        }
      } else {
        names.append(argument)
      }
    }
    guard objects > 0 else { return nil }
  }

  func wants(_ name: String) -> Bool { names.isEmpty || names.contains { name.contains($0) } }
}
