"""One bot on the unmodified official SDK: reads wishes as JSON lines, answers what it saw.

argv: base URL, private key, account, and the account it names as its vault or nothing. A wish is `{"do": name, "with": [...]}`; an answer is
`{"saw": ...}` with what the SDK returned, or `{"threw": name, "text": ...}`.
"""

import json
import sys
import threading
import time

from eth_account import Account
from hyperliquid.exchange import Exchange
from hyperliquid.info import Info
from hyperliquid.utils.types import Cloid

url, key, account = sys.argv[1], sys.argv[2], sys.argv[3]
vault = sys.argv[4] if len(sys.argv) > 4 else None
wallet = Account.from_key(key)
info = Info(url)
exchange = Exchange(wallet, url, account_address=account, vault_address=vault)
DEAD = "0x000000000000000000000000000000000000dEaD"
COIN = "ETH"


def limit(side, size, price, options=None):
    options = options or {}
    cloid = options.get("cloid")
    return {
        "coin": COIN,
        "is_buy": side == "buy",
        "sz": size,
        "limit_px": price,
        "order_type": {"limit": {"tif": options.get("tif", "Gtc")}},
        "reduce_only": options.get("reduceOnly", False),
        **({} if cloid is None else {"cloid": Cloid.from_str(cloid)}),
    }


def trigger(size, at, kind):
    return {
        "coin": COIN,
        "is_buy": False,
        "sz": size,
        "limit_px": round(at * 0.85),
        "order_type": {"trigger": {"triggerPx": at, "isMarket": True, "tpsl": kind}},
        "reduce_only": True,
    }


def breakout(size, at):
    return {
        "coin": COIN,
        "is_buy": True,
        "sz": size,
        "limit_px": round(at * 1.05),
        "order_type": {"trigger": {"triggerPx": at, "isMarket": True, "tpsl": "sl"}},
        "reduce_only": False,
    }


def place(orders, grouping="na"):
    return exchange.bulk_orders(orders, grouping=grouping)


def modify(oid, order):
    return exchange.modify_order(
        int(oid),
        order["coin"],
        order["is_buy"],
        order["sz"],
        order["limit_px"],
        order["order_type"],
        order["reduce_only"],
    )


def cancel_all():
    oids = [order["oid"] for order in info.open_orders(account)]
    return exchange.bulk_cancel([{"coin": COIN, "oid": oid} for oid in oids])


def read():
    return {
        "mid": float(info.all_mids()[COIN]),
        "equity": float(info.user_state(account)["marginSummary"]["accountValue"]),
        "levels": len(info.l2_snapshot(COIN)["levels"][0]),
        "orders": len(info.frontend_open_orders(account)),
    }


def together(wishes):
    answers = [None] * len(wishes)

    def one(place_, wish):
        try:
            answers[place_] = {"saw": place([limit("buy", wish["size"], wish["price"])])}
        except Exception as error:
            answers[place_] = {"threw": type(error).__name__, "text": str(error)}

    threads = []
    for place_, wish in enumerate(wishes):
        threads.append(threading.Thread(target=one, args=(place_, wish)))
        threads[-1].start()
        # The SDK's nonce is the clock: two calls in one millisecond would share one.
        time.sleep(0.003)
    for thread in threads:
        thread.join()
    return answers


class Watched:
    def __init__(self):
        self.fill = threading.Event()
        self.book = threading.Event()
        self.size = 0
        self.levels = 0

    def on_fills(self, message):
        if not message["data"].get("isSnapshot"):
            self.size = float(message["data"]["fills"][0]["sz"])
            self.fill.set()

    def on_book(self, message):
        self.levels = len(message["data"]["levels"][0])
        self.book.set()


watched = Watched()


def watch():
    info.subscribe({"type": "userFills", "user": account}, watched.on_fills)
    info.subscribe({"type": "l2Book", "coin": COIN}, watched.on_book)
    info.subscribe({"type": "orderUpdates", "user": account}, lambda message: None)
    info.subscribe({"type": "userEvents", "user": account}, lambda message: None)
    assert watched.book.wait(20), "no book came"
    return watched.levels


def fill():
    assert watched.fill.wait(20), "no fill came"
    return watched.size


def for_vault():
    vaulted = Exchange(wallet, url, vault_address=DEAD)
    return vaulted.bulk_orders([limit("buy", 0.1, 3900)])


def with_other_key():
    stranger = Exchange(Account.from_key("0x" + "33" * 32), url, account_address=account)
    return stranger.bulk_orders([limit("buy", 0.1, 3900)])


IOC = {"tif": "Ioc"}
WISHES = {
    "markets": lambda: [market["name"] for market in info.meta()["universe"]],
    "read": read,
    "leverage": lambda value, margin: exchange.update_leverage(value, COIN, margin == "cross"),
    "market": lambda side, size: exchange.market_open(COIN, side == "buy", size),
    "limit": lambda side, size, price, options=None: place([limit(side, size, price, options)]),
    "marketWithStop": lambda size, at: place(
        [limit("buy", size, 4200, IOC), trigger(size, at, "sl")], "normalTpsl"
    ),
    "limitWithStop": lambda size, price, at: place(
        [limit("buy", size, price), trigger(size, at, "sl")], "normalTpsl"
    ),
    "group": lambda size, price, profit, at: place(
        [limit("buy", size, price), trigger(size, profit, "tp"), trigger(size, at, "sl")],
        "normalTpsl",
    ),
    "stop": lambda size, at: place([trigger(size, at, "sl")]),
    "triggerEntry": lambda size, at: place([breakout(size, at)]),
    "modify": lambda oid, size, price: modify(oid, limit("buy", size, price)),
    "modifyStop": lambda oid, size, at: modify(oid, trigger(size, at, "sl")),
    "cancel": lambda oid: exchange.cancel(COIN, int(oid)),
    "cancelByCloid": lambda cloid: exchange.cancel_by_cloid(COIN, Cloid.from_str(cloid)),
    "cancelAll": cancel_all,
    "close": lambda size: exchange.market_close(COIN, size),
    "several": lambda wishes: place([limit("buy", w["size"], w["price"]) for w in wishes]),
    "together": together,
    "watch": watch,
    "fill": fill,
    "usd_transfer": lambda: exchange.usd_transfer(1, DEAD),
    "spot_transfer": lambda: exchange.spot_transfer(1, DEAD, "USDC:0x6d1e7cde53ba9467b783cb7c530ce054"),
    "withdraw_from_bridge": lambda: exchange.withdraw_from_bridge(5, DEAD),
    "usd_class_transfer": lambda: exchange.usd_class_transfer(1, False),
    "approve_agent": lambda: exchange.approve_agent("probe")[0],
    "approve_builder_fee": lambda: exchange.approve_builder_fee(DEAD, "0.1%"),
    "sub_account_transfer": lambda: exchange.sub_account_transfer(DEAD, True, 1000000),
    "vault_usd_transfer": lambda: exchange.vault_usd_transfer(DEAD, True, 1000000),
    "set_referrer": lambda: exchange.set_referrer("PROBE"),
    "create_sub_account": lambda: exchange.create_sub_account("probe"),
    "schedule_cancel": lambda: exchange.schedule_cancel(int(time.time() * 1000) + 60_000),
    "for a vault": for_vault,
    "with a stranger's key": with_other_key,
}

print(json.dumps({"saw": "ready"}), flush=True)
for line in sys.stdin:
    wish = json.loads(line)
    try:
        answer = {"saw": WISHES[wish["do"]](*wish["with"])}
    except Exception as error:
        answer = {"threw": type(error).__name__, "text": str(error)}
    print(json.dumps(answer), flush=True)
