import type { AccountEvent } from '../../core/account/accountEvent.ts'

/** What Guard must have been told of the venue and the account before it serves what opens. */
export const pictureParts = [
  ...(['markets', 'mode', 'mids', 'spot', 'state', 'orders', 'ledger'] as const),
] as const

export type PicturePart = (typeof pictureParts)[number]

const partOf: { readonly [kind in AccountEvent['kind']]?: PicturePart } = {
  markets: 'markets',
  mode: 'mode',
  mids: 'mids',
  spot: 'spot',
  state: 'state',
  orders: 'orders',
  ledger: 'ledger',
}

/**
 * Which parts have been told since the start. The stream's word counts as much as a read's; what an
 * earlier run had been told does not count here.
 */
export class Picture {
  readonly #told = new Set<PicturePart>()
  readonly #waiting = new Map<PicturePart, (() => void)[]>()
  #isOver = false

  told(event: AccountEvent): void {
    const part = partOf[event.kind]
    if (part === undefined || this.#told.has(part)) return
    // What a transfer means depends on the account's mode: told before it, it may have been misread.
    if (part === 'ledger' && !this.#told.has('mode')) return
    this.#told.add(part)
    for (const go of this.#waiting.get(part) ?? []) go()
    this.#waiting.delete(part)
  }

  has(part: PicturePart): boolean {
    return this.#told.has(part)
  }

  get missing(): readonly PicturePart[] {
    return pictureParts.filter((part) => !this.#told.has(part))
  }

  /** Resolves once the part was told, or nobody waits for it any more. */
  when(part: PicturePart): Promise<void> {
    if (this.#isOver || this.#told.has(part)) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.set(part, [...(this.#waiting.get(part) ?? []), resolve])
    })
  }

  /** Guard stops: whoever waits goes on. */
  end(): void {
    this.#isOver = true
    for (const waiting of this.#waiting.values()) for (const go of waiting) go()
    this.#waiting.clear()
  }
}
