//! One bot on the unmodified official SDK: reads wishes as JSON lines, answers what it saw.
//!
//! Arguments: base URL, private key, account, and the account it names as its vault or nothing.
//! A wish is `{"do": name, "with": [...]}`; an answer is `{"saw": ...}` with what was read,
//! `{"orders": [...]}` with what became of each order, or `{"refused": text, "as": kind}`.

use ethers::signers::LocalWallet;
use ethers::types::H160;
use hyperliquid_rust_sdk::*;
use serde_json::{json, Value};
use std::collections::HashMap;
use std::io::{stdin, stdout, BufRead, Write};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver};

const COIN: &str = "ETH";
const DEAD: &str = "0x000000000000000000000000000000000000dead";

struct Bot {
    url: String,
    info: InfoClient,
    exchange: ExchangeClient,
    account: H160,
    fills: Option<UnboundedReceiver<Message>>,
}

/// The SDK knows three addresses; its clients take any other once they are made.
async fn info_at(url: &str) -> InfoClient {
    let mut info = InfoClient::new(None, Some(BaseUrl::Localhost))
        .await
        .unwrap();
    info.http_client.base_url = url.to_string();
    info
}

/// As `ExchangeClient::new` makes it, at another address.
async fn exchange_at(url: &str, key: &str, vault_address: Option<H160>) -> ExchangeClient {
    let info = info_at(url).await;
    let meta = info.meta().await.unwrap();
    let perps: HashMap<String, u32> = meta
        .universe
        .iter()
        .enumerate()
        .map(|(index, asset)| (asset.name.clone(), index as u32))
        .collect();
    let spot = info.spot_meta().await.unwrap();
    ExchangeClient {
        wallet: key.parse::<LocalWallet>().unwrap(),
        coin_to_asset: spot.add_pair_and_name_to_index_map(perps),
        http_client: info.http_client,
        meta,
        vault_address,
    }
}

fn order(
    is_buy: bool,
    sz: f64,
    limit_px: f64,
    reduce_only: bool,
    order_type: ClientOrder,
) -> ClientOrderRequest {
    ClientOrderRequest {
        asset: COIN.to_string(),
        is_buy,
        reduce_only,
        limit_px,
        sz,
        cloid: None,
        order_type,
    }
}

fn limit(is_buy: bool, size: f64, price: f64, options: &Value) -> ClientOrderRequest {
    let tif = options["tif"].as_str().unwrap_or("Gtc").to_string();
    let reduce_only = options["reduceOnly"].as_bool().unwrap_or(false);
    let mut made = order(
        is_buy,
        size,
        price,
        reduce_only,
        ClientOrder::Limit(ClientLimit { tif }),
    );
    made.cloid = options["cloid"].as_str().map(uuid_of);
    made
}

fn uuid_of(cloid: &str) -> uuid::Uuid {
    uuid::Uuid::parse_str(&cloid[2..]).unwrap()
}

/// A market stop that sells; its limit lies 15% beyond.
fn stop(size: f64, at: f64, tpsl: &str) -> ClientOrderRequest {
    let trigger = ClientTrigger {
        is_market: true,
        trigger_px: at,
        tpsl: tpsl.to_string(),
    };
    order(
        false,
        size,
        (at * 0.85).round(),
        true,
        ClientOrder::Trigger(trigger),
    )
}

/// An entry that waits for a price above.
fn breakout(size: f64, at: f64) -> ClientOrderRequest {
    let trigger = ClientTrigger {
        is_market: true,
        trigger_px: at,
        tpsl: "sl".to_string(),
    };
    order(
        true,
        size,
        (at * 1.05).round(),
        false,
        ClientOrder::Trigger(trigger),
    )
}

fn shown(status: &ExchangeDataStatus) -> Value {
    match status {
        ExchangeDataStatus::Resting(resting) => json!({ "id": resting.oid.to_string() }),
        ExchangeDataStatus::Filled(filled) => json!({
            "id": filled.oid.to_string(),
            "filled": filled.total_sz.parse::<f64>().unwrap(),
        }),
        ExchangeDataStatus::Error(text) => json!({ "error": text }),
        _ => json!({}),
    }
}

fn seen(reply: std::result::Result<ExchangeResponseStatus, Error>) -> Value {
    match reply {
        Ok(ExchangeResponseStatus::Ok(response)) => {
            let statuses = response.data.map(|data| data.statuses).unwrap_or_default();
            json!({ "orders": statuses.iter().map(shown).collect::<Vec<_>>() })
        }
        Ok(ExchangeResponseStatus::Err(text)) => {
            json!({ "refused": text, "as": "a returned `ExchangeResponseStatus::Err`" })
        }
        Err(error) => json!({ "refused": error.to_string(), "as": "an `Error`" }),
    }
}

