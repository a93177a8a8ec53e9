import type { Command } from 'commander'
import { Argument } from 'commander'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import type { WireAction } from '../../core/protocol/action.ts'
import { decodeUserRateLimit } from '../../core/protocol/decodeInfoAccount.ts'
import type { UserRateLimit } from '../../core/protocol/decodeInfoAccount.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { Address } from '../../core/values/address.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { nonce } from '../../core/values/millis.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import type { Journal } from '../../engine/ports.ts'
import { systemClock } from '../../system/systemClock.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import type { HttpTransport } from '../../venue/httpTransport.ts'
import { createSigner } from '../../venue/signer.ts'
import { failed, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { configOf } from '../homeConfig.ts'
import { chainKeyOf } from '../journalKey.ts'
import { loadKey } from '../loadKey.ts'
import { addressOption, readCount } from '../readOption.ts'
import { askInfo } from '../setup/askInfo.ts'
import { withJournalOf } from '../stoppedJournal.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface BuyOptions extends CommonOptions {
  readonly confirm?: Address
}

/** USDC for each request, out of the perps' balance. */
const price = Decimal.of('0.0005')
/** Fifty dollars at most in one command. */
const mostRequests = 100_000

export function actionsCommand(program: Command, terminal: Terminal): void {
  const actions = program
    .command('actions')
    .description('the allowance of requests that the venue gives an account')
  const command = actions
    .command('buy')
    .description('buy requests for an account whose allowance is spent, with Guard stopped')
    .addArgument(
      new Argument(
        '<count>',
        `how many, 1 to ${mostRequests}; each costs ${price.toString()} USDC`,
      ).argParser((value) => readCount(value, 1, mostRequests)),
    )
    .addOption(addressOption('--confirm <account>', 'the account, instead of typing it'))
    .action(async (count: number, options: BuyOptions) => {
      await buy(count, options, terminal)
    })
  teach(
    withJson(withHome(command)),
    ['guard actions buy 2000                      (1 USDC; asks for the account)'],
    'guard run starts again; guard status shows what is left of the allowance',
  )
}

async function buy(count: number, options: BuyOptions, terminal: Terminal): Promise<void> {
  const config = configOf(options, terminal)
  if (config.mode === 'paper') throw refused('paper mode has no key, so nothing can be bought')
  if (config.venue.via !== null) {
    throw refused(`the venue sells them to ${config.venue.via} alone, which owns this account`)
  }
  const cost = price.times(Decimal.whole(count)).normalised()
  if (options.json !== true) {
    terminal.out(`${count} requests cost ${cost.toString()} USDC of the perps' balance.\n`)
  }
  await confirmAccount(config.account, options.confirm, terminal)
  const crypto = await loadCrypto()
  const key = await loadKey(config, crypto, terminal)
  if (key === null) throw refused('there is no key to sign with')
  const { sign } = createSigner(crypto, config.venue.network, key)
  const chainKey = chainKeyOf(config, key)
  key.fill(0)
  const transport = createHttpTransport(config.venue.url)
  try {
    // The journal's lock is the home's: no Guard signs with the same wallet meanwhile.
    const done = await withJournalOf(config, chainKey, async (journal) => {
      const reason = `${count} requests of the account's allowance for ${cost.toString()} USDC`
      const body = { kind: 'reviewed', what: 'actions', reason, equity: null } as const
      const appended = journal.append(body, 'now')
      await appended.durable
      const now = systemClock.now()
      const action: WireAction = { type: 'reserveRequestWeight', weight: count }
      const request = sign(action, nonce(now), now + limits.expiresAfterMsMax)
      await send(transport, config, JSON.stringify(request), journal)
      return { seq: appended.seq, allowance: await readAllowance(transport, config) }
    })
    tell(terminal, options, count, cost, done)
  } finally {
    transport.close()
  }
}

/** A refusal, and an answer that never came, is in the journal too. */
async function send(
  transport: HttpTransport,
  { venue }: GuardConfigFile,
  body: string,
  journal: Journal,
): Promise<void> {
  const outcome = await transport.post('/exchange', body, venue.timeoutMs, 'exit')
  const isAnswer = outcome.kind === 'answer'
  const text = isAnswer ? outcome.body.toString('utf8') : outcome.error
  if (isAnswer && outcome.status === 200 && isTaken(text)) return
  const why = isAnswer ? `the venue refused: ${text.slice(0, 300)}` : text
  const isLost = outcome.kind === 'unknown'
  await journal.append({ kind: 'error', text: `requests were not bought: ${why}` }, 'now').durable
  throw failed(
    isLost ? `no answer came, so they may have been bought: ${why}` : `nothing was bought: ${why}`,
  )
}

function isTaken(text: string): boolean {
  try {
    const reply: unknown = JSON.parse(text)
    return isObject(reply as never) && (reply as { readonly status?: unknown }).status === 'ok'
  } catch {
    return false
  }
}

async function readAllowance(
  transport: HttpTransport,
  { account }: GuardConfigFile,
): Promise<UserRateLimit | null> {
  const answer = await askInfo(transport)({ type: 'userRateLimit', user: account })
  const decoded = answer.ok ? decodeUserRateLimit(answer.value) : answer
  return decoded.ok ? decoded.value : null
}

function tell(
  terminal: Terminal,
  { json }: BuyOptions,
  requests: number,
  cost: Decimal,
  { seq, allowance }: { readonly seq: number; readonly allowance: UserRateLimit | null },
): void {
  const [used, cap] = [allowance?.requestsUsed ?? null, allowance?.requestsCap ?? null]
  if (json === true) {
    printJson(terminal, { bought: { requests, cost: cost.toString(), seq, used, cap } })
    return
  }
  const left = allowance === null ? '' : ` The venue now counts ${used} of ${cap} as used.`
  terminal.out(`Bought ${requests} requests for ${cost.toString()} USDC (event ${seq}).${left}\n`)
}
