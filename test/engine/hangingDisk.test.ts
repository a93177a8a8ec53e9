import { beforeAll, describe, expect, test } from 'vitest'
import type { ChildProgram } from '../../src/system/childProgram.fixture.ts'
import { accounted } from './accounted.fixture.ts'
import { haltedProgram, Lives } from './halted.fixture.ts'
import { order, orders, reduceOnly } from './world.fixture.ts'

let program: ChildProgram
beforeAll(async () => {
  program = await haltedProgram()
  return program.remove
}, 240_000)

const timeoutMs = 180_000
const entry = orders(order(1, true, '4010', '0.1'))
const status = async (lives: Lives): Promise<any> => await lives.read('/guard/status')
const alertsOf = async (lives: Lives): Promise<string[]> =>
  (await status(lives)).alerts.map(({ code }: any) => code)
const isFlat = async (lives: Lives): Promise<boolean> =>
  Object.keys(await lives.positions()).length === 0

/** A covered position, and then a disk that answers nothing. */
async function world(
  settings: string,
  folders: readonly string[],
  story: (lives: Lives) => Promise<void>,
): Promise<void> {
  const lives = await Lives.begin(program)
  try {
    lives.configure(`${settings}${lives.config}`)
    lives.onHangingDisk(...folders)
    await lives.outside(orders(order(2, true, '201', '5')))
    await lives.start()
    await lives.until(async () => {
      const { positions, in_flight } = await status(lives)
      return in_flight === 0 && positions.length === 1 && positions[0].covered
    }, 'the position to be covered')
    lives.hang()
    await story(lives)
    await accounted(lives)
  } finally {
    lives.letGo()
    await lives.end()
  }
}

/** The venue took one close of the whole position: a second one would show here. */
async function closedOnce(lives: Lives): Promise<void> {
  const log = await lives.venue.log()
  const closes = log.filter(
    ({ reply, action }) =>
      action.type === 'order' &&
      action.orders[0].r === true &&
      JSON.stringify(reply).includes('"totalSz":"5.0"'),
  )
  expect(closes).toHaveLength(1)
}

const both = 'emergency_dir = "second"\n'

describe.concurrent('a disk that does not answer', () => {
  test(
    'a kill is answered and closes everything meanwhile, and is durable once the disk answers',
    { timeout: timeoutMs },
    async () => {
      await world('', ['state'], async (lives) => {
        const { killed, flatten } = await lives.pull('enough')
        expect([killed.durable, flatten]).toEqual([false, null])
        await lives.until(() => isFlat(lives), 'flat')
        expect((await status(lives)).kill).toMatchObject({ latched: true, durable: false })
        expect(await alertsOf(lives)).toContain('kill_in_memory')
        expect(await lives.ask(entry)).toMatchObject({ verdict: 'veto', code: 'kill_switch' })
        expect(await lives.pull('again')).toMatchObject({
          killed: { already: true, durable: false },
        })
        lives.letGo()
        await lives.until(async () => (await status(lives)).kill.durable, 'a disk to take it')
        await lives.until(async () => (await status(lives)).journal.error === null, 'the journal')
        expect(await alertsOf(lives)).not.toContain('kill_in_memory')
        await lives.until(async () => (await lives.events('flatten')).length > 0, 'the flatten')
        expect(await lives.events('kill')).toHaveLength(1)
        await closedOnce(lives)
      })
    },
  )

  test(
    'a latch that no disk took is gone with its process, and its close is not made twice',
    { timeout: timeoutMs },
    async () => {
      await world(both, ['state', 'second'], async (lives) => {
        expect(await lives.pull('enough')).toMatchObject({ killed: { durable: false } })
        await lives.until(() => isFlat(lives), 'flat')
        await lives.kill()
        lives.letGo()
        await lives.startLater()
        expect((await status(lives)).kill).toMatchObject({ latched: false })
        await closedOnce(lives)
      })
    },
  )

  test(
    'a latch that the second disk took is durable, and holds after the process was ended',
    { timeout: timeoutMs },
    async () => {
      await world(both, ['state'], async (lives) => {
        expect(await lives.pull('enough')).toMatchObject({ killed: { durable: true } })
        await lives.until(() => isFlat(lives), 'flat')
        expect(await alertsOf(lives)).not.toContain('kill_in_memory')
        await lives.kill()
        lives.letGo()
        await lives.startLater()
        expect((await status(lives)).kill).toMatchObject({ latched: true, durable: true })
        expect(await lives.ask(entry)).toMatchObject({ verdict: 'veto', code: 'kill_switch' })
        expect(await lives.events('kill')).toHaveLength(1)
        expect(await lives.events('flatten')).not.toHaveLength(0)
        await closedOnce(lives)
      })
    },
  )

  test(
    'nothing opens, a bot gets out, and what left is in the journal once the disk answers',
    { timeout: timeoutMs },
    async () => {
      await world('', ['state'], async (lives) => {
        const exit = orders(order(2, false, '190', '2', reduceOnly))
        expect(await lives.ask(exit)).toMatchObject({ status: 'ok' })
        expect(await lives.ask(entry)).toMatchObject({ verdict: 'veto', code: 'journal' })
        expect(await lives.positions()).toEqual({ SOL: '3.0' })
        expect(await lives.entriesReceived()).toBe(0)
        lives.letGo()
        await lives.until(async () => (await status(lives)).journal.error === null, 'the journal')
        await lives.until(async () => (await lives.events('decision')).length > 0, 'the exit')
        const decisions = await lives.events('decision')
        expect(decisions.map(({ forward }) => forward?.orders[0].r)).toEqual([true])
      })
    },
  )
})
