import type { Json } from '../../src/core/protocol/action.ts'
import type { Dice } from './dice.ts'

/** Pieces that mean something to one of the readers. */
const tokens = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\u0061',
  '\u0000',
  '\u007f',
  'é',
  '💥',
  '0',
  '-0',
  '-1',
  '1e5',
  '1E-7',
  '0.1',
  '1.50',
  '01',
  '+1',
  '9007199254740991',
  '9007199254740993',
  '4294967295',
  '4294967296',
  '18446744073709551616',
  'null',
  'true',
  'false',
  'NaN',
  'Infinity',
  '"type":"withdraw3"',
  '"type":"order"',
  '"a":0',
  '"s":"1"',
  '"p":"1e3"',
  '"r":true',
  '"__proto__":{}',
  '"constructor":1',
  '"nonce":1',
  '"vaultAddress":null',
  '"expiresAfter":0',
  '"grouping":"na"',
  '"f":true',
  '{"trigger":{"isMarket":true,"triggerPx":"1","tpsl":"sl"}}',
  '"c":"0x00000000000000000000000000000001"',
  '"method":"post"',
  '"id":1',
  '"request":',
  '"payload":',
  '"subscription":{"type":"trades","coin":"BTC"}',
  '\r\n',
  '\n\n',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Host: evil',
  '../',
  '%00',
  '//',
  '?',
  '&',
  '=',
  '#',
  "'",
  '"""',
  '[rules]',
  '[market.BTC]',
  '"2%"',
  'gr1_',
  '-',
  '_',
  '0x',
  ' ',
  '\t',
  '\u2028',
  '\ufeff',
] as const

const tokenBytes = tokens.map((each) => Buffer.from(each))

/** One to four edits of a copy: bits, pieces, cuts, doublings, and a graft from another input. */
export function mutateBytes(dice: Dice, from: Uint8Array, other: Uint8Array): Buffer {
  let bytes: Buffer = Buffer.from(from)
  for (let edits = 1 + dice.roll(4); edits > 0; edits -= 1) bytes = edit(dice, bytes, other)
  return bytes
}

function edit(dice: Dice, bytes: Buffer, other: Uint8Array): Buffer {
  const at = dice.roll(bytes.length + 1)
  const span = Math.min(bytes.length - at, 1 + dice.roll(dice.roll(4) === 0 ? 64 : 6))
  const [head, cut, tail] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + span),
    bytes.subarray(at + span),
  ]
  switch (dice.roll(8)) {
    case 0: {
      const flipped = Buffer.from(bytes)
      if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ (1 << dice.roll(8))
      return flipped
    }
    case 1:
      return Buffer.concat([head, tail])
    case 2:
      return Buffer.concat([head, cut, cut, tail])
    case 3: {
      const start = dice.roll(other.length + 1)
      return Buffer.concat([head, other.subarray(start, start + 1 + dice.roll(80)), tail])
    }
    case 4:
      return Buffer.concat([head, Buffer.from([dice.roll(256)]), tail])
    case 5:
      return Buffer.concat([head, dice.pick(tokenBytes), tail])
    case 6:
      return Buffer.concat([head, dice.pick(tokenBytes), cut, tail])
    default:
      return dice.roll(200) === 0
        ? nested(dice, head, cut, tail)
        : Buffer.concat([head, cut, dice.pick(tokenBytes), tail])
  }
}

function nested(dice: Dice, head: Buffer, cut: Buffer, tail: Buffer): Buffer {
  const depth = 1 + dice.roll(2_000)
  return Buffer.concat([
    head,
    Buffer.from('['.repeat(depth)),
    cut,
    Buffer.from(']'.repeat(depth)),
    tail,
  ])
}

const scalars: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  64,
  4_294_967_295,
  4_294_967_296,
  9_007_199_254_740_991,
  1e300,
  -1e-7,
  '',
  '0',
  '-0',
  '1',
  '1.0',
  '0.1',
  '1e5',
  '00',
  ' 1',
  '1 ',
  '+1',
  '.5',
  '5.',
  '٣',
  '99999999999999999999',
  '0.000000000000000001',
  'NaN',
  'BTC',
  'B',
  'A',
  'sl',
  'tp',
  'na',
  'normalTpsl',
  'Gtc',
  'Ioc',
  'order',
  'ok',
  'err',
  'withdraw3',
  '0x00000000000000000000000000000001',
  `0x${'a'.repeat(40)}`,
  [],
  {},
  [[]],
  { limit: { tif: 'Gtc' } },
  { trigger: { isMarket: true, triggerPx: '1', tpsl: 'sl' } },
  { p: 1 },
  '\u0000',
  '\ud83d',
  'constructor',
]

/** A copy of `json` with something in it replaced, removed, doubled, renamed or added. */
export function mutateJson(dice: Dice, json: Json): Json {
  if (typeof json !== 'object' || json === null || dice.roll(8) === 0) return dice.pick(scalars)
  if (Array.isArray(json)) {
    const list = [...(json as readonly Json[])]
    const at = dice.roll(list.length + 1)
    const kind = dice.roll(5)
    if (at < list.length && kind > 1) list[at] = mutateJson(dice, list[at] as Json)
    else if (kind === 0) list.splice(at, 1)
    else list.splice(at, 0, list.length > 0 ? (dice.pick(list) as Json) : dice.pick(scalars))
    return list
  }
  const entries = Object.entries(json as { [key: string]: Json })
  const at = dice.roll(entries.length + 1)
  const found = entries[at]
  const kind = dice.roll(8)
  if (found === undefined || kind === 0)
    entries.push([
      dice.pick(['a', 'type', 'f', 'time', 'x', 'builder', 'c', 'oid']),
      dice.pick(scalars),
    ])
  else if (kind === 1) entries.splice(at, 1)
  else if (kind === 2)
    entries[at] = [
      dice.pick(['A', 'Type', 'toString', found[0].toUpperCase(), `${found[0]} `]),
      found[1],
    ]
  else entries[at] = [found[0], mutateJson(dice, found[1])]
  return Object.fromEntries(entries)
}
