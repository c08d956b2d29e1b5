import Foundation
import Strata
import StrataTestModels
import Testing

/// Sums and means of decimals keep their digits, wherever they are asked for.
@Suite struct DecimalAggregatesTests {
  let test: TestStore
  let account: Account
  let first: Payment

  private static func decimal(_ text: String) -> Decimal { Decimal(string: text)! }

  // 0.1 + 0.2 is 0.30000000000000004 of doubles.
  private let sum = Self.decimal("0.3")
  private let mean = Self.decimal("0.15")
  private let half = Self.decimal("0.5")

  init() throws {
    test = try TestStore()
    let (tenth, fifth, half) = (Self.decimal("0.1"), Self.decimal("0.2"), Self.decimal("0.5"))
    let account = Account(
      amounts: [tenth, fifth], rates: [tenth, fifth], prices: ["a": tenth, "b": fifth],
      discounts: [half, nil])
    first = Payment(amount: tenth, discount: half, payer: account)
    let second = Payment(amount: fifth, payer: account)
    account.payments.append(contentsOf: [first, second])
    account.refunds.insert(contentsOf: [first, second])
    account.named["a"] = first
    account.named["b"] = second
    self.account = try test.added(account)
  }

  @Test func ofResults() throws {
    let payments = test.store.objects(Payment.self)

    #expect(try payments.sum(of: \.amount) == sum)
    #expect(try payments.sum(of: \.discount) == half)
    #expect(payments.average(of: \.amount) == mean)
    #expect(payments.average(of: \.discount) == half)
    #expect(payments.min(of: \.amount) == first.amount && payments.max(of: \.discount) == half)
  }

  @Test func ofCollectionsOfObjects() throws {
    for account in [account, account.detached()] {
      #expect(try account.payments.sum(of: \.amount) == sum)
      #expect(try account.payments.sum(of: \.discount) == half)
      #expect(account.payments.average(of: \.amount) == mean)
      #expect(account.payments.average(of: \.discount) == half)
      #expect(try account.refunds.sum(of: \.amount) == sum)
      #expect(account.refunds.average(of: \.amount) == mean)
      #expect(try account.named.sum(of: \.amount) == sum)
      #expect(account.named.average(of: \.amount) == mean)
    }
    #expect(try account.owed.sum(of: \.amount) == sum)
    #expect(account.owed.average(of: \.discount) == half)
  }

  @Test func ofCollectionsOfValues() throws {
    for account in [account, account.detached()] {
      #expect(try account.amounts.sum() == sum)
      #expect(account.amounts.average() == mean)
      #expect(try account.rates.sum() == sum)
      #expect(account.rates.average() == mean)
      #expect(try account.prices.sum() == sum)
      #expect(account.prices.average() == mean)
      #expect(try account.discounts.sum() == half)
      #expect(account.discounts.average() == half)
    }
  }

  /// The type of a mean is that of the property, unless the program says which one it wants.
  @Test func aMeanIsADoubleWhereTheProgramSaysSo() throws {
    let payments = test.store.objects(Payment.self)
    let mean = payments.average(of: \.amount)
    let double: Double? = payments.average(of: \.amount)
    let doubles: [Double?] = [
      payments.average(of: \.discount), account.payments.average(of: \.amount),
      account.payments.average(of: \.discount), account.amounts.average(),
      account.discounts.average(),
    ]

    #expect(type(of: mean) == Decimal?.self)
    #expect(double == 0.15)
    #expect(doubles == [0.5, 0.15, 0.5, 0.15, 0.5])
    #expect((payments.average(of: \.amount) ?? 0) * 2 == sum)
    #expect(payments.average(of: \.amount) == 0.15)
  }

  /// There are 167 digits between the first of the one and the last of the other.
  @Test func aSumWithoutRoomIsNamed() throws {
    let amounts = [Self.decimal("1e127"), Self.decimal("1e-39")]
    let account = try test.added(
      Account(payments: amounts.map { Payment(amount: $0) }, amounts: amounts))
    func expect(
      _ subject: String, _ sum: () throws -> Decimal, _ location: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: StoreError.self, sourceLocation: location) { _ = try sum() }
      let sentence = error?.description ?? ""
      #expect(
        error?.code == "STR5023" && sentence.hasPrefix("\(subject) cannot be computed: "),
        "\(sentence)", sourceLocation: location)
    }

    expect("The sum of amounts of Account #\(Object.identity(of: account))") {
      try account.amounts.sum()
    }
    expect("The sum of amount of Payment") { try account.payments.sum(of: \.amount) }
    let copy = account.detached()
    expect("The sum of a collection's values") { try copy.amounts.sum() }
    expect("The sum of a property of Payment") { try copy.payments.sum(of: \.amount) }
  }

  @Test func ofNothing() throws {
    let payments = test.store.objects(Payment.self).where { $0.amount > 1 }
    let empty = try test.added(Account())

    #expect(try payments.sum(of: \.amount) == 0 && payments.sum(of: \.discount) == 0)
    #expect(payments.average(of: \.amount) == nil && payments.average(of: \.discount) == nil)
    #expect(try empty.payments.sum(of: \.amount) == 0)
    #expect(empty.payments.average(of: \.amount) == nil)
    for account in [empty, Account()] {
      #expect(try account.amounts.sum() == 0 && account.discounts.sum() == 0)
      #expect(account.amounts.average() == nil && account.discounts.average() == nil)
    }
  }
}
