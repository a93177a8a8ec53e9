import { beforeAll, describe, expect, test } from 'vitest'
import type { ChildProgram } from '../../src/system/childProgram.fixture.ts'
import { accounted } from './accounted.fixture.ts'
import { haltedProgram, Lives } from './halted.fixture.ts'
import type { Halt } from './halted.fixture.ts'
import { order, orders } from './world.fixture.ts'

let program: ChildProgram
beforeAll(async () => {
  program = await haltedProgram()
  return program.remove
}, 240_000)

const entry = orders(order(1, true, '4010', '0.1'))
const timeoutMs = 180_000

/** One world in which a Guard is ended in the middle of something and started again. */
async function world(story: (lives: Lives) => Promise<void>): Promise<void> {
  const lives = await Lives.begin(program)
  try {
    await story(lives)
    await accounted(lives)
  } finally {
    await lives.end()
  }
}

const outcomesOf = async (lives: Lives): Promise<[number, string][]> =>
  (await lives.events('recovered')).map(({ index, outcome }) => [index, outcome])

const isCovered = async (lives: Lives): Promise<boolean> => {
  const { positions, in_flight } = await lives.read('/guard/status')
  return in_flight === 0 && positions.every((position: any) => position.covered)
}

describe.concurrent('the process is ended in the middle of an entry', () => {
  const nothing = {}
  const filled = { ETH: '0.1' }
  const rows: [string, Halt, Record<string, string>, [number, string][] | null][] = [
    ['judged, not written', { at: 'before_write', has: '"kind":"decision"' }, nothing, []],
    [
      'written, not told',
      { at: 'after_write', has: '"kind":"decision"' },
      nothing,
      [
        [0, 'did_not_happen'],
        [1, 'did_not_happen'],
      ],
    ],
    [
      'on disk, not sent',
      { at: 'before_send', type: 'updateLeverage' },
      nothing,
      [
        [0, 'did_not_happen'],
        [1, 'did_not_happen'],
      ],
    ],
    [
      'leverage sent, not answered',
      { at: 'after_send', type: 'updateLeverage' },
      nothing,
      [
        [0, 'happened'],
        [1, 'did_not_happen'],
      ],
    ],
    // Whether the leverage's outcome was on disk by then is the disk's own affair.
    ['leverage set, order not sent', { at: 'before_send', type: 'order' }, nothing, null],
    ['order sent, not answered', { at: 'after_send', type: 'order' }, filled, null],
    ['answered, outcome not written', { at: 'before_write', has: '"totalSz"' }, filled, null],
    ['outcome written, not told', { at: 'after_write', has: '"totalSz"' }, filled, null],
  ]

  test.each(rows)('%s', { timeout: timeoutMs }, async (_, halt, positions, recovered) => {
    await world(async (lives) => {
      await lives.start(halt)
      const asked = lives.ask(entry)
      await lives.killAtHalt(halt)
      await asked
      await lives.startLater()
      if (recovered !== null) expect(await outcomesOf(lives)).toEqual(recovered)
      await lives.until(() => isCovered(lives), 'every position to be covered')
      const isFilled = Object.keys(positions).length > 0
      expect(await lives.entriesReceived()).toBe(isFilled ? 1 : 0)
      expect(await lives.positions()).toEqual(positions)
      expect(await lives.stops()).toEqual(isFilled ? [['ETH', '0.1']] : [])
      expect(await lives.events('protect')).toEqual([])
      // It serves again: the same order passes.
      expect(await lives.ask(entry)).toMatchObject({ status: 'ok' })
      await lives.until(() => isCovered(lives), 'the next entry to be covered')
    })
  })
})

describe.concurrent('the process is ended in the middle of a protection', () => {
  const rows: [string, Halt, string][] = [
    ['decided, not written', { at: 'before_write', has: '"kind":"protect"' }, 'none'],
    ['written, not told', { at: 'after_write', has: '"kind":"protect"' }, 'did_not_happen'],
    ['on disk, not sent', { at: 'before_send', type: 'order' }, 'did_not_happen'],
    ['sent, not answered', { at: 'after_send', type: 'order' }, 'happened'],
  ]

  test.each(rows)('%s', { timeout: timeoutMs }, async (_, halt, outcome) => {
    await world(async (lives) => {
      await lives.start(halt)
      await lives.outside(orders(order(2, true, '201', '5')))
      await lives.killAtHalt(halt)
      await lives.startLater()
      await lives.until(() => isCovered(lives), 'the position to be covered')
      expect(await lives.stops()).toEqual([['SOL', '5.0']])
      expect(await lives.positions()).toEqual({ SOL: '5.0' })
      const told = (await outcomesOf(lives)).map(([, each]) => each)
      expect(told).toEqual(outcome === 'none' ? [] : [outcome])
      // One that was there is not placed again.
      expect(await lives.events('protect')).toHaveLength(outcome === 'did_not_happen' ? 2 : 1)
    })
  })
})