impl Bot {
    async fn place(&self, orders: Vec<ClientOrderRequest>) -> Value {
        seen(self.exchange.bulk_order(orders, None).await)
    }

    async fn modify(&self, id: &Value, order: ClientOrderRequest) -> Value {
        let oid = id.as_str().unwrap().parse().unwrap();
        seen(
            self.exchange
                .modify(ClientModifyRequest { oid, order }, None)
                .await,
        )
    }

    async fn cancel_all(&self) -> Value {
        let open = self.info.open_orders(self.account).await.unwrap();
        let cancels = open
            .iter()
            .map(|each| ClientCancelRequest {
                asset: COIN.to_string(),
                oid: each.oid,
            })
            .collect();
        seen(self.exchange.bulk_cancel(cancels, None).await)
    }

    async fn read(&self) -> Value {
        let mids = self.info.all_mids().await.unwrap();
        let state = self.info.user_state(self.account).await.unwrap();
        let book = self.info.l2_snapshot(COIN.to_string()).await.unwrap();
        let orders = self.info.open_orders(self.account).await.unwrap();
        json!({
            "mid": mids[COIN].parse::<f64>().unwrap(),
            "equity": state.margin_summary.account_value.parse::<f64>().unwrap(),
            "levels": book.levels[0].len(),
            "orders": orders.len(),
        })
    }

    async fn watch(&mut self) -> Value {
        let (sender, mut books) = unbounded_channel();
        let book = Subscription::L2Book {
            coin: COIN.to_string(),
        };
        self.info.subscribe(book, sender).await.unwrap();
        let (sender, fills) = unbounded_channel();
        let own = Subscription::UserFills { user: self.account };
        self.info.subscribe(own, sender).await.unwrap();
        self.fills = Some(fills);
        loop {
            if let Some(Message::L2Book(book)) = books.recv().await {
                return json!(book.data.levels[0].len());
            }
        }
    }

    async fn fill(&mut self) -> Value {
        let fills = self.fills.as_mut().unwrap();
        loop {
            if let Some(Message::UserFills(message)) = fills.recv().await {
                if message.data.is_snapshot != Some(true) {
                    return json!(message.data.fills[0].sz.parse::<f64>().unwrap());
                }
            }
        }
    }

    /// Sends at once, and waits for all.
    async fn together(&self, wishes: &[Value]) -> Value {
        let calls = wishes.iter().map(|each| {
            let (size, price) = (
                each["size"].as_f64().unwrap(),
                each["price"].as_f64().unwrap(),
            );
            self.place(vec![limit(true, size, price, &Value::Null)])
        });
        let mut answers = Vec::new();
        for answer in futures(calls).await {
            answers.push(answer);
        }
        json!(answers)
    }

    async fn forbidden(&self, what: &str) -> Value {
        let usd = 1_000_000;
        let exchange = &self.exchange;
        let dead: H160 = DEAD.parse().unwrap();
        match what {
            "usdc_transfer" => seen(exchange.usdc_transfer("1", DEAD, None).await),
            "spot_transfer" => {
                let token = "USDC:0x6d1e7cde53ba9467b783cb7c530ce054";
                seen(exchange.spot_transfer("1", DEAD, token, None).await)
            }
            "withdraw_from_bridge" => seen(exchange.withdraw_from_bridge("5", DEAD, None).await),
            "class_transfer" => seen(exchange.class_transfer(1.0, false, None).await),
            "approve_agent" => seen(exchange.approve_agent(None).await.map(|(_, reply)| reply)),
            "approve_builder_fee" => seen(
                exchange
                    .approve_builder_fee(DEAD.to_string(), "0.1%".to_string(), None)
                    .await,
            ),
            "vault_transfer" => seen(exchange.vault_transfer(true, usd, Some(dead), None).await),
            "set_referrer" => seen(exchange.set_referrer("PROBE".to_string(), None).await),
            "for a vault" => {
                let key = std::env::args().nth(2).unwrap();
                let vaulted = exchange_at(&self.url, &key, Some(dead)).await;
                let entry = limit(true, 0.1, 3900.0, &Value::Null);
                seen(vaulted.bulk_order(vec![entry], None).await)
            }
            _ => {
                let stranger: LocalWallet = "33".repeat(32).parse().unwrap();
                let entry = limit(true, 0.1, 3900.0, &Value::Null);
                seen(exchange.bulk_order(vec![entry], Some(&stranger)).await)
            }
        }
    }

