import { expect, test } from 'vitest'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { limits } from '../core/values/limits.ts'
import { LogLines, ManualTime, decision, openFake } from './journal.fixture.ts'

const count = 1_000

test('a page of the past lets others have the thread after every few records', async () => {
  const world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const opened = await openFake(world)
  // As many again are in memory then, and what was asked for is on disk alone.
  const all = count + limits.eventsInMemory
  for (let n = 1; n < all; n += 1) opened.journal.append(decision(n), 'ride')
  await opened.journal.append(decision(all), 'now').durable
  let turns = 0
  let isRead = false
  const turn = (): void => {
    turns += 1
    if (!isRead) setImmediate(turn)
  }
  setImmediate(turn)
  const page = await opened.reader.page(0, count, null)
  isRead = true
  expect(page.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, n) => n + 1))
  const bytes = page.reduce((sum, event) => sum + JSON.stringify(event).length, 0)
  expect(turns).toBeGreaterThanOrEqual(Math.floor(bytes / limits.pastBytesPerTurn))
  expect(turns).toBeGreaterThan(5)
})
