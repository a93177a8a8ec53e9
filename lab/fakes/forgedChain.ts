import { hash as digest } from 'node:crypto'

/** A chain that somebody without the key has made, and its last record. */
interface ForgedChain {
  readonly text: string
  readonly last: { readonly seq: number; readonly hash: string }
}

/**
 * What somebody can do who may write the files and has no key: any lines of a journal from its
 * first on, each with a right number, hash and place in the chain. Proofs are kept as they were, or
 * left out. Tests and the storm try with it whether that is noticed.
 */
export function forgedChain(
  lines: readonly string[],
  genesisHash: string,
  keepsProofs: boolean,
): ForgedChain {
  let last = { seq: 0, hash: genesisHash }
  let text = ''
  for (const line of lines) {
    const { seq, prev, hash, proof, synced, ...rest } = JSON.parse(line) as StoredFields
    const kept = keepsProofs && proof !== undefined ? { proof } : {}
    const record = { seq: last.seq + 1, ...rest, ...kept, synced: last.seq, prev: last.hash }
    const opened = JSON.stringify(record).slice(0, -1)
    last = { seq: last.seq + 1, hash: digest('sha256', opened) }
    text += `${opened},"hash":"${last.hash}"}\n`
  }
  return { text, last }
}

interface StoredFields {
  readonly [name: string]: unknown
}
