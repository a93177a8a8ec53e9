import type { BatchModifyAction, Modify, ModifyAction } from '../../protocol/action.ts'
import { guardCloidPrefix } from '../../protocol/guardCloid.ts'
import type { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import type { Decision, JudgeInput } from '../decision.ts'
import { decided, step, vetoed } from '../plan.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { fitSell, SoldInRequest, soldReservation } from './spotSell.ts'
import type { FittingSell } from './spotSell.ts'

interface Replaced {
  readonly modify: Modify
  readonly sell: FittingSell
  /** What the order that is replaced has left. */
  readonly released: Decimal
}

/** Judges a modify of spot orders, or a batch of them; one refusal refuses it all. */
export function judgeSpotModify(
  input: JudgeInput,
  action: ModifyAction | BatchModifyAction,
  modifies: readonly Modify[],
): Decision {
  const taken = new SoldInRequest()
  const replaced: Replaced[] = []
  for (const [at, modify] of modifies.entries()) {
    const one = replace(input, modify, at, taken)
    if (!one.ok) return vetoed(one.error)
    replaced.push(one.value)
  }
  const changes: Change[] = replaced.flatMap(({ sell }) => sell.changes)
  if (action.alwaysPlace === true) {
    changes.push(change('the flag a removed from the modify', 'a', 'true', null, 'flags'))
  }
  const next = replaced.map(({ modify, sell }) => ({ ...modify, order: sell.order }))
  const [only] = next
  const isOne = action.type === 'modify' && only !== undefined
  const sent = step(
    isOne ? { type: 'modify', modify: only } : { type: 'batchModify', modifies: next },
    replaced.flatMap(({ sell, released }, index) => {
      const more = sell.order.size.minus(released)
      return more.isPositive() ? [{ ...soldReservation(sell, index), size: more }] : []
    }),
  )
  return decided({
    ...{ pre: [], main: [sent], post: [], lane: 'entry', changes, entries: [], exits: [] },
    slots: next.map((_, index) => ({ step: sent, index })),
    reply: isOne
      ? { kind: 'pass', responseType: 'default' }
      : { kind: 'statuses', responseType: 'order' },
    stripCloids: [],
    text: 'a sell of what the account holds, changed',
    isUnjudged: false,
  })
}

function replace(
  input: JudgeInput,
  modify: Modify,
  at: number,
  taken: SoldInRequest,
): Result<Replaced, Refusal> {
  const { ref, order } = modify
  const name = `modifies[${at}]`
  const shown = 'oid' in ref ? `${ref.oid}` : ref.cloid
  const old = input.account.spot.order(ref)
  if (old === null) {
    return refuse('unknown_order', `${name}: no open spot order ${shown} is seen on the account`)
  }
  const pair = input.account.spot.pair(order.asset)
  if (old.isBuy || (pair !== null && pair.coin !== old.coin)) {
    const side = old.isBuy ? 'buy' : 'sell'
    return refuse('invalid', `${name}: order ${shown} is a ${side} on ${old.coin}, and stays one`)
  }
  if (order.cloid?.startsWith(guardCloidPrefix) === true && order.cloid !== old.cloid) {
    return refuse('invalid', `${name}: client order ids of this kind are Guard's own`)
  }
  const sell = fitSell(input, { at, order, name }, taken, old.size)
  return sell.ok ? ok({ modify, sell: sell.value, released: old.size }) : sell
}
