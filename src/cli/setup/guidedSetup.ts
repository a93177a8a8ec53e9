import { cancel, confirm, intro, isCancel, log, note, password, select, text } from '@clack/prompts'
import { clientNameFault } from '../../config/clientName.ts'
import type { Home } from '../../config/home.ts'
import { parsePrivateKey } from '../../config/privateKey.ts'
import { venueAddresses } from '../../config/venueUrls.ts'
import type { Mode } from '../../core/events/guardEvent.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { refused } from '../cliError.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import type { Result } from '../../core/values/result.ts'
import type { InitOptions } from './initOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { percent } from '../figures.ts'
import { typedTwice } from '../loadKey.ts'
import type { Terminal } from '../terminal.ts'
import type { AgentFacts, AgentProblem } from './agentCheck.ts'
import { askAgent } from './approvedAgent.ts'
import { askInfo } from './askInfo.ts'
import { askRoleAt } from './accountRole.ts'
import { keyOf } from './keyOf.ts'
import { modeWords } from './modeWords.ts'
import { rulesOf } from './rulesOf.ts'
import type { Setup } from './initHome.ts'
import { readEquity } from './readEquity.ts'
import { rulesInMoney } from './rulesInMoney.ts'

/** Asks a person for everything no flag has told, and says what each answer will mean. */
export async function guidedSetup(
  home: Home,
  options: InitOptions,
  terminal: Terminal,
): Promise<Setup> {
  intro('Guard set-up: it stands between your bot and the venue')
  const mode = options.mode ?? (await askMode())
  const account = options.account ?? (await askAccount())
  const via = await findOwner(mode, account, options)
  const equity = await lookAtAccount(mode, account, options.venueUrl)
  const rules = await askRules(mode, equity, options)
  if (mode === 'mainnet') {
    log.warn(modeWords.mainnet)
    await confirmAccount(account, options.confirmMainnet, terminal, '--confirm-mainnet')
  }
  const key = mode === 'paper' ? null : await takeKey(mode, via ?? account, options, terminal)
  const clientName = await answer(
    text({
      message: 'What do you call the bot?',
      initialValue: options.clientName,
      validate: (value) => {
        const fault = clientNameFault(nameTyped(value))
        return fault === null ? undefined : `It ${fault}`
      },
    }),
  )
  return {
    home,
    mode,
    account,
    via,
    venueUrl: options.venueUrl ?? null,
    listen: options.listen,
    rules,
    key,
    client: {
      name: nameTyped(clientName),
      keyOut: options.clientKeyOut ?? null,
    },
    force: options.force === true,
  }
}

/** What a person left empty is called `bot`. */
function nameTyped(text: string | undefined): string {
  const name = (text ?? '').trim()
  return name === '' ? 'bot' : name
}

async function answer<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await asked
  if (!isCancel(given)) return given as Exclude<T, symbol>
  cancel('Nothing was written.')
  throw refused('the set-up was left')
}

function askMode(): Promise<Mode> {
  return answer(
    select<Mode>({
      message: 'What may this Guard do?',
      options: [
        { value: 'paper', label: 'paper', hint: 'judge and record, send nothing; needs no key' },
        { value: 'testnet', label: 'testnet', hint: 'trade on the test network' },
        { value: 'mainnet', label: 'mainnet', hint: 'trade real money' },
      ],
    }),
  )
}

function askAccount(): Promise<Address> {
  return askAddress('The trading account’s address (not an API wallet’s)')
}

async function askAddress(message: string): Promise<Address> {
  const typed = await answer(
    text({
      message,
      placeholder: '0x...',
      validate: (value) => {
        const parsed = parseAddress((value ?? '').trim())
        return parsed.ok ? undefined : `It ${parsed.error}`
      },
    }),
  )
  const parsed = parseAddress(typed.trim())
  if (!parsed.ok) throw refused(parsed.error)
  return parsed.value
}

/** The owner of a sub-account, as the venue tells it; of a vault, as a person does. */
async function findOwner(
  mode: Mode,
  account: Address,
  options: InitOptions,
): Promise<Address | null> {
  const venue = venueAddresses(mode, options.venueUrl, undefined, undefined)
  if (!venue.ok) throw refused(`--venue-url: ${venue.error.text}`)
  const role = await askRoleAt(venue.value.url, account, options.via ?? null)
  if (!role.ok || role.value.ok) return options.via ?? null
  if (options.via !== undefined) throw refused(role.value.text)
  if (role.value.via !== null) {
    log.info(`The venue says: a sub-account of ${role.value.via}. Guard trades it through that.`)
    return role.value.via
  }
  log.info('The venue says: a vault. Guard trades it through its leader.')
  return await askAddress('The address of the vault’s leader')
}

