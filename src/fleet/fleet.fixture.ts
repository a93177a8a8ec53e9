import { millis } from '../core/values/millis.ts'
import type { AccountExposure } from '../engine/fleetView.ts'
import type { JournalHead, Timers } from '../engine/ports.ts'
import type { StatusView } from '../engine/statusView.ts'
import { fakeStatus } from '../gateway/status.fixture.ts'
import { defaultRules } from '../core/rules/rules.ts'
import { encodeRules } from '../core/rules/rulesCode.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { addMember, initFleet } from './fleetAdmin.ts'
import { FleetMember } from './fleetMember.ts'
import type { CopiedJournal } from './outbox.ts'
import { startPostgres } from './postgres.fixture.ts'
import type { TestServer } from './postgres.fixture.ts'
import { openSession } from './storeSession.ts'
import { parseStoreUrl } from './storeUrl.ts'
import type { StoreAddress } from './storeUrl.ts'

export const account = `0x${'a1'.repeat(20)}`
const network = 'testnet'
const lastAsked =
  "select max(query_start) from pg_stat_activity where usename like 'guard_testnet%' and query like '%guard.beat()%'"

/** A server with a fleet of one member, `desk-1` of the group `desk`. */
export interface TestFleet {
  readonly server: TestServer
  readonly memberUrl: string
  /** Raises a kill as the owner does; its epoch. */
  kill(scope?: string, reason?: string): Promise<number>
  /** Resolves once the member has asked twice more what is killed, and had its answers. */
  askedTwice(): Promise<void>
  stop(): Promise<void>
}

export function addressOf(url: string): StoreAddress {
  const read = parseStoreUrl(url)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

export async function startFleet(whose: string = account): Promise<TestFleet> {
  const server = await startPostgres()
  const address = addressOf(server.url())
  const owner = await openSession(address, { timers: systemTimers })
  await initFleet(owner)
  let memberUrl = ''
  const member = { name: 'desk-1', network, account: whose, group: 'desk' } as const
  await addMember(owner, address, member, (url) => (memberUrl = url))
  owner.close()
  return {
    server,
    memberUrl,
    kill: async (scope = 'fleet', reason = 'the feed is wrong') =>
      Number(
        await server.psql(
          `select guard.raise_kill('${scope}', '${reason}', gen_random_uuid()::text)`,
        ),
      ),
    askedTwice: async () => {
      const asked = new Set<string>()
      await until(async () => {
        asked.add(await server.psql(lastAsked))
        // The third question follows the answers to two.
        return asked.size > 3
      })
    },
    stop: () => server.stop(),
  }
}

export const other = `0x${'b2'.repeat(20)}`

/** A second member, `desk-2`, of the same group; its URL. */
export async function addOther({ server }: TestFleet): Promise<string> {
  const address = addressOf(server.url())
  const owner = await openSession(address, { timers: systemTimers })
  let url = ''
  const member = { name: 'desk-2', network, account: other, group: 'desk' } as const
  await addMember(owner, address, member, (made) => (url = made))
  owner.close()
  return url
}

/** A Guard as its membership sees it: it latches when told, and is flat when the test says so. */
export class LatchedGuard {
  obeyed: { epoch: number; at: number } | null = null
  readonly heard: string[] = []
  isFlat = false
  mode: StatusView['mode'] = 'testnet'
  /** What the disk says to a latch. */
  kept: Promise<void> = Promise.resolve()
  #isLatched = false

  readonly latch = {
    obeyedOf: this,
    get obeyed() {
      return this.obeyedOf.obeyed
    },
    obey: async (reason: string, epoch: number): Promise<void> => {
      this.heard.push(reason)
      this.obeyed = { epoch, at: Date.now() }
      this.#isLatched = true
      await this.kept
    },
  }

  async kill(reason: string): Promise<void> {
    this.heard.push(reason)
    this.#isLatched = true
    await this.kept
  }

  release(): void {
    this.#isLatched = false
  }

  /** What counts for the fleet's budgets; null: it has not been seen yet. */
  counts: AccountExposure | null = null

  exposure(): AccountExposure | null {
    return this.counts
  }

  readonly handover = {
    word: () => ({ latch: this.#isLatched ? { reason: this.heard.at(-1) ?? '', at: 1 } : null }),
    whole: () => null,
  }

  status(): StatusView {
    return {
      ...fakeStatus,
      mode: this.mode,
      kill: { ...fakeStatus.kill, latched: this.#isLatched },
      positions: this.isFlat ? [] : fakeStatus.positions,
      alerts: [],
    }
  }
}

/** No rule differs from the defaults. */
export const plainSetup = {
  wallet: null,
  rules: encodeRules(defaultRules),
  markets: {},
  clients: {},
  keys: null,
  builders: null,
}

/** A member of a fleet that was not attached yet. */
export function memberOf(
  url: string,
  whose: string = account,
  timers: Timers = systemTimers,
  instance = 'home-1',
): FleetMember {
  return new FleetMember({
    address: addressOf(url),
    identity: {
      ...{ network, account: whose, version: '1.0', host: 'here', configHash: 'c', instance },
      setup: plainSetup,
    },
    open: openSession,
    timers,
    log: { log: () => undefined },
  })
}

/** A journal in which nothing is. */
export const emptyJournal = {
  journal: { head: { seq: 0, hash: '00'.repeat(32) } },
  reader: { lastSeq: 0 },
  loadSnapshot: () => Promise.resolve(null),
} as unknown as CopiedJournal & { readonly journal: { readonly head: JournalHead } }

export const clock = { now: () => millis(Date.now()), monotonicMs: () => performance.now() }

/** Resolves once it is so; a test that waits for ever ends by its own bound. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}
