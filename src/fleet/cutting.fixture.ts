import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A small proxy before the store: the network between a Guard and it, which a test can cut. */
export class Cutting {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** Whether what the store answers is thrown away, as on a line that broke after the question. */
  isDeaf = false
  /** How many answers were thrown away. */
  swallowed = 0
  #isCut = false

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) {
        near.destroy()
        return
      }
      const far = connect({ host: '127.0.0.1', port })
      const pair = [near, far] as const
      this.#pairs.add(pair)
      const end = (): void => {
        this.#pairs.delete(pair)
        near.destroy()
        far.destroy()
      }
      for (const socket of pair) socket.on('error', end).on('close', end)
      near.on('data', (bytes) => far.write(bytes))
      far.on('data', (bytes) => {
        if (!this.isDeaf) near.write(bytes)
        else this.swallowed += 1
      })
    })
  }

  static async before(port: number): Promise<Cutting> {
    const cutting = new Cutting(port)
    cutting.#server.listen(0, '127.0.0.1')
    await new Promise((resolve) => cutting.#server.once('listening', resolve))
    return cutting
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Every connection breaks, and no new one is made. */
  cut(): void {
    this.#isCut = true
    for (const [near, far] of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  mend(): void {
    this.#isCut = false
    this.isDeaf = false
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
