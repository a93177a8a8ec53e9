import type { GuardConfigFile } from '../../config/readConfig.ts'
import type { Json } from '../../core/protocol/action.ts'
import { decodeUserAbstraction } from '../../core/protocol/decodeInfoAccount.ts'
import { systemClock } from '../../system/systemClock.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { askBeside } from '../askBeside.ts'
import { askRole, whoseAccount } from '../setup/accountRole.ts'
import { checkAgent } from '../setup/agentCheck.ts'
import type { AskVenue } from '../setup/agentCheck.ts'
import { missingMarketLines } from '../setup/missingMarketLines.ts'
import { readEquity } from '../setup/readEquity.ts'
import { bad, fine, look } from './finding.ts'
import type { Finding } from './finding.ts'

const clockMsMax = 2_000
const expiryMsMin = 14 * 86_400_000

/** Reachable, clocks agree, an account Guard can size for, and an API wallet that lasts. */
export async function* examineVenue(config: GuardConfigFile): AsyncGenerator<Finding> {
  const transport = createHttpTransport(config.venue.url)
  try {
    const ask = await askBeside(config, transport)
    const status = await ask({ type: 'exchangeStatus' })
    if (!status.ok) {
      yield bad('venue', `${config.venue.url}: ${status.error}`, 'check the network and venue.url')
      return
    }
    yield fine('venue', config.venue.url)
    yield clock(status.value)
    yield await whose(ask, config)
    yield await mode(ask, config)
    yield await equity(ask, config)
    for (const text of await missingMarketLines(ask, config.rules)) {
      yield look('rules', text, 'mend the name')
    }
    if (config.venue.apiWallet !== null) yield await agent(ask, config, config.venue.apiWallet)
  } finally {
    transport.close()
  }
}

function clock(status: Json): Finding {
  const time =
    typeof status === 'object' && status !== null && 'time' in status ? status['time'] : null
  if (typeof time !== 'number')
    return look('clock', 'the venue told no time', 'check the clock with: timedatectl')
  const apartMs = systemClock.now() - time
  const text = `${Math.abs(apartMs)} ms ${apartMs < 0 ? 'behind' : 'ahead of'} the venue`
  return Math.abs(apartMs) <= clockMsMax
    ? fine('clock', text)
    : bad('clock', text, 'nonces are made from the clock: switch on time synchronisation')
}

async function whose(ask: AskVenue, { account, venue }: GuardConfigFile): Promise<Finding> {
  const role = await askRole(ask, account, venue.via)
  if (!role.ok) return bad('account', role.error, 'the venue did not say whose account it is')
  return role.value.ok
    ? fine('account', `${account}, ${whoseAccount(role.value.kind, venue.via)}`)
    : bad('account', role.value.text, 'Guard does not start like this: see docs/operating.md')
}

async function mode(ask: AskVenue, config: GuardConfigFile): Promise<Finding> {
  const answer = await ask({ type: 'userAbstraction', user: config.account })
  const decoded = answer.ok ? decodeUserAbstraction(answer.value) : answer
  if (!decoded.ok) return bad('account mode', decoded.error, 'the account could not be read')
  switch (decoded.value) {
    case 'default':
    case 'disabled':
    case 'unifiedAccount':
      return fine('account mode', decoded.value)
    case 'portfolioMargin':
    case 'dexAbstraction':
    case 'unknown':
      return bad(
        'account mode',
        decoded.value,
        'Guard cannot size entries for it; they are vetoed (account_unknown)',
      )
  }
}

async function equity(ask: AskVenue, config: GuardConfigFile): Promise<Finding> {
  const read = await readEquity(ask, config.account)
  if (!read.ok) return bad('equity', read.error, 'the account could not be read')
  return read.value.isPositive()
    ? fine('equity', `${read.value.toString()} USD`)
    : look(
        'equity',
        `${read.value.toString()} USD`,
        'fund the account; without equity every entry is vetoed',
      )
}

async function agent(
  ask: AskVenue,
  config: GuardConfigFile,
  wallet: NonNullable<GuardConfigFile['venue']['apiWallet']>,
): Promise<Finding> {
  const facts = await checkAgent(ask, config.venue.via ?? config.account, wallet)
  if (!facts.ok) {
    const { text, isRefused } = facts.error
    return isRefused
      ? bad('API wallet', text, 'approve it on the venue’s API page')
      : bad('API wallet', text, 'run this again; nothing is known of the wallet yet')
  }
  const { validUntil } = facts.value
  if (validUntil === null)
    return fine('API wallet', 'approved; the venue shows no end for an unnamed one')
  const leftMs = validUntil - systemClock.now()
  const text = `approved until ${new Date(validUntil).toISOString()}`
  return leftMs >= expiryMsMin
    ? fine('API wallet', text)
    : look(
        'API wallet',
        text,
        'approve a new one on the venue’s API page, stop Guard, guard key replace',
      )
}
