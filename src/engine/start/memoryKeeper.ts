import type { JsonObject } from '../../core/protocol/action.ts'
import type { Handover } from '../fleetView.ts'
import { latchJson, obeyedJson, writeMemory } from './engineMemory.ts'
import { RiskMemoryKeeper } from './riskMemory.ts'
import { memoryToHandOver, saveMemory, VenueMemoryKeeper } from './saveMemory.ts'
import type { SaveMemoryDeps } from './saveMemory.ts'

/** Everything that Guard keeps on disk for its next start beside the records themselves. */
export class MemoryKeeper implements Handover {
  /** Until earlier sends were looked up, the records that name them must be read again. */
  hasRecovered = false
  private readonly deps: SaveMemoryDeps
  private readonly lastNonce: () => number
  private readonly venue = new VenueMemoryKeeper()
  private readonly risk: RiskMemoryKeeper

  constructor(deps: SaveMemoryDeps, lastNonce: () => number) {
    this.deps = deps
    this.lastNonce = lastNonce
    this.risk = new RiskMemoryKeeper(deps)
  }

  /** Writes to disk what has changed since the last tick: risk figures, builder dexes; does not wait. */
  tick(): void {
    this.risk.tick()
    if (this.hasRecovered) this.venue.tick(this.deps)
  }

  async save(): Promise<void> {
    await this.saveVenue()
    await this.risk.save()
    if (this.hasRecovered) await saveMemory(this.deps, this.lastNonce())
  }

  word(): JsonObject {
    const { latch } = this.deps
    return {
      latch: latchJson(latch.current),
      obeyed: obeyedJson(latch.obeyed),
      risk: this.risk.now(),
    }
  }

  whole(): { readonly seq: number; readonly state: JsonObject } | null {
    if (!this.hasRecovered) return null
    const { seq, memory } = memoryToHandOver(this.deps)
    return { seq, state: writeMemory(memory) }
  }

  async saveVenue(): Promise<void> {
    await this.venue.save(this.deps)
  }
}
