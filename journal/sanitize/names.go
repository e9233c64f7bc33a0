package sanitize

import (
	"maps"
	"slices"
)

// Methods lists the names that ParseMethod accepts, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// CapabilityNames lists the names that a Capabilities may hold, sorted.
func CapabilityNames() []string { return slices.Clone(capabilityNames[:]) }

// BucketNames lists the names that ParseBucket accepts, length buckets first.
func BucketNames() []string { return slices.Concat(strBuckets[:], otherBuckets[:]) }
