import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { simControl } from '../demo/simControl.ts'
import type { SimControl } from '../demo/simControl.ts'
import { createBot } from './bot.ts'
import type { Bot } from './bot.ts'
import { benchMarkets } from './orders.ts'
import type { GuardSetup } from './roles/guardRole.ts'
import type { StartRole } from './roles/startRole.ts'
import type { Role } from './roles/role.ts'

/** An account on the benchmark's venue, its API wallet, and two bots. */
export interface BenchAccount {
  readonly account: Bot
  readonly wallet: Bot
  readonly bots: readonly [Bot, Bot]
}

/** The venue of a run and what is needed to put Guards in front of it. */
export interface BenchWorld {
  readonly crypto: Crypto
  readonly venue: Role
  readonly control: SimControl
  readonly accounts: readonly BenchAccount[]
  readonly startRole: StartRole
  /** A directory of its own for each Guard, gone when the world closes. */
  newHome(): string
  startGuard(of: BenchAccount, options?: GuardChoice): Promise<Role>
  close(): Promise<void>
}

interface GuardChoice {
  readonly mode?: GuardSetup['mode']
  readonly curve?: 'native' | 'wasm'
  readonly home?: string
  /** Allows every market, for venues that list others. */
  readonly anyMarket?: boolean
  /** Its disk can be told to hang. */
  readonly mayHang?: boolean
  /** Clients beside the account's two bots. */
  readonly moreClients?: readonly Bot[]
  /** Where it finds the venue, when something stands between. */
  readonly venueUrl?: string
  /** The URL of the fleet's store, which this Guard joins as a member. */
  readonly fleetUrl?: string
  /** It sends with undici instead of Guard's own HTTP client. */
  readonly hasUndici?: boolean
}

/** What the venue has at the start, where it is not the usual. */
export interface WorldSeed {
  readonly markets?: readonly Json[]
  readonly positions?: readonly Json[]
  /** Request weight a minute, of the venue and of its Guards. */
  readonly weightLimit?: number
}

const unlimited = 1_000_000_000
const equity = '10000000'

/** Opens a venue with accounts; `positions` are what each account holds from the start. */
export async function openWorld(
  startRole: StartRole,
  accountCount: number,
  seed: WorldSeed = {},
): Promise<BenchWorld> {
  const crypto = await loadCrypto()
  const venue = await startRole('venue', seed.weightLimit ?? null)
  const control = simControl(venue.url)
  const accounts = Array.from({ length: accountCount }, () => newAccount(crypto))
  await control.reset({
    seed: 1,
    frozen: true,
    markets: seed.markets ?? benchMarkets,
    accounts: accounts.map(({ account, wallet }): JsonObject => ({
      address: account.address,
      equity,
      agents: [wallet.address],
      positions: seed.positions ?? [],
    })),
  })
  if (seed.markets === undefined) {
    for (const { account } of accounts) await earnAllowance(control, account.address)
  }
  const base = mkdtempSync(join(tmpdir(), 'guard-bench-'))
  const guards = new Set<Role>()
  const newHome = (): string => mkdtempSync(join(base, 'home-'))
  return {
    ...{ crypto, venue, control, accounts, startRole, newHome },
    startGuard: async (of, { mode = 'testnet', curve, ...choice } = {}) => {
      const setup: GuardSetup = {
        home: choice.home ?? newHome(),
        mode,
        account: of.account.address,
        venueUrl: choice.venueUrl ?? venue.url,
        walletKey: of.wallet.text,
        clients: [...of.bots, ...(choice.moreClients ?? [])].map(({ address }) => address),
        weightPerMinute: seed.weightLimit ?? unlimited,
        anyMarket: choice.anyMarket === true,
        mayHang: choice.mayHang === true,
        fleetUrl: choice.fleetUrl ?? null,
        hasUndici: choice.hasUndici === true,
      }
      const environment = curve === undefined ? {} : { GUARD_CRYPTO: curve }
      const guard = await startRole('guard', setup as unknown as Json, environment)
      guards.add(guard)
      return {
        ...guard,
        stop: async () => {
          guards.delete(guard)
          await guard.stop()
        },
      }
    },
    close: async () => {
      await Promise.all([...guards].map((guard) => guard.stop()))
      await venue.stop()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** The venue allows an account one action for each dollar it has traded: ten million and more. */
async function earnAllowance(control: SimControl, user: string): Promise<void> {
  for (const isBuy of [true, false]) {
    const [p, s] = [isBuy ? '101000' : '99000', '60']
    const order = { a: 0, b: isBuy, p, s, r: !isBuy, t: { limit: { tif: 'Ioc' } } }
    await control.act(user, { type: 'order', orders: [order], grouping: 'na' })
  }
}

function newAccount(crypto: Crypto): BenchAccount {
  return {
    account: createBot(crypto),
    wallet: createBot(crypto),
    bots: [createBot(crypto), createBot(crypto)],
  }
}
