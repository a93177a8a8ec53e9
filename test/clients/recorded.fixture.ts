import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wire } from '../../src/assembly/wire.ts'
import { defaultRules } from '../../src/core/rules/rules.ts'
import { millis } from '../../src/core/values/millis.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import type { Guard } from '../../src/engine/guard.ts'
import { killFileIn } from '../../src/system/killFile.ts'
import { silentObserver } from '../../src/engine/observer.ts'
import type { Clock } from '../../src/engine/ports.ts'
import { MemoryIndex } from '../../src/journal/memoryIndex.ts'
import { nodeIo } from '../../src/journal/nodeIo.ts'
import type { OpenedJournal } from '../../src/journal/opened.ts'
import { TestVenue } from '../../lab/sim/simulator.fixture.ts'
import { systemRandom } from '../../src/system/systemRandom.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { connectOverNetwork } from '../../src/venue/connect.ts'
import type { VenueClock } from '../../src/engine/venueClock.ts'
import { openSocket } from '../../src/venue/socket.ts'
import { account, client, markets } from './rig.fixture.ts'
import { accountInside } from '../engine/insideGuard.fixture.ts'

/** A clock that can be set: requests of another day are fresh when it says so. */
class SetClock implements Clock {
  #offset = 0

  now() {
    return millis(Date.now() + this.#offset)
  }

  monotonicMs(): number {
    return performance.now()
  }

  set(time: number): void {
    this.#offset = time - Date.now()
  }
}

/**
 * A Guard in paper mode whose clock, and whose venue's, is the test's: every request is judged
 * against the same account, because nothing is ever sent.
 */
export class RecordedWorld {
  readonly #clocks: { readonly machine: SetClock; readonly guard: VenueClock }
  readonly guard: Guard
  readonly venue: TestVenue
  readonly #opened: OpenedJournal
  readonly #close: () => Promise<void>

  private constructor(
    machine: SetClock,
    clock: VenueClock,
    guard: Guard,
    venue: TestVenue,
    opened: OpenedJournal,
    close: () => Promise<void>,
  ) {
    this.#clocks = { machine, guard: clock }
    this.guard = guard
    this.venue = venue
    this.#opened = opened
    this.#close = close
  }

  static async start(time: number): Promise<RecordedWorld> {
    const clock = new SetClock()
    clock.set(time)
    const venue = await TestVenue.start({ clock })
    await venue.control('reset', {
      frozen: true,
      markets,
      accounts: [{ address: account, equity: '10000' }],
    })
    const ticking = setInterval(() => {
      venue.simulator.advance()
    }, 10)
    const home = await mkdtemp(join(tmpdir(), 'guard-recorded-'))
    const { guard, opened, deps, transport } = await wire(
      {
        config: {
          ...{ version: '0.0.0-test', mode: 'paper', network: 'testnet', account },
          ...{ venueUrl: venue.url, clients: [client], builders: [], via: null, drainMs: 2_000 },
          ...{ rulesFor: () => defaultRules, rulesCode: 'gr1_e30', rulesDecoded: {} },
        },
        privateKey: null,
        journal: { directory: join(home, 'journal') },
        wsUrl: venue.simulator.wsUrl,
        timeoutMs: 2_000,
        weightPerMinute: 1_000_000,
        observer: silentObserver,
      },
      {
        ...{ clock, timers: systemTimers, random: systemRandom, crypto: await loadCrypto() },
        log: { log: () => undefined },
        ...{ io: nodeIo, openIndex: () => new MemoryIndex(), killFile: killFileIn(home) },
        ...{ connect: connectOverNetwork, openSocket },
      },
    )
    const world = new RecordedWorld(clock, deps.clock, guard, venue, opened, async () => {
      await guard.stop('SIGTERM')
      clearInterval(ticking)
      transport.close()
      await opened.journal.close()
      await venue.close()
      await rm(home, { recursive: true, force: true })
    })
    await guard.start()
    await world.ready()
    return world
  }

  async ready(): Promise<void> {
    const giveUp = Date.now() + 90_000
    while (!this.guard.ready().ok) {
      if (Date.now() > giveUp) throw new Error('Guard does not get ready')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  /** Sends a body as it was recorded; gives the reply and the decision it led to. */
  async send(body: string, via: 'http' | 'ws'): Promise<{ reply: any; decision: any }> {
    const { lastSeq } = this
    const { body: reply } = await this.guard.handleExchange(new TextEncoder().encode(body), via)
    const giveUp = Date.now() + 90_000
    for (;;) {
      const found = this.#opened.reader.since(lastSeq).find(({ kind }) => kind === 'decision')
      if (found !== undefined) return { reply, decision: found }
      if (Date.now() > giveUp) throw new Error('no decision event came')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  /** From now on it is this time at the venue, and Guard knows it; its stream has told of the account since. */
  async setTime(time: number): Promise<void> {
    this.#clocks.machine.set(time)
    this.#clocks.guard.prove(time)
    const giveUp = Date.now() + 90_000
    const account = accountInside(this.guard)
    while (time - (account.confirmedAt ?? 0) > 5_000) {
      if (Date.now() > giveUp) throw new Error('the stream tells nothing of the account')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  get lastSeq(): number {
    return this.#opened.reader.since(0).at(-1)?.seq ?? 0
  }

  close(): Promise<void> {
    return this.#close()
  }
}
