import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { groups } from '../../lab/redteam/attack.ts'
import { attacks } from '../../lab/redteam/attackList.ts'
import { everythingHeld, resultLine, summaryText } from '../../lab/redteam/report.ts'
import { RefusedTarget, runRedteam } from '../../lab/redteam/runRedteam.ts'
import { Pen, strangerKey } from '../../lab/redteam/signing.ts'
import { guardedWorld, naiveWorld } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World | null = null
afterEach(async () => {
  await world?.close()
  world = null
})

test.each([
  [{ mode: 'mainnet', network: 'mainnet' }, 'mainnet mode'],
  [{ mode: 'paper', network: 'mainnet' }, 'connected to mainnet'],
  [{ mode: 'testnet' }, 'connected to undefined'],
  [{}, 'undefined mode'],
  ['not a status', 'not like a Guard'],
])('%j is left alone', async (status, why) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response.end(JSON.stringify(status))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const pen = new Pen(await loadCrypto(), strangerKey())
  const run = runRedteam({ url, pen, simUrl: null, withKill: true })
  await expect(run).rejects.toThrow(RefusedTarget)
  await expect(run).rejects.toThrow(why)
  expect(asked).toEqual(['GET /guard/status'])
  server.close()
})

test('every attack has a name of its own', () => {
  const names = attacks.map(({ group, name }) => `${group}: ${name}`)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(600)
})

test('the page on security counts them', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8')
  expect(page).toContain(`${attacks.length} attacks over HTTP and WebSocket`)
  for (const group of groups) {
    const count = attacks.filter((each) => each.group === group).length
    const name = group === 'latch' ? 'latch (`--kill`)' : group
    const row = page.split('\n').find((line) => line.startsWith(`| ${name} `))
    expect(row?.trimEnd().split('|').at(-2)?.trim(), group).toBe(String(count))
  }
})

test('Guard holds against every attack', async () => {
  world = await guardedWorld()
  const report = await runRedteam({ ...world, withKill: true })
  const failures = report.results.filter(({ outcome }) => outcome !== 'held').map(resultLine)
  expect(failures).toEqual([])
  const otherReason = report.results
    .filter(({ how }) => how.includes('was expected'))
    .map(resultLine)
  expect(otherReason).toEqual([])
  expect(everythingHeld(report)).toBe(true)
  expect(summaryText(report)).toContain(`${attacks.length} attacks: ${attacks.length} held`)
  // Each group says how much memory Guard used at most, here with the simulator beside it.
  for (const group of groups) {
    expect(summaryText(report)).toMatch(
      new RegExp(`^  ${group} +\\d+ of \\d+ held, peak memory \\d+ MiB$`, 'm'),
    )
  }
  // Refusals of one client are limited to 20 a second: the attacker waits for its answers.
}, 900_000)

test('an attack that has Guard use more memory than it may got through', async () => {
  world = await guardedWorld()
  const only = 'large-parallel'
  const free = await runRedteam({ ...world, withKill: false, only })
  expect(free.results.map(({ outcome }) => outcome)).toEqual(['held'])
  const bounded = await runRedteam({ ...world, withKill: false, only, memoryBytesMax: 1_048_576 })
  expect(bounded.results.map(({ outcome }) => outcome)).toEqual(['got_through'])
  expect(bounded.results[0]?.how).toMatch(/^Guard used \d+ MiB of memory, at most 1 are allowed/)
  expect(everythingHeld(bounded)).toBe(false)
}, 300_000)

describe('a proxy without rules', () => {
  test('is found out by nearly every attack', async () => {
    world = await naiveWorld()
    const report = await runRedteam({ ...world, withKill: true, patienceMs: 200 })
    const found = report.results.filter(({ outcome }) => outcome === 'got_through').length
    expect(found / report.results.length).toBeGreaterThan(0.85)
    expect(everythingHeld(report)).toBe(false)
  }, 600_000)
})
