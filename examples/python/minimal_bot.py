"""A minimal bot on the official SDK: buys a little ETH, looks at its stop, closes again.

GUARD_CLIENT_KEY is the client key Guard gave you, GUARD_ACCOUNT the trading account.
    pip install hyperliquid-python-sdk
"""

import os
import sys

from eth_account import Account
from hyperliquid.exchange import Exchange
from hyperliquid.info import Info

guard = os.environ.get("GUARD_URL", "http://127.0.0.1:8547")
account = os.environ["GUARD_ACCOUNT"]
wallet = Account.from_key(os.environ["GUARD_CLIENT_KEY"])

info = Info(guard, skip_ws=True)
exchange = Exchange(wallet, guard, account_address=account)


def statuses(reply):
    # A refusal is an answer with status "err": Guard's code is in brackets, then the reason.
    if reply["status"] != "ok":
        print("refused", reply["response"])
        sys.exit(1)
    return reply["response"]["data"]["statuses"]


print("bought", statuses(exchange.market_open("ETH", True, 0.05)))
# No stop was sent, so Guard attached one: it rests beside the position.
stops = [order for order in info.frontend_open_orders(account) if order["isTrigger"]]
print("stops", [(order["triggerPx"], order["sz"]) for order in stops])
print("sold", statuses(exchange.market_close("ETH")))
