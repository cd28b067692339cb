#include "ring.hpp"

namespace rings {

template <typename T>
void Ring<T>::push(const T& item) {
    ++size_;
}

int* find(const IntRing& ring) {
    return ring.size() > 0 ? nullptr : nullptr;
}

}  // namespace rings

int main() {
    rings::IntRing ring;
    ring.push(1);
    return *rings::find(ring);
}
