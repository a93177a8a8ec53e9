import { Decimal } from '../../../src/core/values/decimal.ts'
import { Exact } from './exact.ts'

/** The engine keeps sixteen digits of a quotient, the model all: an amount may be so far off. */
const usualSlack = Exact.of('0.000000000001')

/** A number that the venue shows with so many decimals. */
export class Rounded {
  readonly exact: Exact
  readonly decimals: number
  readonly how: 'nearest' | 'cut'
  private readonly slack: Exact

  constructor(exact: Exact, decimals: number, how: 'nearest' | 'cut', slack = usualSlack) {
    this.exact = exact
    this.decimals = decimals
    this.how = how
    this.slack = slack
  }

  /** Whether this is how it is shown. Exactly between two numbers either of them is right. */
  isShownAs(told: Exact): boolean {
    const unit = Exact.one.over(Exact.of(`1${'0'.repeat(this.decimals)}`))
    const most = this.how === 'cut' ? unit : unit.over(Exact.of(2))
    const apart = this.exact.minus(told)
    if (!told.fits(this.decimals) || apart.abs().isAbove(most.plus(this.slack))) return false
    return (
      this.how === 'nearest' ||
      apart.sign() * this.exact.sign() >= 0 ||
      !apart.abs().isAbove(this.slack)
    )
  }
}

/** The first place at which the two say different things, with both; null when they agree. */
export function difference(said: unknown, told: unknown, where: string): string | null {
  if (said instanceof Exact || said instanceof Rounded) {
    const other = told instanceof Decimal ? Exact.of(told.toString()) : null
    const isSame =
      other !== null && (said instanceof Exact ? said.is(other) : said.isShownAs(other))
    return isSame ? null : parted(where, said, told)
  }
  if (Array.isArray(said) && Array.isArray(told)) {
    if (said.length !== told.length) return parted(`${where}.length`, said, told)
    return firstOf(said.map((each, index) => [each, told[index], `${where}[${index}]`]))
  }
  if (isRecord(said) && isRecord(told)) {
    const keys = [...new Set([...Object.keys(said), ...Object.keys(told)])]
    return firstOf(keys.map((key) => [said[key], told[key], `${where}.${key}`]))
  }
  return said === told ? null : parted(where, said, told)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function firstOf(pairs: readonly (readonly [unknown, unknown, string])[]): string | null {
  for (const [said, told, where] of pairs) {
    const found = difference(said, told, where)
    if (found !== null) return found
  }
  return null
}

function parted(where: string, said: unknown, told: unknown): string {
  return `${where}: the model says ${shown(said)}, the engine ${shown(told)}`
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    const exact = each instanceof Rounded ? each.exact : each
    if (!(exact instanceof Exact)) return each
    return exact.fits(20) ? exact.toString() : exact.nearest(20).toString()
  })
}
