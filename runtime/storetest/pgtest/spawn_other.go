//go:build !unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
)

type account struct{}

func serverAccount() (account, error) {
	return account{}, errors.New("pgtest: start a server: not possible on this system; set IDEMGEN_TEST_POSTGRES to the URL of one")
}

func (account) newFolder() (string, error) { return "", errors.ErrUnsupported }

func (account) apply(*exec.Cmd) {}

func sendCrash(*os.Process) error { return errors.ErrUnsupported }
