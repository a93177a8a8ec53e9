// One bot on an unmodified Go SDK: reads wishes as JSON lines, answers what it saw.
//
// Arguments: base URL, private key, account, and the account it names as its vault or nothing.
// A wish is {"do": name, "with": [...]}; an answer is {"saw": ...} with what was read,
// {"orders": [...]} with what became of each order, or {"refused": text, "as": kind}.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	sdk "github.com/sonirico/go-hyperliquid"
)

const (
	coin = "ETH"
	dead = "0x000000000000000000000000000000000000dead"
)

type object = map[string]any

// answers keeps the last answer to an action: several calls of the SDK drop a refusal.
type answers struct {
	mutex sync.Mutex
	last  []byte
}

func (a *answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || !strings.HasSuffix(request.URL.Path, "/exchange") {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	a.mutex.Lock()
	a.last = body
	a.mutex.Unlock()
	return response, err
}

// refusal is the text of the last answer if it was one.
func (a *answers) refusal() (string, bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	var answer struct {
		Status   string `json:"status"`
		Response any    `json:"response"`
	}
	if json.Unmarshal(a.last, &answer) != nil || answer.Status != "err" {
		return "", false
	}
	return fmt.Sprint(answer.Response), true
}

type bot struct {
	url, key, account string
	exchange          *sdk.Exchange
	heard             *answers
	fills             chan float64
}

func exchangeAt(url, key, vault, account string, more ...sdk.ExchangeOpt) *sdk.Exchange {
	private, err := crypto.HexToECDSA(strings.TrimPrefix(key, "0x"))
	if err != nil {
		panic(err)
	}
	return sdk.NewExchange(context.Background(), private, url, nil, vault, account, nil, nil, more...)
}

// option has the SDK's answers kept.
func (a *answers) option() sdk.ExchangeOpt {
	return sdk.ExchangeOptClientOptions(sdk.ClientOptHTTPClient(&http.Client{Transport: a}))
}

func limit(isBuy bool, size, price float64, options object) sdk.CreateOrderRequest {
	tif, isSet := options["tif"].(string)
	if !isSet {
		tif = "Gtc"
	}
	reduceOnly, _ := options["reduceOnly"].(bool)
	order := sdk.CreateOrderRequest{
		Coin: coin, IsBuy: isBuy, Size: size, Price: price, ReduceOnly: reduceOnly,
		OrderType: sdk.OrderType{Limit: &sdk.LimitOrderType{Tif: sdk.Tif(tif)}},
	}
	if cloid, isSet := options["cloid"].(string); isSet {
		order.ClientOrderID = &cloid
	}
	return order
}

func trigger(at float64, tpsl sdk.Tpsl) sdk.OrderType {
	return sdk.OrderType{Trigger: &sdk.TriggerOrderType{TriggerPx: at, IsMarket: true, Tpsl: tpsl}}
}

// stop sells at market; its limit lies 15% beyond.
func stop(size, at float64, tpsl sdk.Tpsl) sdk.CreateOrderRequest {
	return sdk.CreateOrderRequest{
		Coin: coin, Size: size, Price: math.Round(at * 0.85), ReduceOnly: true, OrderType: trigger(at, tpsl),
	}
}

// breakout is an entry that waits for a price above.
func breakout(size, at float64) sdk.CreateOrderRequest {
	return sdk.CreateOrderRequest{
		Coin: coin, IsBuy: true, Size: size, Price: math.Round(at * 1.05), OrderType: trigger(at, "sl"),
	}
}

func shown(status sdk.OrderStatus) object {
	switch {
	case status.Resting != nil:
		return object{"id": strconv.FormatInt(status.Resting.Oid, 10)}
	case status.Filled != nil:
		filled, _ := strconv.ParseFloat(status.Filled.TotalSz, 64)
		return object{"id": strconv.Itoa(status.Filled.Oid), "filled": filled}
	case status.Error != nil:
		return object{"error": *status.Error}
	default:
		return object{}
	}
}

// seen is what a call gave: an error of the SDK, or a refusal that it dropped.
func (b *bot) seen(statuses []sdk.OrderStatus, err error) object {
	text, isRefused := b.heard.refusal()
	if err != nil {
		return object{"refused": err.Error(), "as": "an `error`"}
	}
	if isRefused {
		return object{"refused": text, "as": "no `error`: only the raw answer comes"}
	}
	orders := []object{}
	for _, status := range statuses {
		orders = append(orders, shown(status))
	}
	return object{"orders": orders}
}

func (b *bot) place(orders ...sdk.CreateOrderRequest) object {
	reply, err := b.exchange.BulkOrders(context.Background(), orders, nil)
	if reply == nil {
		return b.seen(nil, err)
	}
	return b.seen(reply.Data.Statuses, err)
}

func (b *bot) cancel(oids ...int64) object {
	requests := []sdk.CancelOrderRequest{}
	for _, oid := range oids {
		requests = append(requests, sdk.CancelOrderRequest{Coin: coin, OrderID: oid})
	}
	reply, err := b.exchange.BulkCancel(context.Background(), requests)
	if err != nil {
		return b.seen(nil, err)
	}
	return b.seen(make([]sdk.OrderStatus, len(reply.Data.Statuses)), nil)
}

func (b *bot) cancelAll() object {
	open, err := b.exchange.Info().OpenOrders(context.Background(), b.account)
	if err != nil {
		return b.seen(nil, err)
	}
	oids := []int64{}
	for _, order := range open {
		oids = append(oids, order.Oid)
	}
	return b.cancel(oids...)
}

func (b *bot) modify(id string, order sdk.CreateOrderRequest) object {
	oid, _ := strconv.ParseInt(id, 10, 64)
	request := sdk.ModifyOrderRequest{Oid: &oid, Order: order}
	statuses, err := b.exchange.BulkModifyOrders(context.Background(), []sdk.ModifyOrderRequest{request})
	return b.seen(statuses, err)
}

func (b *bot) markets() object {
	meta, err := b.exchange.Info().Meta(context.Background())
	if err != nil {
		panic(err)
	}
	names := []string{}
	for _, market := range meta.Universe {
		names = append(names, market.Name)
	}
	return object{"saw": names}
}

func (b *bot) read() object {
	info, now := b.exchange.Info(), context.Background()
	mids, err := info.AllMids(now)
	if err != nil {
		panic(err)
	}
	state, err := info.UserState(now, b.account)
	if err != nil {
		panic(err)
	}
	book, err := info.L2Snapshot(now, coin)
	if err != nil {
		panic(err)
	}
	orders, err := info.FrontendOpenOrders(now, b.account)
	if err != nil {
		panic(err)
	}
	mid, _ := strconv.ParseFloat(mids[coin], 64)
	equity, _ := strconv.ParseFloat(state.MarginSummary.AccountValue, 64)
	return object{"saw": object{
		"mid": mid, "equity": equity, "levels": len(book.Levels[0]), "orders": len(orders),
	}}
}

func (b *bot) watch() object {
	// Unlike the venue's own, another address is taken as it is.
	streams := sdk.NewWebsocketClient(b.url + "/ws")
	if err := streams.Connect(context.Background()); err != nil {
		panic(err)
	}
	books := make(chan int, 100)
	b.fills = make(chan float64, 100)
	_, err := streams.L2Book(sdk.L2BookSubscriptionParams{Coin: coin}, func(book sdk.L2Book, err error) {
		books <- len(book.Levels[0])
	})
	if err != nil {
		panic(err)
	}
	own := sdk.OrderFillsSubscriptionParams{User: b.account}
	_, err = streams.OrderFills(own, func(told sdk.WsOrderFills, err error) {
		if !told.IsSnapshot && len(told.Fills) > 0 {
			size, _ := strconv.ParseFloat(told.Fills[0].Sz, 64)
			b.fills <- size
		}
	})
	if err != nil {
		panic(err)
	}
	return object{"saw": <-books}
}

// together sends at once, and waits for all.
func (b *bot) together(wishes []any) object {
	seen := make([]object, len(wishes))
	var all sync.WaitGroup
	for at, wish := range wishes {
		all.Add(1)
		go func() {
			defer all.Done()
			seen[at] = b.place(entry(wish))
		}()
	}
	all.Wait()
	return object{"saw": seen}
}

func entry(wish any) sdk.CreateOrderRequest {
	fields := wish.(object)
	return limit(true, fields["size"].(float64), fields["price"].(float64), nil)
}

func (b *bot) several(wishes []any) object {
	orders := []sdk.CreateOrderRequest{}
	for _, wish := range wishes {
		orders = append(orders, entry(wish))
	}
	return b.place(orders...)
}

func (b *bot) forbidden(what string) object {
	now, exchange := context.Background(), b.exchange
	var err error
	switch what {
	case "UsdTransfer":
		_, err = exchange.UsdTransfer(now, 1, dead)
	case "SpotTransfer":
		_, err = exchange.SpotTransfer(now, 1, dead, "USDC:0x6d1e7cde53ba9467b783cb7c530ce054")
	case "WithdrawFromBridge":
		_, err = exchange.WithdrawFromBridge(now, 5, dead)
	case "UsdClassTransfer":
		_, err = exchange.UsdClassTransfer(now, 1, false)
	case "ApproveAgent":
		name := "probe"
		_, _, err = exchange.ApproveAgent(now, &name)
	case "ApproveBuilderFee":
		_, err = exchange.ApproveBuilderFee(now, dead, "0.1%")
	case "SubAccountTransfer":
		_, err = exchange.SubAccountTransfer(now, dead, true, 1_000_000)
	case "VaultUsdTransfer":
		_, err = exchange.VaultUsdTransfer(now, dead, true, 1_000_000)
	case "SetReferrer":
		_, err = exchange.SetReferrer(now, "PROBE")
	case "CreateSubAccount":
		_, err = exchange.CreateSubAccount(now, "probe")
	case "ScheduleCancel":
		at := time.Now().UnixMilli() + 60_000
		_, err = exchange.ScheduleCancel(now, &at)
	case "for a vault":
		vaulted := exchangeAt(b.url, b.key, dead, "", b.heard.option())
		_, err = vaulted.Order(now, limit(true, 0.1, 3900, nil), nil)
	default:
		stranger := exchangeAt(b.url, strings.Repeat("33", 32), "", b.account, b.heard.option())
		_, err = stranger.Order(now, limit(true, 0.1, 3900, nil), nil)
	}
	return b.seen(nil, err)
}

func (b *bot) grant(wish string, given []any) object {
	number := func(at int) float64 { return given[at].(float64) }
	text := func(at int) string { return given[at].(string) }
	now := context.Background()
	switch wish {
	case "markets":
		return b.markets()
	case "read":
		return b.read()
	case "leverage":
		_, err := b.exchange.UpdateLeverage(now, int(number(0)), coin, text(1) == "cross")
		return b.seen(nil, err)
	case "market":
		status, err := b.exchange.MarketOpen(now, coin, text(0) == "buy", number(1), nil, 0.05, nil, nil)
		return b.seen([]sdk.OrderStatus{status}, err)
	case "limit":
		options := object{}
		if len(given) > 3 && given[3] != nil {
			options = given[3].(object)
		}
		return b.place(limit(text(0) == "buy", number(1), number(2), options))
	case "marketWithStop":
		return b.place(limit(true, number(0), 4200, object{"tif": "Ioc"}), stop(number(0), number(1), "sl"))
	case "limitWithStop":
		return b.place(limit(true, number(0), number(1), nil), stop(number(0), number(2), "sl"))
	case "group":
		return b.place(limit(true, number(0), number(1), nil), stop(number(0), number(2), "tp"), stop(number(0), number(3), "sl"))
	case "stop":
		return b.place(stop(number(0), number(1), "sl"))
	case "triggerEntry":
		return b.place(breakout(number(0), number(1)))
	case "modify":
		return b.modify(text(0), limit(true, number(1), number(2), nil))
	case "modifyStop":
		return b.modify(text(0), stop(number(1), number(2), "sl"))
	case "cancel":
		oid, _ := strconv.ParseInt(text(0), 10, 64)
		return b.cancel(oid)
	case "cancelByCloid":
		_, err := b.exchange.CancelByCloid(now, coin, text(0))
		return b.seen(nil, err)
	case "cancelAll":
		return b.cancelAll()
	case "close":
		size := number(0)
		status, err := b.exchange.MarketClose(now, coin, &size, nil, 0.05, nil, nil)
		return b.seen([]sdk.OrderStatus{status}, err)
	case "several":
		return b.several(given[0].([]any))
	case "together":
		return b.together(given[0].([]any))
	case "watch":
		return b.watch()
	case "fill":
		return object{"saw": <-b.fills}
	default:
		return b.forbidden(wish)
	}
}

func main() {
	if os.Args[1] == "--version" {
		fmt.Println("0.30.0")
		return
	}
	url, key, account := os.Args[1], os.Args[2], os.Args[3]
	vault := ""
	if len(os.Args) > 4 {
		vault = os.Args[4]
	}
	heard := &answers{}
	own := &bot{url: url, key: key, account: account, heard: heard}
	own.exchange = exchangeAt(url, key, vault, account, heard.option())
	say := json.NewEncoder(os.Stdout)
	say.Encode(object{"saw": "ready"})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var wish struct {
			Do   string `json:"do"`
			With []any  `json:"with"`
		}
		if err := json.Unmarshal(lines.Bytes(), &wish); err != nil {
			panic(err)
		}
		say.Encode(own.grant(wish.Do, wish.With))
	}
}
