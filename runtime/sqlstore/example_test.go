package sqlstore_test

import (
	"context"
	"database/sql"
	"log"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func Example() {
	ctx := context.Background()
	db, err := sql.Open("pgx", "postgres:///payments")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	store := sqlstore.NewPostgreSQL(db)
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	var _ idem.Store[*sql.Tx] = store // goes to the generated package's NewEngine
}
