import type { EventKind, GuardEvent } from '../core/events/guardEvent.ts'
import { millis } from '../core/values/millis.ts'
import { silentAlertsObserver } from './alertsObserver.ts'
import { readAlerts } from './alertsConfig.ts'
import { webhook } from './channels/webhook.ts'
import { cursorPath, loadCursor } from './cursorFile.ts'
import { httpSend } from './send.ts'
import { startAlerts } from './startAlerts.ts'

/** A process that tells of the first `count` events of a journal, and ends when all are told. */
const [stateDir = '', url = '', count = '0'] = process.argv.slice(2)
const begun = 1_794_700_000_000
/** Its clock runs a hundred times as fast, so that nobody waits for the distance of messages. */
const speed = 100
const now = (): number => Math.floor(begun + (Date.now() - Number(process.argv[5])) * speed)
const timers = {
  after: (ms: number, task: () => void) => {
    const timer = setTimeout(task, ms / speed)
    return () => clearTimeout(timer)
  },
  every: (ms: number, task: () => void) => {
    const timer = setInterval(task, Math.max(1, ms / speed))
    return () => clearInterval(timer)
  },
}
const events = Array.from({ length: Number(count) }, (_, index): GuardEvent => ({
  ...{ seq: index + 1, at_ms: begun + index, kind: 'flatten', reason: `round ${index + 1}.` },
  ...{ actions: [], problems: [], sent: true },
}))
const config = readAlerts({ webhook: { url, secret_file: 'secret' } })
if (!config.ok) throw new Error(JSON.stringify(config.error))
const quiet = {
  ...{ mode: 'testnet', account: '0x1111111111111111111111111111111111111111', alerts: [] },
  ...{
    kill: { latched: false },
    risk: { state: 'active', equity: '1', daily_loss: null, drawdown: null, open_risk: null },
  },
}
await startAlerts({
  config: config.value,
  channels: [webhook(url, 'a-webhook-secret-of-some-length')],
  heartbeat: null,
  reader: {
    firstSeq: 1,
    lastSeq: events.length,
    since: (seq) => events.slice(seq),
    page: (seq: number, limit: number, _kinds: readonly EventKind[] | null) =>
      Promise.resolve(events.slice(seq, seq + limit)),
    subscribe: () => () => undefined,
    decision: () => Promise.resolve(null),
    decisionOn: () => Promise.resolve(null),
  },
  status: () => ({ ...quiet, now_ms: now() }) as never,
  head: () => ({ seq: 7, hash: 'ab'.repeat(32) }),
  agentEnd: () => Promise.resolve(null),
  clock: { now: () => millis(now()), monotonicMs: now },
  timers,
  log: { log: (_, message) => process.stderr.write(`${message}\n`) },
  stateDir,
  send: httpSend({ ...timers, after: (ms, task) => timers.after(ms * speed, task) }),
  observer: silentAlertsObserver,
})
setInterval(() => {
  void loadCursor(cursorPath(stateDir)).then((cursor) => {
    if (cursor === null || cursor === 'damaged') return
    if (cursor.seq === events.length && cursor.waiting.length === 0) process.exit(0)
  })
}, 5)
