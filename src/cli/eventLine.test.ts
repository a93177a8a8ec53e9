import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { GuardEvent } from '../core/events/guardEvent.ts'
import { eventLine } from './eventLine.ts'

const hostile = 'x\u001b]0;owned\u0007\u009b2J\r\nKILL  forged\u202e\u2028'

test('what a stranger chose cannot steer the terminal, nor begin a line', () => {
  const events = [
    { seq: 1, at_ms: 0, kind: 'error', text: hostile },
    { seq: 2, at_ms: 0, kind: 'kill', reason: hostile },
    { seq: 3, at_ms: 0, kind: 'sent', decision: 1, index: 0, nonce: 1, ok: false, reply: hostile },
  ] as unknown as GuardEvent[]
  for (const event of events) {
    const plain = stripVTControlCharacters(eventLine(event))
    // Guard's own colours are all there is to strip.
    expect(plain).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/)
    expect(plain).toContain('\\u{1b}]0;owned')
  }
})
