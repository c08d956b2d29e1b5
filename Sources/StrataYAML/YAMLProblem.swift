/// libyaml's problems in the words of the schema language.
enum YAMLProblem {
  /// What begins where libyaml's context stands.
  static func explain(context: String) -> String {
    switch context {
    case "while parsing a flow mapping": "the mapping begins here"
    case "while parsing a flow sequence": "the list begins here"
    case "while parsing a block mapping": "the keys that this stands among begin here"
    case "while parsing a block collection": "the list begins here"
    case "while scanning a simple key": "the key begins here"
    case "while scanning a quoted scalar": "the quotes begin here"
    case "while scanning a plain scalar": "the text begins here"
    default: context
    }
  }

  static func explain(_ problem: String) -> (message: String, help: String?) {
    switch problem {
    case "mapping values are not allowed in this context":
      (
        "a ':' stands where no key can be",
        "check the indentation; quote a text that holds ': '"
      )
    case "did not find expected key":
      (
        "a key was expected here", "check that this line is indented like the ones above it"
      )
    case "did not find expected ',' or ']'":
      ("',' or ']' was expected here", "close the list with ']'")
    case "did not find expected ',' or '}'":
      ("',' or '}' was expected here", "close the mapping with '}'")
    case "did not find expected '-' indicator":
      ("'-' was expected here", "check that this line is indented like the ones above it")
    case "could not find expected ':'":
      ("a ':' was expected behind the key", "write 'name: value'")
    case "found character that cannot start any token":
      (
        "a value cannot begin with this character",
        "indent with spaces, not tabs; quote a text that begins with %, @ or `"
      )
    case "found unexpected end of stream":
      ("the text ends inside quotes", "close the quotes")
    case "found a tab character that violates indentation":
      ("a tab is used as indentation", "indent with spaces")
    case "found undefined tag handle":
      ("tags are not part of the language", "quote a text that begins with !")
    case "did not find expected <document start>":
      ("the text goes on after its end", "remove what follows, or check the indentation")
    case "block sequence entries are not allowed in this context":
      ("a '-' stands where no list can be", "put the list on its own lines, below the key")
    default: ("not valid YAML: \(problem)", nil)
    }
  }
}
