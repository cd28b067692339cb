#pragma once

namespace rings {

class Other;

/// A ring.
template <typename T>
class Ring {
public:
    Ring() = default;
    void push(const T& item);
    int size() const { return size_; }

private:
    int size_ = 0;
};

using IntRing = Ring<int>;

enum class Order { Oldest, Newest };

int* find(const IntRing& ring);

}  // namespace rings
