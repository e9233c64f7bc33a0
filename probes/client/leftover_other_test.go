//go:build !unix

package client_test

func leaveChild() {}

func linger() int { return 1 }
