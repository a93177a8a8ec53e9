import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Bot, Driver, Seen, Target } from '../bot.ts'
import { openLineBot } from './lineBot.ts'
import type { Answer } from './lineBot.ts'
import { shown } from './nktkas.ts'

const root = resolve(import.meta.dirname, '..', '..', '..')
const places = [
  process.env['GUARD_PYTHON'],
  join(root, '.venv', 'bin', 'python'),
  join(root, 'test', 'python', '.venv', 'bin', 'python'),
]

/** An interpreter with the official SDK: `scripts/clients-python.sh` makes one. Null without. */
export const python: string | null =
  places.find((place): place is string => place !== undefined && hasSdk(place)) ?? null

function hasSdk(interpreter: string): boolean {
  if (!existsSync(interpreter)) return false
  try {
    execFileSync(interpreter, ['-c', 'import hyperliquid, eth_account'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export const pythonSkipped =
  'needs the official SDK: run scripts/clients-python.sh, or name an interpreter in GUARD_PYTHON'

function pythonVersion(distribution: string): string {
  const ask = `import importlib.metadata as m; print(m.version("${distribution}"))`
  return python === null ? 'not installed' : execFileSync(python, ['-c', ask]).toString().trim()
}

export function pythonDriver(): Driver {
  return {
    name: 'Python SDK',
    client: 'hyperliquid-python-sdk (official)',
    version: pythonVersion('hyperliquid-python-sdk'),
    settings: 'Info(GUARD); Exchange(wallet, GUARD, account_address=ACCOUNT)',
    // It signs for mainnet only if its base URL is the venue's own.
    signedAs: 'testnet',
    via: 'http',
    unasked: [],
    overHttp: [],
    stopRoom: 0.15,
    lacks: {},
    open,
  }
}

const open = (target: Target): Promise<Bot> =>
  openLineBot(target, {
    command: python ?? 'python3',
    args: [join(import.meta.dirname, 'python_bot.py')],
    ...{ seen, forbidden },
  })

const funds = 'funds_or_permissions'
const forbidden: readonly (readonly [name: string, wish: string, code: string])[] = [
  ['send USDC', 'usd_transfer', funds],
  ['send a spot token', 'spot_transfer', funds],
  ['withdraw', 'withdraw_from_bridge', funds],
  ['move USDC to spot', 'usd_class_transfer', funds],
  ['approve an agent', 'approve_agent', funds],
  ['approve a builder fee', 'approve_builder_fee', funds],
  ['transfer to a sub-account', 'sub_account_transfer', funds],
  ['transfer to a vault', 'vault_usd_transfer', funds],
  ['set a referrer', 'set_referrer', 'unsupported_action'],
  ['create a sub-account', 'create_sub_account', 'funds_or_permissions'],
  ['schedule a cancel of everything', 'schedule_cancel', 'schedule_cancel'],
  ['an order for a vault', 'for a vault', 'vault'],
  ['an order with a stranger’s key', "with a stranger's key", 'auth_unknown_signer'],
]

/** The SDK returns a refusal; it throws only what is no answer. */
function seen({ saw, threw, text }: Answer): Seen {
  if (threw !== undefined) return { refused: text ?? '', as: threw }
  if (saw?.status === 'err') return { refused: saw.response, as: 'a returned error' }
  return { orders: (saw?.response?.data?.statuses ?? []).map(shown) }
}
