import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Bot, Driver, Seen, Target } from '../bot.ts'
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

type Answer = { readonly saw?: any; readonly threw?: string; readonly text?: string }

async function open(target: Target): Promise<Bot> {
  const script = join(import.meta.dirname, 'python_bot.py')
  const child = spawn(python ?? 'python3', [script, target.url, target.key, target.account])
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const answer = async (): Promise<Answer> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`the Python bot ended: ${errors}`)
    return JSON.parse(value) as Answer
  }
  await answer()
  const ask = async (what: string, ...given: unknown[]): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify({ do: what, with: given })}\n`)
    return answer()
  }
  const saw = async (what: string, ...given: unknown[]): Promise<any> => {
    const { saw: value, threw, text } = await ask(what, ...given)
    if (threw !== undefined) throw new Error(`${what}: ${threw}: ${text ?? ''}`)
    return value
  }
  const does =
    (what: string) =>
    async (...given: unknown[]): Promise<Seen> =>
      seen(await ask(what, ...given))
  return {
    markets: () => saw('markets'),
    read: () => saw('read'),
    leverage: does('leverage'),
    market: does('market'),
    limit: does('limit'),
    marketWithStop: does('marketWithStop'),
    limitWithStop: does('limitWithStop'),
    group: does('group'),
    stop: does('stop'),
    modify: does('modify'),
    modifyStop: does('modifyStop'),
    cancel: does('cancel'),
    cancelByCloid: does('cancelByCloid'),
    cancelAll: does('cancelAll'),
    close: does('close'),
    several: does('several'),
    together: async (wishes) =>
      ((await saw('together', wishes)) as any[]).map((saw) => seen({ saw })),
    watch: async () => {
      const levels: number = await saw('watch')
      return { book: () => Promise.resolve(levels), fill: () => saw('fill') }
    },
    forbidden: forbidden.map(([name, wish, code]) => ({ name, code, run: () => does(wish)() })),
    end: async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
    },
  }
}

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
