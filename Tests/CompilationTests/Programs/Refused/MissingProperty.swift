import GuideModels

func nick(of dog: Dog) -> String {
  // error: value of type 'Dog' has no member 'nick'
  dog.nick
}
