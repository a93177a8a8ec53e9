import { expect, test } from 'vitest'
import { BoundedLines, tooLongAnswer } from './boundedLines.ts'

/** What comes through, and the ends of what does not, when the text comes in pieces of this size. */
function through(text: string, bytesMax: number, piece: number) {
  const [passed, ends]: [string[], string[]] = [[], []]
  const lines = new BoundedLines(bytesMax, (each) => ends.push(each))
  lines.on('data', (chunk: Buffer) => passed.push(chunk.toString()))
  for (let at = 0; at < text.length; at += piece) lines.write(text.slice(at, at + piece))
  return { passed: passed.join(''), ends }
}

test.each([1, 3, 7, 100, 10_000])(
  'a line that is too long is left out, in pieces of %i',
  async (piece) => {
    const long = `{"id":7,"x":"${'y'.repeat(600)}"}`
    const text = `{"a":1}\n${long}\n{"b":2}\n`
    const { passed, ends } = through(text, 100, piece)
    await new Promise(setImmediate)
    const { passed: after } = through(text, 100, piece)
    expect([passed, after].every((each) => '{"a":1}\n{"b":2}\n'.startsWith(each))).toBe(true)
    expect(ends).toHaveLength(1)
    expect(ends[0]?.startsWith('{"id":7,')).toBe(true)
    expect(ends[0]?.trimEnd().endsWith('y"}')).toBe(true)
  },
)

test.each([
  ['{"jsonrpc":"2.0","id":5,"method":"x"', 5],
  ['{"method":"x","params":{"a":"yyy\nyyy"}},"jsonrpc":"2.0","id":"listen-1"}', 'listen-1'],
  ['no id', null],
  ['"id":{"a":1}', null],
])('the answer to %j has its id', (ends, id) => {
  expect(JSON.parse(tooLongAnswer(ends, 65_536))).toMatchObject({
    ...{ jsonrpc: '2.0', id },
    error: { message: expect.stringContaining('at most 65536 bytes') },
  })
})
