import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { EventBody } from '../core/events/guardEvent.ts'
import type { StatusView } from '../engine/statusView.ts'
import { FakeReader, until } from '../gateway/gateway.fixture.ts'
import {
  newStateDir,
  quietStatus,
  say,
  secrets,
  silence,
  startAlertsRig,
  startService,
  tableFor,
} from './alerts.fixture.ts'
import type { Service } from './alerts.fixture.ts'
import type { AlertsObserver } from './alertsObserver.ts'
import { cursorPath } from './cursorFile.ts'
import { messagesPerMinuteMax } from './waitingLines.ts'

/** The whole of the alerts, over real sockets and a real disk, with time that the test moves. */

const takes: Service['answer'] = (_request, response) => say(response, 200, { id: '1' })
const fails: Service['answer'] = (_request, response) => say(response, 500, 'boom')

const titles = (service: Service): string[] => service.received.map(({ json }) => json.title)
const kill: EventBody = { kind: 'kill', reason: 'enough (command line)' }
const flatten: EventBody = {
  kind: 'flatten',
  reason: 'kill switch: enough',
  actions: [],
  problems: [],
  sent: true,
}
const latched: StatusView = {
  ...quietStatus,
  kill: { latched: true, reason: 'enough (command line)', at_ms: 1, durable: true },
}
const withAlert = (code: string, text: string, since: number, coin?: string): StatusView => ({
  ...quietStatus,
  alerts: [{ code, text, since_ms: since, ...(coin === undefined ? {} : { coin }) }],
})
const withLoss = (daily_loss: string): StatusView => ({
  ...quietStatus,
  risk: { ...quietStatus.risk, daily_loss },
})

async function oneService(more: object = {}, answer = takes) {
  const ntfy = await startService(answer)
  const table = { ...tableFor({ ntfy }), ...more }
  const rig = await startAlertsRig(table)
  return { ...rig, rig, ntfy, table }
}

