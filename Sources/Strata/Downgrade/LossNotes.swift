import StrataSchema

/// Why something is not carried back, noted where that turns out.
struct LossNotes {
  enum Reason: Hashable {
    /// The older version has no such value.
    case misfit
    /// The older version requires this property, and nothing says its value.
    case required(String)
    /// Another object has the same in what the older version keeps unique.
    case duplicate([String])
    /// A step has made the object.
    case madeByStep
    /// What it links to, and has to, is not there.
    case linkToNothing(String)
    /// What it links to is of this model, which the older version embeds, and another place holds it, too.
    case shared(String)
    /// It is of this model, which the older version embeds, and nothing owns it.
    case ownerless(String)
  }

  private struct Place: Hashable {
    let way: Int
    let property: Int?
  }

  /// The first reason of each place stands for all.
  private var reasons: [Place: Reason] = [:]
  /// By way, the first reason why what a step says gave no value.
  private var failures: [Int: String] = [:]
  /// Whether links were taken away: to what is not there, or to an embedded object that another place holds.
  var hasCutLinks = false
  /// Objects that the old file alone has, and that do not come back.
  var oldOnly: [DowngradeReport.Loss] = []

  var isEmpty: Bool {
    reasons.isEmpty && failures.isEmpty && !hasCutLinks && oldOnly.isEmpty
  }

  mutating func addFailure(_ way: BackWay, _ reason: String) {
    if failures[way.index] == nil { failures[way.index] = reason }
  }

  func failure(_ way: BackWay) -> String? { failures[way.index] }

  /// - Parameter property: of the newest version, among the stored ones; nil for whole objects.
  mutating func add(_ way: BackWay, _ property: Int?, _ reason: Reason) {
    let place = Place(way: way.index, property: property)
    if reasons[place] == nil { reasons[place] = reason }
  }

  /// Notes that links of a property of the older version were cut. Where a step works the link out, the report has a reason of its own.
  mutating func addCutLinks(of holder: LinkHolder, _ route: BackRoute, _ reason: Reason) {
    hasCutLinks = true
    guard let way = route.way(ofModel: holder.model.name, at: 0),
      let position = holder.model.storedProperties.firstIndex(where: {
        $0.name == holder.property.name
      }), let top = way.origin(of: position)
    else { return }
    add(way, top, reason)
  }

  func reason(_ way: BackWay, _ property: Int?) -> Reason? {
    reasons[Place(way: way.index, property: property)]
  }
}
