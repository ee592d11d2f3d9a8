package server

import (
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// directive takes note of a go:generate line that runs a server generator. Its paths are relative to the folder of its file.
func (s *surveyed) directive(folder, line string) {
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = strings.Trim(word, `"`)
	}
	var at string
	switch {
	case strings.Contains(line, "oapi-codegen"):
		output := option(words, "o", "output")
		if config := option(words, "config"); output == "" && config != "" {
			output = outputOf(filepath.Join(folder, config))
		}
		if output == "" {
			return
		}
		at = filepath.Dir(output)
	case strings.Contains(line, "ogen"):
		if at = option(words, "target"); at == "" {
			at = "api" // ogen's default
		}
	default:
		return
	}
	for _, word := range words {
		switch filepath.Ext(word) {
		case ".yaml", ".yml", ".json":
			s.claims = append(s.claims, claim{filepath.Join(folder, word), filepath.Join(folder, at)})
		}
	}
}

// option gives a flag's value, in any of the spellings that Go's flags have.
func option(words []string, names ...string) string {
	for i, word := range words {
		flag, value, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") {
			continue
		}
		for _, name := range names {
			switch {
			case flag != name:
			case joined:
				return value
			case i+1 < len(words):
				return words[i+1]
			}
		}
	}
	return ""
}

// oapiConfig is what a configuration of oapi-codegen says that concerns its server's place.
type oapiConfig struct {
	Package  string         `yaml:"package"`
	Output   string         `yaml:"output"`
	Generate map[string]any `yaml:"generate"`
}

// outputOf is the file that a configuration of oapi-codegen sends its output to; empty where the file is none.
func outputOf(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var c oapiConfig
	if yaml.Unmarshal(data, &c) != nil || c.Package == "" || filepath.Ext(c.Output) != ".go" {
		return ""
	}
	return c.Output
}

// configuredBeside are the servers whose place a configuration beside the document names. Its paths are relative to the folder that the
// generator runs in, which nobody knows: the configuration's own, the module's root and the working folder are tried.
func (s *surveyed) configuredBeside(document, root string, operations []Operation) []string {
	beside, err := filepath.Abs(filepath.Dir(document))
	if err != nil {
		return nil
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(beside)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if !e.Type().IsRegular() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		output := outputOf(filepath.Join(beside, e.Name()))
		if output == "" {
			continue
		}
		for _, from := range []string{beside, root, here} {
			folder := filepath.Join(from, filepath.Dir(output))
			if p := s.servers[folder]; p != nil && p.serves(operations) {
				out = append(out, folder)
				break
			}
		}
	}
	return distinct(out)
}