describe('what a person is told', () => {
  test('a kill and its flatten are one message, at once, and only once', async () => {
    const { rig, ntfy, reader, seconds, alerts } = await oneService()
    rig.status = latched
    reader.add(kill)
    reader.add(flatten)
    await seconds(30)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled (+1)'])
    expect(ntfy.received[0]?.json).toMatchObject({ priority: 5 })
    expect(ntfy.received[0]?.json.message).toBe(
      '• Kill switch pulled: enough (command line)\n' +
        '• Guard closes everything: kill switch: enough\n' +
        '→ Everything is being closed; nothing opens. Find out why. ' +
        'To go on: stop Guard, guard kill release, start it.\n' +
        'Guard for 0x1111…1111',
    )
    await alerts.stop()
  })

  test('a latch that no disk could record is told from the status', async () => {
    const { rig, ntfy, seconds, alerts } = await oneService()
    rig.status = latched
    await seconds(2)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
    await alerts.stop()
  })

  test('real money is said first', async () => {
    const { rig, ntfy, seconds, alerts } = await oneService()
    rig.status = { ...latched, mode: 'mainnet' }
    await seconds(2)
    expect(titles(ntfy)).toEqual(['🔴 MAINNET Kill switch pulled'])
    await alerts.stop()
  })

  test('what is not urgent waits for company', async () => {
    const { ntfy, reader, seconds, time, alerts } = await oneService()
    const add = (text: string): void => {
      reader.all.push({ seq: reader.all.length + 1, at_ms: time.ms, kind: 'error', text })
    }
    add('first')
    await seconds(5)
    add('second')
    await seconds(4)
    expect(ntfy.received).toEqual([])
    await seconds(1)
    expect(titles(ntfy)).toEqual(['🟠 testnet: Guard reports an error'])
    expect(ntfy.received[0]?.json.message).toContain('second (2 times; this is the latest)')
    await alerts.stop()
  })

  test.each([
    ['unprotected_position', 'SOL', 6, '🔴 testnet: SOL: Position without a full stop'],
    ['journal', undefined, 1, '🔴 testnet: Journal cannot be written'],
    ['stream', undefined, 31, '🟠 testnet: Venue stream is down'],
    ['discrepancy', 'ETH', 11, '🟠 testnet: ETH: Account changed outside Guard'],
    ['venue_unreadable', undefined, 31, '🔴 testnet: Account cannot be read'],
    ['internal', undefined, 1, '🔴 testnet: A fault inside Guard'],
    ['flattening', undefined, 16, '🔴 testnet: Closing is not finished'],
    ['something_new', undefined, 21, '🟠 testnet: Guard needs a look'],
  ] as const)('%s of the status, once it lasts', async (code, coin, after, title) => {
    const { rig, ntfy, seconds, time, alerts } = await oneService()
    rig.status = withAlert(code, 'the text', time.ms, coin)
    await seconds(after)
    expect(titles(ntfy)).toEqual([title])
    await alerts.stop()
  })

  test('what ends before it is worth a message is none', async () => {
    const { rig, ntfy, seconds, time, alerts } = await oneService()
    rig.status = withAlert('stream', 'down', time.ms)
    await seconds(10)
    rig.status = quietStatus
    await seconds(60)
    expect(ntfy.received).toEqual([])
    await alerts.stop()
  })

  test('limits: 60%, then 80%, no flutter between, and the end of it', async () => {
    const { rig, ntfy, seconds, alerts } = await oneService()
    for (const loss of ['0.035', '0.036', '0.0345', '0.036', '0.048', '0.0455', '0.048']) {
      rig.status = withLoss(loss)
      await seconds(30)
    }
    rig.status = withLoss('0.01')
    await seconds(60)
    expect(titles(ntfy)).toEqual([
      '🟠 testnet: Daily loss at 60% of its limit',
      '🔴 testnet: Daily loss at 80% of its limit',
      '✅ testnet: Daily loss is below its warning level',
    ])
    expect(ntfy.received[1]?.json.message).toContain('4.8% of 6% used')
    await alerts.stop()
  })

  test('a limit that acted is told as that, with its figures', async () => {
    const { rig, ntfy, seconds, alerts } = await oneService()
    const detail = { until_ms: 5, equity: '9399.5', day_start: '10000', limit: '0.06' }
    rig.status = {
      ...quietStatus,
      risk: { ...quietStatus.risk, state: 'halted_for_day', detail, daily_loss: '0.06005' },
    }
    await seconds(20)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Daily loss stop: no trading today'])
    expect(ntfy.received[0]?.json.message).toContain(
      'equity 9,399.50 USD, day start 10,000.00 USD, limit 6%',
    )
    await alerts.stop()
  })

  test('an API wallet that ends soon', async () => {
    const { rig, ntfy, seconds, time, alerts } = await oneService()
    rig.agentEnd = time.ms + 10 * 86_400_000
    await seconds(45)
    expect(titles(ntfy)).toEqual(['🟠 testnet: API wallet ends within 14 days'])
    await alerts.stop()
  })

  test('a kind that is switched off is silent, and one can be made loud', async () => {
    const severity = { kill: 'off', error: 'critical' }
    const { rig, ntfy, reader, seconds, alerts } = await oneService({ severity })
    rig.status = latched
    reader.add(kill)
    reader.add({ kind: 'error', text: 'x' })
    await seconds(2)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Guard reports an error'])
    await alerts.stop()
  })
})

test('what lasts is said again with growing distance, and its end once, softly', async () => {
  const { rig, ntfy, time, alerts } = await oneService({ severity: { journal_head: 'off' } })
  const start = time.ms
  rig.status = withAlert('journal', 'disk full', time.ms)
  const told: number[] = []
  for (let minute = 0; minute < 60 * 31; minute += 1) {
    const before = ntfy.received.length
    time.advance(60_000)
    await alerts.settled()
    if (ntfy.received.length > before) told.push(Math.round((time.ms - start) / 60_000))
  }
  expect(told).toEqual([1, 16, 76, 316, 1756])
  expect(titles(ntfy).slice(0, 2)).toEqual([
    '🔴 testnet: Journal cannot be written',
    '🔴 testnet: Still: Journal cannot be written',
  ])
  rig.status = quietStatus
  await rig.seconds(30)
  expect(titles(ntfy).at(-1)).toBe('✅ testnet: Journal works again')
  expect(ntfy.received.at(-1)?.json).toMatchObject({ priority: 2 })
  await rig.seconds(60)
  expect(ntfy.received).toHaveLength(6)
  await alerts.stop()
})

