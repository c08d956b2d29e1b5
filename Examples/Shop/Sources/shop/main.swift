import Foundation

// A server without a network: it answers requests, a line each, and many at once.
//
//   printf 'article A1 Lamp 19.90\nstock A1 10\norder Ada A1 3\nreport\n' | shop FOLDER

let folder = CommandLine.arguments.dropFirst().first ?? "."
do {
  let server = try await Server(folder: URL(fileURLWithPath: folder))
  // Requests that follow one another without a `report` between them have no order: they are answered side by side.
  var pending: [Request] = []
  while let line = readLine() {
    guard let request = Request(line) else {
      print("400 '\(line)' is no request")
      continue
    }
    if request.needsEverythingBefore {
      await server.answerAll(pending)
      pending = []
      print(await server.answer(request))
    } else {
      pending.append(request)
    }
  }
  await server.answerAll(pending)
} catch {
  print("500 \(error)")
  exit(1)
}
