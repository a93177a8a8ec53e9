import { join } from 'node:path'
import { limits } from '../core/values/limits.ts'
import { JournalError } from './journalError.ts'
import { ioCode } from './journalIo.ts'
import type { IoFile, JournalIo } from './journalIo.ts'
import { readBase } from './base.ts'
import { readIdentity, verifyJournal } from './inspect.ts'
import { archivePattern, fileNames, markText } from './layout.ts'
import type { Mark, SegmentName } from './layout.ts'
import { readMark } from './markFile.ts'
import { nodeIo } from './nodeIo.ts'
import { genesis } from './record.ts'
import { chained } from './recordStore.ts'
import { linesForward, listSegments, readSmallFile, writeFully } from './segments.ts'
import type { SegmentLine } from './segments.ts'

/** Where a copy of a journal ends. */
interface CopiedJournal {
  readonly lastSeq: number
  readonly lastHash: string
}

/** Old segments may be removed for their age while they are copied; then it is begun again. */
const attemptsMax = limits.copyAttemptsMax

/**
 * Copies a journal into a new directory, also while Guard writes it, and verifies the copy: every
 * record up to one moment, with a durable mark of its own. What was on disk when it began is in it.
 */
export async function copyJournal(
  from: string,
  to: string,
  io: JournalIo = nodeIo,
): Promise<CopiedJournal> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await copyOnce(from, to, io)
    } catch (error) {
      if (ioCode(error) !== 'ENOENT' || attempt === attemptsMax) throw error
      for (const name of await io.list(to)) await io.remove(join(to, name))
    }
  }
}

async function copyOnce(from: string, to: string, io: JournalIo): Promise<CopiedJournal> {
  await io.makeDirectory(to)
  const identity = await readIdentity(from, io)
  // Snapshots before the records they are made from, emergency records before those they become:
  // so nothing that is copied lacks what it came from, and nothing falls between the two.
  const names = await io.list(from)
  for (const name of names.filter(isSmall)) await copySmall(io, from, to, name)
  const mark = await readMark(io, from)
  await copySmall(io, from, to, fileNames.base)
  const base = await readBase(io, from, genesis(identity))
  const segments = (await listSegments(io, from)).filter(({ first }) => first > base.seq)
  const copy = new ChainCopy(io, from, to, mark, base)
  for (const segment of segments) await copy.segment(segment, segment === segments.at(-1))
  await copy.finish()
  const { seq: lastSeq, hash: lastHash } = copy.end
  const report = await verifyJournal(to, undefined, io)
  if (report.problem !== null || report.lastHash !== lastHash) {
    const what = report.problem?.text ?? 'it ends with another record'
    throw new JournalError('damaged', `the copy in ${to} does not verify: ${what}`)
  }
  return { lastSeq, lastHash }
}

/** Copies lines as it verifies them, each after the one before. */
class ChainCopy {
  readonly #io: JournalIo
  readonly #from: string
  readonly #to: string
  readonly #mark: Mark | null
  #end: { readonly seq: number; readonly hash: string }
  #place: { readonly segment: string; readonly end: number } | null = null

  constructor(
    io: JournalIo,
    from: string,
    to: string,
    mark: Mark | null,
    base: { readonly seq: number; readonly hash: string },
  ) {
    this.#io = io
    this.#from = from
    this.#to = to
    this.#mark = mark
    this.#end = { seq: base.seq, hash: base.hash }
  }

  get end(): { readonly seq: number; readonly hash: string } {
    return this.#end
  }

  async segment(segment: SegmentName, isLast: boolean): Promise<void> {
    let file: IoFile | null = null
    let size = 0
    try {
      for await (const lines of linesForward(this.#io, this.#from, segment)) {
        const whole = this.#verified(lines, isLast)
        if (whole.length > 0) {
          // A segment that was only just begun is left out.
          file ??= await this.#io.open(join(this.#to, segment.name), 'create')
          const bytes = Buffer.concat(whole.flatMap((line) => [line.bytes, newline]))
          await writeFully(file, bytes, size)
          size += bytes.length
          this.#place = { segment: segment.name, end: size }
        }
        if (whole.length < lines.length) break
      }
      await file?.sync()
    } finally {
      await file?.close()
    }
  }

  /** The durable mark of the copy: none of its records may be missing later. */
  async finish(): Promise<void> {
    if (this.#place !== null) {
      const file = await this.#io.open(join(this.#to, fileNames.mark), 'create')
      try {
        await writeFully(file, Buffer.from(markText({ ...this.#end, ...this.#place })), 0)
        await file.sync()
      } finally {
        await file.close()
      }
    }
    await this.#io.syncDirectory(this.#to)
  }

  /** The lines up to the first that is still being written; damage to any other is an error. */
  #verified(lines: readonly SegmentLine[], isLast: boolean): readonly SegmentLine[] {
    const whole: SegmentLine[] = []
    for (const line of lines) {
      const isUnderWay = isLast && this.#end.seq >= (this.#mark?.seq ?? 0)
      try {
        this.#end = chained(line, this.#end).seal
      } catch (error) {
        if (isUnderWay && error instanceof JournalError) return whole
        throw error
      }
      whole.push(line)
    }
    return whole
  }
}

function isSmall(name: string): boolean {
  return (
    name === fileNames.identity ||
    name === fileNames.emergency ||
    archivePattern.test(name) ||
    /^(snapshot-.+\.json|torn-\d{16}\.(bin|unrecorded))$/.test(name)
  )
}

/** Fine when there is no such file any more. */
async function copySmall(io: JournalIo, from: string, to: string, name: string): Promise<void> {
  const bytes = await readSmallFile(io, join(from, name))
  if (bytes === null) return
  const file = await io.open(join(to, name), 'create')
  try {
    await writeFully(file, bytes, 0)
    await file.sync()
  } finally {
    await file.close()
  }
}

const newline = Buffer.from('\n')
