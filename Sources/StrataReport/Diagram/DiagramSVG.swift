package import StrataSchema

/// The diagram of a version's models as SVG.
package struct DiagramSVG {
  private let graph: DiagramGraph
  private let layout: DiagramLayout
  private let title: String

  /// - Parameter changes: what the step to this version changed, to be marked in colours.
  package init(_ schema: Schema, title: String, changes: [SchemaChange] = []) {
    graph = DiagramGraph(schema, changes: changes)
    layout = DiagramLayout(graph)
    self.title = title
  }

  package var width: Int { max(layout.width, 1) }
  package var height: Int { max(layout.height, 1) }

  package var markup: Markup {
    let edges = graph.edges.indices.map { edge($0) }
    let boxes = graph.boxes.indices.map { box($0) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="diagram" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="group" aria-label="\(title)" font-family="system-ui, sans-serif" font-size="12" \
      fill="none">\(Self.markers)<g class="edges">\(edges)</g><g class="models" fill="#14213a">\(boxes)</g></svg>
      """
  }

  /// The ends of edges: a crow's foot for many, a ring for perhaps none, a bar for one, a diamond for what owns.
  private static let markers: Markup = """
    <defs><marker id="e-many" viewBox="0 0 16 12" refX="16" refY="6" markerWidth="16" markerHeight="12" \
    orient="auto" markerUnits="userSpaceOnUse"><path class="end" d="M6 6 16 0M6 6 16 12M6 6H16M4 1V11" \
    stroke="#5b6b82"/></marker><marker id="e-one" viewBox="0 0 16 12" refX="16" refY="6" markerWidth="16" \
    markerHeight="12" orient="auto" markerUnits="userSpaceOnUse"><path class="end" d="M8 1V11M12 1V11" \
    stroke="#5b6b82"/></marker><marker id="e-optional" viewBox="0 0 18 12" refX="18" refY="6" markerWidth="18" \
    markerHeight="12" orient="auto" markerUnits="userSpaceOnUse"><circle class="end ring" cx="6" cy="6" r="3.5" \
    stroke="#5b6b82" fill="#fff"/><path class="end" d="M13 1V11" stroke="#5b6b82"/></marker>\
    <marker id="e-extends" viewBox="0 0 12 12" refX="12" refY="6" markerWidth="12" markerHeight="12" orient="auto" \
    markerUnits="userSpaceOnUse"><path class="end ring" d="M1 1 12 6 1 11Z" stroke="#5b6b82" fill="#fff"/></marker>\
    <marker id="s-owner" viewBox="0 0 14 10" refX="0" refY="5" markerWidth="14" markerHeight="10" orient="auto" \
    markerUnits="userSpaceOnUse"><path class="diamond" d="M0 5 6 1 12 5 6 9Z" fill="#5b6b82"/></marker></defs>
    """

  // MARK: Boxes

  private func box(_ index: Int) -> Markup {
    let box = graph.boxes[index]
    let place = layout.positions[index]
    let mark = box.mark.map { " \($0.rawValue)" } ?? ""
    let kind = box.model.isEmbedded ? " embedded" : box.model.isAbstract ? " abstract" : ""
    let badge = DiagramGraph.badge(box.model)
    let badgeText: Markup? =
      badge.isEmpty
      ? nil
      : """
      <text class="badge" x="\(box.width - 10)" y="18" font-size="10" text-anchor="end" fill="#5b6b82">\(badge)</text>
      """
    let links = box.rows.filter { $0.kind == .link }.count
    let label =
      "\(box.model.name), \(badge.isEmpty ? "" : badge + ", ")\(counted(box.rows.count, "property", "properties")), "
      + "\(counted(links, "link"))\(box.mark.map { ", " + $0.rawValue } ?? "")"
    let rows = box.rows.enumerated().map { row($0.offset, $0.element, box) }
    return """
      <g class="model\(kind)\(mark)" data-model="\(box.model.name)" transform="translate(\(place.x) \(place.y))">\
      <rect class="card" width="\(box.width)" height="\(box.height)" rx="8" fill="#fff" stroke="#b8c2d0"/>\
      <a href="#model-\(box.model.name)" aria-label="\(label)"><path class="head" d="M0 8a8 8 0 0 1 8-8H\
      \(box.width - 8)a8 8 0 0 1 8 8V28H0Z" fill="#e8edf5"/><text class="name" x="12" y="19" font-size="14" \
      font-weight="600">\(TextWidth.cut(box.model.name))</text><title>\(box.model.doc ?? box.model.name)\
      </title></a>\(badgeText)\(rows)</g>
      """
  }

  private func row(_ index: Int, _ row: DiagramGraph.Row, _ box: DiagramGraph.Box) -> Markup {
    let y = DiagramGraph.Box.middle(ofRow: index) + 4
    let mark: Markup? = row.mark.map { mark in
      """
      <rect class="mark" x="1" y="\(y - 14)" width="\(box.width - 2)" height="\(DiagramGraph.Box.rowHeight)" \
      fill="\(mark == .added ? "#d8f5e0" : "#fdf0cc")"/>
      """
    }
    let sign = row.isKey ? "◆ " : row.isIndexed ? "⚡ " : ""
    // A tooltip only where it says more than the row does.
    let isWhole =
      row.doc == nil && TextWidth.cut(row.name) == row.name && TextWidth.cut(row.type) == row.type
    let title: Markup? =
      isWhole ? nil : "<title>\(row.name): \(row.type)\(row.doc.map { "\n\($0)" } ?? "")</title>"
    return """
      <g class="row \(row.kind.rawValue)\(row.mark.map { " \($0.rawValue)" } ?? "")">\(mark)<text x="12" y="\(y)">\
      \(sign)\(TextWidth.cut(row.name))</text><text class="type" x="\(box.width - 12)" y="\(y)" font-size="11" \
      text-anchor="end" fill="#5b6b82">\(TextWidth.cut(row.type))</text>\(title)</g>
      """
  }

  // MARK: Edges

  private func edge(_ index: Int) -> Markup {
    let edge = graph.edges[index]
    let (from, to) = (graph.boxes[edge.from], graph.boxes[edge.to])
    let end =
      switch edge.cardinality {
      case .many: "e-many"
      case .one: "e-one"
      case .optional: "e-optional"
      case .extends: "e-extends"
      }
    let owner: Markup? = edge.isOwning ? " marker-start=\"url(#s-owner)\"" : nil
    let kind = edge.isOwning ? " owning" : edge.cardinality == .extends ? " extends" : ""
    let path = path(index, edge, from, to)
    return """
      <g class="edge\(kind)" data-from="\(from.model.name)" data-to="\(to.model.name)"><path class="wide" \
      d="\(path)" stroke="transparent" stroke-width="12"/><path class="line" d="\(path)" stroke="#8a99b0" \
      stroke-width="1.4" marker-end="url(#\(end))"\(owner)/><title>\(edge.title)</title></g>
      """
  }

  private func path(
    _ index: Int, _ edge: DiagramGraph.Edge, _ from: DiagramGraph.Box, _ to: DiagramGraph.Box
  ) -> String {
    let (a, b) = (layout.positions[edge.from], layout.positions[edge.to])
    let startY = a.y + (edge.row.map { DiagramGraph.Box.middle(ofRow: $0) } ?? 15)
    if edge.from == edge.to {
      let (x, y) = (a.x + from.width, a.y + 15)
      return "M\(x) \(startY)C\(x + 46) \(startY) \(x + 46) \(y) \(x) \(y)"
    }
    let isForward = a.x + from.width / 2 <= b.x + to.width / 2
    let start = DiagramLayout.Point(x: isForward ? a.x + from.width : a.x, y: startY)
    let end = DiagramLayout.Point(x: isForward ? b.x : b.x + to.width, y: b.y + 15)
    var path = "M\(start.x) \(start.y)"
    var current = start
    func curve(to point: DiagramLayout.Point) {
      let bend = max(24, abs(point.x - current.x) / 2) * (isForward ? 1 : -1)
      path += "C\(current.x + bend) \(current.y) \(point.x - bend) \(point.y) \(point.x) \(point.y)"
      current = point
    }
    let passages = layout.passages[index]
    for passage in isForward ? passages : passages.reversed() {
      let (near, far) = isForward ? (passage.left, passage.right) : (passage.right, passage.left)
      curve(to: near)
      path += "H\(far.x)"
      current = far
    }
    curve(to: end)
    return path
  }
}
