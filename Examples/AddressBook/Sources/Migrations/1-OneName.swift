import Strata

extension ContactsMigrations {
  /// One name instead of two, and the phone number becomes the first of many.
  static let toVersion1 = Step(to: 1) { step in
    try step.each(V0.Contact.self, V1.Contact.self) { old, new in
      new.name = [old.firstName, old.lastName].filter { !$0.isEmpty }.joined(separator: " ")
      guard !old.phone.isEmpty else { return }
      let phone = try step.create(V1.Phone.self) { $0.number = old.phone }
      new.phones.append(phone.link)
    }
  }
}
