package generator

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// blobs reads files of a commit by their paths from the top, in one go. Those that it does not have, that are no files or too large for
// a lock are left out.
func (g git) blobs(commit string, paths []string) (map[string][]byte, error) {
	var ask bytes.Buffer
	var asked []string
	for _, name := range paths {
		if !strings.ContainsRune(name, '\n') { // no line can name it
			fmt.Fprintf(&ask, "%s:%s\n", commit, name)
			asked = append(asked, name)
		}
	}
	out := map[string][]byte{}
	if len(asked) == 0 {
		return out, nil
	}
	cmd := g.command("cat-file", "--batch")
	cmd.Stdin = &ask
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err = readBlobs(bufio.NewReader(pipe), asked, out)
	if err != nil {
		_, _ = io.Copy(io.Discard, pipe) // so that it ends
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("%w: git cannot read files of %s: %w", errBase, short(commit), err)
	}
	return out, nil
}

// readBlobs reads what cat-file --batch answers: a line with name, type and size, and the content; or a line that ends otherwise.
func readBlobs(from *bufio.Reader, asked []string, out map[string][]byte) error {
	for _, name := range asked {
		line, err := from.ReadString('\n')
		if err != nil {
			return err
		}
		var id, kind string
		var size int64
		if n, _ := fmt.Sscanf(line, "%s %s %d\n", &id, &kind, &size); n != 3 || strings.HasSuffix(line, " missing\n") {
			continue
		}
		if kind != "blob" || size > largestLock {
			if _, err := io.CopyN(io.Discard, from, size+1); err != nil {
				return err
			}
			continue
		}
		text := make([]byte, size+1) // with the line end behind it
		if _, err := io.ReadFull(from, text); err != nil {
			return err
		}
		out[name] = text[:size]
	}
	return nil
}
