import type { EventReader } from '../../engine/ports.ts'
import type { EquityHistory } from '../equityHistory.ts'
import type { GatewayGuard } from '../gatewayGuard.ts'
import type { Asset } from '../gatewayOptions.ts'
import { sendBytes, sendError, sendJson } from '../http/reply.ts'
import type { Handler } from '../http/router.ts'
import type { GuardMetrics } from '../metrics/guardMetrics.ts'
import type { LiveCounts } from '../metrics/liveCounts.ts'

export function statusRoute(guard: GatewayGuard): Handler {
  return ({ response }) => {
    sendJson(response, 200, guard.status())
  }
}

export function equityRoute(history: EquityHistory): Handler {
  return async ({ response }) => {
    sendJson(response, 200, { samples: await history.samples() })
  }
}

/** The process answers: nothing else is claimed. */
export const healthRoute: Handler = ({ response }) => {
  sendJson(response, 200, { status: 'ok' })
}

export function readyRoute(guard: GatewayGuard): Handler {
  return ({ response }) => {
    const ready = guard.ready()
    if (ready.ok) sendJson(response, 200, { status: 'ok' })
    else sendError(response, { status: 503, code: 'not_ready', text: ready.reason })
  }
}

/** What the gateway counts itself, added to what Guard and its reader know. */
type GatewayCounts = Omit<LiveCounts, 'ready' | 'firstSeq'>

export function metricsRoute(
  guard: GatewayGuard,
  reader: EventReader,
  metrics: GuardMetrics,
  counts: () => GatewayCounts,
): Handler {
  return ({ response }) => {
    const text = metrics.scrape(guard.status(), {
      ...counts(),
      ready: guard.ready().ok,
      firstSeq: reader.firstSeq,
    })
    sendBytes(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text)
  }
}

export function assetRoute(asset: Asset): Handler {
  return ({ response }) => {
    sendBytes(response, 200, asset.type, asset.body, asset.headers)
  }
}
