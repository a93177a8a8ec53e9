import { hash as digest } from 'node:crypto'
import { join } from 'node:path'
import { JournalError } from './journalError.ts'
import type { JournalIo } from './journalIo.ts'
import { fileNames, parseObject } from './layout.ts'
import { listSegments, readSmallFile, replaceFile } from './segments.ts'

/**
 * What the first kept record follows: the last one that was removed for its age, or, while all are
 * kept, number zero and the hash that every journal of this account begins with.
 */
export interface Base {
  readonly seq: number
  readonly hash: string
}

/** Reads the base; throws where the file is there and cannot be believed. */
export async function readBase(
  io: JournalIo,
  directory: string,
  genesisHash: string,
): Promise<Base> {
  const bytes = await readSmallFile(io, join(directory, fileNames.base))
  if (bytes === null) return { seq: 0, hash: genesisHash }
  const { seq, hash, sum } = parseObject(bytes.toString('utf8')) ?? {}
  if (typeof seq !== 'number' || typeof hash !== 'string') throw damaged()
  if (sum !== sumOf({ seq, hash }, genesisHash)) throw damaged()
  return { seq, hash }
}

export async function writeBase(
  io: JournalIo,
  directory: string,
  genesisHash: string,
  base: Base,
): Promise<void> {
  const { seq, hash } = base
  const text = `${JSON.stringify({ seq, hash, sum: sumOf(base, genesisHash) })}\n`
  await replaceFile(io, directory, fileNames.base, Buffer.from(text))
}

/** Removes the segments below the base; a crash may have come between writing it and this. */
export async function removeBelow(io: JournalIo, directory: string, base: Base): Promise<void> {
  const old = (await listSegments(io, directory)).filter(({ first }) => first <= base.seq)
  if (old.length === 0) return
  for (const { name } of old) await io.remove(join(directory, name))
  await io.syncDirectory(directory)
}

function sumOf({ seq, hash }: Base, genesisHash: string): string {
  return digest('sha256', `guard-base-1\n${genesisHash}\n${seq} ${hash}\n`)
}

function damaged(): JournalError {
  return new JournalError('damaged', `${fileNames.base} cannot be read`)
}
