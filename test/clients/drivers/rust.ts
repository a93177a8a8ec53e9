import type { Driver } from '../bot.ts'
import { builtBot, ran } from './built.ts'
import { openLineBot, seenAsSaid } from './lineBot.ts'

/** The bot on the official Rust SDK, which `scripts/clients-rust.sh` builds. Null without. */
export const rust: string | null = builtBot('rust-bot')

export const rustSkipped = 'it is not built: run scripts/clients-rust.sh (it needs cargo)'

export function rustDriver(program: string): Driver {
  return {
    name: 'Rust SDK',
    client: 'hyperliquid_rust_sdk (official)',
    version: ran(program),
    settings: 'info.http_client.base_url = GUARD; ExchangeClient { http_client, .. }',
    // It signs for mainnet only if its base URL is the venue's own.
    signedAs: 'testnet',
    via: 'http',
    unasked: [],
    overHttp: [],
    stopRoom: 0.15,
    hasNoGroups: true,
    lacks: {},
    open: (target) =>
      openLineBot(target, { command: program, args: [], seen: seenAsSaid, forbidden, lifeMs }),
  }
}

/** Its nonces stand still while time goes on, and Guard takes those of the last 30 s. */
const lifeMs = 5_000

const funds = 'funds_or_permissions'
const forbidden: readonly (readonly [name: string, wish: string, code: string])[] = [
  ['send USDC', 'usdc_transfer', funds],
  ['send a spot token', 'spot_transfer', funds],
  ['withdraw', 'withdraw_from_bridge', funds],
  ['move USDC to spot', 'class_transfer', 'unsupported_action'],
  ['approve an agent', 'approve_agent', funds],
  ['approve a builder fee', 'approve_builder_fee', funds],
  ['transfer to a vault', 'vault_transfer', funds],
  ['set a referrer', 'set_referrer', 'unsupported_action'],
  ['an order for a vault', 'for a vault', 'vault'],
  ['an order with a stranger’s key', 'with another key', 'auth_unknown_signer'],
]
