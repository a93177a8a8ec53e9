import { shownValue } from '../../core/values/shownText.ts'
import type { GuardEvent } from '../../core/events/guardEvent.ts'
import type { StatusView } from '../../engine/statusView.ts'
import {
  append,
  assetNames,
  equityCurve,
  firstSeq,
  forget,
  heardAtMs,
  isStreaming,
  lastSeq,
  link,
  nowMs,
  prepend,
  status,
} from './store.ts'

/** Follows Guard: events by server-sent events from the last one seen, status by asking. */

const statusEveryMs = 1_000
const retryMs = 1_500
/** Server-sent events come with a heartbeat; longer silence means the stream is gone. */
const silentMsMax = 20_000
/** More points than a screen has columns; beyond it the older half is thinned out. */
const curvePointsMax = 4_000
const curveEveryMs = 10_000
const historyPage = 500

export function follow(): void {
  void start()
  setInterval(() => {
    nowMs.value = Date.now()
  }, 1_000)
}

async function start(): Promise<void> {
  void readAssetNames()
  await readStatus()
  await readCurve()
  const latest = status.value?.last_seq ?? 0
  await readLatest(latest)
  listen()
  setInterval(() => void readStatus(), statusEveryMs)
}

async function ask<T>(path: string): Promise<T | null> {
  try {
    const response = await fetch(path, { cache: 'no-store' })
    if (!response.ok) return null
    const body = (await response.json()) as T
    heardAtMs.value = Date.now()
    return body
  } catch {
    return null
  }
}

async function readStatus(): Promise<void> {
  const next = await ask<StatusView>('/guard/status')
  if (next === null) {
    link.value = 'lost'
    return
  }
  if (link.value !== 'live') link.value = 'live'
  const before = status.value
  status.value = shownValue(next)
  if (before !== null && before.started_at_ms !== next.started_at_ms) await restarted(next)
  const { equity } = next.risk
  const last = equityCurve.value.at(-1)
  if (equity === null) return
  const isSame = last !== undefined && last[1] === equity && next.now_ms - last[0] < curveEveryMs
  if (isSame || next.now_ms <= (last?.[0] ?? 0)) return
  equityCurve.value = thinned([...equityCurve.value, [next.now_ms, equity] as const])
}

function thinned<T>(points: readonly T[]): readonly T[] {
  if (points.length <= curvePointsMax) return points
  return points.filter((_point, index) => index >= curvePointsMax / 2 || index % 2 === 0)
}

/** The same journal goes on where it was; a new one starts over. */
async function restarted(next: StatusView): Promise<void> {
  if (next.last_seq >= lastSeq.value) return
  forget()
  await readLatest(next.last_seq)
}

async function readCurve(): Promise<void> {
  const curve = await ask<{ samples: [number, string][] }>('/guard/equity')
  if (curve !== null) equityCurve.value = curve.samples
}

async function readLatest(latest: number): Promise<void> {
  const since = Math.max(0, latest - historyPage)
  const page = await ask<GuardEvent[]>(
    `/guard/events?since=${since}&source=journal&limit=${historyPage}`,
  )
  if (page !== null) append(page)
}

/** Reads the page of history before the oldest event shown; false when there is none. */
export async function readOlder(): Promise<boolean> {
  const first = firstSeq.value
  if (first <= 1) return false
  const since = Math.max(0, first - 1 - historyPage)
  const limit = first - 1 - since
  const page = await ask<GuardEvent[]>(`/guard/events?since=${since}&source=journal&limit=${limit}`)
  if (page === null) return false
  prepend(page)
  return firstSeq.value > 1
}

/** The browser's own reconnect is not used: the page resumes from the last event it has drawn. */
function listen(): void {
  const source = new EventSource(`/guard/events?since=${lastSeq.value}`)
  let heard = Date.now()
  const batch: GuardEvent[] = []
  let scheduled = false
  const flush = (): void => {
    scheduled = false
    append(batch.splice(0))
  }
  const take = (message: MessageEvent<string>): void => {
    heard = Date.now()
    heardAtMs.value = heard
    batch.push(JSON.parse(message.data) as GuardEvent)
    // A burst is drawn once a frame, not once an event.
    if (!scheduled) {
      scheduled = true
      requestAnimationFrame(flush)
      setTimeout(() => {
        if (scheduled) flush()
      }, 250)
    }
  }
  for (const kind of kinds) {
    source.addEventListener(kind, (event) => {
      if (event instanceof MessageEvent) take(event as MessageEvent<string>)
    })
  }
  source.addEventListener('open', () => {
    heard = Date.now()
    link.value = 'live'
    isStreaming.value = true
  })
  const again = (): void => {
    clearInterval(watch)
    source.close()
    isStreaming.value = false
    flush()
    setTimeout(listen, retryMs)
  }
  // One of Guard's own kinds has the name under which a browser says that the connection is lost.
  source.addEventListener('error', (event) => {
    if (!(event instanceof MessageEvent)) again()
  })
  const watch = setInterval(() => {
    const answered = heardAtMs.value ?? 0
    if (Date.now() - Math.max(heard, answered) > silentMsMax) again()
  }, 5_000)
}

const kinds = [
  'started',
  'decision',
  'sent',
  'risk',
  'flatten',
  'protect',
  'kill',
  'error',
  'stopped',
  'recovered',
  'reviewed',
  'message',
] as const

async function readAssetNames(): Promise<void> {
  try {
    const response = await fetch('/info', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"meta"}',
    })
    const meta = (await response.json()) as { universe: { name: string }[] }
    assetNames.value = new Map(meta.universe.map((market, index) => [index, market.name]))
  } catch {
    setTimeout(() => void readAssetNames(), 10_000)
  }
}
