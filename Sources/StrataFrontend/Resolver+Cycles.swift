import StrataSchema
import StrataSource

extension Resolver {
  private struct Link {
    var model: Int
    var member: ResolvedModel.Member
    var target: Int
  }

  /// Required links in a circle can never be made; cascades in a circle delete more than is expected.
  mutating func checkCycles() {
    var required: [Link] = []
    var cascading: [Link] = []
    for index in models.indices where !lines[index].isAbstract {
      for owner in lines[index].line {
        for own in ownLinks[owner] {
          let link = Link(
            model: index, member: ResolvedModel.Member(model: owner, index: own.property),
            target: own.target)
          if own.isRequired { required.append(link) }
          // A tree whose branches go with their parent is a circle of one model, and meant.
          if own.deleteRule == .cascade, own.target != index { cascading.append(link) }
        }
      }
    }
    for cycle in cycles(required) {
      let isEmbedded = cycle.allSatisfy { lines[$0.target].isEmbedded }
      reportCycle(
        cycle,
        kind: isEmbedded
          ? DeclarationDiagnostic.embeddedCycle : DeclarationDiagnostic.deleteRuleCycle,
        message: isEmbedded
          ? "an embedded object would contain itself without end"
          : "no object could be made first: these links require each other",
        help: "make one of them optional")
    }
    for cycle in cycles(cascading) {
      reportCycle(
        cycle, kind: DeclarationDiagnostic.deleteRuleCycle,
        message: "deleting one object would cascade in a circle",
        help: "let one of them be 'nullify' or 'deny'")
    }
  }

  private func cycles(_ links: [Link]) -> [[Link]] {
    Cycles.find(nodeCount: models.count, edges: links.map { ($0.model, $0.target) }).map { cycle in
      cycle.map { links[$0] }
    }
  }

  private mutating func reportCycle(
    _ cycle: [Link], kind: DiagnosticKind, message: String, help: String
  ) {
    guard let first = cycle.first else { return }
    func place(_ link: Link) -> (Range<Int>, Int) {
      let declared = models[link.member.model].properties[link.member.index]
      return (declared.type?.range ?? declared.name.range, declared.file)
    }
    func path(_ link: Link) -> String {
      "\(models[link.model].name.value).\(declaredName(link.member))"
    }
    let (range, file) = place(first)
    let shown = cycle.prefix(8).map(path).joined(separator: " → ")
    report(
      kind, "\(message): \(shown)\(cycle.count > 8 ? " → …" : "")", at: range, in: file,
      labels: cycle.dropFirst().prefix(7).map {
        let (range, file) = place($0)
        return label("'\(path($0))' goes on here", at: range, in: file)
      }, help: help)
  }
}
