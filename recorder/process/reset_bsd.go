//go:build (darwin || freebsd) && !unsupported

package process

import "syscall"

const sysSigaction = syscall.SYS_SIGACTION
