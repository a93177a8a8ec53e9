import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Markets } from '../core/protocol/market.ts'
import { limits } from '../core/values/limits.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { account, addressOf, addOther, emptyJournal, startFleet } from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import { HomeTeller } from './homeTeller.ts'
import { isPostgresThere } from './postgres.fixture.ts'
import { openSession } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'

const none = '00'.repeat(32)
const some = 'ab'.repeat(32)
const listed = (...coins: string[]): Markets =>
  ({ byCoin: new Map(coins.map((coin) => [coin, {}])) }) as unknown as Markets

describe.skipIf(!isPostgresThere)('what a home tells of its own disk and its venue', () => {
  let fleet: TestFleet
  let session: StoreSession
  let ms = 0
  let head = { seq: 0, hash: none }
  let markets: Markets | undefined
  beforeAll(async () => {
    fleet = await startFleet()
    session = await openSession(addressOf(fleet.memberUrl), { timers: systemTimers })
  })
  afterAll(async () => {
    session.close()
    await fleet.stop()
  })
  beforeEach(async () => {
    ms = 0
    head = { seq: 0, hash: none }
    markets = undefined
    await fleet.server.psql('truncate guard.heads, guard.coins')
  })

  const tellerOf = (instance: string): HomeTeller =>
    new HomeTeller({
      identity: { instance, host: `host of ${instance}` },
      clock: { monotonicMs: () => ms },
      journal: {
        journal: {
          get head() {
            return head
          },
        },
      },
      markets: () => markets,
    })
  const heads = (): Promise<string> =>
    fleet.server.psql(
      "select string_agg(instance || ' ' || seq || ' ' || left(hash, 2), ',' order by instance) from guard.heads",
    )
  const coins = (): Promise<string> =>
    fleet.server.psql("select array_to_string(names, ',') from guard.coins")

  test('where its journal ends is told at once, then every five seconds; each home has its own', async () => {
    const [one, two] = [tellerOf('home-1'), tellerOf('home-2')]
    await one.tell(session)
    head = { seq: 7, hash: some }
    await two.tell(session)
    ms = 4_999
    await one.tell(session)
    expect(await heads()).toBe('home-1 0 00,home-2 7 ab')
    ms = 5_000
    await one.tell(session)
    expect(await heads()).toBe('home-1 7 ab,home-2 7 ab')
    const hosts = "select string_agg(host, ',' order by instance) from guard.heads"
    expect(await fleet.server.psql(hosts)).toBe('host of home-1,host of home-2')
  })

  test('to another connection it is told anew: the store may have lost it', async () => {
    const one = tellerOf('home-1')
    markets = listed('ETH')
    await one.tell(session)
    await fleet.server.psql('truncate guard.heads, guard.coins')
    one.begin()
    await one.tell(session)
    expect([await heads(), await coins()]).toEqual(['home-1 0 00', 'ETH'])
  })

  test('coins are told once they are known, and again where there are others', async () => {
    const one = tellerOf('home-1')
    await one.tell(session)
    expect(await coins()).toBe('')
    const steps: [Markets, string][] = [
      [listed(), ''],
      [listed('ETH', 'BTC'), 'BTC,ETH'],
      [listed('ETH', 'BTC', 'xyz:TSLA'), 'BTC,ETH,xyz:TSLA'],
    ]
    for (const [now, told] of steps) {
      markets = now
      ms += 5_000
      await one.tell(session)
      expect(await coins()).toBe(told)
    }
    // The same ones, read again, are no news.
    await fleet.server.psql('truncate guard.coins')
    markets = listed('ETH', 'xyz:TSLA', 'BTC')
    ms += 5_000
    await one.tell(session)
    expect(await coins()).toBe('')
  })

  test('the oldest homes of an account are forgotten, and no member sees those of another', async () => {
    const most = limits.fleetHomesMax
    for (let n = 1; n <= most + 2; n += 1) await tellerOf(`home-${n}.`).tell(session)
    const known = await heads()
    expect(known.split(',')).toHaveLength(most)
    expect([1, 2, 3].map((n) => known.includes(`home-${n}.`))).toEqual([false, false, true])
    const count = 'select count(*) from guard.heads'
    expect(await fleet.server.psqlAs(await addOther(fleet), count)).toBe('0')
    expect(await fleet.server.psqlAs(fleet.memberUrl, count)).toBe(String(most))
  })

  test('a store that takes none of it is not asked again until the next connection', async () => {
    const as = 'alter function guard.tell_head(text, text, bigint, text) rename to'
    await fleet.server.psql(`${as} tell_nothing`)
    const one = tellerOf('home-1')
    await one.tell(session)
    expect(session.isOpen).toBe(true)
    await fleet.server.psql(
      'alter function guard.tell_nothing(text, text, bigint, text) rename to tell_head',
    )
    ms = 5_000
    await one.tell(session)
    expect(await heads()).toBe('')
    one.begin()
    await one.tell(session)
    expect(await heads()).toBe('home-1 0 00')
  })

  test('a connection that broke is for its owner to see', async () => {
    const gone = await openSession(addressOf(fleet.memberUrl), { timers: systemTimers })
    gone.close()
    await expect(tellerOf('home-1').tell(gone)).rejects.toThrow()
  })

  test('without a list of coins, as a standby, it tells its head alone', async () => {
    const identity = { instance: 'home-1', host: account.slice(0, 4) }
    const clock = { monotonicMs: () => 0 }
    await new HomeTeller({ identity, clock, journal: emptyJournal }).tell(session)
    expect([await heads(), await coins()]).toEqual(['home-1 0 00', ''])
  })
})
