import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const stopAt = (trigger: string, size: string): JsonObject =>
  order(1, false, '3000', size, {
    ...reduceOnly,
    t: { trigger: { isMarket: true, triggerPx: trigger, tpsl: 'sl' } },
  })
const held = (): any => world.guard.status().positions.find(({ coin }: any) => coin === 'ETH')
const stops = (): readonly string[] => (held()?.stops ?? []).map(({ price }: any) => price)

/** What the decisions on disk keep for a start after a crash of stops that cover all of a position. */
async function covering(): Promise<readonly unknown[]> {
  const text = readFileSync(await world.newestSegment(world.opened.journal.stats.path), 'utf8')
  const records = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return records.filter(({ kind }) => kind === 'decision').map(({ _ }) => _?.covering ?? null)
}

/** A position of 2 that is promised 3920; the bot's own stop has covered all of it at 3990 since. */
async function tightened(): Promise<void> {
  world = await World.start()
  await world.ask(orders(order(1, true, '4001', '2')))
  await world.until(() => stops().join() === '3920', `the promised stop, have ${stops().join()}`)
  expect(await world.ask(orders(stopAt('3990', '2')))).toMatchObject({ status: 'ok' })
  await world.until(() => stops().join() === '3990', `the tight one alone, have ${stops().join()}`)
}

/** Guard dies; somebody cancels all stops at the venue; Guard starts. */
async function bareAfterCrash(): Promise<void> {
  const oids = held().stops.map(({ oid }: any) => oid)
  await world.crash()
  await world.outside({ type: 'cancel', cancels: oids.map((o: number) => ({ a: 1, o })) })
  await world.startGuard()
  await world.until(() => held()?.covered === true, 'covered')
}

test('what an entry has spent of a tightened stop is there after a crash that forgot the stop', async () => {
  await tightened()
  // It is sized by what the tight stop has left of the budget.
  expect(await world.ask(orders(order(2, true, '198', '1', gtc)))).toMatchObject({ status: 'ok' })
  expect((await covering()).at(-1)).toEqual([['ETH', true, '3990', '2']])
  await bareAfterCrash()
  await world.until(() => stops()[0] === '3990', `the tight one, have ${stops().join()}`)
})

test('a position that ended since has nothing of it', async () => {
  await tightened()
  await world.ask(orders(order(2, true, '198', '1', gtc)))
  await world.ask(orders(order(1, false, '3999', '2', reduceOnly)))
  await world.until(() => held() === undefined, 'flat')
  await world.ask(orders(order(1, true, '4001', '1')))
  await world.until(() => stops().join() === '3920', 'the stop of the new one')
  await bareAfterCrash()
  await world.until(() => stops()[0] === '3920', `its own, have ${stops().join()}`)
})

test('a stop that only keeps what was promised is in no record', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4001', '2')))
  await world.until(() => held()?.covered === true, 'covered')
  await world.ask(orders(order(2, true, '198', '1', gtc)))
  expect(await covering()).toEqual([null, null])
})