test('quiet hours hold everything but the critical until the morning', async () => {
  // The rig starts at 2026-11-14T23:46:40Z.
  const quiet_hours = { from: '23:30', to: '07:00', time_zone: 'UTC' }
  const { rig, ntfy, reader, seconds, time, alerts } = await oneService({ quiet_hours })
  reader.add({ kind: 'error', text: 'at night' })
  await seconds(60)
  expect(ntfy.received).toEqual([])
  rig.status = latched
  await seconds(2)
  expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
  time.ms = Date.parse('2026-11-15T06:59:00Z')
  await seconds(30)
  time.ms = Date.parse('2026-11-15T07:00:00Z')
  await seconds(2)
  expect(ntfy.received.at(-1)?.json.message).toContain('at night')
  await alerts.stop()
})

describe('channels', () => {
  test('the second one is used when the first fails, and says why', async () => {
    const telegram = await startService(fails)
    const ntfy = await startService(takes)
    const rig = await startAlertsRig(tableFor({ telegram, ntfy }))
    rig.status = latched
    await rig.seconds(2)
    expect(telegram.received).toHaveLength(1)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
    expect(ntfy.received[0]?.json.message).toContain('sent by ntfy; telegram: HTTP 500')
    telegram.answer = (_request, response) => say(response, 200, { ok: true })
    await rig.seconds(5)
    rig.reader.add(flatten)
    await rig.seconds(5)
    expect(telegram.received).toHaveLength(2)
    expect(ntfy.received).toHaveLength(1)
    await rig.alerts.stop()
  })

  test('what becomes of messages is counted by channel', async () => {
    const telegram = await startService(fails)
    const ntfy = await startService((_request, response) => say(response, 429, ''))
    const counted: string[] = []
    const observer: AlertsObserver = {
      opened: (channel) => void counted.push(`${channel} opened`),
      delivery: (channel, outcome) => void counted.push(`${channel} ${outcome}`),
      heartbeat: () => undefined,
      untold: (count) => {
        if (counted.at(-1) !== `untold ${count}`) counted.push(`untold ${count}`)
      },
    }
    const rig = await startAlertsRig(tableFor({ telegram, ntfy }), { observer })
    await rig.seconds(1)
    rig.status = latched
    await rig.seconds(2)
    telegram.answer = (_request, response) => say(response, 200, { ok: true })
    await rig.seconds(5)
    expect(counted).toEqual([
      ...['telegram opened', 'ntfy opened', 'untold 0'],
      ...['telegram failed', 'ntfy wait', 'untold 1'],
      ...['telegram sent', 'untold 0'],
    ])
    await rig.alerts.stop()
  })

  test('a silent first channel does not keep the second waiting beyond its time-out', async () => {
    const telegram = await startService(silence)
    const ntfy = await startService(takes)
    const rig = await startAlertsRig({ ...tableFor({ telegram, ntfy }), timeout_ms: 4_000 })
    rig.status = latched
    rig.time.advance(1_000)
    await until(() => telegram.received.length === 1)
    rig.time.advance(4_000)
    await rig.alerts.settled()
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
    await rig.alerts.stop()
  })

  test('when all fail nothing is lost: it is tried until one takes it', async () => {
    const { rig, ntfy, reader, seconds, alerts, logged } = await oneService({}, fails)
    rig.status = latched
    reader.add(kill)
    await seconds(120)
    const tries = ntfy.received.length
    expect(tries).toBeGreaterThan(2)
    expect(tries).toBeLessThan(10)
    reader.add(flatten)
    ntfy.answer = takes
    await seconds(170)
    expect(ntfy.received).toHaveLength(tries + 1)
    expect(titles(ntfy).at(-1)).toBe('🔴 testnet: Kill switch pulled (+1)')
    expect(logged.join('')).not.toContain(secrets['ntfy'])
    await alerts.stop()
  })
})

