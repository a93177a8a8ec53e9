import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ask, Bench } from './cli.fixture.ts'

let bench: Bench
let guard: Server | null = null
beforeAll(async () => {
  bench = await Bench.open()
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
})
afterEach(async () => {
  await new Promise((resolve) => (guard === null ? resolve(null) : guard.close(resolve)))
  guard = null
})
afterAll(async () => {
  await bench.close()
})

/** Answers as the Guard of an account; the types of the reads that came through it. */
async function guardOf(account: string, status = 200): Promise<readonly string[]> {
  const read: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url !== '/info') {
        response.end(JSON.stringify({ account }))
        return
      }
      const body = Buffer.concat(chunks).toString('utf8')
      read.push((JSON.parse(body) as { type: string }).type)
      response.statusCode = status
      if (status !== 200) {
        response.end('{"error":{"code":"rate_limited","text":"the request weight is spent"}}')
        return
      }
      const headers = { 'content-type': 'application/json' }
      fetch(`${bench.simulator.url}/info`, { method: 'POST', headers, body })
        .then(async (answer) => response.end(await answer.text()))
        .catch(() => response.destroy())
    })
  })
  guard = server
  const [host = '', port = ''] = bench.listen.split(':')
  await new Promise<void>((resolve) => server.listen(Number(port), host, resolve))
  return read
}

const doctor = (...more: string[]) =>
  ask(['doctor', '--home', bench.path('home'), '--json', ...more])

test.each([[[]], [['--venue']]])(
  'what doctor %j reads is paid by the Guard that runs: it goes through its port',
  async (more) => {
    const alone = await doctor(...more)
    const read = await guardOf(bench.account)
    const beside = await doctor(...more)
    expect([beside.code, beside.err]).toEqual([alone.code, alone.err])
    expect(read).toContain('exchangeStatus')
    expect(read.length).toBeGreaterThan(5)
  },
)

test('where that Guard has no weight left for reads, nothing is read beside it', async () => {
  const read = await guardOf(bench.account, 429)
  const said = await doctor()
  expect(said.out).toContain('the request weight is spent')
  expect(read).toEqual(['exchangeStatus'])
})

test('the Guard of another account is not asked', async () => {
  const read = await guardOf(`0x${'b'.repeat(40)}`)
  expect((await doctor()).out).toContain('API wallet')
  expect(read).toEqual([])
})
