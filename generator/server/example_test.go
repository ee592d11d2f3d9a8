package server_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/server"
)

// A server is read from its compiled package, and each annotated operation gets its method.
func Example() {
	folder, err := os.MkdirTemp("", "server")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	for name, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.25.0\n",
		"api.go": "package api\n\nimport \"net/http\"\n\ntype ServerInterface interface {\n\t// (POST /payments)\n\tCreatePayment(w http.ResponseWriter, r *http.Request)\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	pkg, found, err := server.Load(server.Query{Pattern: folder, Document: "payments.yaml"})
	if err != nil || found.HasErrors() {
		fmt.Println(found.All(), err)
		return
	}
	methods, found := pkg.Match([]server.Operation{
		{Name: "createPayment", ID: "createPayment", Method: "POST", Path: "/payments"},
		{Name: "createRefund", ID: "createRefund", Method: "POST", Path: "/refunds"},
	})
	fmt.Println(pkg.Path, pkg.Interface, methods[0].Name)
	for _, d := range found.All() {
		fmt.Println(d.Code, d.Message)
	}
	// Output:
	// example.com/app ServerInterface CreatePayment
	// IDG611 createRefund has no method in api.ServerInterface: no method is for POST /refunds
}
