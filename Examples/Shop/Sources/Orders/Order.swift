package import Foundation
import Strata

extension Order {
  /// What the customer pays.
  package var total: Decimal {
    lines.reduce(0) { $0 + $1.price * Decimal($1.pieces) }
  }
}
