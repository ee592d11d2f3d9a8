package generator_test

import (
	"fmt"

	"github.com/idemgen/idemgen/generator"
)

// What continuous integration asks: are the generated files and the lock current?
func Example() {
	document := "../golden/pipeline/several-files/openapi.yaml"
	plan, findings, err := generator.Prepare([]string{document}, generator.Options{})
	if err != nil || findings.HasErrors() {
		fmt.Println(err, findings.All())
		return
	}
	drift, err := plan.Check()
	fmt.Println(plan.Packages[0].Name, plan.Packages[0].Operations, len(drift), err)
	// Output: openapiidem 2 0 <nil>
}