describe('a clock that is set back by an hour', () => {
  const hourBack = -3_600_000

  test('leaves no channel alone for longer', async () => {
    const { rig, ntfy, reader, time, alerts } = await oneService({}, fails)
    rig.status = latched
    reader.add(kill)
    await rig.seconds(20)
    const tries = ntfy.received.length
    time.setBy(hourBack)
    ntfy.answer = takes
    await rig.seconds(90)
    expect(ntfy.received).toHaveLength(tries + 1)
    expect(titles(ntfy).at(-1)).toBe('🔴 testnet: Kill switch pulled')
    await alerts.stop()
  })

  test('keeps nothing waiting for company', async () => {
    const { ntfy, reader, seconds, time, alerts } = await oneService()
    reader.all.push({ seq: 1, at_ms: time.ms, kind: 'error', text: 'first' })
    await seconds(3)
    time.setBy(hourBack)
    await seconds(12)
    expect(titles(ntfy)).toEqual(['🟠 testnet: Guard reports an error'])
    await alerts.stop()
  })

  test('delays neither what is said again nor that it is over', async () => {
    const { rig, ntfy, time, alerts } = await oneService()
    rig.status = withAlert('journal', 'disk full', time.ms)
    await rig.seconds(3)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Journal cannot be written'])
    time.setBy(hourBack)
    for (let minute = 0; minute < 16; minute += 1) {
      time.advance(60_000)
      await alerts.settled()
    }
    expect(titles(ntfy).at(-1)).toBe('🔴 testnet: Still: Journal cannot be written')
    rig.status = quietStatus
    await rig.seconds(5)
    time.setBy(hourBack)
    await rig.seconds(30)
    expect(titles(ntfy).at(-1)).toBe('✅ testnet: Journal works again')
    expect(ntfy.received).toHaveLength(3)
    await alerts.stop()
  })
})

