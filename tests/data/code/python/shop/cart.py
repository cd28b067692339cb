"""A cart."""

from shop.price import Price

LIMIT = 10


class Cart:
    """Holds what someone may buy.

    Never more than LIMIT things.
    """

    size = 0

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.prices = []

    @property
    def total(self) -> Price:
        # total is computed
        return sum_up(self.prices)


# Adds prices.
def sum_up(
    prices,
    start=0,
):
    return sum((p.amount for p in prices), start)
