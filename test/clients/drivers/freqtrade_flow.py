"""Freqtrade's own exchange code against a Guard: what it does around one trade.

argv: base URL, private key, account, `dry` or `live`. Prints one JSON object of what it saw.
"""

import json
import logging
import sys

from freqtrade import __version__
from freqtrade.enums import CandleType, MarginMode, RunMode, TradingMode
from freqtrade.exceptions import FreqtradeException
from freqtrade.resolvers import ExchangeResolver

logging.disable(logging.CRITICAL)
url, key, account, mode = sys.argv[1:5]
PAIR = "ETH/USDC:USDC"

config = {
    "dry_run": mode == "dry",
    "dry_run_wallet": 10000,
    "runmode": RunMode.DRY_RUN if mode == "dry" else RunMode.LIVE,
    "stake_currency": "USDC",
    "stake_amount": 100,
    "trading_mode": TradingMode.FUTURES,
    "margin_mode": MarginMode.ISOLATED,
    "candle_type_def": CandleType.FUTURES,
    "timeframe": "5m",
    "entry_pricing": {"price_side": "same", "use_order_book": False},
    "exit_pricing": {"price_side": "same", "use_order_book": False},
    "exchange": {
        "name": "hyperliquid",
        "walletAddress": account,
        "privateKey": key,
        "pair_whitelist": [PAIR],
        "enable_ws": False,
        "ccxt_config": {
            "enableRateLimit": False,
            "urls": {"api": {"public": url, "private": url}},
        },
        "ccxt_async_config": {"urls": {"api": {"public": url, "private": url}}},
    },
}

exchange = ExchangeResolver.load_exchange(config, validate=False)
seen = {
    "version": __version__,
    "markets": sorted(m for m in exchange.markets if m.startswith(("BTC", "ETH"))),
    "balance": exchange.get_balances()["USDC"]["total"] if mode == "live" else None,
    "ticker": exchange.fetch_ticker(PAIR)["symbol"],
}


def buy(size, price, order_type="limit"):
    return exchange.create_order(
        pair=PAIR,
        ordertype=order_type,
        side="buy",
        amount=size,
        rate=price,
        leverage=3,
        time_in_force="GTC",
    )


def stoploss(size, price):
    return exchange.create_stoploss(
        pair=PAIR,
        amount=size,
        stop_price=price,
        order_types={"stoploss": "limit", "stoploss_on_exchange_limit_ratio": 0.99},
        side="sell",
        leverage=3,
    )


bought = buy(0.1, 4010.0)
seen["entry"] = {"status": bought["status"], "filled": bought["filled"]}
if mode == "live":
    seen["position"] = exchange.fetch_positions(PAIR)[0]["contracts"]
    first = stoploss(0.1, 3950.0)
    seen["stop"] = exchange.fetch_stoploss_order(first["id"], PAIR)["status"]
    # Trailing: the old stop is cancelled, and a new one placed.
    cancelled = exchange.cancel_stoploss_order_with_result(first["id"], PAIR, 0.1)
    seen["cancelled"] = cancelled["status"]
    second = stoploss(0.1, 3960.0)
    seen["replaced"] = exchange.fetch_stoploss_order(second["id"], PAIR)["status"]
    try:
        buy(0.001, 3900.0)
        seen["refused"] = None
    except FreqtradeException as error:
        seen["refused"] = str(error)
        seen["refused_as"] = type(error).__name__
    exchange.cancel_stoploss_order(second["id"], PAIR)
    closed = exchange.create_order(
        pair=PAIR,
        ordertype="limit",
        side="sell",
        amount=0.1,
        rate=3990.0,
        leverage=3,
        reduceOnly=True,
        time_in_force="GTC",
    )
    seen["exit"] = {"status": closed["status"], "filled": closed["filled"]}
exchange.close()
print(json.dumps(seen))
