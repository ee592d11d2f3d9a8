// Package deploys has the programs of a deploy: one is what runs today; two counts another field of the same operation, and knows the
// contract of one; three is two after the first version was pruned. Its test runs them side by side on one database.
package deploys
