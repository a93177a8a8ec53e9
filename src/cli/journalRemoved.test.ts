import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, millis } from '../core/values/millis.ts'
import { MemoryIndex } from '../journal/memoryIndex.ts'
import { nodeIo } from '../journal/nodeIo.ts'
import { openJournal } from '../journal/openJournal.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { ask } from './cli.fixture.ts'
import * as output from '../../test/cli/outputSchemas.fixture.ts'

const home = mkdtempSync(join(tmpdir(), 'guard-removed-'))
const directory = join(home, 'state', 'journal')

/** One record a day for ten days, of which only the last two days are kept. */
beforeAll(async () => {
  mkdirSync(directory, { recursive: true })
  let now = Date.UTC(2026, 8, 1, 12)
  const opened = await openJournal({
    ...{ directory, keepDays: 2, io: nodeIo, timers: systemTimers },
    identity: { account: `0x${'a'.repeat(40)}`, network: 'testnet' },
    clock: { now: () => millis(now), monotonicMs: () => now },
    log: { log: () => undefined },
    openIndex: () => new MemoryIndex(),
  })
  for (let day = 1; day <= 10; day += 1, now += dayMs) {
    await opened.journal.append({ kind: 'error', text: `day ${day}` }, 'now').durable
  }
  await opened.saveSnapshot('engine', 10, {})
  await opened.journal.close()
})
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

test('what keep_days removed is not counted, and is told by its numbers', async () => {
  const [verify, stats] = ['verify', 'stats'].map((what) => ['journal', what, '--home', home])
  const verified = output.journalVerifyOutput.parse(
    (await ask([...(verify ?? []), '--json'])).json(),
  )
  const { removed, records } = verified
  expect(removed?.from).toBe(1)
  const to = removed?.to ?? 0
  expect(to).toBeGreaterThan(4)
  expect(records).toBe(10 - to)
  const counted = output.journalStatsOutput.parse((await ask([...(stats ?? []), '--json'])).json())
  expect(counted).toMatchObject({ events: records, removed, kinds: { error: records } })

  const words = `${to} older ones (1 to ${to}) were removed after keep_days.`
  const told = (await ask(verify ?? [])).out
  expect(told).toContain(`The whole chain verifies: ${records} records in `)
  expect(told).toContain(words)
  const figures = (await ask(stats ?? [])).out
  expect(figures).toContain(`${records} events, `)
  expect(figures).toContain(words)
})
