//go:build !unsupported

package process

import "syscall"

const sysSigaction = syscall.SYS_RT_SIGACTION
