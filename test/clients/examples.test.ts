import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentAlertsObserver } from '../../src/alerts/alertsObserver.ts'
import { readAlerts } from '../../src/alerts/alertsConfig.ts'
import { openChannels } from '../../src/alerts/openChannels.ts'
import { httpSend } from '../../src/alerts/send.ts'
import { startAlerts } from '../../src/alerts/startAlerts.ts'
import { childProgram } from '../../src/system/childProgram.fixture.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { python, pythonSkipped } from './drivers/python.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'

const root = resolve(import.meta.dirname, '..', '..')
const examples = join(root, 'examples')
const run = promisify(execFile)

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.close())

const settings = (more: Record<string, string> = {}) => ({
  ...process.env,
  GUARD_URL: rig.url,
  GUARD_CLIENT_KEY: clientKey,
  GUARD_ACCOUNT: account,
  ...more,
})

/** Runs an example as it is, with `guard/client` taken from the sources. */
async function typescript(name: string, more: Record<string, string> = {}): Promise<string> {
  const program = await childProgram(join(examples, 'typescript', `${name}.ts`), {
    'guard/client': join(root, 'src', 'client', 'client.ts'),
  })
  try {
    const { stdout } = await run(process.execPath, [program.path], { env: settings(more) })
    await rig.settle()
    return stdout
  } finally {
    program.remove()
  }
}

describe.skipIf(python === null)(`in Python (${pythonSkipped})`, () => {
  test('the minimal bot buys, finds its stop and closes', async () => {
    const file = join(examples, 'python', 'minimal_bot.py')
    const { stdout } = await run(python ?? '', [file], { env: settings() }).catch((error: any) => {
      throw new Error(`${String(error.stdout)}${String(error.stderr)}`)
    })
    expect(stdout).toMatch(/bought .*'totalSz': '0.05'/)
    expect(stdout).toMatch(/stops \[\('/)
    expect(stdout).toMatch(/sold .*'filled'/)
  })

  test('the reader follows events', async () => {
    const child = execFile(python ?? '', [
      ...[join(examples, 'python', 'guard_events.py'), '--url', rig.url, '--since', '0'],
    ])
    let out = ''
    await new Promise<void>((done) => {
      child.stdout?.on('data', (chunk: string) => {
        out += chunk
        if (out.includes('\n')) done()
      })
    })
    child.kill()
    expect(out).toMatch(/^1 \d\d:\d\d:\d\d started/)
  })
})

describe('in TypeScript', () => {
  test('the minimal bot buys, finds its stop and closes', async () => {
    const out = await typescript('minimal-bot')
    expect(out).toMatch(/bought .*"totalSz":"0.05"/)
    expect(out).toContain('stops [["3920.0","0.05"]]')
    expect(out).toMatch(/sold .*"totalSz":"0.05"/)
    expect(await rig.held('ETH')).toBe(0)
  })

  test('the grid bot places, moves and cancels its rungs', async () => {
    const out = await typescript('grid-bot')
    const ids = [...out.matchAll(/(?:placed|moved) (\[.*\])/g)].map((match) =>
      JSON.parse(match[1] ?? '[]'),
    )
    expect(ids.map(({ length }) => length)).toEqual([3, 3, 3])
    expect(new Set(ids.flat()).size).toBe(9)
    expect(out).toContain('cancelled')
    expect(await rig.openOrders()).toHaveLength(0)
  })

  test('the agent asks first, and trades what would pass', async () => {
    const out = await typescript('preview-agent')
    expect(out).toMatch(/preview resize resized/)
    expect(out).toMatch(/traded .*"totalSz"/)
    const held = await rig.held('ETH')
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThan(1.1)
  })

  test('the reader follows every event', async () => {
    const out = await typescript('follow-events', { COUNT: '6' })
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual([...'123456'])
    expect(out).toMatch(/^1 started/)
  })
})

test('Telegram hears of a kill with the example’s settings', async () => {
  const heard: { readonly path: string; readonly body: any }[] = []
  const telegram = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      heard.push({ path: request.url ?? '', body: JSON.parse(text) })
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    })
  })
  await new Promise<void>((done) => telegram.listen(0, '127.0.0.1', done))
  const { port } = telegram.address() as AddressInfo
  const toml: any = parse(readFileSync(join(examples, 'telegram', 'guard.toml'), 'utf8'))
  const base_url = `http://127.0.0.1:${String(port)}`
  const config = readAlerts({ telegram: { ...toml.alerts.telegram, base_url } })
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  const channels = openChannels(config.value, () => ({ ok: true, value: '123456:ABC-DEF' }))
  if (!channels.ok) throw new Error(JSON.stringify(channels.error))
  const alerts = await startAlerts({
    config: config.value,
    channels: channels.value,
    reader: rig.started.reader,
    status: () => rig.started.guard.status(),
    head: () => ({ seq: 7, hash: 'ab'.repeat(32) }),
    agentEnd: () => Promise.resolve(null),
    clock: systemClock,
    timers: systemTimers,
    log: { log: () => undefined },
    stateDir: join(rig.home, 'state'),
    send: httpSend(systemTimers),
    heartbeat: null,
    observer: silentAlertsObserver,
  })
  await rig.started.guard.kill('enough for today')
  await rig.until(() => Promise.resolve(heard.length > 0), 'a message')
  await alerts.stop()
  telegram.close()
  expect(heard[0]?.path).toBe('/bot123456:ABC-DEF/sendMessage')
  expect(heard[0]?.body.chat_id).toBe('123456789')
  expect(heard.map(({ body }) => body.text).join('\n')).toContain('enough for today')
})
