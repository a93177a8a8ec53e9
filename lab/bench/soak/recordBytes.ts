import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { limits } from '../../../src/core/values/limits.ts'
import { segmentNames } from '../../../src/journal/layout.ts'

/** What a journal holds, in bytes: by whom something was refused, and the rest. */
export interface RecordBytes {
  /** Refusals of requests that no client had signed. */
  readonly strangers: number
  /** Refusals of requests that clients had signed. */
  readonly clients: number
  readonly other: number
}

/** Reads a whole journal that nobody writes any more. */
export async function recordBytes(directory: string): Promise<RecordBytes> {
  const found = { strangers: 0, clients: 0, other: 0 }
  for (const { name } of segmentNames(readdirSync(directory))) {
    for await (const line of createInterface({ input: createReadStream(join(directory, name)) })) {
      found[classOf(line)] += Buffer.byteLength(line) + 1
    }
  }
  return found
}

function classOf(line: string): keyof RecordBytes {
  if (!line.includes('"kind":"decision"')) return 'other'
  const { verdict, client } = JSON.parse(line) as {
    readonly verdict?: string
    readonly client?: string | null
  }
  if (verdict !== 'veto') return 'other'
  return client === null || client === undefined ? 'strangers' : 'clients'
}

/** What refusals may take of the disk on so many days, of strangers and of each client. */
export function allowedBytes(days: number, clients: number): number {
  const { strangerRecordBytesPerDay, clientRefusalBytesPerDay } = limits
  return days * (strangerRecordBytesPerDay + clients * clientRefusalBytesPerDay)
}

/** All files below a directory together, in bytes. */
export function filesBytes(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const stats = statSync(join(directory, name), { throwIfNoEntry: false })
    return sum + (stats?.isFile() === true ? stats.size : 0)
  }, 0)
}
