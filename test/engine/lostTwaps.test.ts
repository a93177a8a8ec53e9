import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { accountAddress, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** TWAPs of bots pass, and the venue shows one that waits for its price in its history alone. */
const reading = {
  rules: { twap: 'watched' },
  simulator: { options: { accountMs: 100, twap_waiting_listed: false } },
} as const
/** One of ETH that waits for its price, and what could be lost is worth something. */
const waiting: JsonObject = {
  ...{ type: 'twapOrder', twap: { a: 1, b: true, s: '0.61', r: false, m: 30, t: false } },
  details: { t: { p: '4100', a: true }, s: null },
}
const running: JsonObject = { type: 'twapOrder', twap: waiting['twap'] as JsonObject }
const match = { type: 'twapOrder' }

async function start(more: Partial<WorldOptions> = {}): Promise<void> {
  world = await World.start({ ...reading, timeoutMs: 500, ...more })
}
const history = async (): Promise<any[]> =>
  await world.venue.info({ type: 'twapHistory', user: accountAddress })
const ends = async () => (await history()).map(({ status }: any) => status.status)
const isThere = async () => (await history()).length > 0
const isCancelled = async () => (await ends()).includes('terminated')
const statusOf = () => world.guard.status()
const alert = (code: string) => statusOf().alerts.find((each) => each.code === code)
/** The price comes to where the TWAP starts. */
const reach = async () => {
  await world.venue.control('price', { coin: 'ETH', mid: '4105' })
  await world.venue.control('clock', { advance_ms: 60_000 })
}
const lose = async (action: JsonObject) => {
  await world.venue.fault({ where: 'exchange', kind: 'drop_reply', match })
  expect(await world.ask(action)).toMatchObject({ code: 'venue_unreachable' })
}
const mend = async () => await world.venue.send('DELETE', '/sim/fault')
/** The venue's history cannot be read. */
const hide = async () =>
  await world.venue.fault({
    ...{ where: 'info', kind: 'http_500', match: { type: 'twapHistory' }, count: 0 },
  })

describe('a TWAP that waits for its price, and whose answer was lost', () => {
  test('is cancelled when Guard stops, and nothing opens afterwards', async () => {
    await start()
    await lose(waiting)
    await world.stopGuard()
    expect(await ends()).toEqual(['terminated', 'waitingForTrigger'])
    await reach()
    expect(await world.positions()).toEqual({})
    await world.startGuard()
  })

  test('gets its number by the question what became of it', async () => {
    await start()
    await lose(waiting)
    await world.until(() => statusOf().twaps[0]?.id != null, 'its number')
    expect(statusOf().in_flight).toBe(0)
  })

  test('is left behind where its cancel cannot be sent, and the exit says so', async () => {
    await start({ drainMs: 700 })
    await lose(waiting)
    await world.until(() => statusOf().twaps[0]?.id != null, 'its number')
    const { id } = statusOf().twaps[0] as { id: number }
    const refused = { where: 'exchange', kind: 'http_500', match: { type: 'twapCancel' }, count: 0 }
    await world.venue.fault(refused)
    await world.stopGuard()
    const left = `ETH: a TWAP that buys 0.61, number ${id}`
    const text = expect.stringContaining(left)
    await world.reopen(({ reader }) => {
      expect(reader.since(0).filter(({ kind }) => kind === 'error')).toContainEqual(
        expect.objectContaining({ text }),
      )
      return Promise.resolve()
    })
    expect(world.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining(left) }),
    )
    await mend()
    await world.startGuard()
  })

  test('is left behind where no list has its number, and the exit says so', async () => {
    await start({ drainMs: 700 })
    await hide()
    await lose(waiting)
    await world.stopGuard()
    expect(world.logged).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining(
          'a TWAP that buys 0.61, whose number the venue has not told',
        ),
      }),
    )
    await mend()
    await world.startGuard()
  })
})

describe('a kill while the answer to a TWAP is on its way', () => {
  test.each([
    ['one that waits for its price', waiting],
    ['one that runs', running],
  ])('%s is cancelled before there is an answer', async (_, action) => {
    world = await World.stopped(reading)
    let answer = (): void => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await world.startGuard((venue) => ({
      info: (request, lane) => venue.info(request, lane),
      exchange: async (request, lane, heldBack) => {
        const reply = await venue.exchange(request, lane, heldBack)
        if (request.action.type === 'twapOrder') await held
        return reply
      },
    }))
    const asked = world.ask(action)
    await world.until(isThere, 'at the venue')
    await world.kill('enough')
    await world.until(isCancelled, 'cancelled')
    await reach()
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
    answer()
    await asked
    await world.until(() => statusOf().twaps.length === 0, 'let go of')
  })

  test('the alert names it for as long as no list has its number', async () => {
    await start()
    await hide()
    await lose(waiting)
    await world.kill('enough')
    await world.until(() => alert('flattening') !== undefined, 'the alert')
    expect(alert('flattening')?.text).toContain('a TWAP on ETH whose number the venue has not told')
    const { problems } = await world.event('flatten', (event) => event.problems.length > 0)
    expect(problems).toEqual([
      'ETH: a TWAP cannot be cancelled before the venue has told its number',
    ])
    await mend()
    await world.until(isCancelled, 'cancelled')
    await world.until(() => alert('flattening') === undefined, 'the end of it')
  })
})
