import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Front } from '../front.ts'
import { ControlProblem, readFields } from './problems.ts'
import { readDexMarket } from './readDex.ts'
import { readMarket } from './readMarket.ts'

/**
 * Lists one more market while the venue runs; the body is a market as `/sim/reset` takes it, on a
 * builder dex where its name begins with one.
 */
export function listMarket(front: Front, body: Json): Json {
  const [dex, coin] = String(readFields(body, 'body')['name']).split(':')
  const isOnDex = dex !== undefined && coin !== undefined
  const done = front.venue.list(
    isOnDex ? readDexMarket(body, 'body', dex) : readMarket(body, 'body'),
  )
  if (!done.ok) throw new ControlProblem(done.error)
  return { coin: done.value.coin, asset: done.value.asset }
}
