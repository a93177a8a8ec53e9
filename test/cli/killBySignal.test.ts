import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bench, passphrase } from '../../src/cli/cli.fixture.ts'
import { killOutput } from './outputSchemas.fixture.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

let bench: Bench
const env = { GUARD_KEY_PASSPHRASE: passphrase }

beforeAll(async () => {
  await built()
  bench = await Bench.open()
  expect(await guard(bench.initArgs('home'))).toMatchObject({ code: 0 })
}, buildTimeoutMs + 60_000)
afterAll(async () => {
  await bench.close()
})

const on = (...args: string[]) => guard([...args, '--home', bench.path('home')], { env })

test('where the kill file cannot be written the running Guard is told by a signal, and latches', async () => {
  const running = new Started(['run', '--home', bench.path('home'), '--json'], { env })
  await running.until(/bots are served/)
  const file = bench.path('home', 'guard.toml')
  const text = readFileSync(file, 'utf8')
  // A state directory that no file can be put into, as on a disk that fails.
  writeFileSync(file, text.replace('state_dir = "state"', 'state_dir = "/dev/null/state"'))
  const { killed } = killOutput.parse((await on('kill', '--reason', 'enough', '--json')).json())
  expect(killed).toMatchObject({ durable: false, seen_by_guard: true })
  const told = await on('kill', '--reason', 'enough')
  expect(told).toMatchObject({ code: 0, err: '' })
  expect(told.out).toContain(`process ${String(running.child.pid)}) has latched`)
  expect(told.out).toContain('not on disk yet')
  writeFileSync(file, text)
  expect((await on('status')).out).toContain(
    'KILL SWITCH LATCHED: guard kill (command line, by signal)',
  )
  expect(await running.stop()).toBe(0)
  writeFileSync(file, text.replace('state_dir = "state"', 'state_dir = "/dev/null/state"'))
  const alone = await on('kill', '--reason', 'enough')
  expect(alone.code).toBe(1)
  expect(alone.err).toContain('touch /dev/null/state/kill')
  expect(alone.err).toContain('kill -USR2 PID')
})
