//go:build unix

package fire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a server or client that is started again whenever it has ended, until stop.
type process struct {
	settings
	log io.Writer

	mu      sync.Mutex
	cmd     *exec.Cmd
	hold    io.Closer // the pipe whose end ends the process
	frozen  bool
	over    bool
	stopped chan struct{}
	starts  int
	failed  error
}

func startProcess(ctx context.Context, s settings, log io.Writer) (*process, error) {
	p := &process{settings: s, log: log, stopped: make(chan struct{})}
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	go p.keep(ctx)
	return p, nil
}

// start begins a copy of this program. It has a process group of its own: if this program ends while the copy is frozen, the system
// wakes and ends such a group.
func (p *process) start(ctx context.Context) error {
	text, err := json.Marshal(p.settings)
	if err != nil {
		return fmt.Errorf("fire: write settings: %w", err)
	}
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), environment+"="+string(text), "GOTRACEBACK=single")
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	hold, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("fire: start %s: %w", p.Name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("fire: start %s: %w", p.Name, err)
	}
	p.cmd, p.hold, p.frozen = cmd, hold, false
	p.starts++
	return nil
}

// keep starts the process again when it was killed. One that ends by itself has failed.
func (p *process) keep(ctx context.Context) {
	defer close(p.stopped)
	for {
		err := p.current().Wait()
		if p.isOver() {
			return
		}
		if status, ok := p.current().ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			p.fail(fmt.Errorf("fire: %s ended by itself: %w", p.Name, err))
			return
		}
		time.Sleep(50 * time.Millisecond)
		if err := p.start(ctx); err != nil {
			p.fail(err)
			return
		}
		if p.isOver() {
			return
		}
	}
}

func (p *process) current() *exec.Cmd {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd
}

func (p *process) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

func (p *process) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = err
}

func (p *process) kill() { p.signal(syscall.SIGKILL) }

// freeze stops the process for d, unless it is frozen already. It returns at once.
func (p *process) freeze(d time.Duration) (done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen || p.over {
		return false
	}
	frozen := p.cmd
	p.frozen = frozen.Process.Signal(syscall.SIGSTOP) == nil
	time.AfterFunc(d, func() { p.thaw(frozen) })
	return p.frozen
}

func (p *process) thaw(frozen *exec.Cmd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == frozen {
		p.frozen = false
	}
	_ = frozen.Process.Signal(syscall.SIGCONT) // it may have been killed meanwhile
}

func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Process.Signal(s) // it may have ended just now
}

// stop ends the process for good, and gives the error with which it had failed.
func (p *process) stop() error {
	p.mu.Lock()
	p.over = true
	_ = p.cmd.Process.Kill() // frozen ones die too
	_ = p.hold.Close()
	p.mu.Unlock()
	<-p.stopped
	return p.failed
}