    async fn grant(&mut self, wish: &str, given: &[Value]) -> Value {
        let number = |at: usize| given[at].as_f64().unwrap();
        let is_buy = || given[0] == "buy";
        let nothing = Value::Null;
        let ioc = json!({ "tif": "Ioc" });
        let closing = json!({ "tif": "Ioc", "reduceOnly": true });
        match wish {
            "markets" => {
                let names = self
                    .exchange
                    .meta
                    .universe
                    .iter()
                    .map(|each| each.name.clone());
                json!({ "saw": names.collect::<Vec<_>>() })
            }
            "read" => json!({ "saw": self.read().await }),
            "leverage" => {
                let value = given[0].as_u64().unwrap() as u32;
                let is_cross = given[1] == "cross";
                seen(
                    self.exchange
                        .update_leverage(value, COIN, is_cross, None)
                        .await,
                )
            }
            "market" => {
                let price = if is_buy() { 4200.0 } else { 3800.0 };
                self.place(vec![limit(is_buy(), number(1), price, &ioc)])
                    .await
            }
            "limit" => {
                let options = given.get(3).unwrap_or(&nothing);
                self.place(vec![limit(is_buy(), number(1), number(2), options)])
                    .await
            }
            "marketWithStop" => {
                let entry = limit(true, number(0), 4200.0, &ioc);
                self.place(vec![entry, stop(number(0), number(1), "sl")])
                    .await
            }
            "limitWithStop" => {
                let entry = limit(true, number(0), number(1), &nothing);
                self.place(vec![entry, stop(number(0), number(2), "sl")])
                    .await
            }
            "stop" => self.place(vec![stop(number(0), number(1), "sl")]).await,
            "triggerEntry" => self.place(vec![breakout(number(0), number(1))]).await,
            "modify" => {
                self.modify(&given[0], limit(true, number(1), number(2), &nothing))
                    .await
            }
            "modifyStop" => {
                self.modify(&given[0], stop(number(1), number(2), "sl"))
                    .await
            }
            "cancel" => {
                let oid = given[0].as_str().unwrap().parse().unwrap();
                let cancel = ClientCancelRequest {
                    asset: COIN.to_string(),
                    oid,
                };
                seen(self.exchange.cancel(cancel, None).await)
            }
            "cancelByCloid" => {
                let cloid = uuid_of(given[0].as_str().unwrap());
                let cancel = ClientCancelRequestCloid {
                    asset: COIN.to_string(),
                    cloid,
                };
                seen(self.exchange.cancel_by_cloid(cancel, None).await)
            }
            "cancelAll" => self.cancel_all().await,
            "close" => {
                self.place(vec![limit(false, number(0), 3800.0, &closing)])
                    .await
            }
            "several" => {
                let wishes = given[0].as_array().unwrap().iter();
                let entry = |each: &Value| {
                    limit(
                        true,
                        each["size"].as_f64().unwrap(),
                        each["price"].as_f64().unwrap(),
                        &Value::Null,
                    )
                };
                self.place(wishes.map(entry).collect()).await
            }
            "group" => {
                let entry = limit(true, number(0), number(1), &nothing);
                let both = [
                    stop(number(0), number(2), "tp"),
                    stop(number(0), number(3), "sl"),
                ];
                self.place(vec![entry].into_iter().chain(both).collect())
                    .await
            }
            "together" => json!({ "saw": self.together(given[0].as_array().unwrap()).await }),
            "watch" => json!({ "saw": self.watch().await }),
            "fill" => json!({ "saw": self.fill().await }),
            other => self.forbidden(other).await,
        }
    }
}

/// All of them, side by side.
async fn futures<F: std::future::Future<Output = Value>>(
    calls: impl Iterator<Item = F>,
) -> Vec<Value> {
    let mut waiting: Vec<_> = calls.map(Box::pin).collect();
    let mut done: Vec<Option<Value>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (call, answer) in waiting.iter_mut().zip(done.iter_mut()) {
            if answer.is_none() {
                if let std::task::Poll::Ready(value) = call.as_mut().poll(context) {
                    *answer = Some(value);
                }
            }
        }
        if done.iter().any(Option::is_none) {
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(done.drain(..).flatten().collect())
    })
    .await
}

#[tokio::main]
async fn main() {
    let given: Vec<String> = std::env::args().collect();
    if given[1] == "--version" {
        println!("0.6.0");
        return;
    }
    let vault = given.get(4).map(|each| each.parse().unwrap());
    let mut bot = Bot {
        url: given[1].clone(),
        info: info_at(&given[1]).await,
        exchange: exchange_at(&given[1], &given[2], vault).await,
        account: given[3].parse().unwrap(),
        fills: None,
    };
    let say = |answer: Value| {
        println!("{answer}");
        stdout().flush().unwrap();
    };
    say(json!({ "saw": "ready" }));
    for line in stdin().lock().lines() {
        let wish: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let what = wish["do"].as_str().unwrap();
        say(bot.grant(what, wish["with"].as_array().unwrap()).await);
    }
}
