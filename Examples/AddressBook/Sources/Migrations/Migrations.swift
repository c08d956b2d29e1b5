// Blocks of Swift steps stand here, each in a file of its own. SwiftPM takes a target without a Swift file for empty, so that
// this one stays.
