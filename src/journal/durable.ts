import type { Durable } from '../engine/ports.ts'

/** Mints the proof that a record is on disk; nothing outside the journal may import this. */
export function mintDurable(seq: number, emergency: boolean, onDisk: boolean): Durable {
  return { seq, emergency, onDisk } as Durable
}
