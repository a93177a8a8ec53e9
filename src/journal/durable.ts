import type { Durable } from '../engine/ports.ts'

/** Mints the proof of a record that is on disk; nothing outside the journal may import this. */
export function mintDurable(seq: number, emergency: boolean): Durable {
  return { seq, emergency, onDisk: true, later: already } as Durable
}

/** Mints the proof of an emergency record that is in memory until `later` resolves. */
export function mintInMemory(seq: number, later: Promise<void>): Durable {
  return { seq, emergency: true, onDisk: false, later } as Durable
}

const already = Promise.resolve()
