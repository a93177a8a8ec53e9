import { randomBytes } from 'node:crypto'
import type { Random } from '../engine/ports.ts'

export const systemRandom: Random = { bytes: (count) => randomBytes(count) }
