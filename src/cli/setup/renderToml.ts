import type { Mode } from '../../core/events/guardEvent.ts'
import type { Address } from '../../core/values/address.ts'

interface NewConfig {
  readonly mode: Mode
  readonly account: Address
  readonly listen: string
  /** Null: the venue's own address for the mode. */
  readonly venueUrl: string | null
  /** Null in paper mode, which has no key. */
  readonly apiWallet: Address | null
  /** Null where the account has a key of its own. */
  readonly via: Address | null
  /** Null: no client yet. */
  readonly client: { readonly address: Address; readonly name: string } | null
  /** Lines of the `[rules]` table: what differs from the defaults. */
  readonly rules: readonly string[]
}

/** The first guard.toml, with a word on what each part is for. */
export function renderToml(config: NewConfig): string {
  const venue = [
    ...(config.venueUrl === null ? [] : [`url = ${quoted(config.venueUrl)}`]),
    ...(config.apiWallet === null
      ? []
      : [`api_wallet = ${quoted(config.apiWallet)}   # the key Guard is given must be this one`]),
    ...(config.via === null
      ? []
      : [`via = ${quoted(config.via)}          # whose sub-account or vault the account is`]),
  ]
  return [
    '# Guard. Every key: docs/operating.md; the rules: docs/rules.md. Check it with: guard rules check',
    `mode = ${quoted(config.mode)}                 # paper, testnet, mainnet`,
    `account = ${quoted(config.account)}   # the trading account`,
    `listen = ${quoted(config.listen)}`,
    'state_dir = "state"              # journal and kill file',
    '# emergency_dir = "/mnt/other"   # best on another disk: records closes while this one fails',
    '',
    '[venue]',
    ...venue,
    '',
    ...(config.apiWallet === null ? [] : ['[key]', 'file = "api-wallet.json"', '']),
    '[clients]                        # guard client add, guard client revoke',
    ...(config.client === null
      ? []
      : [`${quoted(config.client.address)} = { name = ${quoted(config.client.name)} }`]),
    '',
    '[rules]                          # what is not named here is at its default: guard rules show',
    ...config.rules,
    '',
  ].join('\n')
}

/** A TOML basic string; JSON's escapes are a subset of TOML's. */
function quoted(text: string): string {
  return JSON.stringify(text)
}
