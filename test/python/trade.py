"""Trades with the unmodified official SDK against a venue at argv[1], as the account of argv[2].

argv[2] is the private key. Prints one JSON object of what it saw; any exception is a failure.
"""

import json
import sys
import threading

from eth_account import Account
from hyperliquid.exchange import Exchange
from hyperliquid.info import Info
from hyperliquid.utils.types import Cloid

url, key = sys.argv[1], sys.argv[2]
wallet = Account.from_key(key)
user = wallet.address

info = Info(url)
exchange = Exchange(wallet, url, account_address=user)
seen = {}
fills = threading.Event()
books = threading.Event()


def on_fills(message):
    if not message["data"].get("isSnapshot"):
        seen["streamed_fill"] = message["data"]["fills"][0]["sz"]
        fills.set()


def on_book(message):
    seen["streamed_book"] = len(message["data"]["levels"][0])
    books.set()


info.subscribe({"type": "userFills", "user": user}, on_fills)
info.subscribe({"type": "l2Book", "coin": "ETH"}, on_book)
info.subscribe({"type": "userEvents", "user": user}, lambda message: None)
info.subscribe({"type": "orderUpdates", "user": user}, lambda message: None)


def statuses(reply):
    assert reply["status"] == "ok", reply
    return reply["response"]["data"]["statuses"]


seen["mid"] = info.all_mids()["ETH"]
seen["book_levels"] = len(info.l2_snapshot("ETH")["levels"][0])
seen["equity"] = info.user_state(user)["marginSummary"]["accountValue"]
seen["universe"] = [market["name"] for market in info.meta()["universe"]][:2]

assert exchange.update_leverage(3, "ETH", is_cross=False)["status"] == "ok"
seen["market_open"] = statuses(exchange.market_open("ETH", True, 0.5))[0]["filled"]["totalSz"]

cloid = Cloid.from_str("0x1234567890abcdef1234567890abcdef")
resting = statuses(
    exchange.order("ETH", True, 0.1, 2400, {"limit": {"tif": "Alo"}}, cloid=cloid)
)[0]["resting"]
seen["order_status"] = info.query_order_by_oid(user, resting["oid"])["order"]["status"]
moved = statuses(
    exchange.modify_order(cloid, "ETH", True, 0.1, 2401, {"limit": {"tif": "Alo"}}, cloid=cloid)
)[0]["resting"]
assert moved["oid"] != resting["oid"]
seen["by_cloid"] = info.query_order_by_cloid(user, cloid)["order"]["order"]["limitPx"]
seen["cancel_by_cloid"] = statuses(exchange.cancel_by_cloid("ETH", cloid))[0]
plain = statuses(exchange.order("ETH", True, 0.1, 2390, {"limit": {"tif": "Gtc"}}))[0]["resting"]
seen["cancel"] = statuses(exchange.cancel("ETH", plain["oid"]))[0]

stop = {"trigger": {"triggerPx": 2300, "isMarket": True, "tpsl": "sl"}}
seen["group"] = statuses(
    exchange.bulk_orders(
        [
            {
                "coin": "ETH",
                "is_buy": True,
                "sz": 0.1,
                "limit_px": 2400,
                "order_type": {"limit": {"tif": "Gtc"}},
                "reduce_only": False,
            },
            {
                "coin": "ETH",
                "is_buy": False,
                "sz": 0.1,
                "limit_px": 2000,
                "order_type": stop,
                "reduce_only": True,
            },
        ],
        grouping="normalTpsl",
    )
)[1]
seen["open_orders"] = len(info.frontend_open_orders(user))
for order in info.open_orders(user):
    if order["limitPx"] == "2400.0":
        exchange.cancel("ETH", order["oid"])
refused = exchange.order("ETH", True, 0.1, 2600, {"limit": {"tif": "Alo"}})
seen["post_only"] = statuses(refused)[0]["error"]
seen["market_close"] = statuses(exchange.market_close("ETH"))[0]["filled"]["totalSz"]
seen["positions"] = len(info.user_state(user)["assetPositions"])
seen["fills"] = len(info.user_fills(user))
seen["transfer"] = exchange.usd_class_transfer(25, False)["status"]

assert fills.wait(10), "no fill on the stream"
assert books.wait(10), "no book on the stream"
info.disconnect_websocket()
print(json.dumps(seen))
