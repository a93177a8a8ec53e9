import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import { parseCloid } from '../../core/values/cloid.ts'
import { nonce as toNonce } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { quotedText } from '../../core/values/shownText.ts'
import type { DecisionRecord, EventReader } from '../../engine/ports.ts'
import { badQuery, sendError, sendJson } from '../http/reply.ts'
import type { HttpError } from '../http/reply.ts'
import type { Handler } from '../http/router.ts'

/**
 * `GET /guard/decision?nonce=N[&client=0x..]` or `?cloid=0x..`, from the journal, whatever its age.
 */
export function decisionRoute(reader: EventReader): Handler {
  return async ({ query, response }) => {
    const asked = query.has('cloid') ? askedByCloid(query, reader) : askedByNonce(query, reader)
    if (!asked.ok) {
      sendError(response, badQuery(asked.error))
      return
    }
    const record = await asked.value.find()
    if (record) sendJson(response, 200, record)
    else sendError(response, asked.value.unknown)
  }
}

interface Asked {
  readonly find: () => Promise<DecisionRecord | null>
  readonly unknown: HttpError
}

function askedByCloid(query: URLSearchParams, reader: EventReader): Result<Asked> {
  if (query.has('nonce') || query.has('client')) {
    return err('a decision is asked for by nonce and client or by cloid, not by both')
  }
  const cloid = parseCloid(query.get('cloid'))
  if (!cloid.ok) return err(`cloid ${cloid.error}`)
  const text = `no decision on an order with cloid ${cloid.value}`
  return ok({
    find: () => reader.decisionOn(cloid.value),
    unknown: { status: 404, code: 'unknown_cloid', text },
  })
}

function askedByNonce(query: URLSearchParams, reader: EventReader): Result<Asked> {
  const text = query.get('nonce')
  if (text === null || !/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) {
    const given = text === null ? 'it is missing' : `not ${quotedText(text)}`
    return err(`nonce must be a whole number of milliseconds; ${given}`)
  }
  let client: Address | null = null
  const named = query.get('client')
  if (named !== null) {
    const parsed = parseAddress(named)
    if (!parsed.ok) return err(`client ${parsed.error}`)
    client = parsed.value
  }
  const whose = client === null ? '' : ` of client ${client}`
  return ok({
    find: () => reader.decision(toNonce(Number(text)), client),
    unknown: {
      status: 404,
      code: 'unknown_nonce',
      text: `no decision with nonce ${text}${whose}`,
    },
  })
}
