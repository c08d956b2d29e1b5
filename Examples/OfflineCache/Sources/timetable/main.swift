import Foundation
import Timetable

// Shows a service's departures, or those of the last time that it was there:
//
//   timetable URL FILE

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let service = arguments.first.flatMap(URL.init(string:)) else {
  print("usage: timetable URL FILE")
  exit(64)
}
do {
  let cache = try TimetableCache(path: arguments.last ?? "", service: service)
  switch await cache.refresh() {
  case .updated(let count): print("\(count) departures, new from the service")
  case .unchanged: print("nothing new")
  case .offline: print("offline")
  }
  for departure in cache.departures {
    let delay = departure.delay == 0 ? "" : " +\(departure.delay)"
    print(
      "\(departure.time.formatted(.iso8601.time(includingFractionalSeconds: false)))\(delay) \(departure.line) \(departure.station?.name ?? "")"
    )
  }
} catch {
  print("error: \(error)")
  exit(1)
}
