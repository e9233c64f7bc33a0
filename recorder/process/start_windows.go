//go:build !unsupported

package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Process is a started child. Its methods may be called from any goroutine.
type Process struct {
	proc *os.Process

	// GuardErr says why a guard that was asked for does not run.
	GuardErr error

	mu  sync.Mutex
	job windows.Handle // 0 when there is none; guarded by mu
}

// Start starts a command. A command that cannot be started gives a *StartError.
func Start(c Command) (*Process, error) {
	path, err := LookPath(c.Args[0])
	if err != nil {
		return nil, err
	}
	attr := os.ProcAttr{Dir: c.Dir, Env: c.Env, Sys: &syscall.SysProcAttr{CreationFlags: consoleFlags()}}
	if isBatch(path) {
		if path, attr.Sys.CmdLine, err = batchCommand(path, c.Args[1:]); err != nil {
			return nil, &StartError{Name: c.Args[0], Problem: CannotStart, Err: err}
		}
	}
	for _, f := range []*os.File{c.Stdin, c.Stdout, c.Stderr} {
		if f == nil {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				return nil, fmt.Errorf("open null device: %w", err)
			}
			defer null.Close()
			f = null
		}
		attr.Files = append(attr.Files, f)
	}
	p := &Process{}
	if c.Guard {
		p.job, p.GuardErr = enterJob()
	}
	if p.proc, err = os.StartProcess(path, c.Args, &attr); err != nil {
		p.Release()
		return nil, &StartError{Name: c.Args[0], Problem: CannotStart, Err: err}
	}
	return p, nil
}

// batchCommand is the program and the command line for a batch file. The
// program is the system's own cmd.exe, whatever PATH says.
func batchCommand(path string, args []string) (cmdExe, line string, err error) {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return "", "", fmt.Errorf("find cmd.exe: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", "", fmt.Errorf("find batch file: %w", err)
	}
	cmdExe = filepath.Join(system, "cmd.exe")
	line, err = batchCommandLine(cmdExe, path, args)
	return cmdExe, line, err
}

// consoleFlags keep a child of a process without a console from opening a
// window. It gets a console nonetheless, an invisible one: a cmd.exe without any
// does not pass its files on to what it starts.
func consoleFlags() uint32 {
	if page, _ := windows.GetConsoleCP(); page == 0 {
		return windows.CREATE_NO_WINDOW
	}
	return 0
}

// enterJob puts this process into a new job that is killed when its last handle
// closes, which is when this process ends. Children are born into the job.
func enterJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create job: %w", err)
	}
	if err := limitJob(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE|jobAlways); err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	if err := windows.AssignProcessToJobObject(job, windows.CurrentProcess()); err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("enter job: %w", err)
	}
	return job, nil
}

// jobAlways lets a process leave the job if it asks for that when it is
// started, as it could without us.
const jobAlways = windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK

func limitJob(job windows.Handle, flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return fmt.Errorf("limit job: %w", err)
	}
	return nil
}

// Pid is the child's process number.
func (p *Process) Pid() int { return p.proc.Pid }

// Wait waits until the child itself has ended; others of its job may live on. It
// is called once.
func (p *Process) Wait() (Exit, error) {
	state, err := p.proc.Wait()
	if err != nil {
		return Exit{}, fmt.Errorf("wait for child: %w", err)
	}
	return Exit{Code: state.ExitCode()}, nil
}

// Forward kills for os.Kill and does nothing for other signals: a child of the
// same console gets Ctrl-C and Ctrl-Break from the system.
func (p *Process) Forward(sig os.Signal) error {
	if sig == os.Kill {
		return p.Kill()
	}
	return nil
}

// Terminate is Kill: Windows has no signal that asks a process to end.
func (p *Process) Terminate() error { return p.Kill() }

// Kill ends the child and everything else in its job except this process.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.job != 0 {
		for _, pid := range jobMembers(p.job) {
			if pid != uint32(os.Getpid()) {
				terminate(pid)
			}
		}
	}
	if err := p.proc.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill child: %w", err)
	}
	return nil
}

func terminate(pid uint32) {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return // gone already
	}
	defer func() { _ = windows.CloseHandle(h) }()
	_ = windows.TerminateProcess(h, 1)
}

// jobMembers lists the processes of a job, at most 1024 of them.
func jobMembers(job windows.Handle) []uint32 {
	const basicProcessIDList = 3
	var list struct {
		assigned, listed uint32
		pids             [1024]uintptr
	}
	if err := windows.QueryInformationJobObject(job, basicProcessIDList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil); err != nil {
		return nil
	}
	var pids []uint32
	for _, pid := range list.pids[:min(int(list.listed), len(list.pids))] {
		pids = append(pids, uint32(pid))
	}
	return pids
}

// Release is the orderly end: whoever is left of the job lives on. It may be
// called repeatedly.
func (p *Process) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.job == 0 {
		return
	}
	// While the flag is set, closing the last handle would kill this process.
	if limitJob(p.job, jobAlways) == nil {
		_ = windows.CloseHandle(p.job)
	}
	p.job = 0
}

// GuardMain returns exit code 2: on Windows a job does the guard's work.
func GuardMain([]string) int { return 2 }

// ReRaise returns exit code 1: Windows processes are not ended by signals.
func ReRaise(os.Signal) int { return 1 }
