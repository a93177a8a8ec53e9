import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { PackedMarks } from './packedMarks.ts'

const packed = (text: string): string => deflateRawSync(text).toString('base64')
const toldTo = (marks: PackedMarks): unknown => {
  const frame = marks.replay('fastAssetCtxs')
  if (frame === null) return null
  const { data } = JSON.parse(frame) as { data: string }
  return JSON.parse(inflateRawSync(Buffer.from(data, 'base64')).toString())
}
/** A frame of the venue's own documentation. */
const recorded =
  'q1ZyCnFWsqpWyk0syg6oULJSsjQ3NTDQM1Wq1VFyDfFAkTI2MzXQMwJLVVRWWfmFuTiiyBuamOoZKdXWAgA='

test('who asks late is told all that was told until then, packed as the venue does it', () => {
  const marks = new PackedMarks()
  expect(toldTo(marks)).toBeNull()
  marks.add(recorded)
  marks.add(packed('{"ETH":{"midPx":"3650.5"},"xyz:NVDA":{"markPx":"146"},"NEW":{"markPx":"1"}}'))
  expect(toldTo(marks)).toEqual({
    BTC: { markPx: '97500.5' },
    ETH: { markPx: '3650.25', midPx: '3650.5' },
    'xyz:NVDA': { markPx: '146' },
    NEW: { markPx: '1' },
  })
})

const unreadable: readonly (readonly [string, Json])[] = [
  ['no text', { BTC: {} }],
  ['not packed', 'BTC'],
  ['no JSON', packed('BTC')],
  ['no object', packed('[1]')],
  ['a megabyte and more', packed(`{"BTC":{"markPx":"${'1'.repeat(1_048_576)}"}}`)],
  [
    'too many coins',
    packed(
      JSON.stringify(Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`C${n}`, {}]))),
    ),
  ],
]

test.each(unreadable)('after a frame of %s nobody is told half of it', (_, frame) => {
  const marks = new PackedMarks()
  marks.add(recorded)
  marks.add(frame)
  expect(toldTo(marks)).toBeNull()
  marks.add(recorded)
  expect(toldTo(marks)).toBeNull()
  marks.clear()
  marks.add(recorded)
  expect(toldTo(marks)).toMatchObject({ BTC: { markPx: '97500.5' } })
})
