import { Decimal } from '../../../src/core/values/decimal.ts'

const hourMs = 3_600_000
const hoursADay = 24

interface Hour {
  readonly hour: number
  readonly firstPrice: Decimal
  base: Decimal
  notional: Decimal
}

/** Volume of the last 24 hours and the price before them, kept by the hour. */
export class DayVolume {
  private hours: Hour[] = []
  private before: Decimal

  constructor(price: Decimal) {
    this.before = price
  }

  add(time: number, price: Decimal, size: Decimal): void {
    const hour = Math.floor(time / hourMs)
    let last = this.hours.at(-1)
    if (last?.hour !== hour) {
      last = { hour, firstPrice: price, base: Decimal.zero, notional: Decimal.zero }
      this.hours.push(last)
      this.forget(hour)
    }
    last.base = last.base.plus(size)
    last.notional = last.notional.plus(size.times(price))
  }

  private forget(hour: number): void {
    while ((this.hours[0]?.hour ?? hour) <= hour - hoursADay) {
      this.before = this.hours.shift()?.firstPrice ?? this.before
    }
  }

  read(time: number): { prevDayPrice: Decimal; base: Decimal; notional: Decimal } {
    this.forget(Math.floor(time / hourMs))
    let base = Decimal.zero
    let notional = Decimal.zero
    for (const each of this.hours) {
      base = base.plus(each.base)
      notional = notional.plus(each.notional)
    }
    return { prevDayPrice: this.before, base, notional }
  }
}
