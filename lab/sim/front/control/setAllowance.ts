import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Front } from '../front.ts'
import {
  ControlProblem,
  onlyFields,
  readAddress,
  readFields,
  readOptionalCount,
} from './problems.ts'

/**
 * Sets what an account may still do: `cap` and `used` of its lifetime's requests before it has
 * traded anything, and how many actions it has done today. What is left out stays as it is.
 */
export function setAllowance(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['user', 'cap', 'used', 'daily_actions'])
  const user = readAddress(fields['user'], 'user')
  const used = readOptionalCount(fields['used'], 'used')
  const cap = readOptionalCount(fields['cap'], 'cap')
  const daily = readOptionalCount(fields['daily_actions'], 'daily_actions')
  if (front.venue.role(user).role === 'missing') {
    throw new ControlProblem(`user: there is no account ${user}`)
  }
  front.budget.set(user, cap, used)
  if (daily !== null) front.daily.set(user, daily, front.venue.nowMs)
  const limit = front.budget.render(front.venue, user) as { readonly [key: string]: Json }
  return {
    ...{ user, cap: limit['nRequestsCap'] ?? null, used: limit['nRequestsUsed'] ?? null },
    daily_actions: front.daily.used(user, front.venue.nowMs),
  }
}
