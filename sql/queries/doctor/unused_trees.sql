-- Call trees and sets of labels that no run uses, nor any load of a day. $1: remove them.
SELECT perfhouse_internal.unused_trees($1::boolean)
