import type { Driver } from '../bot.ts'
import { builtBot, ran } from './built.ts'
import { openLineBot, seenAsSaid } from './lineBot.ts'

/** The bot on a Go SDK, which `scripts/clients-go.sh` builds. Null without. */
export const go: string | null = builtBot('go-bot')

export const goSkipped = 'it is not built: run scripts/clients-go.sh (it needs go)'

export function goDriver(program: string): Driver {
  return {
    name: 'Go SDK',
    client: 'go-hyperliquid (sonirico)',
    version: ran(program),
    settings:
      'NewExchange(ctx, key, GUARD, nil, "", ACCOUNT, nil, nil); NewWebsocketClient(GUARD_WS)',
    // It signs for mainnet only if its base URL is the venue's own.
    signedAs: 'testnet',
    via: 'http',
    unasked: [],
    overHttp: [],
    stopRoom: 0.15,
    hasNoGroups: true,
    lacks: {
      limitWithStop: 'its reader of answers knows no `waitingForFill`: send the stop by itself',
    },
    open: (target) =>
      openLineBot(target, { command: program, args: [], seen: seenAsSaid, forbidden }),
  }
}

const funds = 'funds_or_permissions'
const forbidden: readonly (readonly [name: string, wish: string, code: string])[] = [
  ['send USDC', 'UsdTransfer', funds],
  ['send a spot token', 'SpotTransfer', funds],
  ['withdraw', 'WithdrawFromBridge', funds],
  ['move USDC to spot', 'UsdClassTransfer', funds],
  ['approve an agent', 'ApproveAgent', funds],
  ['approve a builder fee', 'ApproveBuilderFee', funds],
  ['transfer to a sub-account', 'SubAccountTransfer', funds],
  ['transfer to a vault', 'VaultUsdTransfer', funds],
  ['set a referrer', 'SetReferrer', 'unsupported_action'],
  ['create a sub-account', 'CreateSubAccount', funds],
  ['schedule a cancel of everything', 'ScheduleCancel', 'schedule_cancel'],
  ['an order for a vault', 'for a vault', 'vault'],
  ['an order with a stranger’s key', 'with another key', 'auth_unknown_signer'],
]
