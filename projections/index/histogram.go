package index

import "math/bits"

// Histograms have log-linear buckets: exact up to 127, then 64 buckets for each
// doubling, so that a bucket is at most 1/64 of its values wide. A bucket's
// number fits the whole range of int64 into less than 4,096 buckets.

// Bucket is the bucket of a value that is not negative.
func Bucket(v int64) int64 {
	if v < 128 {
		return max(v, 0)
	}
	e := bits.Len64(uint64(v)) - 7
	return int64(e)*64 + v>>e
}

// BucketValue is the middle of a bucket.
func BucketValue(b int64) int64 {
	if b < 128 {
		return b
	}
	e := b/64 - 1
	return (b-e*64)<<e + (1<<e)/2
}

// bucketValue is BucketValue in SQL, of the column bucket.
const bucketValue = `CASE WHEN bucket < 128 THEN bucket
  ELSE ((bucket - (bucket/64 - 1)*64) << (bucket/64 - 1)) + (1 << (bucket/64 - 1))/2 END`
