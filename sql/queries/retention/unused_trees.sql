-- Call trees and sets of labels that no run uses, nor any load of a day, go.
SELECT perfhouse_internal.unused_trees(true)
