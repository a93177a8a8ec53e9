import type { Account } from '../../core/account/account.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { Dispatcher } from '../send/dispatcher.ts'
import { limits } from '../../core/values/limits.ts'
import { snapshotName, writeMemory } from './engineMemory.ts'
import type { EngineMemory } from './engineMemory.ts'
import type { BuilderDexes } from '../watch/dexes/builderDexes.ts'
import type { Latch } from '../watch/latch.ts'
import type { EventReader, Journal, JournalHistory, WeightBudget } from '../ports.ts'
import type { UsedNonces } from '../request/usedNonces.ts'
import type { VenueClock } from '../venueClock.ts'
import type { Markets } from '../../core/protocol/market.ts'
import { venueSnapshotName, writeVenueMemory } from './venueMemory.ts'

export interface SaveMemoryDeps {
  readonly clock: VenueClock
  readonly history: JournalHistory
  readonly reader: EventReader
  readonly journal: Pick<Journal, 'lastSeq'>
  readonly account: Account
  readonly risk: RiskEngine
  readonly nonces: UsedNonces
  readonly latch: Latch
  readonly dispatcher: Dispatcher | null
  readonly budget: Pick<WeightBudget, 'history' | 'taken' | 'actionsOfDay'>
  readonly dexes: Pick<BuilderDexes, 'touched'>
}

/** How far back used nonces are kept over a restart: twice what a nonce may be old. */
const nonceMemoryMs = 60_000

/** Keeps a snapshot that stands before every event of which an outcome is not on disk yet. */
export async function saveMemory(deps: SaveMemoryDeps, lastNonce: number): Promise<void> {
  const { seq, memory } = memoryNow(deps, lastNonce)
  if (seq > 0) await deps.history.saveSnapshot(snapshotName, seq, writeMemory(memory))
}

/** What a standby needs of it: no nonces, since it takes nothing that was signed before. */
export function memoryToHandOver(deps: SaveMemoryDeps): MemoryAt {
  const { seq, memory } = memoryNow(deps, 0)
  const { cloids, names, ...account } = memory.account
  return {
    seq,
    memory: {
      ...memory,
      account: {
        ...account,
        cloids: cloids.slice(-limits.fleetHandoverCloidsMax),
        names: names?.slice(-limits.fleetHandoverCloidsMax) ?? [],
      },
      nonces: deps.nonces.toJson(deps.clock.now()),
    },
  }
}

interface MemoryAt {
  /** The record after which others are to be read. */
  readonly seq: number
  readonly memory: EngineMemory
}

function memoryNow(deps: SaveMemoryDeps, lastNonce: number): MemoryAt {
  const oldest = deps.dispatcher?.oldestOpen ?? null
  const written = deps.reader.lastSeq
  const seq = oldest === null ? written : Math.min(written, oldest - 1)
  const latched = deps.latch.current
  const memory = {
    risk: deps.risk.snapshot(),
    account: deps.account.record(),
    nonces: deps.nonces.toJson(deps.clock.now() - nonceMemoryMs),
    latch: latched === null ? null : { reason: latched.reason, at: latched.at },
    obeyed: deps.latch.obeyed,
    lastNonce,
    weight: {
      history: deps.budget.history(),
      day: deps.budget.actionsOfDay(),
      at: deps.clock.now(),
    },
    clock: deps.clock.toJson(),
    asOf: deps.journal.lastSeq,
  }
  return { seq, memory }
}

type VenueMemoryDeps = Pick<SaveMemoryDeps, 'account' | 'dexes' | 'history' | 'reader'>

/** Keeps what the venue has told, whenever that is another thing than what is on disk. */
export class VenueMemoryKeeper {
  private kept = ''
  private isSaving = false
  private seen: Markets | null = null
  private dexes = ''
  private touched = ''

  /**
   * Once the builder dexes, or those on which something is, are others than before. Their money is in the
   * risk figures, which are kept all the time: a start that did not know of them would take it for lost.
   */
  tick(deps: VenueMemoryDeps): void {
    const { markets, venueTime } = deps.account
    if (this.isSaving || venueTime === null) return
    const touched = deps.dexes.touched.join()
    if (markets === this.seen && touched === this.touched) return
    const dexes = markets === this.seen ? this.dexes : dexesIn(markets)
    const isSame = dexes === this.dexes && touched === this.touched
    this.seen = markets
    this.dexes = dexes
    this.touched = touched
    if (!isSame) this.save(deps).catch(() => undefined)
  }

  async save({ account, dexes, history, reader }: VenueMemoryDeps): Promise<void> {
    const { markets, mode } = account
    const isKnown = markets.byAsset.size > 0 && account.venueTime !== null
    // Nothing is written over what an earlier run knew until this one knows as much.
    if (this.isSaving || !isKnown || reader.lastSeq <= 0) return
    const sizes = [...account.positions].map(([coin, { size }]) => [coin, size] as const)
    const state = writeVenueMemory({
      ...{ markets, mode, positions: new Map(sizes), dexes: dexes.touched },
    })
    const text = JSON.stringify(state)
    if (text === this.kept) return
    this.isSaving = true
    try {
      await history.saveSnapshot(venueSnapshotName, reader.lastSeq, state)
      this.kept = text
    } finally {
      this.isSaving = false
    }
  }
}

function dexesIn({ byAsset }: Markets): string {
  const names = [...byAsset.values()].flatMap(({ builder }) => builder?.dex ?? [])
  return [...new Set(names)].join()
}
