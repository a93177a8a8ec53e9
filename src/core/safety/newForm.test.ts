import { expect, test } from 'vitest'
import type { CashView } from '../account/cash.ts'
import { Decimal } from '../values/decimal.ts'
import { NewForm } from './newForm.ts'

function cash(amount: number, isUnified = false): CashView {
  const value = Decimal.whole(amount)
  return { equity: value, cash: value, unrealised: Decimal.zero, isUnified }
}

/** What is done after a change, and whether the equity still must not be counted. */
type Step = (form: NewForm) => void
const read =
  (view: CashView | null): Step =>
  (form) => {
    form.read(view)
  }
const took =
  (kind: 'state' | 'spot', view: CashView | null, nowMs = 0): Step =>
  (form) => {
    form.took(kind, view, nowMs)
  }
const look = (amount: number, nowMs: number): Step => took('state', cash(amount), nowMs)

test.each<[string, readonly Step[], boolean]>([
  ['nothing more', [], true],
  ['looks before all was read', [took('state', cash(9)), took('state', cash(9))], true],
  ['a read alone', [read(cash(9))], true],
  ['a look that agrees', [read(cash(1_000)), took('state', cash(1_001))], false],
  ['another kind of look', [read(cash(9)), took('spot', cash(9))], true],
  ['the balance of a unified account', [read(cash(9, true)), took('spot', cash(9, true))], false],
  ['a look that does not agree', [read(cash(9)), took('state', cash(5))], true],
  ['and one like it', [read(cash(9)), took('state', cash(5)), took('state', cash(5))], false],
  ['a look without an equity', [read(cash(9)), took('state', null)], true],
  ['a mode without an equity', [read(null)], false],
  ['a second read', [read(cash(9)), read(null)], true],
  ['one look alone, of long ago', [took('state', cash(9), 0)], true],
  ['no read, and the same for less than the hold', [look(9, 0), look(9, 9_999)], true],
  ['no read, and the same for the hold', [look(9, 5), look(9, 6_000), look(9, 10_005)], false],
  ['no read, and another one within', [look(9, 0), look(5, 6_000), look(5, 10_000)], true],
  ['no read, and that stands', [look(9, 0), look(5, 6_000), look(5, 16_000)], false],
  ['a read that failed to agree with any', [read(cash(9)), look(5, 0), look(9, 20_000)], true],
])('%s', (_, steps, isOpen) => {
  const form = new NewForm()
  expect(form.isOpen).toBe(false)
  form.changed()
  for (const step of steps) step(form)
  expect(form.isOpen).toBe(isOpen)
  form.changed()
  expect(form.isOpen).toBe(true)
})

test('nothing is open before a change', () => {
  const form = new NewForm()
  form.read(cash(9))
  form.took('state', cash(5), 0)
  expect(form.isOpen).toBe(false)
})
