import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import { countsIn } from './engineMemory.ts'
import type { EngineMemory } from './engineMemory.ts'
import type { Clock, EventReader, Journal, JournalHistory, WeightBudget } from '../ports.ts'

export const riskSnapshotName = 'risk'

/** The risk engine by itself, as it was at one moment: its figures change far more often than the rest. */
export interface RiskKept {
  readonly risk: Json
  /** The last record there was by then, on disk or not. */
  readonly asOf: number
  /** When that was, UTC epoch milliseconds. */
  readonly at: number
  /** Request weight spent in each second before it, the last one first; missing: it was not told. */
  readonly spent?: readonly number[]
}

interface RiskMemoryDeps {
  readonly clock: Clock
  readonly history: JournalHistory
  readonly reader: Pick<EventReader, 'lastSeq'>
  readonly journal: Pick<Journal, 'lastSeq'>
  readonly risk: Pick<RiskEngine, 'snapshot' | 'view' | 'isAnew'>
  readonly budget: Pick<WeightBudget, 'history' | 'taken'>
}

/** What has been spent of the request weight is kept again once so much more was. */
const keptWeight = 40

/**
 * Keeps peak, day start and last equity on disk soon after they changed, so that a crash forgets
 * none that a reader has been shown, and with them what was spent of the request weight: several
 * crashes within a minute must not spend what is kept for closes. It writes one small file, one write at a time.
 */
export class RiskMemoryKeeper {
  private readonly deps: RiskMemoryDeps
  /** The figures and the record that the last file on disk was written with. */
  private kept = ''
  private keptSeq = 0
  private writing: Promise<void> | null = null

  constructor(deps: RiskMemoryDeps) {
    this.deps = deps
  }

  /** Asked at every tick: writes where the figures are others than on disk, and waits for nothing. */
  tick(): void {
    if (this.writing !== null || this.figures() === this.kept) return
    this.write().catch(() => undefined)
  }

  /**
   * Brings the file up to date and resolves when it is on disk. It also moves to the last record
   * where the figures are the same, since the records before a snapshot's own are the ones that
   * may be removed.
   */
  async save(): Promise<void> {
    await this.writing?.catch(() => undefined)
    const isSame = this.figures() === this.kept && this.keptSeq === this.deps.reader.lastSeq
    if (!isSame) await this.write()
  }

  /** The risk memory as it would be written at this moment. */
  now(): JsonObject {
    const { clock, journal, risk } = this.deps
    return writeRiskMemory({ risk: risk.snapshot(), asOf: journal.lastSeq, at: clock.now() })
  }

  private async write(): Promise<void> {
    const { budget, history, reader } = this.deps
    const seq = reader.lastSeq
    if (seq <= 0) return
    const figures = this.figures()
    const state = { ...this.now(), spent: [...budget.history()] }
    this.writing = history.saveSnapshot(riskSnapshotName, seq, state)
    try {
      await this.writing
      this.kept = figures
      this.keptSeq = seq
    } finally {
      this.writing = null
    }
  }

  private figures(): string {
    const { state, equity, dayStart, peak, day, holding } = this.deps.risk.view()
    const flags = `${holding} ${this.deps.risk.isAnew}`
    const weight = Math.floor(this.deps.budget.taken / keptWeight)
    return `${state} ${String(equity)} ${String(dayStart)} ${String(peak)} ${day ?? ''} ${flags} ${weight}`
  }
}

export function writeRiskMemory({ risk, asOf, at }: RiskKept): JsonObject {
  return { version: 1, risk, as_of: asOf, at }
}

/** Null for what this version did not write. */
export function readRiskMemory(json: Json): RiskKept | null {
  if (!isObject(json) || json['version'] !== 1) return null
  const { risk, as_of: asOf, at, spent } = json
  if (risk === undefined || typeof asOf !== 'number' || typeof at !== 'number') return null
  return { risk, asOf, at, ...(spent === undefined ? {} : { spent: countsIn(spent) }) }
}

/** The later of what the whole memory and the risk engine's own one say; null when there is neither. */
export function laterRisk(memory: EngineMemory | null, own: RiskKept | null): RiskKept | null {
  if (memory === null) return own
  const { history: spent, at } = memory.weight
  const whole = { risk: memory.risk, asOf: memory.asOf, at, spent }
  if (own === null) return whole
  const isOwnLater = own.asOf > whole.asOf || (own.asOf === whole.asOf && own.at >= whole.at)
  return isOwnLater ? own : whole
}
