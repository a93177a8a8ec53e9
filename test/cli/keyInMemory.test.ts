import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, Bench, canaryKey, passphrase } from '../../src/cli/cli.fixture.ts'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { built, buildTimeoutMs, guard, Started } from './program.fixture.ts'

let bench: Bench
beforeAll(async () => {
  await built()
  bench = await Bench.open()
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
}, buildTimeoutMs)
afterAll(async () => {
  await bench.close()
})

/** How often some bytes are in the memory that a process can write to. */
function occurrences(pid: number, wanted: Buffer): number {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  let count = 0
  try {
    for (const line of maps) {
      const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line)
      if (match === null) continue
      const [from, to] = [Number(`0x${match[1]}`), Number(`0x${match[2]}`)]
      for (let at = from; at < to; at += partBytes) {
        // Parts overlap, so that nothing is cut in two.
        const part = Buffer.alloc(Math.min(partBytes + wanted.length - 1, to - at))
        count += countIn(part.subarray(0, readPart(memory, part, at)), wanted)
      }
    }
  } finally {
    closeSync(memory)
  }
  return count
}

const partBytes = 16 * 1_048_576

function readPart(memory: number, part: Buffer, at: number): number {
  try {
    return readSync(memory, part, 0, part.length, at)
  } catch {
    // Reserved and never used.
    return 0
  }
}

function countIn(bytes: Buffer, wanted: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) count += 1
  return count
}

test.skipIf(process.platform !== 'linux')(
  'a running Guard holds its key once, as bytes, and never as text',
  async () => {
    const started = new Started(['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0'], {
      env: { GUARD_KEY_PASSPHRASE: passphrase },
    })
    try {
      const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
      await started.until(/bots are served/)
      const key = readFileSync(bench.path('home.client'), 'utf8').trim()
      expect(await createDemoBot(url, key).marketBuy(1, '2500', '0.1')).toMatch(/^accepted/)
      const pid = started.child.pid ?? 0
      const hex = canaryKey.slice(2)
      // What it shows anyway is found: the search works.
      expect(occurrences(pid, Buffer.from(bench.wallet))).toBeGreaterThan(0)
      expect(occurrences(pid, Buffer.from(hex, 'hex'))).toBe(1)
      expect(occurrences(pid, Buffer.from(hex))).toBe(0)
      expect(occurrences(pid, Buffer.from(hex, 'utf16le'))).toBe(0)
      // Taken out of the environment that Guard sees, and still there: docs/security.md says so.
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(passphrase)
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('--home')
    } finally {
      await started.stop()
    }
    expect(started.err).toContain('/proc/PID/environ')
  },
  60_000,
)

test.each([
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0', 'would let anybody be the venue'],
  ['NODE_OPTIONS', '--inspect=0', 'a debugger is open'],
])('run and init refuse to start with %s=%s', async (name, value, text) => {
  const env = { GUARD_KEY_PASSPHRASE: passphrase, [name]: value }
  for (const args of [
    ['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0'],
    bench.initArgs('other'),
    ['kill', 'release', '--reason', 'x', '--confirm', bench.account, '--home', bench.path('home')],
  ]) {
    const done = await guard(args, { env })
    expect(done).toMatchObject({ code: 2, err: expect.stringContaining(text) })
  }
})

test('a signal opens no debugger in a running Guard', async () => {
  const started = new Started(['run', '--home', bench.path('home'), '--listen', '127.0.0.1:0'], {
    env: { GUARD_KEY_PASSPHRASE: passphrase },
  })
  try {
    const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
    started.signal('SIGUSR1')
    for (let n = 0; n < 20; n += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(started.err).not.toContain('Debugger listening')
  } finally {
    await started.stop()
  }
})
