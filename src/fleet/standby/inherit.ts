import type { AccountRecord } from '../../core/account/ownRecord.ts'
import type { Json } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { RiskLimits } from '../../core/safety/halts.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { JournalHistory, JournalRecord, Log } from '../../engine/ports.ts'
import { UsedNonces } from '../../engine/request/usedNonces.ts'
import { readLatch, readObeyed, snapshotName } from '../../engine/start/engineMemory.ts'
import type { EngineMemory } from '../../engine/start/engineMemory.ts'
import { inheritedKey, replayHistory } from '../../engine/start/recovery.ts'
import type { Replayed } from '../../engine/start/recovery.ts'
import { restoreRisk } from '../../engine/start/restoreRisk.ts'
import { riskSnapshotName } from '../../engine/start/riskMemory.ts'

/** What the store knows of the Guard that acted before. */
export interface Left {
  readonly epoch: number
  /** Its last word on the latch and the halts; null where it told none. */
  readonly word: Json
  /** What it left to be carried over, and after which of its records; null where it left nothing. */
  readonly whole: { readonly seq: number; readonly state: Json } | null
  readonly records: readonly JournalRecord[]
  /** Why that is not all that it did while the store heard it; null where it is. */
  readonly unknown: string | null
}

interface InheritDeps {
  readonly limits: RiskLimits
  readonly log: Log
  /** The venue's time of the takeover. */
  readonly at: Millis
  /** The last record of this home's own journal. */
  readonly asOf: number
}

/**
 * What this Guard remembers once it has taken over: all that the other one would after a restart, read
 * by the same code, and beside it what only this home knows: its own latch, nonces and clock. Where it
 * is not known whether the other had latched or halted, this one is latched.
 */
export async function inheritedMemory(
  left: Left,
  own: Replayed,
  deps: InheritDeps,
): Promise<EngineMemory> {
  const first = await replayHistory(historyOf(left))
  const { latch, obeyed } = latchedBy(left, first, own, deps.at)
  return {
    risk: riskOf(left, first, deps),
    account: accountOf(first, left.epoch),
    nonces: noncesOf(first, deps.at),
    ...{ latch, obeyed },
    lastNonce: own.lastNonce,
    weight: own.memory?.weight ?? { history: [], day: [], at: deps.at },
    clock: own.memory?.clock ?? null,
    asOf: deps.asOf,
    inherited: first.open.map((intent) => ({ ...intent, by: intent.by ?? left.epoch })),
  }
}

/** As the other one's own disk would tell it at its next start. */
function historyOf({ word, whole, records }: Left): JournalHistory {
  const risk = isObject(word) ? (word['risk'] ?? null) : null
  return {
    loadSnapshot: (name) => {
      if (name === snapshotName) return Promise.resolve(whole)
      const isKept = name === riskSnapshotName && risk !== null
      return Promise.resolve(isKept ? { seq: whole?.seq ?? 0, state: risk } : null)
    },
    saveSnapshot: () => Promise.reject(new Error('what another Guard left is only read')),
    replay: async function* () {
      yield* await Promise.resolve(records)
    },
  }
}

function latchedBy(
  { word, unknown }: Left,
  first: Replayed,
  own: Replayed,
  at: Millis,
): Pick<EngineMemory, 'latch' | 'obeyed'> {
  const told = isObject(word) ? word : {}
  const heard = [first.obeyed, own.obeyed, readObeyed(told['obeyed'] ?? null)]
  const obeyed = heard.reduce(
    (last, each) => (each !== null && each.epoch > (last?.epoch ?? 0) ? each : last),
    null,
  )
  // What its records say of a latch is never older than its word: a release is done while it is stopped.
  const latch = first.latch ?? readLatch(told['latch'] ?? null) ?? own.latch
  if (latch !== null || unknown === null) return { latch, obeyed }
  return { obeyed, latch: { at, reason: `standby: ${unknown}` } }
}

/** Without a word of it nothing is known of day start, peak and halts: that stops Guard, too. */
function riskOf(
  { whole, word }: Left,
  first: Replayed,
  { limits, log }: InheritDeps,
): ReturnType<RiskEngine['snapshot']> {
  const isTold = whole !== null || isObject(word)
  const engine = isTold ? restoreRisk(first, limits, log) : RiskEngine.unreadable(limits)
  return engine.snapshot()
}

/** The TWAPs by names that no record of this journal has. */
function accountOf(first: Replayed, epoch: number): AccountRecord {
  const known: AccountRecord = first.memory?.account ?? { sizes: {}, cloids: [] }
  return {
    ...known,
    cloids: [...known.cloids, ...first.cloids],
    names: first.names,
    promises: {
      plans: [...(known.promises?.plans ?? []), ...first.plans],
      positions: known.promises?.positions ?? [],
      own: [...(known.promises?.own ?? []), ...first.ownStops],
      covering: [...(known.promises?.covering ?? []), ...first.covering],
    },
    twaps: first.twaps.map((twap) => ({ ...twap, action: renamed(epoch, twap.action) })),
  }
}

function renamed(epoch: number, action: string): string {
  return action.startsWith('w') ? action : inheritedKey(epoch, action)
}

/** Nothing that was signed before the takeover is taken, and no order of an agent a second time. */
function noncesOf(first: Replayed, at: Millis): Json {
  const nonces = new UsedNonces()
  if (first.memory !== null) nonces.restore(first.memory.nonces)
  for (const order of first.agentOrders) nonces.agentOrders.note(...order)
  nonces.takeOver(at)
  return nonces.toJson(at)
}
