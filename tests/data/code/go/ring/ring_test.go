package ring

func New2() *Ring {
	r := New()
	_ = r.Push(1)
	return r
}
