// Package store reads and writes payments. It has the form in which sqlc writes queries.sql for pgx: New takes what runs statements, and
// WithTx a pgx.Tx, which ex.Tx() of an execution is.
package store
