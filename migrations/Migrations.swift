// The steps between the versions of People. Blocks stand in files of their own, N-Name.swift, beside the declarative step of
// their version, N.yaml; everything else of this target is generated. SwiftPM takes a target without a Swift file of its own
// for empty, so that this one stays, whatever steps there are.
