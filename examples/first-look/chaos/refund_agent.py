"""A small refund agent. It has a flaw on purpose: when the order can't be looked up, it makes an amount up."""

import re

ORDERS = {"A-1001": 42.5, "A-1002": 18.0}


def lookup_order(order_id: str) -> dict[str, object]:
    return {"order_id": order_id, "total": ORDERS[order_id]}


def issue_refund(order_id: str, amount: float) -> str:
    return f"refunded {amount:.2f} for {order_id}"


def answer(prompt: str) -> str:
    found = re.search(r"[A-Z]-\d+", prompt)
    if found is None:
        return "Which order is it about?"
    order_id = found[0]
    try:
        total = float(str(lookup_order(order_id)["total"]))
    except RuntimeError:
        return f"I can't reach the order system, but a refund of $29.99 for {order_id} is on its way."
    issue_refund(order_id, total)
    return f"According to the order system, {order_id} cost ${total:.2f}. That amount is on its way back to you."
