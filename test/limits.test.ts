import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', 'src')

/** What commands take on the command line, and the page, grow with nobody's traffic. */
const elsewhere = /^(cli\/commands|monitor\/page)\//
/** Lengths that a format or a primitive has: nothing grows up to them. */
const formats = new Set([
  'config/keystore.ts: keyBytes',
  'core/protocol/guardCloid.ts: guardCloidTailBytes',
  'core/protocol/decodeMeta.ts: flatTableMax',
  'core/protocol/strictJson.ts: copiedMax',
  'engine/request/nonceSet.ts: firstRoom',
  'engine/request/nonceSet.ts: busyRoom',
  'journal/layout.ts: markBytes',
  'journal/record.ts: sealBytesMax',
  'journal/record.ts: tailBytes',
  'journal/record.ts: headBytes',
  'cli/doctor/examineMachine.ts: freeBytesMin',
  'cli/loadKey.ts: passphraseCharsMin',
])
/** The account's own books, which count orders and fills of one account. */
const books = /^(core\/account\/|engine\/recordedStops\.ts)/

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /\.tsx?$/.test(file) &&
    !/\.(test|fixture|d)\.tsx?$/.test(file) &&
    !elsewhere.test(file) &&
    file !== 'core/values/limits.ts',
)

/** A constant whose name says that something has a bound, with a number written right there. */
const bound =
  /^(?:export )?const (\w*(?:Bytes|Chars|Rows|Lines|Room|Max|Capacity|Burst)\w*)(?:: \w+)? = [\d(]/gm

test('every bound on what grows stands in core/values/limits.ts', () => {
  const found = files
    .filter((file) => !books.test(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(bound)]
        .map(([, name = '']) => name)
        // How long something is waited for is no amount of anything.
        .filter((name) => !/Ms(Max|Min)?$/.test(name))
        .map((name) => `${file}: ${name}`),
    )
    .filter((each) => !formats.has(each))
  expect(found).toEqual([])
})