describe('over a restart', () => {
  test('what was told is not told again, and what happened meanwhile is', async () => {
    const { rig, ntfy, reader, seconds, alerts, table, stateDir, time } = await oneService()
    rig.status = latched
    reader.add(kill)
    await seconds(5)
    await alerts.stop()
    reader.add(flatten)
    const again = await startAlertsRig(table, { reader, stateDir, time })
    again.status = latched
    await again.seconds(20)
    expect(titles(ntfy)).toEqual([
      '🔴 testnet: Kill switch pulled',
      '🔴 testnet: Guard closes everything',
    ])
    await again.alerts.stop()
  })

  test('a process that dies with messages untold tells them when it lives again', async () => {
    const { rig, ntfy, reader, seconds, table, stateDir, time } = await oneService({}, fails)
    rig.status = latched
    reader.add(kill)
    await seconds(3)
    // No stop: it is gone. Only the file is left.
    const saved = JSON.parse(readFileSync(cursorPath(stateDir), 'utf8'))
    expect(saved.seq).toBe(1)
    expect(saved.waiting).toHaveLength(1)
    ntfy.answer = takes
    ntfy.received.length = 0
    const again = await startAlertsRig(table, { reader, stateDir, time })
    again.status = latched
    await again.seconds(20)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
    await again.alerts.stop()
  })

  test('a kill that was released meanwhile is told all the same', async () => {
    const { ntfy, reader, alerts, table, stateDir, time } = await oneService()
    await alerts.stop()
    reader.add(kill)
    reader.add({ kind: 'reviewed', what: 'kill', reason: 'false alarm', equity: null })
    const again = await startAlertsRig(table, { reader, stateDir, time })
    await again.seconds(2)
    expect(ntfy.received[0]?.json.message).toContain('Kill switch pulled: enough')
    expect(ntfy.received[0]?.json.message).toContain('Guard was reviewed: kill: false alarm')
    await again.alerts.stop()
  })

  test('an old error is no news, an old flatten is', async () => {
    const { ntfy, reader, alerts, table, stateDir, time } = await oneService()
    await alerts.stop()
    reader.add(flatten)
    reader.add({ kind: 'error', text: 'long ago' })
    time.ms += 7_200_000
    const again = await startAlertsRig(table, { reader, stateDir, time })
    await again.seconds(20)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Guard closes everything'])
    await again.alerts.stop()
  })

  test('events that have left memory are read from the journal', async () => {
    const ntfy = await startService(takes)
    const table = tableFor({ ntfy })
    const reader = new FakeReader(10)
    const first = await startAlertsRig(table, { reader })
    await first.seconds(1)
    reader.add({ kind: 'error', text: 'the first' })
    await first.alerts.stop()
    reader.add(flatten)
    reader.addErrors(2_500, 'noise')
    const { stateDir, time } = first
    const again = await startAlertsRig(table, { reader, stateDir, time })
    await again.seconds(5)
    expect(ntfy.received.at(-1)?.json.message).toContain('Guard closes everything')
    expect(ntfy.received.at(-1)?.json.message).toContain('noise (2500 times')
    expect(reader.pages).toBeGreaterThan(2)
    await again.alerts.stop()
  })

  test('a journal that cannot be read hides nothing of what the status says', async () => {
    const ntfy = await startService(takes)
    const table = tableFor({ ntfy })
    const reader = new FakeReader(10)
    const first = await startAlertsRig(table, { reader })
    await first.seconds(1)
    await first.alerts.stop()
    reader.addErrors(50)
    reader.beforePage = () => Promise.reject(new Error('EIO'))
    const again = await startAlertsRig(table, {
      reader,
      stateDir: first.stateDir,
      time: first.time,
    })
    again.status = latched
    await again.seconds(5)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
    expect(again.logged.filter((line) => line.includes('EIO'))).toHaveLength(1)
    reader.beforePage = () => Promise.resolve()
    await again.seconds(12)
    expect(ntfy.received.at(-1)?.json.message).toContain('(50 times')
    await again.alerts.stop()
  })

  test('the first start of all tells no history', async () => {
    const ntfy = await startService(takes)
    const reader = new FakeReader()
    reader.add(kill)
    reader.addErrors(50)
    const rig = await startAlertsRig(tableFor({ ntfy }), { reader })
    reader.add({ kind: 'error', text: 'new' })
    await rig.seconds(12)
    expect(ntfy.received.map(({ json }) => json.message)).toEqual([
      'new\n→ Read the text; guard events --kind error shows all.\nGuard for 0x1111…1111',
    ])
    await rig.alerts.stop()
  })

  test.each(['', '{', '{"version":2}', '{"version":1,"seq":-1}'])(
    'a damaged file (%j) costs a repetition, never a message',
    async (content) => {
      const ntfy = await startService(takes)
      const reader = new FakeReader()
      reader.add(flatten)
      const stateDir = newStateDir()
      writeFileSync(cursorPath(stateDir), content)
      const rig = await startAlertsRig(tableFor({ ntfy }), { reader, stateDir })
      await rig.seconds(2)
      expect(titles(ntfy)).toEqual(['🔴 testnet: Guard closes everything'])
      expect(rig.logged.join('')).toContain('alerts.json cannot be used')
      await rig.alerts.stop()
    },
  )

  test('a disk that takes nothing keeps nobody from being told', async () => {
    const { rig, ntfy, seconds, alerts, stateDir, logged } = await oneService()
    rmSync(stateDir, { recursive: true })
    rig.status = latched
    await seconds(10)
    expect(titles(ntfy)).toEqual(['🔴 testnet: Kill switch pulled'])
    expect(logged.filter((line) => line.includes('cannot be written'))).toHaveLength(1)
    mkdirSync(stateDir)
    await alerts.stop()
  })

  test('a silent channel does not hold up the end, and is asked again at the next start', async () => {
    const { ntfy, alerts, time, table, stateDir, reader } = await oneService({}, silence)
    reader.add({ kind: 'stopped', reason: 'SIGTERM' })
    const stopping = alerts.stop()
    await until(() => ntfy.received.length === 1)
    time.advance(5_000)
    await stopping
    ntfy.answer = takes
    time.advance(10_000)
    const again = await startAlertsRig(table, { reader, stateDir, time })
    await again.seconds(5)
    expect(titles(ntfy)).toEqual(['🟠 testnet: Guard stopped', '🟠 testnet: Guard stopped'])
    await again.alerts.stop()
  })

  test('the last word of a run is told before it ends', async () => {
    const { ntfy, reader, alerts } = await oneService()
    reader.add({ kind: 'stopped', reason: 'SIGTERM' })
    await alerts.stop()
    expect(titles(ntfy)).toEqual(['🟠 testnet: Guard stopped'])
  })
})

