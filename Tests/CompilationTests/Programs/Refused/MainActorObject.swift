import GuideModels
import Strata

@MainActor var shown: Dog?

@concurrent func bark() async {
  // An object of the main actor stays there.
  // error: cannot exit main actor-isolated context
  let dog = await shown
  _ = dog?.name
}
