import type { Json } from '../../../src/core/protocol/action.ts'
import { replyDefault, replyError, texts } from './texts.ts'
import type { MultiSigView } from './views.ts'
import type { Account, World } from './world.ts'

const usersMax = 10

/** From now on so many of these accounts sign together; null gives the account back to its own key. */
export function applyMultiSig(world: World, account: Account, signers: MultiSigView | null): Json {
  if (signers === null) {
    account.multiSig = null
    return replyDefault
  }
  const users = [...new Set(signers.users)]
  const isKnown = users.every((user) => world.accounts.has(user) && user !== account.address)
  const { threshold } = signers
  if (!isKnown || users.length > usersMax || threshold < 1 || threshold > users.length) {
    return replyError(texts.badSigners)
  }
  account.multiSig = { users, threshold }
  return replyDefault
}
