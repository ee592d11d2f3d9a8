package httptext

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// shellWords gives the words of one simple command. Quoting is undone; nothing is looked up or run, and a question mark in a URL is no
// pattern of file names.
func shellWords(text string) ([]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("the command cannot be read: %w", err)
	}
	if len(file.Stmts) != 1 {
		return nil, errors.New("there is more than one command: give one")
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || stmt.Background || stmt.Negated {
		return nil, errors.New("it is more than one command with its arguments")
	}
	if len(stmt.Redirs) > 0 {
		return nil, errors.New("its input or output is redirected: give the body itself")
	}
	var words []string
	for _, arg := range call.Args {
		if err := literal(arg); err != nil {
			return nil, err
		}
		word, err := expand.Literal(&expand.Config{}, arg)
		if err != nil {
			return nil, fmt.Errorf("the command cannot be read: %w", err)
		}
		words = append(words, word)
	}
	return words, nil
}

// literal refuses a word whose value the text does not hold.
func literal(word *syntax.Word) (err error) {
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			err = fmt.Errorf("it uses $%s: give the value itself", n.Param.Value)
		case *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			err = errors.New("it runs another command: give the value itself")
		}
		return err == nil
	})
	return err
}
