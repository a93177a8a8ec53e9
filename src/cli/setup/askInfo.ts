import type { Json } from '../../core/protocol/action.ts'
import { err, ok } from '../../core/values/result.ts'
import type { HttpTransport } from '../../venue/httpTransport.ts'
import type { Urgency, VenueHttp } from '../../engine/ports.ts'
import type { AskVenue } from './agentCheck.ts'

const usualTimeoutMs = 10_000
const spent =
  'HTTP 429, the request weight that the venue counts for this network address is spent; a minute later it is back'

/** One read of the venue, for set-up and checks: no budget, no retry. */
export function askInfo(transport: HttpTransport, timeoutMs = usualTimeoutMs): AskVenue {
  return async (request) => {
    const outcome = await transport.post('/info', JSON.stringify(request), timeoutMs, 'read')
    if (outcome.kind !== 'answer') return err(outcome.error)
    if (outcome.status === 429) return err(spent)
    if (outcome.status !== 200) return err(`it answered HTTP ${outcome.status}`)
    try {
      return ok(JSON.parse(outcome.body.toString('utf8')) as Json)
    } catch {
      return err('its answer is not JSON')
    }
  }
}

/** One read through the connection of a Guard that runs, within its request weight. */
export function askThrough(venue: Pick<VenueHttp, 'info'>, lane: Urgency): AskVenue {
  return async (request) => {
    const answer = await venue.info(request, lane)
    return answer.ok ? ok(answer.value.body) : err(answer.error.text)
  }
}
