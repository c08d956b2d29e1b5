import GuideModels

func make() -> Dog {
  // error: missing argument for parameter 'name' in call
  Dog(age: 3)
}
