import type { Json, JsonObject } from '../core/protocol/action.ts'
import { decodeMeta } from '../core/protocol/decodeMeta.ts'
import type { Market, Markets } from '../core/protocol/market.ts'
import { builderDexAsset } from '../core/protocol/assetId.ts'
import { infoWeight, rowsWeight } from '../core/protocol/requestWeight.ts'
import { withDexes } from '../core/protocol/withDexes.ts'
import { limits } from '../core/values/limits.ts'
import { AgentError } from './agentError.ts'
import type { GuardPort } from './guardPort.ts'
import { isPlainName, shownName } from './plainNames.ts'

interface Kept {
  readonly untilMs: number
  readonly answer: Promise<Json>
}

const minuteMs = 60_000
const metaKey = 'meta'
const metaKeptMs = 60_000
/** A name that a list so new does not have is no market's: an agent's guesses cost no reads. */
const newListMs = 5_000
/** How long an answer is good for an agent, by the type of the read. */
const keptMs: Readonly<Record<string, number>> = {
  metaAndAssetCtxs: 2_000,
  allMids: 1_000,
  perpDexs: 60_000,
  allPerpMetas: 60_000,
  l2Book: 500,
  candleSnapshot: 5_000,
  fundingHistory: 60_000,
}

/**
 * Reads of the venue for agents: kept for a moment, equal ones asked once, and all together at most
 * a tenth of the request weight that the venue gives the account.
 */
export class ReadShare {
  readonly #port: GuardPort
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()
  #spent: { readonly atMs: number; readonly weight: number }[] = []
  #markets: Markets | null = null
  /** The last good lists of the main dex and of every builder dex. */
  #withDexes: Markets | null = null
  /** When the list of markets was last asked for. */
  #listedMs = -Infinity
  #weightPerMinute: number = limits.agentWeightPerMinute

  constructor(port: GuardPort, now: () => number) {
    this.#port = port
    this.#now = now
  }

  /** What the whole account has a minute; agents have a tenth of it. */
  limitTo(accountWeight: number): void {
    this.#weightPerMinute = Math.max(1, Math.floor(accountWeight / 10))
  }

  /**
   * Every perp that the venue lists. Orders need it, closes too: it is asked for whatever the share
   * says, and where nobody answers the last good list stands.
   */
  async markets(): Promise<Markets> {
    try {
      const kept = this.#fresh(metaKey)
      const answer = kept ?? this.#port.info({ type: 'meta' })
      if (kept === null) {
        this.#listedMs = this.#now()
        this.#keep(metaKey, { untilMs: this.#listedMs + metaKeptMs, answer })
      }
      const decoded = decodeMeta(await answer)
      if (decoded.ok) this.#markets = decoded.value
    } catch (error) {
      if (this.#markets === null) throw error
    }
    if (this.#markets !== null) return this.#markets
    throw new AgentError(
      "The venue's list of markets could not be read through Guard",
      'Try again in some seconds; guard_status says whether the venue is live.',
    )
  }

  /**
   * The same, asked for anew where it lacks one of these: a market may have been listed since. With the
   * perps of builder dexes where one of them is named.
   */
  async marketsWith(names: readonly string[]): Promise<Markets> {
    const ofMain = names.filter((name) => !name.includes(':'))
    const main = await this.#mainWith(ofMain)
    return ofMain.length === names.length ? main : this.#andDexes(main)
  }

  /** The market of an asset id; undefined where none has it. */
  async marketOf(asset: number): Promise<Market | undefined> {
    const main = await this.markets()
    const market = main.byAsset.get(asset)
    if (market !== undefined || builderDexAsset(asset) === null) return market
    return (await this.#andDexes(main)).byAsset.get(asset)
  }

  /** With the perps of every builder dex; where nobody answers the last good lists stand. */
  async #andDexes(main: Markets): Promise<Markets> {
    try {
      const dexes = await this.infoToAct({ type: 'perpDexs' })
      const metas = await this.infoToAct({ type: 'allPerpMetas' })
      this.#withDexes = withDexes(main, dexes, metas)
    } catch (error) {
      if (this.#withDexes === null) throw error
    }
    return this.#withDexes
  }

  async #mainWith(names: readonly string[]): Promise<Markets> {
    const known = await this.markets()
    const hasAll = (markets: Markets): boolean =>
      names.every((name) => [...markets.byCoin.keys()].some((coin) => coin === name))
    const isNew = this.#now() - this.#listedMs < newListMs
    if (hasAll(known) || isNew) return known
    this.#kept.delete(metaKey)
    return this.markets()
  }

  /** A text of Guard's in which no market is named that is no mere name. */
  inPlainNames(text: string): string {
    const known = [this.#markets, this.#withDexes].flatMap((all) => [...(all?.byCoin.keys() ?? [])])
    const odd = known.filter((coin) => !isPlainName(coin))
    return odd.reduce((rest, coin) => rest.replaceAll(coin, shownName(coin)), text)
  }

  /**
   * A read that an order, a cancel, or finding out what became of one cannot do without: it is asked
   * whatever the share says, and counts in it.
   */
  async infoToAct(request: JsonObject): Promise<Json> {
    return this.#read(request)
  }

  /** A read for who wants to know: only what the share has left. */
  async info(request: JsonObject): Promise<Json> {
    if (this.#fresh(JSON.stringify(request)) === null) this.#check(infoWeight(request), this.#now())
    return this.#read(request)
  }

  async #read(request: JsonObject): Promise<Json> {
    const key = JSON.stringify(request)
    const now = this.#now()
    const kept = this.#fresh(key)
    if (kept !== null) return kept
    this.#spend(infoWeight(request), now)
    const answer = this.#port.info(request).then((json) => {
      this.#spend(rowsWeight(request, json), this.#now())
      return json
    })
    const ms = keptMs[String(request['type'])] ?? 0
    if (ms > 0) this.#keep(key, { untilMs: now + ms, answer })
    return answer
  }

  #fresh(key: string): Promise<Json> | null {
    const kept = this.#kept.get(key)
    return kept !== undefined && kept.untilMs > this.#now() ? kept.answer : null
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    // A failed read is no answer to keep.
    kept.answer.catch(() => this.#kept.delete(key))
    const oldest = this.#kept.keys().next()
    if (this.#kept.size > limits.agentReadsKeptMax && oldest.done !== true) {
      this.#kept.delete(oldest.value)
    }
  }

  #check(weight: number, now: number): void {
    this.#spent = this.#spent.filter(({ atMs }) => atMs > now - minuteMs)
    let over = weight - this.#weightPerMinute
    for (const each of this.#spent) over += each.weight
    if (over <= 0 || this.#spent.length === 0) return
    const enough = this.#spent.find((each) => (over -= each.weight) <= 0) ?? this.#spent.at(-1)
    const seconds = Math.ceil(((enough?.atMs ?? now) + minuteMs - now) / 1_000)
    throw new AgentError(
      'The share of market reads that agents have is spent for this minute',
      `Wait ${String(seconds)} s, or work with what you have; guard_status, guard_limits, guard_preview and orders still go.`,
    )
  }

  #spend(weight: number, atMs: number): void {
    if (weight === 0) return
    this.#spent = this.#spent.filter((each) => each.atMs > atMs - minuteMs)
    this.#spent.push({ atMs, weight })
  }
}
