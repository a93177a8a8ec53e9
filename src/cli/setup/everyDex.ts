import { decodePerpDexs } from '../../core/protocol/decodeDexes.ts'
import { decodeClearinghouseState } from '../../core/protocol/decodeInfoAccount.ts'
import type { ClearinghouseState } from '../../core/protocol/venueState.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import { ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { AskVenue } from './agentCheck.ts'

/** The account's state on the main dex and on every builder dex, each read once over HTTP. */
export async function statesOfEveryDex(
  ask: AskVenue,
  user: Address,
): Promise<Result<readonly ClearinghouseState[]>> {
  const listed = await ask({ type: 'perpDexs' })
  const dexes = listed.ok ? decodePerpDexs(listed.value) : listed
  if (!dexes.ok) return dexes
  const names = dexes.value.slice(0, limits.dexesAskedMax).map(({ name }) => ({ dex: name }))
  const states: ClearinghouseState[] = []
  for (const dex of [{}, ...names]) {
    const answer = await ask({ type: 'clearinghouseState', user, ...dex })
    const state = answer.ok ? decodeClearinghouseState(answer.value) : answer
    if (!state.ok) return state
    states.push(state.value)
  }
  return ok(states)
}
