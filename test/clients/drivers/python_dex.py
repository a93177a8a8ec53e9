"""The official SDK on a builder dex: an entry by the market's name, what it then sees, and the close."""

import json
import sys

import eth_account
from hyperliquid.exchange import Exchange
from hyperliquid.info import Info

url, key, account = sys.argv[1:4]
dexes = ["", "xyz"]
wallet = eth_account.Account.from_key(key)
exchange = Exchange(wallet, url, account_address=account, perp_dexs=dexes)
info = Info(url, skip_ws=True, perp_dexs=dexes)
leverage = exchange.update_leverage(3, "xyz:TSLA", is_cross=False)
opened = exchange.market_open("xyz:TSLA", True, 10)
held = info.user_state(account, dex="xyz")["assetPositions"]
closed = exchange.market_close("xyz:TSLA")
print(json.dumps({"leverage": leverage, "opened": opened, "held": held, "closed": closed}))
