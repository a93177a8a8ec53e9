import type { Json } from '../../../src/core/protocol/action.ts'
import type { VenueHttp } from '../../../src/engine/ports.ts'

/**
 * Sends actions with a Pool of undici instead of Guard's own HTTP client, so that the two can be measured
 * against each other. The package is only there where Guard is developed.
 */
export async function undiciExchange(url: string): Promise<VenueHttp['exchange']> {
  const { Pool } = await import('undici')
  const pool = new Pool(url)
  return async (request) => {
    const answer = await pool.request({
      ...{ path: '/exchange', method: 'POST', body: JSON.stringify(request) },
      headers: { 'content-type': 'application/json' },
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    return { kind: 'reply', reply: JSON.parse(bytes.toString('utf8')) as Json }
  }
}

export async function isUndiciThere(): Promise<boolean> {
  return await import('undici').then(
    () => true,
    () => false,
  )
}
