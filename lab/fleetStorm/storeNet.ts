import { within } from '../../src/engine/within.ts'
import { StoreError } from '../../src/fleet/storeSession.ts'
import type { OpenSession, StoreRow, StoreSession } from '../../src/fleet/storeSession.ts'
import type { Chance } from '../storm/chance.ts'
import type { VirtualTime } from '../storm/virtualTime.ts'
import type { Machine } from './machine.ts'
import { Refusal } from './storeModel.ts'
import type { StoreModel } from './storeModel.ts'

/** The way between one Guard and the store, as it is now. */
export interface Link {
  /** Nothing arrives, in either direction. */
  isCut: boolean
  /** What is asked arrives and is done; the answers do not come back. */
  losesAnswers: boolean
  /** At most so many milliseconds each way. */
  slowMs: number
}

type Values = readonly (string | number | boolean | null)[]

interface Listener {
  readonly link: Link
  notify(): void
  breakOff(): void
}

const usualOpenMs = 3_000
const usualAnswerMs = 3_000

/** The network between the Guards and the store: it delays, loses and breaks; it never invents. */
export class StoreNet {
  isDown = false
  /** Called after every question that the store has carried out. */
  onAnswered: () => void = () => undefined
  /** Called when an answer that tells of kills has reached a Guard: the last epoch in it. */
  onHeard: (machine: Machine, epoch: number) => void = () => undefined
  readonly #time: VirtualTime
  readonly #chance: Chance
  readonly #store: StoreModel
  readonly #sessions = new Set<Listener>()

  constructor(time: VirtualTime, chance: Chance, store: StoreModel) {
    this.#time = time
    this.#chance = chance
    this.#store = store
  }

  /** How a Guard on this machine, with the role of this member, reaches the store. */
  doorOf(member: string, machine: Machine, link: Link): OpenSession {
    return async (_address, options) => {
      const opening = new Promise<void>((resolve) => {
        this.#carry(link, () => {
          this.#carry(link, () => {
            machine.run(resolve)
          })
        })
      })
      const opened = await within(machine, opening, options.openMs ?? usualOpenMs)
      if (opened.kind !== 'done') throw new StoreError('unreachable', 'nobody answers')
      const { onNotify, answerMs = usualAnswerMs } = options
      const told = (): void => {
        machine.run(() => onNotify?.('guard_control', ''))
      }
      return this.#session({ member, machine, link, answerMs, told })
    }
  }

  /** Tells whoever is connected that a kill was raised. */
  notifyAll(): void {
    for (const { link, notify } of this.#sessions) this.#carry(link, notify)
  }

  /** Every connection ends: the server has. */
  breakAll(): void {
    for (const session of [...this.#sessions]) session.breakOff()
  }

  #session(way: {
    readonly member: string
    readonly machine: Machine
    readonly link: Link
    readonly answerMs: number
    readonly told: () => void
  }): StoreSession {
    const { member, machine, link, answerMs, told } = way
    let isOpen = true
    let isBroken = false
    /** A connection does one thing after the other. */
    let busyUntil = 0
    const listener: Listener = {
      link,
      notify: () => {
        if (isOpen) told()
      },
      breakOff: () => {
        isBroken = true
        this.#sessions.delete(listener)
      },
    }
    this.#sessions.add(listener)
    const close = (): void => {
      isOpen = false
      this.#sessions.delete(listener)
    }
    const ask = (text: string, values: Values): Promise<readonly StoreRow[]> =>
      new Promise((resolve, reject) => {
        this.#carry(
          link,
          () => {
            if (isBroken) return
            busyUntil = this.#time.elapsed
            const answer = this.#answered(member, text, values)
            if (link.losesAnswers) return
            this.#carry(link, () => {
              machine.run(() => {
                if (answer instanceof StoreError) {
                  reject(answer)
                  return
                }
                const epoch = Number(answer.at(-1)?.['epoch'] ?? 0)
                if (isOpen && text.includes('guard.beat')) this.onHeard(machine, epoch)
                resolve(answer)
              })
            })
          },
          busyUntil,
        )
      })
    return {
      get isOpen() {
        return isOpen && !isBroken
      },
      close,
      query: async (text, values = []) => {
        if (!isOpen || isBroken) throw new StoreError('unreachable', 'the connection has ended')
        const answered = await within(machine, ask(text, values), answerMs)
        if (answered.kind === 'done') return answered.value
        if (answered.kind === 'failed') throw answered.error
        close()
        throw new StoreError('unknown', `no answer within ${answerMs} ms`)
      },
    }
  }

  /** What the store says, be it a refusal. */
  #answered(member: string, text: string, values: Values): readonly StoreRow[] | StoreError {
    try {
      const rows = this.#store.answer(member, text, values)
      this.onAnswered()
      return rows
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return new StoreError('refused', error.message, error.code)
    }
  }

  /** Carries something over, unless the way is cut or the store down when it would arrive. */
  #carry(link: Link, arrive: () => void, notBefore = 0): void {
    const mostMs = this.#chance.is(0.1) ? link.slowMs : 5
    const delay = 1 + this.#chance.next() * mostMs
    this.#time.at(Math.max(this.#time.elapsed + delay, notBefore), () => {
      if (!link.isCut && !this.isDown) arrive()
    })
  }
}
