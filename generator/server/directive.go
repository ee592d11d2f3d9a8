package server

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	server := true
	switch {
	case strings.Contains(line, "oapi-codegen"):
		output := option(words, "o", "output")
		server = isServer(option(words, "generate"))
		if config := option(words, "config"); config != "" {
			c := readConfig(filepath.Join(folder, config))
			output, server = cmp.Or(output, c.Output), server || c.serves()
		}
		if output == "" {
			return
		}
		at = filepath.Dir(output)
	case slices.ContainsFunc(words, isOgen):
		if at = option(words, "target"); at == "" {
			at = "api" // ogen's default
		}
	default:
		return
	}
	for _, word := range words {
		switch filepath.Ext(word) {
		case ".yaml", ".yml", ".json":
			s.claims = append(s.claims, claim{filepath.Join(folder, word), filepath.Join(folder, at), server})
		}
	}
}

// isOgen reports whether a word runs ogen: ogen, or a path to it, with a version or without.
func isOgen(word string) bool {
	word, _, _ = strings.Cut(word, "@")
	return path.Base(word) == "ogen"
}

// shortServers are oapi-codegen's words for servers on its command line that do not say server.
var shortServers = []string{"std-http", "chi", "gin", "gorilla", "echo", "echo5", "fiber", "iris"}

// isServer reports whether a list of what oapi-codegen generates has a server.
func isServer(generate string) bool {
	return slices.ContainsFunc(strings.Split(generate, ","), func(word string) bool {
		return strings.HasSuffix(word, "server") || slices.Contains(shortServers, word)
	})
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

// serves reports whether a configuration has a server generated.
func (c oapiConfig) serves() bool {
	for name, value := range c.Generate {
		if on, ok := value.(bool); ok && on && strings.HasSuffix(name, "server") {
			return true
		}
	}
	return false
}

// readConfig reads a configuration of oapi-codegen; it is empty where the file is none.
func readConfig(file string) oapiConfig {
	var c oapiConfig
	data, err := os.ReadFile(file)
	if err != nil || yaml.Unmarshal(data, &c) != nil || c.Package == "" || filepath.Ext(c.Output) != ".go" {
		return oapiConfig{}
	}
	return c
}
