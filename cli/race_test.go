//go:build race

package cli_test

// raceDetector: the race detector makes the shim of these tests many times
// slower, so that some tests send less.
const raceDetector = true
