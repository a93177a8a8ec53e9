"""The official SDK on a builder dex, one wish a run: `leverage`, `open`, `held` or `close` by the market's name."""

import json
import sys

import eth_account
from hyperliquid.exchange import Exchange
from hyperliquid.info import Info

url, key, account, wish = sys.argv[1:5]
dexes = ["", "xyz"]
market = "xyz:TSLA"
wallet = eth_account.Account.from_key(key)
exchange = Exchange(wallet, url, account_address=account, perp_dexs=dexes)
answers = {
    "leverage": lambda: exchange.update_leverage(3, market, is_cross=False),
    "open": lambda: exchange.market_open(market, True, 10),
    "held": lambda: Info(url, skip_ws=True, perp_dexs=dexes).user_state(account, dex="xyz"),
    "close": lambda: exchange.market_close(market),
}
print(json.dumps(answers[wish]()))
