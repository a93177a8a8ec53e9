import { isCancel, text } from '@clack/prompts'
import type { Address } from '../core/values/address.ts'
import { refused } from './cliError.ts'
import type { Terminal } from './terminal.ts'

/** A person types the account again, or gives it as a flag: nobody does this to the wrong one. */
export async function confirmAccount(
  account: Address,
  given: Address | undefined,
  terminal: Terminal,
  flag = '--confirm',
): Promise<void> {
  if (given === account) return
  if (given !== undefined)
    throw refused(`${flag} is ${given}, and this Guard trades for ${account}`)
  if (!terminal.isInteractive)
    throw refused(`${flag} ${account} is needed where nobody can be asked`)
  const typed = await text({ message: `Type the account to confirm (${account})` })
  if (isCancel(typed) || typed.trim().toLowerCase() !== account) {
    throw refused('that is not the account; nothing was changed')
  }
}
