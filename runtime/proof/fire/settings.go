package fire

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// environment names the variable that makes a copy of the test binary a server or a client.
const environment = "IDEMGEN_FIRE"

// role is what a process does.
type role string

const (
	roleServer role = "server"
	roleClient role = "client"
)

// settings are what a process is told.
type settings struct {
	Role     role
	Name     string
	Database string   // connection string
	Servers  []string // addresses; a server's own comes first
	Journal  string   // path
	Scenario Scenario
	Provider string // URL; leased alone
	// Start is when keys began to be used; what time it is decides which are in use.
	Start time.Time
}

// Child runs the process that the environment asks for, and says whether it asked for one. A test binary calls it first.
func Child() bool {
	text, ok := os.LookupEnv(environment)
	if !ok {
		return false
	}
	if err := child(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

func child(text string) error {
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("fire: read settings: %w", err)
	}
	endWithParent()
	if s.Role == roleServer {
		return serve(s)
	}
	return ask(s)
}

// endWithParent ends the process when the one that started it is gone, which closes the pipe that is its input.
func endWithParent() {
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
}
