import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import { nonce as toNonce } from '../../core/values/millis.ts'
import { quotedText } from '../../core/values/shownText.ts'
import type { EventReader } from '../../engine/ports.ts'
import { badQuery, sendError, sendJson } from '../http/reply.ts'
import type { Handler } from '../http/router.ts'

/** `GET /guard/decision?nonce=N[&client=0x..]`, from the journal, whatever its age. */
export function decisionRoute(reader: EventReader): Handler {
  return async ({ query, response }) => {
    const text = query.get('nonce')
    if (text === null || !/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) {
      const given = text === null ? 'it is missing' : `not ${quotedText(text)}`
      sendError(response, badQuery(`nonce must be a whole number of milliseconds; ${given}`))
      return
    }
    let client: Address | null = null
    const named = query.get('client')
    if (named !== null) {
      const parsed = parseAddress(named)
      if (!parsed.ok) {
        sendError(response, badQuery(`client ${parsed.error}`))
        return
      }
      client = parsed.value
    }
    const record = await reader.decision(toNonce(Number(text)), client)
    if (record) sendJson(response, 200, record)
    else {
      const whose = client === null ? '' : ` of client ${client}`
      sendError(response, {
        status: 404,
        code: 'unknown_nonce',
        text: `no decision with nonce ${text}${whose}`,
      })
    }
  }
}
