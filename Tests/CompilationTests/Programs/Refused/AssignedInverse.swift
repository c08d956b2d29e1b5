import GuideModels
import Strata

func change(_ dog: Dog, to homes: LinkingObjects<Person>) {
  // error: 'homes' is a get-only property
  dog.homes = homes
}
