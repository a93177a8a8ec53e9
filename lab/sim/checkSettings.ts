import { parseAddress } from '../../src/core/values/address.ts'
import type { Address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { StartAccount } from './front/options.ts'

/** What a program gives to `startSimulator` is checked as the command line checks it. */

type Given = { readonly [name: string]: unknown }
type Check = readonly [fits: (value: unknown) => boolean, expected: string]

const isCount = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
const isList = (value: unknown): boolean => Array.isArray(value)

const checks: { readonly [name: string]: Check } = {
  host: [(value) => typeof value === 'string' && value !== '', 'a name or an address'],
  port: [(value) => isCount(value, 0, 65_535), 'a whole number from 0 to 65535'],
  seed: [
    (value) => isCount(value, 0, Number.MAX_SAFE_INTEGER),
    `a whole number from 0 to ${String(Number.MAX_SAFE_INTEGER)}`,
  ],
  scenario: [(value) => typeof value === 'string', 'calm, trend, crash, gap, thin, or a file'],
  weightLimit: [
    (value) => value === null || isCount(value, 1, 1_000_000_000),
    'a whole number from 1 to 1000000000, or null for no limit',
  ],
  control: [(value) => typeof value === 'boolean', 'true or false'],
  network: [(value) => value === 'testnet' || value === 'mainnet', 'testnet or mainnet'],
  faucet: [(value) => value === null || isAmount(value), 'a positive decimal text, or null'],
  accounts: [isList, 'a list'],
  dexes: [isList, 'a list'],
  options: [
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'an object of options by their names',
  ],
  clock: [isClock, 'an object with a function now'],
}

/** Throws with the name of the first setting that is not known or cannot be. */
export function checkSettings(settings: object): void {
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(checks, name)) {
      throw new TypeError(`${name} is not known; known are ${Object.keys(checks).join(', ')}`)
    }
    if (value !== undefined) check(name, value, checks[name] as Check)
  }
}

/** Reads and checks one of the accounts that `startSimulator` was given. */
export function readStartAccount(json: unknown, at: number): StartAccount {
  const path = `accounts[${String(at)}]`
  const isObject = typeof json === 'object' && json !== null
  if (!isObject) throw new TypeError(`${path} must be an object, got ${shown(json)}`)
  const given = json as Given
  const known = ['address', 'equity', 'agents']
  const unknown = Object.keys(given).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw new TypeError(`${path}.${unknown} is not known; known are ${known.join(', ')}`)
  }
  const { equity, agents = [] } = given
  check(`${path}.equity`, equity, [isAmount, 'a positive decimal text'])
  check(`${path}.agents`, agents, [isList, 'a list of addresses'])
  return {
    address: readAddress(given['address'], `${path}.address`),
    equity: Decimal.of(equity as string),
    agents: (agents as readonly unknown[]).map((each, index) =>
      readAddress(each, `${path}.agents[${String(index)}]`),
    ),
  }
}

function check(path: string, value: unknown, [fits, expected]: Check): void {
  if (!fits(value)) throw new TypeError(`${path} must be ${expected}, got ${shown(value)}`)
}

function readAddress(value: unknown, path: string): Address {
  const parsed = parseAddress(typeof value === 'string' ? value.toLowerCase() : value)
  if (parsed.ok) return parsed.value
  throw new TypeError(`${path} must be an address, 0x and 40 hex digits, got ${shown(value)}`)
}

function isAmount(value: unknown): boolean {
  const parsed = Decimal.parse(value)
  return parsed.ok && parsed.value.isPositive()
}

function isClock(value: unknown): boolean {
  return typeof (value as { readonly now?: unknown } | null)?.now === 'function'
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'function' ? 'a function' : JSON.stringify(value).slice(0, 100)
}
