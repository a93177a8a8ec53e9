import { expect, test } from 'vitest'
import { dayMs } from '../../src/core/values/millis.ts'
import { HaltOracle } from './haltOracle.ts'

test('a record that joins the journal after a halt of its own millisecond ends nothing', () => {
  const halts = new HaltOracle(() => dayMs)
  const risk = { kind: 'risk', at_ms: dayMs }
  halts.onDisk({ seq: -1, ...risk, state: 'active' })
  halts.onDisk({ seq: -2, ...risk, state: 'stopped' })
  halts.onDisk({ seq: 3, ...risk, state: 'active' })
  halts.onDisk({ seq: 4, ...risk, state: 'stopped' })
  expect(() => {
    halts.onDisk({ seq: 5, ...risk, at_ms: dayMs + 1, state: 'active' })
  }).toThrow('halt_stays')
})
