#if canImport(TestSupport)  // The inspector's Ticker has this file, too.
  import TestSupport
#endif

/// Five hundred secrets: those that only their names tell, and those that their shapes tell.
enum SecretCorpus {
  struct Named {
    let name: String
    let value: String
  }

  /// A value, and the part of it that must not be shown.
  struct Shaped {
    let value: String
    let core: String
  }

  /// 250 names in the spellings of programs, forms, headers and databases.
  static let named: [Named] = names.enumerated().map { number, name in
    Named(name: name, value: "LEAK\(number)")
  }

  private static let names: [String] = {
    let words: [[String]] = [
      ["password"], ["user", "password"], ["password", "hash"], ["new", "password"], ["passwd"],
      ["pass", "phrase"], ["passcode"], ["user", "pass"], ["db", "pwd"], ["secret"],
      ["client", "secret"], ["token"], ["access", "token"], ["refresh", "token"], ["api", "key"],
      ["private", "key"], ["access", "key"], ["session", "key"], ["ssh", "key"],
      ["symmetric", "key"],
      ["session", "id"], ["auth", "header"], ["auth", "code"], ["card", "number"],
      ["account", "number"], ["security", "code"], ["recovery", "code"], ["verification", "code"],
      ["one", "time", "code"], ["two", "factor", "code"], ["seed", "phrase"], ["mnemonic"],
      ["iban"],
      ["ssn"], ["social", "security", "number"], ["csrf"], ["cookie"], ["jwt"], ["otp"], ["pin"],
      ["cvc"], ["cvv"], ["authorization"], ["bearer"], ["signing", "key"], ["master", "key"],
    ]
    var names = words.flatMap { words in
      let capitalized = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
      return [
        words[0] + capitalized.dropFirst().joined(), words.joined(separator: "_"),
        words.joined(separator: "-"), words.joined(separator: "_").uppercased(),
        capitalized.joined(),
      ]
    }
    names += [
      "pins", "OTPs", "PINs", "jwts", "cvvs", "_iban", "$__lazy_storage_$_iban", "X-Api-Key",
      "X-Auth-Token", "X-CSRF-TOKEN", "Set-Cookie", "Proxy-Authorization", "DB_PASSWORD",
      "MYAPIKEY",
      "SECRETKEY", "passwort", "pw", "cvv2", "IBANs", "userIBAN",
    ]
    return names
  }()

  /// 250 values that are secrets under any name.
  static let shaped: [Shaped] = {
    var random = SplitMix64(seed: 27)
    let makers: [(inout SplitMix64) -> Shaped] = [
      {
        let key = text(40, &$0); return Shaped(value: "sk-\(key)", core: key)
      },
      {
        let key = text(36, &$0); return Shaped(value: "ghp_\(key)", core: key)
      },
      {
        let key = upper(16, &$0); return Shaped(value: "AKIA\(key)", core: key)
      },
      {
        let key = text(35, &$0); return Shaped(value: "AIza\(key)", core: key)
      },
      {
        let key = text(32, &$0); return Shaped(value: "glpat-\(key)", core: key)
      },
      {
        let key = hex(32, &$0); return Shaped(value: key, core: key)
      },
      {
        let key = hex(64, &$0); return Shaped(value: key, core: key)
      },
      {
        let key = text(44, &$0); return Shaped(value: key, core: key)
      },
      {
        let key = text(64, &$0); return Shaped(value: "\(key)==", core: key)
      },
      {
        let (body, sign) = (text(60, &$0), text(43, &$0))
        return Shaped(value: "eyJ\(text(17, &$0)).\(body).\(sign)", core: body)
      },
      {
        let key = text(24, &$0); return Shaped(value: "Bearer \(key)", core: key)
      },
      {
        let key = text(24, &$0); return Shaped(value: "Authorization: Basic \(key)=", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "https://ann:\(key)@example.com/a", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "postgres://app:\(key)@db:5432/shop", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "https://h.example/?a=1&token=\(key)", core: key)
      },
      {
        let key = word(&$0)
        return Shaped(value: "https://h.example/cb?code=\(key)&x=1", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "{\"password\": \"\(key)\"}", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "user=ann&password=\(key)", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "Cookie: theme=dark; id=\(key)", core: key)
      },
      {
        let key = word(&$0); return Shaped(value: "PGPASSWORD=\(key) psql", core: key)
      },
      {
        let key = text(64, &$0)
        return Shaped(
          value: "-----BEGIN RSA PRIVATE KEY-----\n\(key)\n-----END RSA PRIVATE KEY-----", core: key
        )
      },
      {
        let card = card("4", 16, &$0); return Shaped(value: card, core: card)
      },
      {
        let card = card("5", 16, &$0)
        return Shaped(value: grouped(card), core: String(grouped(card).suffix(9)))
      },
      {
        let card = card("37", 15, &$0); return Shaped(value: "Card \(card).", core: card)
      },
      {
        let iban = iban("DE", 18, &$0); return Shaped(value: iban, core: iban)
      },
      {
        let iban = grouped(iban("FR", 23, &$0))
        return Shaped(value: iban, core: String(iban.suffix(12)))
      },
    ]
    return (0..<250).map { makers[$0 % makers.count](&random) }
  }()

  private static let base64 = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  private static func text(_ count: Int, _ random: inout SplitMix64) -> String {
    // As a generator of keys does it, and with digits, as all but one of a thousand have.
    String((0..<(count - 2)).map { _ in base64.randomElement(using: &random)! }) + "7q"
  }

  private static func upper(_ count: Int, _ random: inout SplitMix64) -> String {
    String(
      (0..<count).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".randomElement(using: &random)! })
  }

  private static func hex(_ count: Int, _ random: inout SplitMix64) -> String {
    String((0..<count).map { _ in "0123456789abcdef".randomElement(using: &random)! })
  }

  /// What a person types.
  private static func word(_ random: inout SplitMix64) -> String {
    "hunter-\(Int.random(in: 1000...9999, using: &random))!"
  }

  private static func digits(_ count: Int, _ random: inout SplitMix64) -> String {
    String((0..<count).map { _ in "0123456789".randomElement(using: &random)! })
  }

  private static func card(
    _ beginning: String, _ count: Int, _ random: inout SplitMix64
  ) -> String {
    let number = beginning + digits(count - beginning.count - 1, &random)
    let check = (0...9).first { check in
      let places = (number + "\(check)").reversed().map { $0.wholeNumberValue! }
      return places.enumerated().reduce(0) { sum, place in
        let value = place.offset % 2 == 0 ? place.element : place.element * 2
        return sum + value / 10 + value % 10
      } % 10 == 0
    }
    return number + "\(check!)"
  }

  private static func iban(
    _ country: String, _ count: Int, _ random: inout SplitMix64
  ) -> String {
    let number = digits(count, &random)
    let check = (2...98).first { check in
      let whole = number + country + (check < 10 ? "0\(check)" : "\(check)")
      return whole.reduce(0) { rest, character in
        let value = character.hexDigitValue.flatMap { $0 < 10 ? $0 : nil }
        return value.map { (rest * 10 + $0) % 97 }
          ?? (rest * 100 + Int(character.asciiValue!) - 55) % 97
      } == 1
    }!
    return country + (check < 10 ? "0\(check)" : "\(check)") + number
  }

  private static func grouped(_ number: String) -> String {
    var groups: [Substring] = []
    var rest = number[...]
    while !rest.isEmpty {
      groups.append(rest.prefix(4))
      rest = rest.dropFirst(4)
    }
    return groups.joined(separator: " ")
  }
}
