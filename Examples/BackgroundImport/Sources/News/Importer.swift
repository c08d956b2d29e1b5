public import Foundation
import Strata

/// Brings articles into the store's file from lines of JSON, away from the main actor.
public actor Importer {
  /// Objects of one transaction: few enough that other writers need not wait long, and enough that commits cost little.
  public static let batch = 500

  private let path: String

  public init(path: String) { self.path = path }

  /// - Parameter file: an object of JSON a line; articles that are known by their `id` are changed.
  /// - Returns: how many lines were read.
  /// - Throws: `StoreError`; earlier batches stay. Importing again goes on where it matters, because of the keys.
  public func run(_ file: URL) async throws -> Int {
    // A store of this actor's own: stores and their objects stay where they were opened.
    let store = try Store(path: path, schema: NewsSchema.self)
    defer { store.close() }
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    for start in stride(from: 0, to: lines.count, by: Self.batch) {
      try Task.checkCancellation()
      try await store.writeAsync {
        for line in lines[start..<min(start + Self.batch, lines.count)] {
          try store.create(Article.self, json: String(line), update: .modified)
        }
      }
    }
    return lines.count
  }
}
