import StrataSchema

/// A property that links to a model, seen from the model that it links to.
struct LinkHolder {
  let model: Model
  let property: Property

  /// The table that holds the link, and its columns: the holder's identity and the target's.
  var table: String {
    property.type.isCollection ? "\(model.name).\(property.name)" : model.name
  }
  var holderColumn: String { property.type.isCollection ? "_owner" : "_row" }
  var targetColumn: String { property.type.isCollection ? "value" : property.name }
}

extension Schema {
  /// All stored properties that link to a model.
  func holders(of model: String) -> [LinkHolder] {
    storedModels.flatMap { holder in
      holder.storedProperties.filter { $0.type.linkedModel == model }
        .map { LinkHolder(model: holder, property: $0) }
    }
  }
}
