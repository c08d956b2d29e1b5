public import Foundation
public import Strata

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The departures of a service, which are there without it, too.
@MainActor
public final class TimetableCache {
  public enum Outcome {
    /// The service had something new: so many departures in all.
    case updated(Int)
    /// It said that nothing has changed.
    case unchanged
    /// It could not be reached or understood: what is shown is what was there.
    case offline(any Error)
  }

  struct NotUnderstood: Error {
    let status: Int
  }

  private static let resource = "departures"
  private let store: Store
  private let service: URL

  /// - Throws: `StoreError`
  public init(path: String, service: URL) throws {
    store = try Store(path: path, schema: TimetableSchema.self)
    self.service = service
  }

  /// By time; live.
  public var departures: Results<Departure> { store.objects(Departure.self).sorted(by: \.time) }

  /// Asks the service, and writes its answer in one transaction: readers see the old departures or the new ones.
  public func refresh() async -> Outcome {
    do {
      let known = try store.object(ofType: Answer.self, forPrimaryKey: Self.resource)
      var request = URLRequest(url: service.appendingPathComponent(Self.resource))
      request.cachePolicy = .reloadIgnoringLocalCacheData
      if let tag = known?.tag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
      let (body, response) = try await URLSession.shared.data(for: request)
      let answer = response as? HTTPURLResponse
      switch answer?.statusCode {
      case 304: return .unchanged
      case 200:
        return .updated(try await save(body, tag: answer?.value(forHTTPHeaderField: "ETag")))
      default: throw NotUnderstood(status: answer?.statusCode ?? 0)
      }
    } catch {
      return .offline(error)
    }
  }

  private func save(_ body: Data, tag: String?) async throws -> Int {
    let said = try JSONSerialization.jsonObject(with: body) as? [[String: Any]] ?? []
    return try await store.writeAsync {
      // By primary key: what is known already is changed, its station as well.
      for departure in said {
        try store.create(Departure.self, value: departure, update: .modified)
      }
      let left = Set(said.compactMap { $0["id"] as? String })
      for departure in store.objects(Departure.self) where !left.contains(departure.id) {
        try store.delete(departure)
      }
      try store.add(Answer(resource: Self.resource, tag: tag), update: .modified)
      return said.count
    }
  }
}
