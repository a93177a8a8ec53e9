import { fileNames, parseMark, parseObject, segmentNames } from '../../src/journal/layout.ts'
import { pickAt } from './chance.ts'
import { journalDirectory } from './guardProcess.ts'
import type { Dice } from './step.ts'
import type { World } from './world.ts'

/**
 * A bit of the journal turns while the machine is off. What can be told must be refused at the start;
 * then a person puts the file back. Where nothing shows that a record had been on disk whole, a
 * turned bit cannot be told from a write that was cut short: there none is turned.
 */
export function turnBit(world: World, [place, at, bit]: Dice): void {
  const paths = world.disk.paths().filter((path) => path.startsWith(journalDirectory))
  if (world.life === null || paths.length === 0) return
  world.die('kept')
  const path = pickAt(paths, place)
  const bytes = world.disk.bytes(path)
  if (bytes === null || bytes.length === 0) return
  const where = Math.floor(at * bytes.length)
  if (!isVouchedFor(world, path, bytes, where)) {
    world.trace.say(`nothing vouches for ${path} at ${where}: no bit turned`)
    return
  }
  const flipped = Uint8Array.from(bytes)
  flipped[where] = (flipped[where] ?? 0) ^ (1 << Math.floor(bit * 8))
  world.disk.put(path, flipped)
  world.trace.say(`a bit of ${path} turned at ${where}`)
  world.putBack.push(() => {
    const now = world.disk.bytes(path)
    const isSame = now !== null && Buffer.from(now).subarray(0, flipped.length).equals(flipped)
    if (!isSame) return
    const restored = Uint8Array.from(now)
    restored[where] = bytes[where] ?? 0
    world.disk.put(path, restored)
    world.trace.say(`${path} was put back`)
  })
}

/** Whether a later segment, a later record or the mark says that what stands there was synced. */
function isVouchedFor(world: World, path: string, bytes: Uint8Array, where: number): boolean {
  const names = world.disk.paths().map((each) => each.slice(journalDirectory.length + 1))
  const name = path.slice(journalDirectory.length + 1)
  const segments = segmentNames(names)
  if (segments.every((each) => each.name !== name)) return true
  if (segments.at(-1)?.name !== name) return true
  const text = Buffer.from(bytes)
  const begin = text.lastIndexOf(newline, where - 1) + 1
  const end = text.indexOf(newline, where)
  const seq = numberIn(text.subarray(begin, end < 0 ? text.length : end), 'seq')
  if (seq === null) return false
  const mark = world.disk.bytes(`${journalDirectory}/${fileNames.mark}`)
  const marked = mark === null ? null : parseMark(Buffer.from(mark).toString('utf8'))
  if (marked !== null && marked.seq >= seq) return true
  const later =
    end < 0
      ? []
      : text
          .subarray(end + 1)
          .toString('utf8')
          .split('\n')
  return later.some((line) => (numberIn(Buffer.from(line), 'synced') ?? 0) >= seq)
}

const newline = 0x0a

function numberIn(line: Buffer, name: string): number | null {
  const value = parseObject(line.toString('utf8'))?.[name]
  return typeof value === 'number' ? value : null
}
