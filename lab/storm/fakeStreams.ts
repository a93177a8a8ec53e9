import type { OpenSocket } from '../../src/engine/ports.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import type { Chance } from './chance.ts'
import { latencyMs, venueCallerIp } from './latency.ts'
import type { NetOwner } from './venueWire.ts'
import type { VirtualTime } from './virtualTime.ts'

const untroubled = { dropFrames: 0, garbageFrames: 0, refuseUntil: 0, deafUntil: 0 }

/**
 * Guard's WebSockets to the simulator, frame by frame. Bytes and handshakes are left to the `ws`
 * package, which counts its time-outs by the machine's clock and cannot run in a world's time.
 */
export class FakeStreams {
  readonly #time: VirtualTime
  readonly #sim: SimulatorCore
  readonly #chance: Chance
  readonly #open = new Map<NetOwner, Set<() => void>>()
  readonly trouble = { ...untroubled }

  constructor(time: VirtualTime, sim: SimulatorCore, chance: Chance) {
    this.#time = time
    this.#sim = sim
    this.#chance = chance
  }

  get isCalm(): boolean {
    const { dropFrames, garbageFrames, refuseUntil, deafUntil } = this.trouble
    return (
      dropFrames + garbageFrames === 0 && Math.max(refuseUntil, deafUntil) <= this.#time.elapsed
    )
  }

  heal(): void {
    Object.assign(this.trouble, untroubled)
  }

  /** The process died: its sockets close without a word. */
  dropAll(owner: NetOwner): void {
    for (const end of this.#open.get(owner) ?? []) end()
    this.#open.delete(owner)
  }

  /** A socket whose frames keep their order, both ways, however late they are. */
  openSocket(owner: NetOwner): OpenSocket {
    return (_, handlers) => {
      let isOver = false
      let lastAt = 0
      let sentAt = 0
      const inOrder = (run: () => void): void => {
        lastAt = Math.max(lastAt, this.#time.elapsed + latencyMs(this.#chance))
        this.#time.at(lastAt, () => {
          if (!isOver && !owner.isDead) run()
        })
      }
      const close = (reason: string): void => {
        if (isOver) return
        isOver = true
        if (!owner.isDead) handlers.onClose(reason)
      }
      if (this.#time.elapsed < this.trouble.refuseUntil) {
        this.#time.after(latencyMs(this.#chance), () => {
          close('connect ECONNREFUSED')
        })
        return { send: () => undefined, terminate: () => undefined }
      }
      const link = {
        ip: venueCallerIp,
        isObserver: false,
        send: (text: string) => {
          const frame = this.#pass(text)
          if (frame !== null) inOrder(() => handlers.onText(frame))
        },
        drop: () => {
          inOrder(() => close('closed by the venue'))
          this.#time.after(0, () => connection.closed())
        },
      }
      const connection = this.#sim.connect(link)
      const ends = this.#open.get(owner) ?? new Set()
      this.#open.set(
        owner,
        ends.add(() => connection.closed()),
      )
      inOrder(() => handlers.onOpen())
      return {
        send: (text) => {
          if (owner.isDead || this.#time.elapsed < this.trouble.deafUntil) return
          sentAt = Math.max(sentAt, this.#time.elapsed + latencyMs(this.#chance))
          this.#time.at(sentAt, () => {
            if (!isOver) connection.receive(text)
          })
        },
        terminate: () => {
          connection.closed()
          this.#time.after(0, () => {
            close('terminated')
          })
        },
      }
    }
  }

  /** What becomes of a frame on its way; null when it is lost. */
  #pass(text: string): string | null {
    if (this.trouble.dropFrames > 0) {
      this.trouble.dropFrames -= 1
      return null
    }
    if (this.trouble.garbageFrames > 0) {
      this.trouble.garbageFrames -= 1
      return text.slice(0, Math.floor(text.length / 2))
    }
    return text
  }
}
