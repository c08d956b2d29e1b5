import Foundation
import News
import Strata

// Imports lines of JSON in the background, while the main actor shows what is there:
//
//   newsroom FILE.jsonl DATABASE

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2 else {
  print("usage: newsroom FILE.jsonl DATABASE")
  exit(64)
}
do {
  let store = try Store(path: arguments[1], schema: NewsSchema.self)
  let longest = store.objects(Article.self).sorted(by: \.words, ascending: false)
  let importer = Importer(path: arguments[1])
  let task = Task { try await importer.run(URL(fileURLWithPath: arguments[0])) }

  // What a table view does; each change comes with the positions of what is new.
  var (rows, new) = (0, 0)
  let token = try longest.observe { change in
    switch change {
    case .initial(let articles): rows = articles.count
    case .update(let articles, let deletions, let insertions, _, _):
      new += insertions.count
      rows += insertions.count - deletions.count
      precondition(rows == articles.count)
    case .error(let error): print("error: \(error)")
    }
  }
  let imported = try await task.value
  try store.refresh()
  print("imported \(imported), new \(new)")
  if let first = longest.first { print("the longest: \(first.title), \(first.words) words") }
  token.invalidate()
} catch {
  print("error: \(error)")
  exit(1)
}
