import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Front } from '../front.ts'
import { ControlProblem } from './problems.ts'
import { readMarket } from './readMarket.ts'

/** Lists one more market while the venue runs; the body is a market as `/sim/reset` takes it. */
export function listMarket(front: Front, body: Json): Json {
  const done = front.venue.list(readMarket(body, 'body'))
  if (!done.ok) throw new ControlProblem(done.error)
  return { coin: done.value.coin, asset: done.value.asset }
}
