import * as z from 'zod'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'

const hex = (bytes: number): z.ZodString =>
  z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`), `must be ${bytes} bytes in hex`)

/** Bounds keep a hostile file from asking for all memory or hours of work. */
const schema = z.object({
  version: z.literal(3),
  crypto: z.object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: hex(16) }),
    ciphertext: hex(32),
    kdf: z.literal('scrypt'),
    kdfparams: z.object({
      dklen: z.literal(32),
      n: z
        .int()
        .min(2)
        .max(1_048_576)
        .refine((n) => (n & (n - 1)) === 0, 'must be a power of two'),
      r: z.int().min(1).max(16),
      p: z.int().min(1).max(16),
      salt: z.string().regex(/^([0-9a-fA-F]{2}){8,64}$/, 'must be 8 to 64 bytes in hex'),
    }),
    mac: hex(32),
  }),
})

interface KeystoreParts {
  readonly salt: Buffer
  readonly cost: { readonly n: number; readonly r: number; readonly p: number }
  readonly iv: Buffer
  readonly ciphertext: Buffer
  readonly mac: Buffer
}

/** Reads the JSON of a version 3 keystore that uses scrypt. */
export function readKeystoreJson(text: string): Result<KeystoreParts> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return err('is not a keystore: not JSON')
  }
  const parsed = schema.safeParse(json)
  if (!parsed.success) {
    const first = parsed.error.issues[0]
    return err(`is not a usable keystore: ${first?.path.join('.') ?? ''} ${first?.message ?? ''}`)
  }
  const { kdfparams, cipherparams, ciphertext, mac } = parsed.data.crypto
  return ok({
    salt: Buffer.from(kdfparams.salt, 'hex'),
    cost: { n: kdfparams.n, r: kdfparams.r, p: kdfparams.p },
    iv: Buffer.from(cipherparams.iv, 'hex'),
    ciphertext: Buffer.from(ciphertext, 'hex'),
    mac: Buffer.from(mac, 'hex'),
  })
}