test('ten thousand events a minute, the worst kinds among them, are few messages', async () => {
  const { rig, ntfy, reader, time, alerts } = await oneService({ severity: { veto: 'info' } })
  rig.status = latched
  const bodies: EventBody[] = [flatten, kill, { kind: 'error', text: 'boom' }]
  const protect = (coin: string): EventBody => ({
    kind: 'protect',
    coins: [coin],
    actions: [],
    problems: [],
    sent: true,
  })
  for (let second = 0; second < 60; second += 1) {
    for (let index = 0; index < 167; index += 1)
      reader.add(index % 4 === 3 ? protect(`C${index}${second}`) : (bodies[index % 4] ?? flatten))
    time.advance(1_000)
    await alerts.settled()
  }
  expect(reader.lastSeq).toBeGreaterThan(10_000)
  expect(ntfy.received.length).toBeGreaterThan(1)
  expect(ntfy.received.length).toBeLessThanOrEqual(messagesPerMinuteMax)
  await rig.seconds(60)
  const counted = ntfy.received
    .flatMap(({ json }) => [...String(json.message).matchAll(/boom \((\d+) times/g)])
    .reduce((sum, [, times]) => sum + Number(times), 0)
  expect(counted).toBe(42 * 60)
  expect(readFileSync(cursorPath(rig.stateDir)).length).toBeLessThan(100_000)
  await alerts.stop()
})

test('the journal’s head is told once a day, with its hash, for somebody outside to keep', async () => {
  const { ntfy, time, alerts } = await oneService()
  for (let hour = 0; hour < 72; hour += 1) {
    time.advance(3_600_000)
    await alerts.settled()
  }
  expect(titles(ntfy)).toHaveLength(3)
  expect(ntfy.received[0]?.json).toMatchObject({
    title: expect.stringContaining('The journal’s last record of the day'),
    message: expect.stringContaining(`event 7, hash ${'ab'.repeat(32)}`),
  })
  await alerts.stop()
})

describe('the heartbeat', () => {
  test('beats at its times, and stops while nobody can be told of something critical', async () => {
    const outside = await startService(takes)
    const heartbeat = { url: `${outside.url}/ping/uuid`, every_seconds: 60 }
    const { rig, ntfy, seconds, alerts } = await oneService({ heartbeat }, fails)
    await until(() => outside.received.length === 1)
    expect(outside.received[0]).toMatchObject({ method: 'GET', path: '/ping/uuid' })
    expect(outside.received[0]?.headers['user-agent']).toBe(`guard-head/7:${'ab'.repeat(32)}`)
    await seconds(60)
    await until(() => outside.received.length === 2)
    rig.status = withAlert('journal', 'disk full', rig.time.ms)
    await seconds(301)
    const beats = outside.received.length
    await seconds(300)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(outside.received.length).toBeLessThanOrEqual(beats + 1)
    ntfy.answer = takes
    await seconds(301)
    await until(() => outside.received.length > beats + 1)
    await alerts.stop()
  })

  test('one that is not taken is logged once', async () => {
    const outside = await startService(fails)
    const heartbeat = { url: outside.url, every_seconds: 10 }
    const rig = await startAlertsRig({ heartbeat })
    for (let beat = 1; beat <= 3; beat += 1) {
      await until(() => outside.received.length >= beat)
      await until(() => rig.logged.length === 1)
      rig.time.advance(10_000)
    }
    expect(rig.logged).toHaveLength(1)
    expect(rig.logged[0]).toContain('HTTP 500')
    await rig.alerts.stop()
  })
})
