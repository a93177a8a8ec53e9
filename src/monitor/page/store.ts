import { computed, signal } from '@preact/signals'
import type { DecisionBody, Envelope, GuardEvent, SentBody } from '../../core/events/guardEvent.ts'
import { shownValue } from '../../core/values/shownText.ts'
import type { StatusView } from '../../engine/statusView.ts'

export type DecisionEvent = Envelope & DecisionBody
export type SentEvent = Envelope & SentBody

/** What the page knows. Everything drawn derives from here. */

type Link = 'connecting' | 'live' | 'lost'

export const status = signal<StatusView | null>(null)
export const link = signal<Link>('connecting')
/** When Guard last answered anything, by this browser's clock. */
export const heardAtMs = signal<number | null>(null)
export const nowMs = signal(Date.now())
/** The newest events, oldest first; bounded, so that a page can stay open for weeks. */
export const events = signal<readonly GuardEvent[]>([])
export const missed = signal(0)
/** Whether new events come in; the status may answer while they do not. */
export const isStreaming = signal(true)
export const equityCurve = signal<readonly (readonly [number, string])[]>([])
export const selectedSeq = signal<number | null>(null)

export interface Filter {
  readonly verdict: string
  readonly code: string
  readonly coin: string
  readonly client: string
}
export const noFilter: Filter = { verdict: '', code: '', coin: '', client: '' }
export const filter = signal<Filter>(noFilter)

const eventsKept = 2_000
/** What a person reads back stays, up to here. */
const historyKept = 20_000
export const rowsAtOnce = 100
export const rowsShown = signal(rowsAtOnce)
let keep = eventsKept

export const lastSeq = computed(() => events.value.at(-1)?.seq ?? 0)
export const firstSeq = computed(() => events.value[0]?.seq ?? 0)

/** Appends new events in order; one seen before is dropped, a hole is counted. */
export function append(fresh: readonly GuardEvent[]): void {
  let last = lastSeq.value
  const added: GuardEvent[] = []
  for (const event of fresh) {
    if (event.seq <= last) continue
    if (last > 0 && event.seq > last + 1) missed.value += event.seq - last - 1
    last = event.seq
    added.push(shownValue(event))
  }
  if (added.length > 0) events.value = [...events.value, ...added].slice(-keep)
}

/** Puts a page of history in front; it may go beyond what is kept of the newest. */
export function prepend(older: readonly GuardEvent[]): void {
  const first = firstSeq.value
  const before = older.filter((event) => first === 0 || event.seq < first).map(shownValue)
  events.value = [...before, ...events.value]
  keep = Math.min(historyKept, Math.max(keep, events.value.length + eventsKept))
}

/** Another journal answers: nothing that was read belongs to it. */
export function forget(): void {
  events.value = []
  equityCurve.value = []
  missed.value = 0
  selectedSeq.value = null
  keep = eventsKept
}

/** Coins a decision speaks of, by the status's own names; asset ids are resolved where known. */
export const assetNames = signal<ReadonlyMap<number, string>>(new Map())

const assetsKnown = new WeakMap<DecisionEvent, ReadonlySet<number>>()

export function coinsOf(decision: DecisionEvent): string[] {
  return [...assetsOf(decision)].map((asset) => assetNames.value.get(asset) ?? `#${asset}`)
}

function assetsOf(decision: DecisionEvent): ReadonlySet<number> {
  const known = assetsKnown.get(decision)
  if (known !== undefined) return known
  const assets = new Set<number>()
  collectAssets(decision.request, assets)
  assetsKnown.set(decision, assets)
  return assets
}

function collectAssets(value: unknown, into: Set<number>): void {
  if (Array.isArray(value)) {
    for (const each of value) collectAssets(each, into)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if ((key === 'a' || key === 'asset') && typeof each === 'number') into.add(each)
      else collectAssets(each, into)
    }
  }
}

export const decisions = computed(() =>
  events.value.filter((event): event is DecisionEvent => event.kind === 'decision'),
)

/** One more than is shown, so that the page knows whether there is more. */
const matching = computed(() => {
  const { verdict, code, coin, client } = filter.value
  const rows: DecisionEvent[] = []
  for (let at = decisions.value.length - 1; at >= 0 && rows.length <= rowsShown.value; at--) {
    const each = decisions.value[at]
    if (each === undefined) continue
    if (verdict !== '' && each.verdict !== verdict) continue
    if (code !== '' && each.code !== code) continue
    if (client !== '' && each.client !== client) continue
    if (coin !== '' && !coinsOf(each).includes(coin)) continue
    rows.push(each)
  }
  return rows
})

export const shownDecisions = computed(() => matching.value.slice(0, rowsShown.value))
export const hasMoreInMemory = computed(() => matching.value.length > rowsShown.value)

export const choices = computed(() => {
  const codes = new Set<string>()
  const coins = new Set<string>()
  const clients = new Set<string>(status.value?.clients ?? [])
  for (const each of decisions.value) {
    codes.add(each.code)
    if (each.client !== null) clients.add(each.client)
    for (const coin of coinsOf(each)) coins.add(coin)
  }
  return { codes: [...codes].sort(), coins: [...coins].sort(), clients: [...clients].sort() }
})
