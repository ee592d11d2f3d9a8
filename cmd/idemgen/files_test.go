package main

import "io/fs"

// readAll gives the content of every file of the tree by its slash-separated name.
func readAll(tree fs.FS) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		out[name] = string(data)
		return err
	})
	return out, err
}
