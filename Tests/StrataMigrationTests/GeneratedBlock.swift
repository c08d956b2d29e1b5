import StrataSchema

@testable import Strata
@testable import StrataTesting

/// A Swift block of a chain that is made by chance: what it does depends on what objects hold, never on their order.
struct GeneratedBlock: Sendable {
  enum Kind: CaseIterable {
    /// One object to one object.
    case each
    /// The same, and some objects are refused.
    case throwing
    /// An object of another model for each, linked where there is a link.
    case create
    case delete
    /// What is behind links is written down.
    case follow
    /// Lists are turned round, sets and maps lose some of what they have.
    case collections
    /// Objects lose what they own.
    case letGo
    /// Each object gets an embedded one of its own.
    case own
  }

  struct Refused: Error {}

  let kind: Kind
  let old: Model
  let new: Model
  let schema: Schema
  let version: Int
  /// A property that the block writes.
  let note: String
  /// An old property that it reads.
  let read: String?

  func run(_ step: StepContext) throws {
    switch kind {
    case .each, .throwing, .letGo: try step.map(old.name, to: new.name, map)
    case .create, .own: try forEach(step, createBeside)
    case .delete:
      try forEach(step) { workspace, old, new in
        if try number(of: old) % 5 == 0 { try workspace.delete(new) }
      }
    case .follow: try forEach(step, follow)
    case .collections: try forEach(step, changeCollections)
    }
  }

  /// What chance decides about an object: two that hold the same get the same.
  private func number(of row: FrozenRow) throws -> UInt8 {
    Digest(of: try text(of: row)).bytes[0]
  }

  private func text(of row: FrozenRow) throws -> String {
    guard let index = read.flatMap(old.indexOfProperty(named:)) else { return "" }
    return String(try row.read(index).proofText.prefix(40))
  }

  private func map(_ old: FrozenRow, _ new: FrozenRow) throws {
    if kind == .throwing, try number(of: old) % 16 == 0 { throw Refused() }
    if let index = new.model.indexOfProperty(named: note) {
      new.write(index, .string("\(try text(of: old)) in \(version)"))
    }
    guard kind == .letGo else { return }
    for (index, property) in new.model.properties.enumerated()
    where property.type.isToOne && property.type.valueType?.isOptional == true {
      if try number(of: old) % 2 == 0 { new.write(index, .null) }
    }
  }

  /// Goes through the old objects with the new ones that continue them.
  private func forEach(
    _ step: StepContext, _ body: (any StepWorkspace, FrozenRow, FrozenRow) throws -> Void
  ) throws {
    let workspace = try step.requireWorkspace()
    for old in try workspace.rows(of: old.name, version: version - 1) {
      let new = try workspace.row(of: new.name, version: version, identity: old.identity)
      if let new { try body(workspace, old, new) }
    }
  }

  private func createBeside(_ workspace: any StepWorkspace, _ old: FrozenRow, _ new: FrozenRow)
    throws
  {
    let links = new.model.properties.filter { property in
      property.type.isToOne && target(of: property)?.isEmbedded == (kind == .own)
    }
    guard let link = links.first, let model = target(of: link),
      let index = new.model.indexOfProperty(named: link.name)
    else { return }
    let text = try text(of: old)
    let made = try workspace.create(model.name, version: version) { row in
      for (index, property) in model.properties.enumerated() {
        guard property.defaultValue == nil, property.generate == nil, property.isRequiredColumn,
          let scalar = property.type.valueType?.base.scalar
        else { continue }
        row.write(index, scalar == .string ? .string(text) : scalar.simpleValue ?? .null)
      }
    }
    new.write(index, .link(made.identity))
  }

  private func target(of property: Property) -> Model? {
    property.type.linkedModel.flatMap(schema.model(named:))
  }

  private func follow(_ workspace: any StepWorkspace, _ old: FrozenRow, _ new: FrozenRow) throws {
    guard let note = new.model.indexOfProperty(named: note) else { return }
    var found: [String] = []
    for (index, property) in self.old.properties.enumerated() {
      guard let model = property.type.linkedModel else { continue }
      let links =
        property.type.isCollection
        ? try workspace.elements(of: property, in: old).map(\.value) : [try old.read(index)]
      for case .link(let identity) in links {
        let row = try workspace.row(of: model, version: version - 1, identity: identity)
        let scalar = row?.model.properties.firstIndex { $0.type.isScalar }
        guard let row, let scalar else { continue }
        found.append(String(try row.read(scalar).proofText.prefix(10)))
      }
    }
    new.write(note, .string(found.joined(separator: ", ")))
  }

  private func changeCollections(
    _ workspace: any StepWorkspace, _ old: FrozenRow, _ new: FrozenRow
  ) throws {
    for property in new.model.collectionProperties {
      let elements = try workspace.elements(of: property, in: new)
      if case .list = property.type {
        try workspace.replaceElements(of: property, in: new, with: elements.reversed())
      } else if try number(of: old) % 2 == 0 {
        try workspace.replaceElements(of: property, in: new, with: Array(elements.dropLast()))
      }
    }
  }
}
