import type { VirtualTime } from '../storm/virtualTime.ts'
import type { Account } from './account.ts'
import type { Home } from './home.ts'
import type { Machine } from './machine.ts'
import type { ModelGuard } from './modelGuard.ts'
import type { Link } from './storeNet.ts'

/** One run of a Guard: a process, its machine, its home and its way to the store. */
export interface Post {
  readonly name: string
  readonly member: string
  readonly address: string
  readonly account: Account
  readonly home: Home
  readonly machine: Machine
  readonly link: Link
  readonly guard: ModelGuard
  isAlive: boolean
  /** The highest epoch that has reached it, and that a person has released it from. */
  heardEpoch: number
  releasedEpoch: number
  readonly trouble: Trouble
}

/** Since when nothing is wrong with something. */
export class Trouble {
  readonly #time: VirtualTime
  #count = 0
  #overMs: number

  constructor(time: VirtualTime) {
    this.#time = time
    this.#overMs = time.elapsed
  }

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    this.#overMs = this.#time.elapsed
  }

  /** Whether nothing has been wrong from then on. */
  isOverSince(elapsed: number): boolean {
    return this.#count === 0 && this.#overMs <= elapsed
  }
}
