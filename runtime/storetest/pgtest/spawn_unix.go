//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom the server runs as: the caller, or somebody without privileges when the caller is root.
type account struct {
	uid, gid int
	switches bool
}

func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Getuid(), gid: os.Getgid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.Atoi(u.Uid)
		gid, errGID := strconv.Atoi(u.Gid)
		if errUID == nil && errGID == nil && uid > 0 {
			return account{uid: uid, gid: gid, switches: true}, nil
		}
	}
	return account{}, fmt.Errorf("pgtest: find a user for the server: PostgreSQL refuses to run as root, and there is neither postgres nor nobody")
}

// newFolder makes the cluster's folder. As root it stands in /tmp whatever TMPDIR says: there the server's user can reach it and,
// since it owns the folder, delete it.
func (a account) newFolder() (string, error) {
	base := os.TempDir()
	if a.switches {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "idemgen-pg-")
	if err != nil {
		return "", fmt.Errorf("pgtest: make a folder: %w", err)
	}
	if !a.switches {
		return dir, nil
	}
	if err := os.Chown(dir, a.uid, a.gid); err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("pgtest: give the folder to the server's user: %w", err)
	}
	return dir, nil
}

// apply puts the command into a session of its own, out of reach of an interrupt at the terminal, under the account.
func (a account) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.switches {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
}

// sendCrash tells a keeper to kill its server.
func sendCrash(keeper *os.Process) error { return keeper.Signal(syscall.SIGUSR1) }
