import { parseCoin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { ScriptedPrice } from './venueConfig.ts'

const known = ['after_ms', 'coin', 'mid', 'mark', 'oracle']

/**
 * Reads a scenario of one's own: an array of `{"after_ms","coin","mid","mark"?,"oracle"?}`, times in
 * milliseconds after the start, prices as decimal strings.
 */
export function readPriceScript(json: unknown): Result<ScriptedPrice[]> {
  if (!Array.isArray(json)) return err('a scenario file must hold an array of price steps')
  const steps: ScriptedPrice[] = []
  for (const [index, entry] of json.entries()) {
    const step = readStep(entry)
    if (!step.ok) return err(`[${index}].${step.error}`)
    steps.push(step.value)
  }
  return ok(steps)
}

function readStep(entry: unknown): Result<ScriptedPrice> {
  if (typeof entry !== 'object' || entry === null) return err('must be an object')
  const fields = new Map<string, unknown>(Object.entries(entry))
  const unknownKey = [...fields.keys()].find((key) => !known.includes(key))
  if (unknownKey !== undefined) return err(`${unknownKey}: is not one of ${known.join(', ')}`)
  const afterMs = fields.get('after_ms')
  if (typeof afterMs !== 'number' || !Number.isSafeInteger(afterMs) || afterMs < 0) {
    return err(`after_ms: must be a whole number of milliseconds, got ${JSON.stringify(afterMs)}`)
  }
  const coin = parseCoin(fields.get('coin'))
  if (!coin.ok) return err(`coin: ${coin.error}`)
  const mid = readPrice(fields.get('mid'))
  if (!mid.ok) return err(`mid: ${mid.error}`)
  const optional: { mark?: Decimal; oracle?: Decimal } = {}
  for (const name of ['mark', 'oracle'] as const) {
    if (!fields.has(name)) continue
    const price = readPrice(fields.get(name))
    if (!price.ok) return err(`${name}: ${price.error}`)
    optional[name] = price.value
  }
  return ok({ afterMs, coin: coin.value, mid: mid.value, ...optional })
}

function readPrice(value: unknown): Result<Decimal> {
  const price = Decimal.parse(value)
  if (price.ok && !price.value.isPositive()) return err('must be above zero')
  return price
}