describe.concurrent('the process is ended in the middle of a flatten', () => {
  const rows: [string, Halt][] = [
    ['decided, not written', { at: 'before_write', has: '"kind":"flatten"' }],
    ['written, not told', { at: 'after_write', has: '"kind":"flatten"' }],
    ['on disk, not sent', { at: 'before_send', type: 'order' }],
    ['sent, not answered', { at: 'after_send', type: 'order' }],
  ]

  test.each(rows)('%s', { timeout: timeoutMs }, async (_, halt) => {
    await world(async (lives) => {
      await lives.outside(orders(order(2, true, '201', '5'), stop('5')))
      await lives.start(halt)
      const pulled = lives.pull('enough')
      await lives.killAtHalt(halt)
      const said = await pulled
      await lives.startLater()
      // A kill that nobody answered may have been on its way to the disk with what was halted.
      if (said === null) await lives.pull('enough')
      await lives.until(async () => Object.keys(await lives.positions()).length === 0, 'flat')
      // Closed once: a second close would have been refused, or have opened the other side.
      const log = await lives.venue.log()
      const closes = log.filter(({ reply, action }) => {
        return action.type === 'order' && JSON.stringify(reply).includes('"totalSz":"5.0"')
      })
      expect(closes).toHaveLength(1)
      expect((await lives.read('/guard/status')).kill).toMatchObject({ latched: true })
      expect(await lives.ask(entry)).toMatchObject({ verdict: 'veto', code: 'kill_switch' })
      await lives.until(async () => (await lives.read('/guard/status')).in_flight === 0, 'quiet')
    })
  })
})

describe.concurrent('the process is ended in the middle of the latch', () => {
  const event: Halt = { at: 'before_write', has: '"kind":"kill"' }
  const file: Halt = { at: 'kill_file' }
  const latched = async (lives: Lives): Promise<any> => (await lives.read('/guard/status')).kill

  test('the file is there, the event is not', { timeout: timeoutMs }, async () => {
    await world(async (lives) => {
      await lives.start(event)
      const reply = lives.pull('enough')
      await lives.killAtHalt(event)
      const said = await reply
      await lives.startLater()
      const kill = await latched(lives)
      // It was answered only if it was on disk; the halt may have come before the file was.
      if (said !== null) expect(kill).toMatchObject({ latched: true, durable: true })
      if (kill.latched) expect(await lives.events('kill')).toHaveLength(1)
    })
  })

  test('the event is there, the file is not', { timeout: timeoutMs }, async () => {
    await world(async (lives) => {
      await lives.start(file)
      expect(await lives.pull('enough')).toMatchObject({ killed: { durable: true } })
      await lives.killAtHalt(file)
      await lives.startLater()
      expect(await latched(lives)).toMatchObject({
        latched: true,
        durable: true,
        reason: expect.stringMatching(/^enough \(client 0x/),
      })
      expect(await lives.events('kill')).toHaveLength(1)
    })
  })

  const broken = ['', 'mode = \n']
  test(
    'what no longer validates starts nothing and releases nothing',
    { timeout: timeoutMs },
    async () => {
      await world(async (lives) => {
        await lives.start()
        expect(await lives.pull('enough')).toMatchObject({ killed: { durable: true } })
        await lives.kill()
        for (const text of broken) {
          lives.configure(text)
          await expect(lives.start()).rejects.toThrow()
        }
        lives.configure(lives.config)
        await lives.startLater()
        expect(await latched(lives)).toMatchObject({ latched: true, durable: true })
        expect(await lives.ask(entry)).toMatchObject({ code: 'kill_switch' })
        expect(await lives.events('kill')).toHaveLength(1)
      })
    },
  )

  test('neither is there, and nobody was told that it was', { timeout: timeoutMs }, async () => {
    await world(async (lives) => {
      await lives.start(event, file)
      const reply = lives.pull('enough')
      await lives.killAtHalt(event, file)
      // The answer comes after a quarter of a second, disk or not: it may have been quicker.
      const said = await reply
      expect(said?.killed.durable ?? false).toBe(false)
      await lives.startLater()
      expect(await latched(lives)).toMatchObject({ latched: false })
      expect(await lives.pull('enough')).toMatchObject({ killed: { durable: true } })
      expect(await latched(lives)).toMatchObject({ latched: true })
    })
  })
})

/** A market stop over a SOL position. */
function stop(size: string): ReturnType<typeof order> {
  const trigger = { isMarket: true, triggerPx: '196', tpsl: 'sl' }
  return order(2, false, '176', size, { r: true, t: { trigger } })
}