async function lookAtAccount(
  mode: Mode,
  account: Address,
  url: string | undefined,
): Promise<Decimal | null> {
  const venue = venueAddresses(mode, url, undefined, undefined)
  if (!venue.ok) throw refused(`--venue-url: ${venue.error.text}`)
  const transport = createHttpTransport(venue.value.url)
  try {
    const equity = await readEquity(askInfo(transport), account)
    if (equity.ok) {
      log.info(`The venue shows ${equity.value.toString()} USD in this account.`)
      return equity.value
    }
    log.warn(
      `The account could not be read (${equity.error}); the rules are shown in percent only.`,
    )
    return null
  } finally {
    transport.close()
  }
}

/** Shows what a rule set means in money, until one is taken. */
async function askRules(mode: Mode, equity: Decimal | null, options: InitOptions): Promise<Rules> {
  const given = rulesOf(options)
  const cap = given.equityCap ?? (mode === 'mainnet' ? await askCap() : null)
  const sets = { careful: carefulRules, standard: given } as const
  while (true) {
    const name = await answer(
      select<keyof typeof sets>({
        message: 'Which rules? You see what they mean before they are taken',
        options: [
          {
            value: 'standard',
            label: options.rules === undefined ? 'standard' : 'those of --rules',
            hint: `${percentOf(given.riskPerTrade)} a trade, ${percentOf(given.dailyLossStop)} a day`,
          },
          { value: 'careful', label: 'careful', hint: '0.5% a trade, 2% a day, leverage 2' },
        ],
      }),
    )
    const rules: Rules = { ...sets[name], equityCap: cap }
    note(rulesInMoney(rules, equity).join('\n'), 'The rules, and what they mean for this account')
    if (await answer(confirm({ message: 'Take these rules?' }))) {
      log.info('Change them any time in [rules] of guard.toml; guard rules show explains each.')
      return rules
    }
  }
}

const carefulRules: Rules = {
  ...defaultRules,
  riskPerTrade: Decimal.of('0.005'),
  openRisk: Decimal.of('0.02'),
  dailyLossStop: Decimal.of('0.02'),
  drawdownHalt: Decimal.of('0.1'),
  maxLeverage: Decimal.of('2'),
  maxPosition: Decimal.of('1'),
}

function percentOf(ratio: Decimal): string {
  return percent(ratio.toString())
}

async function askCap(): Promise<Decimal> {
  const typed = await answer(
    text({
      message: 'The most equity, in USD, that orders are sized from',
      placeholder: '5000',
      validate: (value) =>
        positive(value ?? '') === null ? 'It must be an amount above zero' : undefined,
    }),
  )
  const cap = positive(typed)
  if (cap === null) throw refused('the equity cap must be above zero')
  return cap
}

function positive(typed: string): Decimal | null {
  const parsed = Decimal.parse(typed.trim())
  return parsed.ok && parsed.value.isPositive() ? parsed.value : null
}

async function takeKey(
  mode: Mode,
  account: Address,
  options: InitOptions,
  terminal: Terminal,
): Promise<NonNullable<Setup['key']>> {
  const isGiven = options.keyFile !== undefined || options.keyStdin === true
  return isGiven ? await keyOf(options, terminal) : await askKey(mode, account, options.venueUrl)
}

/** Asks until the venue says that the key is an API wallet of the account. */
async function askKey(
  mode: Mode,
  account: Address,
  url: string | undefined,
): Promise<NonNullable<Setup['key']>> {
  const { secp256k1 } = await loadCrypto()
  while (true) {
    const bytes = await typedKey()
    const agent = await askVenue(mode, account, url, secp256k1.addressOf(bytes))
    if (agent.ok) {
      log.info('The venue says: an API wallet of this account.')
      return { bytes, passphrase: await typedTwice() }
    }
    bytes.fill(0)
    log.error(agent.error.text)
  }
}

async function askVenue(
  mode: Mode,
  account: Address,
  url: string | undefined,
  wallet: Address,
): Promise<Result<AgentFacts, AgentProblem>> {
  const venue = venueAddresses(mode, url, undefined, undefined)
  if (!venue.ok) throw refused(`--venue-url: ${venue.error.text}`)
  return await askAgent(venue.value.url, account, wallet)
}

/** A key that a person types; it is not shown. */
export async function typedKey(): Promise<Uint8Array> {
  const typed = await answer(
    password({
      message: 'The API wallet’s private key (0x and 64 hex digits; it is not shown)',
      validate: (value) => {
        const parsed = parsePrivateKey(value ?? '')
        return parsed.ok ? undefined : `It ${parsed.error}`
      },
    }),
  )
  const key = parsePrivateKey(typed)
  if (!key.ok) throw refused(`the key ${key.error}`)
  return key.value
}
