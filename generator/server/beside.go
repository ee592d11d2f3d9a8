package server

import (
	"bytes"
	"os"
	"path/filepath"
)

// configsBeside are the configurations of oapi-codegen that stand beside a document, and the absolute folder of both.
func configsBeside(document string) (beside string, configs []oapiConfig) {
	for _, file := range filesBeside(document) {
		if c := readConfig(file); c.Output != "" {
			configs = append(configs, c)
		}
		beside = filepath.Dir(file)
	}
	return beside, configs
}

// filesBeside are the files in a document's folder that could be documents or configurations: the document is one of them.
func filesBeside(document string) (files []string) {
	folder, err := filepath.Abs(filepath.Dir(document))
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".yaml", ".yml", ".json":
			if e.Type().IsRegular() {
				files = append(files, filepath.Join(folder, e.Name()))
			}
		}
	}
	return files
}

// places are where a configuration may send its output: its path is relative to the folder that the generator runs in, which nobody knows.
// The configuration's own, the module's root and the working folder are tried.
func (c oapiConfig) places(beside, root string) []string {
	var out []string
	for _, from := range []string{beside, root, "."} {
		if folder, err := filepath.Abs(filepath.Join(from, filepath.Dir(c.Output))); err == nil {
			out = append(out, folder)
		}
	}
	return out
}

// configuredBeside are the servers whose place a configuration beside the document names.
func (s *surveyed) configuredBeside(document, root string, operations []Operation) []string {
	beside, configs := configsBeside(document)
	var out []string
	for _, c := range configs {
		for _, folder := range c.places(beside, root) {
			if p := s.servers[folder]; p != nil && p.serves(operations) {
				out = append(out, folder)
				break
			}
		}
	}
	return distinct(out)
}

// promisedBeside is the place of a server that a configuration beside the document speaks of, and where there is no Go file. Such a
// configuration does not name its document, so that it says something only where there is one document, and no line that runs it.
func (s *surveyed) promisedBeside(document, root string) []string {
	if len(s.claims) > 0 || hasSibling(document) {
		return nil
	}
	beside, configs := configsBeside(document)
	var out []string
	for _, c := range configs {
		places := c.places(beside, root)
		written := false
		for _, folder := range places {
			written = written || holdsGo(folder)
		}
		if c.serves() && !written {
			out = append(out, places[0])
		}
	}
	return distinct(out)
}

// hasSibling reports whether another OpenAPI document stands beside one.
func hasSibling(document string) bool {
	for _, file := range filesBeside(document) {
		text, err := os.ReadFile(file)
		if err != nil || sameFile(file, document) {
			continue
		}
		text = append([]byte("\n"), text...)
		if bytes.Contains(text, []byte("\nopenapi:")) || bytes.Contains(text, []byte(`"openapi"`)) {
			return true
		}
	}
	return false
}
