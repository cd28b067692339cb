// Package ring has rings.
package ring

import "fmt"

// Max is the largest ring.
const Max = 16

var (
	count int
)

// Ring is a ring.
type Ring struct {
	Items []int
}

// Pusher pushes.
type Pusher interface {
	Push(item int) error
}

// New makes a Ring.
func New() *Ring {
	count++
	return &Ring{}
}

// Push adds an item.
func (r *Ring) Push(item int) error {
	r.Items = append(r.Items, item)
	fmt.Println("Push", Max)
	return nil
}
