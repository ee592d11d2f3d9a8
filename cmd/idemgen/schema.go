package main

import (
	_ "embed" // the schema of diff
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/openapi/diag"
)

// schemas are those that schema prints.
var schemas = []string{"annotation", "document", "config", "findings", "diff"}

//go:embed diff.schema.json
var diffSchema string

func schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema NAME",
		Short: "Print a JSON Schema, for editors and for programs",
		Long: `Print a JSON Schema (draft 2020-12), for editors and for other tools.

  annotation  the value of x-idempotency on an operation
  document    the annotations in an OpenAPI document or overlay; the rest of it is free
  config      idemgen.yaml
  findings    what the verbs print with --format json
  diff        what diff prints with --format json

Editors with the YAML language server complete and check what these say, with settings such as
  yaml.schemas: {"idempotency.schema.json": "openapi.yaml", "idemgen.schema.json": "idemgen.yaml"}
A schema sees the text alone: whether a field exists, say, only the other verbs know.`,
		Example: `  idemgen schema document > idempotency.schema.json
  idemgen schema config > idemgen.schema.json`,
		ValidArgs: schemas,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return usagef("takes one name (%s), got %d", strings.Join(schemas, ", "), len(args))
			case !slices.Contains(schemas, args[0]):
				return usagef("no schema is called %q: %s", args[0], strings.Join(schemas, ", "))
			}
			return nil
		},
	}
	extension := cmd.Flags().String("extension", "x-idempotency", "`name` of the annotation in documents")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !strings.HasPrefix(*extension, "x-") {
			return usagef("--extension %q: an extension's name begins with x-", *extension)
		}
		text, err := schemaText(args[0], *extension)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	return cmd
}

func schemaText(name, extension string) ([]byte, error) {
	switch name {
	case "annotation":
		return generator.AnnotationSchema()
	case "config":
		return config.Schema()
	case "findings":
		return diag.FindingsSchema(), nil
	case "diff":
		return []byte(diffSchema), nil
	}
	return generator.DocumentSchema(extension)
}
