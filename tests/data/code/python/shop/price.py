class Price:
    def __init__(self, amount):
        self.amount = amount


class Discount(Price):
    pass
