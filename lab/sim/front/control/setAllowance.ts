import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Front } from '../front.ts'
import { onlyFields, readAddress, readFields, readOptionalCount } from './problems.ts'

const freeUsual = 10_000

/**
 * Sets what an account may still do: `cap` and `used` of its lifetime's requests before it has
 * traded anything, and how many actions it has done today. What is left out stays as it is.
 */
export function setAllowance(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['user', 'cap', 'used', 'daily_actions'])
  const user = readAddress(fields['user'], 'user')
  const used = readOptionalCount(fields['used'], 'used')
  const cap = readOptionalCount(fields['cap'], 'cap') ?? freeUsual
  const daily = readOptionalCount(fields['daily_actions'], 'daily_actions')
  if (used !== null) front.budget.set(user, cap, used)
  if (daily !== null) front.daily.set(user, daily, front.venue.nowMs)
  return { user, daily_actions: front.daily.used(user, front.venue.nowMs) }
}
